import type { ActOfKind } from '../../domain/approval.ts';
import type { NewDecision } from '../../domain/events.ts';
import { bonusRange, type Money, money, readMoney, tryMoney } from '../../domain/money.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Actor, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { notice } from '../../slack/notice.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { ActOutcome, ApprovedAct } from '../shared/approved-acts.ts';
import type { Spend } from '../shared/spending.ts';
import type { createCommentForm, OpenRequest } from './comment-form.ts';
import { bonusDecided, bonusProblem, decidedMeanwhile, taskGone } from './decide.view.ts';
import type { Intent } from './intent.ts';

export interface BonusDeps {
  readonly accounts: Pick<Accounts, 'keySourceOf'>;
  readonly campaigns: Pick<Campaigns, 'get'>;
  readonly tasks: Pick<Tasks, 'get' | 'apply'>;
  readonly spend: Pick<Spend, 'begin'>;
  readonly claimOnce: (workspace: AccountRef['workspace'], name: string) => Promise<boolean>;
  readonly now: () => number;
  /** Returns the request of a submitted modal, if it can still be carried out. */
  readonly submittedRequest: (submission: Submission, also?: Capability) => Promise<OpenRequest | undefined>;
  readonly forms: Pick<ReturnType<typeof createCommentForm>, 'sent' | 'withTotal'>;
  /** Ends the form of a request: its text has been submitted. */
  readonly endForm: (actor: Actor, request: OpenRequest) => Promise<void>;
  /** Returns the `answer` function for a submission, posting in its card's channel. */
  readonly inChannel: (actor: Actor, intent: Intent) => Actor['answer'];
  /** Makes a decision unless one exists. Returns whether it stands. */
  readonly decide: (
    actor: Actor,
    request: OpenRequest,
    decision: NewDecision,
    at: number,
  ) => Promise<boolean>;
  /** Queues the follow-up of a decision: the card update, and sending at `sendAt`. */
  readonly queueJobs: (ref: AccountRef, task: Task, sendAt: number) => Promise<void>;
  /** Returns the time at which a decision made now is sent (ms). */
  readonly sendTimeOf: (ref: AccountRef, task: Task, at: number) => Promise<number>;
}

