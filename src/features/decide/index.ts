import { deadlineOf, sendTime } from '../../domain/deadline.ts';
import type { NewDecision } from '../../domain/events.ts';
import type { Faults } from '../../domain/fault-points.ts';
import { bonusRange, type Money, money, tryMoney } from '../../domain/money.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import {
  AccountId,
  type AccountRef,
  needsComment,
  TaskId,
  type Verdict,
  type WorkspaceId,
} from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import { type Actor, type Click, chosen, type Feature, type Submission, typed } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { link } from '../../slack/mrkdwn.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { TimesToRate } from '../../store/times-to-rate.ts';
import { requireAccess } from '../shared/access.ts';
import {
  bonusNoNumber,
  bonusProblem,
  cannotUndo,
  extrasModal,
  oldRound,
  reasonMissing,
  reasonModal,
  tooLate,
  unknownTask,
} from './decide.view.ts';
import { decodeIntent, encodeIntent, type Intent } from './intent.ts';
import type { Recovery } from './rebuild-task.ts';

export interface DecideDeps {
  readonly accounts: Accounts;
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly jobs: Jobs;
  readonly timesToRate: TimesToRate;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Rebuilds a task's record from its card and the marketplace when it is not known (any more). */
  readonly recover: Recovery;
  readonly undoSeconds: number;
  readonly faults: Faults;
  readonly now: () => number;
}

/** What somebody meant to do, and with which account. */
interface Wish {
  readonly ref: AccountRef;
  readonly intent: Intent;
}

