import { z } from 'zod';
import type { ActOfKind } from '../../domain/approval.ts';
import { bonusRange, type Money, money, readMoney, tryMoney } from '../../domain/money.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { type ApprovedAct, createSpending } from '../../kit/spending.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { createCodec } from '../../store/format.ts';
import type { CommentForm, FormInput, FormOutcome, FormSubmission, OpenForm } from './comment-form.ts';
import {
  bonusDecided,
  bonusGone,
  bonusProblem,
  bonusView,
  decidedMeanwhile,
  taskGone,
} from './decide.view.ts';
import type { Decisions, MadeDecision } from './decisions.ts';

/** How long an entered bonus can be confirmed: as long as a modal is likely to stay open. */
const keptSeconds = 86_400;

const Favorite = z.enum(['add', 'remove']);

/** What was entered into the form, with the bonus as an amount and as it was typed. */
const Entered = z.object({
  comment: z.string(),
  reason: z.string().exactOptional(),
  favorite: Favorite.exactOptional(),
  bonus: z.string(),
  wanted: z.string(),
});
type Entered = z.infer<typeof Entered>;
const entered = createCodec('entered bonus', Entered);

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

  /** A comment may be too long for the state of a modal, so what waits for its confirmation is stored. */
  const nameOf = ({ state: { account, task, round }, member }: FormInput) =>
    `bonus ${account} ${task} ${round} ${member}`;

  async function enteredIn(form: FormInput): Promise<Entered> {
    const stored = await jobs.expiringTexts.get(form.ref.workspace, nameOf(form));
    const decoded = stored === undefined ? undefined : entered.decode(stored);
    if (!decoded?.ok) throw new UserError(bonusGone);
    return decoded.value;
  }

  /** Returns the modal that says what an entered bonus costs. */
  async function costForm(
    { ref, state, task, callbackId }: OpenForm<FormSubmission>,
    { bonus, comment }: Entered,
    payment: Money | undefined,
  ): Promise<FormOutcome> {
    const shown = { ...state, shown: costOf(payment, bonus) };
    const cost = { bonus: money(bonus), payment, comment };
    const title = await campaigns.titleOf(ref, task.campaign);
    return { kind: 'form', view: bonusView(callbackId, shown, task, title, cost) };
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
    if (!(await jobs.claimOnce(ref.workspace, `bonus ${made.id}`))) return { kind: 'repeated' };
    const at = clock.now();
    const act = await actOf(form, made, payment);
    const answer = await spending.begin(form, ref, act, { id: made.id, at });
    if (answer.kind !== 'granted') return forms.ended(form, '', answer);
    const outcome = await forms.decided(form, made, at);
    // The step that stores the decision makes the bonus reservation permanent.
    if (outcome.kind !== 'decided') await answer.giveBack();
    return outcome;
  }

  /** Decides from the submitted form, or asks for the confirmation of what a bonus costs. */
  async function submit(form: FormSubmission): Promise<FormOutcome> {
    const { id, values, ref } = form;
    const said = await forms.sent(form);
    if (said.kind !== 'sent') return said;
    const wanted = typed(values, 'bonus');
    const payment = await paymentOf(ref, said.open.task);
    const { bonus, problem } = bonusIn(wanted, payment);
    if (problem) return { kind: 'errors', errors: { bonus: problem } };
    const favorite = Favorite.safeParse(chosen(values, 'favorite')).data;
    const extras = { ...said.made, ...(favorite === undefined ? {} : { favorite }) };
    if (bonus === undefined) return forms.decided(form, { id, verdict: 'OK', ...extras });
    const kept: Entered = { ...extras, bonus: bonus.toFixed(), wanted };
    await jobs.expiringTexts.put(ref.workspace, nameOf(form), JSON.stringify(kept), keptSeconds);
    return costForm(said.open, kept, payment);
  }

  /** Rates OK with the bonus whose cost was confirmed, or asks again if the cost has changed since. */
  async function confirm(form: FormSubmission): Promise<FormOutcome> {
    const kept = await enteredIn(form);
    const open = await forms.whenOpen(form, kept.comment);
    if (open.kind !== 'open') return open;
    const { wanted: _, ...extras } = kept;
    const payment = await paymentOf(open.ref, open.task);
    if (payment && isOutOfRange(money(kept.bonus), payment)) throw new UserError(bonusProblem(payment));
    if (open.state.shown !== costOf(payment, kept.bonus)) return costForm(open, kept, payment);
    return decideWithBonus(open, { id: form.id, verdict: 'OK', ...extras, ownBonus: true }, payment);
  }

  /** Returns the form again, as it was filled in. */
  async function change(form: FormSubmission): Promise<FormOutcome> {
    const { comment, wanted: bonus, favorite = 'none' } = await enteredIn(form);
    const open = await forms.whenOpen(form, comment);
    if (open.kind !== 'open') return open;
    return { kind: 'form', view: await forms.again(open, comment, { bonus, favorite }) };
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

  return { submit, confirm, change, approved };
}

/** Identifies a cost that a button says. */
const costOf = (payment: Money | undefined, bonus: string) => `${payment?.toFixed() ?? ''} + ${bonus}`;

function isOutOfRange(bonus: Money, payment: Money): boolean {
  const { min, max } = bonusRange(payment);
  return bonus.lt(min) || bonus.gt(max);
}