/** Creates the OK with a bonus, a favorite mark or a comment, decided at once or after a manager approves the bonus. */
export function createBonus(deps: BonusDeps) {
  const { campaigns, tasks, now } = deps;

  async function paymentOf(ref: AccountRef, task: Pick<Task, 'campaign'>): Promise<Money | undefined> {
    const campaign = await campaigns.get(ref, task.campaign);
    return campaign && tryMoney(campaign.paymentPerTask);
  }

  function bonusIn(text: string, payment: Money | undefined): { bonus?: Money; problem?: string } {
    if (text === '') return {};
    const read = readMoney(text);
    if ('problem' in read) return read;
    return payment !== undefined && isOutOfRange(read.amount, payment)
      ? { problem: bonusProblem(payment) }
      : { bonus: read.amount };
  }

  async function actOf(
    { ref, task, intent }: OpenRequest,
    decision: NewDecision & { readonly bonus: string },
    payment: Money | undefined,
  ): Promise<ActOfKind<'bonus'>> {
    const title = (await campaigns.get(ref, task.campaign))?.title ?? 'A campaign';
    return {
      kind: 'bonus',
      campaign: task.campaign,
      title,
      task: task.id,
      round: intent.round,
      worker: task.worker.name ?? task.worker.id,
      bonus: decision.bonus,
      ...(payment === undefined ? {} : { payment: payment.toFixed() }),
      comment: decision.comment,
      ...(decision.favorite === undefined ? {} : { favorite: decision.favorite }),
      ...(decision.reason === undefined ? {} : { reason: decision.reason }),
    };
  }

  /** Decides with a bonus, or requests its approval. */
  async function decideWithBonus(
    actor: Actor,
    request: OpenRequest,
    decision: NewDecision & { readonly bonus: string },
    payment: Money | undefined,
  ): Promise<void> {
    if (!(await deps.claimOnce(actor.workspace, `bonus ${decision.id}`))) return;
    const at = now();
    const act = await actOf(request, decision, payment);
    const answer = await deps.spend.begin(actor, request.ref, act, { id: decision.id, at });
    if (answer.kind === 'asked') await deps.endForm(actor, request);
    if (answer.kind !== 'granted') return actor.answer(notice(answer.sentence));
    // The step that stores the decision makes the bonus reservation permanent.
    if (!(await deps.decide(actor, request, decision, at))) await answer.giveBack();
  }

  async function submit(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const { values, member, id } = submission;
    const wanted = typed(values, 'bonus');
    const request = await deps.submittedRequest(submission, wanted === '' ? undefined : 'bonus');
    if (request === undefined) return undefined;
    const { intent, ref, task } = request;
    const payment = await paymentOf(ref, task);
    const { bonus, problem } = bonusIn(wanted, payment);
    if (problem) return { errors: { bonus: problem } };
    const sent = await deps.forms.sent(request, values);
    if ('answer' in sent) return sent.answer;
    const favorite = chosen(values, 'favorite');
    const decision: NewDecision = {
      id,
      by: member,
      verdict: 'OK',
      ...sent,
      ...(favorite === 'add' || favorite === 'remove' ? { favorite } : {}),
    };
    const actor = { ...submission, answer: deps.inChannel(submission, intent) };
    if (bonus === undefined) {
      await deps.decide(actor, request, decision, now());
      return undefined;
    }
    const shown = `${payment?.toFixed() ?? ''} + ${bonus.toFixed()}`;
    if (intent.shown !== shown) {
      const extras = { bonus: wanted, favorite: favorite ?? 'none', total: bonus.toFixed() };
      return {
        update: await deps.forms.withTotal({ ...request, intent: { ...intent, shown } }, values, extras),
      };
    }
    const withBonus = { ...decision, bonus: bonus.toFixed(), ownBonus: true } as const;
    return { afterwards: () => decideWithBonus(actor, request, withBonus, payment) };
  }

  const decideApproved: ApprovedAct<ActOfKind<'bonus'>>['perform'] = async (ref, act, id, by) => {
    const before = await tasks.get(ref, act.task);
    if (before === undefined) return { kind: 'canceled', sentence: taskGone };
    const at = now();
    const sendAt = await deps.sendTimeOf(ref, before, at);
    const { bonus, comment, favorite, reason, round } = act;
    const decision: NewDecision = {
      id,
      by: by.member,
      verdict: 'OK',
      comment,
      bonus,
      ownKey: (await deps.accounts.keySourceOf(ref, by.member)) === 'own',
      ...(favorite === undefined ? {} : { favorite }),
      ...(reason === undefined ? {} : { reason }),
    };
    const { how, by: approvedBy } = by;
    const event = { type: 'decided', decision, round, at, sendAt, how, approvedBy } as const;
    const { task = before } = await tasks.apply(ref, act.task, event);
    // Made by this attempt, or by an earlier one whose process died.
    const isOurs = task.decision?.id === id || task.undone?.includes(id) === true;
    if (!isOurs) return { kind: 'canceled', sentence: decidedMeanwhile(task) };
    await deps.queueJobs(ref, task, sendAt);
    return { kind: 'done', sentence: bonusDecided(money(bonus)) } satisfies ActOutcome;
  };

  const approved: ApprovedAct<ActOfKind<'bonus'>> = {
    async current(ref, act) {
      const task = await tasks.get(ref, act.task);
      if (task === undefined) return { canceled: taskGone };
      if (task.round !== act.round || !isOpen(task)) return { canceled: decidedMeanwhile(task) };
      const payment = await paymentOf(ref, task);
      if (payment === undefined) return act;
      return isOutOfRange(money(act.bonus), payment)
        ? { canceled: bonusProblem(payment) }
        : { ...act, payment: payment.toFixed() };
    },
    // The decision writes its own audit entry.
    claim: () => undefined,
    perform: decideApproved,
    // An existing decision is not made again.
    settle: decideApproved,
  };

  return { submit, approved };
}

function isOutOfRange(bonus: Money, payment: Money): boolean {
  const { min, max } = bonusRange(payment);
  return bonus.lt(min) || bonus.gt(max);
}