/** Deciding: the buttons of a card, the modals for reason and extras, and Undo. */
export function createDecide(deps: DecideDeps) {
  const { tasks, campaigns, jobs, now } = deps;

  /**
   * Makes a decision, if the task is still open: the first one wins, the other is told by whom.
   * Gives whether it stands.
   */
  async function decide(
    actor: Actor,
    { ref, intent, task: open }: Wish & { task: Task },
    decision: NewDecision,
  ): Promise<boolean> {
    const at = now();
    const deadline = deadlineOf(open.proof.finishedAt, await deps.timesToRate.get(ref, open.campaign));
    const sendAt = sendTime(at, deps.undoSeconds * 1_000, deadline);
    const event = { type: 'decided', decision, round: intent.round, at, sendAt } as const;
    const outcome = await tasks.apply(ref, intent.task, event);
    const { task } = outcome;
    if (task === undefined) {
      await actor.answer(unknownTask());
      return false;
    }
    if (outcome.kind === 'rejected') {
      if (task.round !== intent.round) await actor.answer(oldRound(await newerCard(ref, task)));
      else await actor.answer(tooLate(task, actor.member, decision.verdict));
      return false;
    }
    await deps.faults('decision stored, no job queued');
    // Asked for again when the same click is delivered again: the jobs find nothing left to do.
    await jobs.add('redraw', { ...ref, task: task.id });
    await deps.faults('redraw queued, send not');
    const second = Math.ceil(sendAt / 1_000);
    await jobs.add('send', ref, { delayMs: second * 1_000 - now(), once: `${ref.account} ${second}` });
    return true;
  }

  /** What a click on a card means: checks that the person may, and that the card is the task's newest. */
  async function wishOf(
    click: Click,
    verdict: Verdict,
    extras = false,
  ): Promise<(Wish & { task: Task }) | undefined> {
    const card = decodeCardBlock(click.blockId);
    const own = card ? undefined : await deps.accounts.require(click.workspace, click.member);
    const ref = { workspace: click.workspace, account: card?.account ?? own?.account ?? AccountId.parse('') };
    const intent: Intent = {
      kind: 'decide',
      account: ref.account,
      task: TaskId.parse(click.value),
      round: card?.round ?? 1,
      verdict,
      ...(extras ? { extras } : {}),
      ...(click.message ? click.message : {}),
    };
    await requireAccess(deps.accounts, ref, click.member, encodeIntent(intent));
    return ready(click, { ref, intent }, click.id);
  }

  /**
   * The task a wish is about, if it can be decided on; otherwise the person is told why not.
   * @param id the decision's, by which the same click or submission delivered again is known, and says nothing more
   */
  async function ready(actor: Actor, wish: Wish, id: string): Promise<(Wish & { task: Task }) | undefined> {
    const { ref, intent } = wish;
    let task = (await tasks.get(ref, intent.task)) ?? (await deps.recover(ref, intent));
    if (task === undefined) {
      await actor.answer(unknownTask());
      return undefined;
    }
    if (task.card.state === 'wanted' && intent.channel && intent.ts) {
      // A card that is clicked was posted, although that could not be noted.
      const place = { channel: intent.channel, ts: intent.ts };
      const posted = { type: 'posted', place, round: intent.round } as const;
      task = (await tasks.apply(ref, task.id, posted)).task ?? task;
    }
    if (task.round !== intent.round) {
      await actor.answer(oldRound(await newerCard(ref, task)));
      return undefined;
    }
    if (!isOpen(task)) {
      if (task.decision?.id !== id) await actor.answer(tooLate(task, actor.member, intent.verdict));
      await jobs.add('redraw', { ...ref, task: task.id });
      return undefined;
    }
    return { ...wish, task };
  }

  async function newerCard(ref: AccountRef, task: Task): Promise<string | undefined> {
    if (task.card.state !== 'posted') return undefined;
    const address = await deps.messengerOf(ref.workspace).permalink(task.card);
    return address && link(address, 'its newer card');
  }

  async function modalFor({ ref, intent, task }: Wish & { task: Task }) {
    const campaign = await campaigns.get(ref, task.campaign);
    const title = campaign?.title ?? 'A campaign';
    if (!intent.extras) return reasonModal(intent, task, title);
    return extrasModal(intent, task, title, campaign && money(campaign.paymentPerTask));
  }

  async function openModal(click: Click, verdict: Verdict, extras = false): Promise<void> {
    const wish = await wishOf(click, verdict, extras);
    if (wish === undefined) return;
    await deps.messengerOf(click.workspace).openModal(click.triggerId, await modalFor(wish));
  }

  /** Takes up a modal's submission: the wish in it, as long as it can still be done. */
  async function submitted(submission: Submission): Promise<(Wish & { task: Task }) | undefined> {
    const intent = decodeIntent(submission.state);
    if (intent === undefined) return undefined;
    const actor = { ...submission, answer: inChannel(submission, intent) };
    const ref = { workspace: submission.workspace, account: intent.account };
    await requireAccess(deps.accounts, ref, submission.member, encodeIntent(intent));
    return ready(actor, { ref, intent }, submission.id);
  }

  /** Answers a submission where its card is, since a modal has no place of its own. */
  function inChannel({ workspace, member, answer }: Actor, { channel }: Intent): Actor['answer'] {
    if (channel === undefined) return answer;
    return (message) => deps.messengerOf(workspace).answer({ member, channel }, message);
  }

  async function bonusOf(
    wish: Wish & { task: Task },
    text: string,
  ): Promise<{ bonus?: Money; problem?: string }> {
    if (text === '') return {};
    const bonus = tryMoney(text);
    if (bonus === undefined) return { problem: bonusNoNumber };
    const campaign = await campaigns.get(wish.ref, wish.task.campaign);
    if (campaign === undefined) return { bonus };
    const payment = money(campaign.paymentPerTask);
    const { min, max } = bonusRange(payment);
    return bonus.lt(min) || bonus.gt(max) ? { problem: bonusProblem(payment) } : { bonus };
  }

  const feature: Feature = {
    clicks: {
      async 'task.ok'(click) {
        const wish = await wishOf(click, 'OK');
        if (wish) await decide(click, wish, { id: click.id, by: click.member, verdict: 'OK', comment: '' });
      },
      'task.revise': (click) => openModal(click, 'REVISE'),
      'task.nok': (click) => openModal(click, 'NOK'),
      async 'task.undo'(click) {
        const card = decodeCardBlock(click.blockId);
        if (card === undefined) return;
        const ref = { workspace: click.workspace, account: card.account };
        await requireAccess(deps.accounts, ref, click.member);
        const task = await tasks.get(ref, TaskId.parse(click.value));
        const decision = card.decision ?? task?.decision?.id;
        // Delivered once more: that decision is taken back already, whatever was decided since.
        if (task === undefined || decision === undefined || task.undone?.includes(decision)) return;
        const outcome = await tasks.apply(ref, task.id, { type: 'undone', decision });
        if (outcome.kind !== 'done') await click.answer(cannotUndo(outcome.task ?? task));
        await jobs.add('redraw', { ...ref, task: task.id });
      },
      'task.more.extras': (click) => openModal(click, 'OK', true),
    },

    submissions: {
      async 'task.reason'(submission) {
        const comment = typed(submission.values, 'comment');
        if (comment === '') return { errors: { comment: reasonMissing } };
        const wish = await submitted(submission);
        if (wish === undefined || !needsComment(wish.intent.verdict)) return undefined;
        const decision = { id: submission.id, by: submission.member, verdict: wish.intent.verdict, comment };
        await decide({ ...submission, answer: inChannel(submission, wish.intent) }, wish, decision);
        return undefined;
      },

      async 'task.extras'(submission) {
        const wish = await submitted(submission);
        if (wish === undefined) return undefined;
        const { bonus, problem } = await bonusOf(wish, typed(submission.values, 'bonus'));
        if (problem) return { errors: { bonus: problem } };
        const favorite = chosen(submission.values, 'favorite');
        await decide({ ...submission, answer: inChannel(submission, wish.intent) }, wish, {
          id: submission.id,
          by: submission.member,
          verdict: 'OK',
          comment: typed(submission.values, 'comment'),
          ...(bonus ? { bonus: bonus.toFixed() } : {}),
          ...(favorite === 'add' || favorite === 'remove' ? { favorite } : {}),
        });
        return undefined;
      },
    },
  };

  return {
    feature,

    /**
     * Carries out what somebody meant before they were connected.
     * Gives the modal that asks for the rest, `decided` when it is done, or undefined when it was told why not.
     */
    async resume(actor: Actor, text: string, id: string) {
      const intent = decodeIntent(text);
      if (intent === undefined) return undefined;
      const ref = { workspace: actor.workspace, account: intent.account };
      const wish = await ready({ ...actor, answer: inChannel(actor, intent) }, { ref, intent }, id);
      if (wish === undefined) return undefined;
      if (needsComment(intent.verdict) || intent.extras) return modalFor(wish);
      const done = await decide(actor, wish, { id, by: actor.member, verdict: intent.verdict, comment: '' });
      return done ? ('decided' as const) : undefined;
    },

    /** The account an intent is about, to check that the key just given opens it. */
    accountOf: (text: string) => decodeIntent(text)?.account,
  };
}
