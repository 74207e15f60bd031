import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { ActOfKind } from '../../domain/approval.ts';
import type { NewDecision } from '../../domain/events.ts';
import { bonusRange, type Money, money, readMoney, tryMoney } from '../../domain/money.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { type ActOutcome, type ApprovedAct, createSpending } from '../../kit/spending.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { createCodec } from '../../store/codec.ts';
import type { createCommentForm, OpenRequest } from './comment-form.ts';
import {
  bonusDecided,
  bonusGone,
  bonusProblem,
  bonusView,
  decidedMeanwhile,
  taskGone,
} from './decide.view.ts';
import { decodeIntent, type Intent } from './intent.ts';

/** How long an entered bonus can be confirmed: as long as a modal is likely to stay open. */
const keptSeconds = 86_400;

/** What was entered into the form, with the bonus as an amount and as it was typed. */
const Entered = z.object({
  comment: z.string(),
  reason: z.string().exactOptional(),
  favorite: z.string(),
  bonus: z.string(),
  wanted: z.string(),
});
type Entered = z.infer<typeof Entered>;
const entered = createCodec('entered bonus', Entered);

export type BonusDeps = Modules & {
  /** Returns the request of a submitted modal, if it can still be carried out. */
  readonly submittedRequest: (
    submission: Submission,
    also?: Capability,
    text?: string,
  ) => Promise<OpenRequest | undefined>;
  readonly forms: Pick<ReturnType<typeof createCommentForm>, 'again' | 'sent'>;
  /** Ends the form of a request: its text has been submitted. */
  readonly endForm: (actor: Actor, request: OpenRequest) => Promise<void>;
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
};

/** Creates the OK with a bonus, a favorite mark or a comment, decided at once or after a manager approves the bonus. */
export function createBonus(deps: BonusDeps) {
  const { campaigns, tasks, clock } = deps;
  const spending = createSpending(deps);

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

  /** A comment may be too long for the state of a modal, so what waits for its confirmation is stored. */
  const nameOf = ({ account, task, round }: Intent, member: MemberId) =>
    `bonus ${account} ${task} ${round} ${member}`;

  async function enteredIn({ workspace, member, state }: Submission): Promise<Entered | undefined> {
    const intent = decodeIntent(state);
    const stored = intent && (await deps.jobs.expiringTexts.get(workspace, nameOf(intent, member)));
    const decoded = stored === undefined ? undefined : entered.decode(stored);
    return decoded?.ok ? decoded.value : undefined;
  }

  /** Returns the modal that says what an entered bonus costs. */
  async function costView(
    callbackId: string,
    { ref, intent, task }: OpenRequest,
    { bonus, comment }: Entered,
    payment: Money | undefined,
  ): Promise<ModalView> {
    const shown = { ...intent, shown: costOf(payment, bonus) };
    const cost = { bonus: money(bonus), payment, comment };
    return bonusView(callbackId, shown, task, await campaigns.titleOf(ref, task.campaign), cost);
  }

  async function actOf(
    { ref, task, intent }: OpenRequest,
    decision: NewDecision & { readonly bonus: string },
    payment: Money | undefined,
  ): Promise<ActOfKind<'bonus'>> {
    const title = await campaigns.titleOf(ref, task.campaign);
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

  /** Decides with a bonus, or requests its approval. Resolves to false for a second delivery or click. */
  async function decideWithBonus(
    actor: Actor,
    request: OpenRequest,
    decision: NewDecision & { readonly bonus: string },
    payment: Money | undefined,
  ): Promise<boolean> {
    if (!(await deps.jobs.claimOnce(actor.workspace, `bonus ${decision.id}`))) return false;
    const at = clock.now();
    const act = await actOf(request, decision, payment);
    const answer = await spending.begin(actor, request.ref, act, { id: decision.id, at });
    if (answer.kind === 'asked') await deps.endForm(actor, request);
    if (answer.kind !== 'granted') await actor.answer(notice(answer.sentence));
    // The step that stores the decision makes the bonus reservation permanent.
    else if (!(await deps.decide(actor, request, decision, at))) await answer.giveBack();
    return true;
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
    if (bonus === undefined) {
      await deps.decide(submission, request, decision, clock.now());
      return undefined;
    }
    const kept = { ...sent, bonus: bonus.toFixed(), wanted, favorite: favorite ?? 'none' };
    const { workspace } = ref;
    await deps.jobs.expiringTexts.put(workspace, nameOf(intent, member), JSON.stringify(kept), keptSeconds);
    return { update: await costView(submission.callbackId, request, kept, payment) };
  }

  /**
   * Rates OK with the bonus whose cost was confirmed. Returns `done`; another confirmation if the cost has changed since; or
   * undefined if there is nothing more to say.
   */
  async function confirmed(submission: Submission): Promise<ModalView | 'done' | undefined> {
    const kept = await enteredIn(submission);
    if (kept === undefined) throw new UserError(bonusGone);
    const request = await deps.submittedRequest(submission, 'bonus', kept.comment);
    if (request === undefined) return undefined;
    const { comment, reason, favorite, bonus } = kept;
    const payment = await paymentOf(request.ref, request.task);
    if (payment && isOutOfRange(money(bonus), payment)) throw new UserError(bonusProblem(payment));
    if (request.intent.shown !== costOf(payment, bonus))
      return costView(submission.callbackId, request, kept, payment);
    const decision: NewDecision & { readonly bonus: string } = {
      id: submission.id,
      by: submission.member,
      verdict: 'OK',
      comment,
      ...(reason === undefined ? {} : { reason }),
      ...(favorite === 'add' || favorite === 'remove' ? { favorite } : {}),
      bonus,
      ownBonus: true,
    };
    return (await decideWithBonus(submission, request, decision, payment)) ? 'done' : undefined;
  }

  /** Returns the form again, as it was filled in. */
  async function changed(submission: Submission): Promise<ModalView | undefined> {
    const kept = await enteredIn(submission);
    if (kept === undefined) throw new UserError(bonusGone);
    const request = await deps.submittedRequest(submission, 'bonus', kept.comment);
    const { comment, wanted: bonus, favorite } = kept;
    return request && deps.forms.again(request, comment, { bonus, favorite });
  }

  const decideApproved: ApprovedAct<ActOfKind<'bonus'>>['perform'] = async (ref, act, id, by) => {
    const before = await tasks.get(ref, act.task);
    if (before === undefined) return { kind: 'canceled', sentence: taskGone };
    const at = clock.now();
    const sendAt = await deps.sendTimeOf(ref, before, at);
    const { bonus, comment, favorite, reason, round } = act;
    const decision: NewDecision = {
      id,
      by: by.member,
      verdict: 'OK',
      comment,
      bonus,
      ownKey: (await deps.people.accounts.keySourceOf(ref, by.member)) === 'own',
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

  return { submit, confirmed, changed, approved };
}

/** Identifies a cost that a button says. */
const costOf = (payment: Money | undefined, bonus: string) => `${payment?.toFixed() ?? ''} + ${bonus}`;

function isOutOfRange(bonus: Money, payment: Money): boolean {
  const { min, max } = bonusRange(payment);
  return bonus.lt(min) || bonus.gt(max);
}
