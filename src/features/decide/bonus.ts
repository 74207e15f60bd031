import { z } from 'zod';
import type { ActOfKind } from '../../domain/approval.ts';
import { bonusRange, type Money, money, readMoney, tryMoney } from '../../domain/money.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { type ApprovedAct, createSpending } from '../people/public.ts';
import type { CommentForm, FormOutcome, FormSubmission, OpenForm } from './comment-form.ts';
import { bonusDecided, bonusProblem, decidedMeanwhile, taskGone } from './decide.view.ts';
import type { Decisions, MadeDecision } from './decisions.ts';

const Favorite = z.enum(['add', 'remove']);

type BonusDecision = MadeDecision & { readonly bonus: string };

/** Creates the OK with a bonus, a favorite mark or a comment, decided at once or after a manager approves the bonus. */
export function createBonus(modules: Modules, decisions: Decisions, forms: CommentForm) {
  const { campaigns, jobs, tasks, clock } = modules;
  const spending = createSpending(modules);

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
    { ref, task, state }: OpenForm,
    { bonus, comment, favorite, reason }: BonusDecision,
    payment: Money | undefined,
  ): Promise<ActOfKind<'bonus'>> {
    return {
      kind: 'bonus',
      campaign: task.campaign,
      title: await campaigns.titleOf(ref, task.campaign),
      task: task.id,
      round: state.round,
      worker: task.worker.name ?? task.worker.id,
      bonus,
      ...(payment === undefined ? {} : { payment: payment.toFixed() }),
      comment,
      ...(favorite === undefined ? {} : { favorite }),
      ...(reason === undefined ? {} : { reason }),
    };
  }

  /** Decides with a bonus, or requests its approval. */
  async function decideWithBonus(
    form: OpenForm<FormSubmission>,
    made: BonusDecision,
    payment: Money | undefined,
  ): Promise<FormOutcome> {
    const { ref } = form;
    const at = clock.now();
    const act = await actOf(form, made, payment);
    const answer = await spending.begin(form, ref, act, { id: made.id, at });
    if (answer.kind !== 'granted') return forms.ended(form, '', answer);
    const outcome = await forms.decided(form, made, at);
    // The step that stores the decision makes the bonus reservation permanent.
    if (outcome.kind !== 'decided') await answer.giveBack();
    return outcome;
  }

  /**
   * Decides from the submitted form. A bonus is paid once the form has said what it costs: until then, and if the cost has
   * changed since, the form is shown again with it.
   */
  async function submit(submission: FormSubmission): Promise<FormOutcome> {
    const { values, ref, state } = submission;
    // What is reserved for one cost does not count for another.
    const id = state.shown === undefined ? submission.id : `${submission.id} ${state.shown.at}`;
    const form = { ...submission, id };
    const said = await forms.sent(form);
    if (said.kind !== 'sent') return said;
    const wanted = typed(values, 'bonus');
    const payment = await paymentOf(ref, said.open.task);
    const { bonus, problem } = bonusIn(wanted, payment);
    if (problem) return { kind: 'errors', errors: { bonus: problem } };
    const favorite = Favorite.safeParse(chosen(values, 'favorite')).data;
    const made = {
      id,
      verdict: 'OK',
      ...said.made,
      ...(favorite === undefined ? {} : { favorite }),
    } as const;
    if (bonus === undefined) return forms.decided(form, made);
    const shown = { cost: costOf(payment, bonus), at: clock.now() };
    // A second press at the same place comes too early for anybody to have read the cost.
    const isRead = state.shown !== undefined && shown.at - state.shown.at >= 3 * jobs.timeouts.doubleClickMs;
    if (isRead && state.shown?.cost === shown.cost)
      return decideWithBonus(said.open, { ...made, bonus: bonus.toFixed(), ownBonus: true }, payment);
    const extras = { bonus: wanted, favorite: favorite ?? 'none', amount: bonus, shown };
    return { kind: 'form', view: await forms.withCost(said, extras) };
  }

  const decideApproved: ApprovedAct<ActOfKind<'bonus'>>['perform'] = async (ref, act, id, by) => {
    const { bonus, comment, favorite, reason, round, task } = act;
    const outcome = await decisions.rate(
      { member: by.member, how: by.how },
      { ref, task, round },
      {
        id,
        verdict: 'OK',
        comment,
        bonus,
        ...(favorite === undefined ? {} : { favorite }),
        ...(reason === undefined ? {} : { reason }),
      },
      { approvedBy: by.by },
    );
    if (outcome.kind !== 'missed') return { kind: 'done', sentence: bonusDecided(money(bonus)) };
    const { lost } = outcome;
    return { kind: 'canceled', sentence: lost === undefined ? taskGone : decidedMeanwhile(lost.task) };
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

/** Identifies the cost that a form says. */
const costOf = (payment: Money | undefined, bonus: Money) =>
  `${payment?.toFixed() ?? ''} + ${bonus.toFixed()}`;

function isOutOfRange(bonus: Money, payment: Money): boolean {
  const { min, max } = bonusRange(payment);
  return bonus.lt(min) || bonus.gt(max);
}
