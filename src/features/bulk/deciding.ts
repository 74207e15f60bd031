import type { ModalView } from '@slack/types';
import { BulkRatingId, closedResult, type NewBulkRating } from '../../domain/bulk-rating.ts';
import {
  atStage,
  type BulkDecision,
  type BulkItem,
  type BulkSelection,
  maxBulk,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { groupBy } from '../../domain/collections.ts';
import { type Money, money } from '../../domain/money.ts';
import { isReasonUsed } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, needsComment, type TaskId, type Verdict } from '../../domain/terms.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Values } from '../../slack/form-values.ts';
import { counted } from '../../ui/words.ts';
import {
  commentIn,
  createReasonOptions,
  reasonMissing,
  tooLong,
  withChosenReason,
} from '../decide/public.ts';
import { looksAlike } from '../evidence/public.ts';
import {
  bulkCommentActions,
  commentMissing,
  commentsPerPage,
  commentsView,
  confirmedView,
  decisionView,
  expiredView,
  type LeftOut,
  previewView,
  taskOfInput,
} from './decision.view.ts';
import { stateOf } from './page.view.ts';
import type { Change, ClickInSelection, Next, Selecting } from './selecting.ts';
import { queueBulk, reviewersOf } from './work.ts';

const nothingTicked = 'Nothing is selected yet. Select single tasks, or all of a page.';
const tooMany = (count: number) =>
  `${count} tasks are selected; up to ${maxBulk} can be rated together. Deselect ${count - maxBulk} of them.`;

/** Number of sample comments in a preview. */
const commentsShown = 2;

export type Deciding = ReturnType<typeof createDeciding>;

/** Creates the steps after selecting: one rating, its comments, the preview, and the confirmation. */
export function createDeciding(deps: Modules, selecting: Selecting) {
  const { campaigns, tasks } = deps;
  const { asTicked, changeStep, inSelection, submitted, within } = selecting;
  const modals = createModalUpdates(deps);
  const { commonReasons, fill, savedTexts } = createReasonOptions(deps);

  const tasksOf = (ref: AccountRef, items: readonly BulkItem[]) =>
    tasks.byId(
      ref,
      items.map(({ task }) => task),
    );

  /** Returns the campaigns of tasks with their task counts, and what is paid in all, if that is known. */
  async function campaignsOf(ref: AccountRef, known: Iterable<Task>) {
    const groups = groupBy(known, ({ campaign }) => campaign);
    const listed = await campaigns.getMany(ref, [...groups.keys()]);
    const counted = [...groups].map(([id, { length: count }]) => ({
      title: campaignTitleOf(id, listed.get(id)?.title),
      count,
    }));
    let total: Money | undefined = money(0);
    for (const [id, { length: count }] of groups) {
      const campaign = listed.get(id);
      total = campaign && total?.plus(money(campaign.paymentPerTask).times(count));
    }
    return { campaigns: counted, total };
  }

  /** Returns the saved reasons offered for all ticked tasks, with placeholders left in. */
  async function reasonsFor(ref: AccountRef, selection: BulkSelection) {
    const { decision } = selection;
    if (decision === undefined) return [];
    const known = await tasksOf(ref, tickedItems(selection));
    const ids = [...new Set([...known.values()].map(({ campaign }) => campaign))];
    return commonReasons(ref, ids, decision.verdict);
  }

  /** Returns which items cannot be decided on now, and why. */
  async function leftOutOf(ref: AccountRef, { member }: BulkSelection, items: readonly BulkItem[]) {
    const [known, reviewers] = await Promise.all([
      tasksOf(ref, items),
      reviewersOf(
        deps,
        ref,
        member,
        items.map(({ task }) => task),
      ),
    ]);
    const leftOut = new Map<TaskId, LeftOut>();
    for (const item of items) {
      const task = known.get(item.task);
      const by = reviewers.get(item.task);
      const why = closedResult(task, item) ?? (by && { kind: 'reviewed' as const, by });
      if (why) leftOut.set(item.task, { worker: task?.worker.name ?? item.task, why });
    }
    return leftOut;
  }

  async function decisionForm(
    ref: AccountRef,
    selection: BulkSelection,
    decision: BulkDecision,
    said?: string,
  ) {
    const known = await tasksOf(ref, tickedItems(selection));
    const { campaigns } = await campaignsOf(ref, known.values());
    const reasons = await reasonsFor(ref, selection);
    return decisionView(ref.account, selection, { decision, campaigns, reasons, problem: said });
  }

  /** Renders the preview of what a confirmation decides. */
  async function preview(ref: AccountRef, selection: BulkSelection, { verdict }: BulkDecision) {
    const { previewed = [] } = selection;
    const own = new Set(previewed.map(({ task }) => task));
    const others = tickedItems(selection).filter(({ task }) => !own.has(task));
    const [byId, leftOut] = await Promise.all([tasksOf(ref, previewed), leftOutOf(ref, selection, others)]);
    const known = [...byId.values()];
    const comments = await Promise.all(
      known.slice(0, commentsShown).map(async (task) => ({
        worker: task.worker.name ?? task.worker.id,
        text: await fill(ref, task, commentOf(selection, task.id)),
      })),
    );
    const evidence = await Promise.all(known.map((task) => campaigns.evidence.on(ref, task)));
    return previewView(stateOf(ref.account, selection), {
      verdict,
      count: previewed.length,
      alike: evidence.filter((all) => all.some(({ kinds }) => looksAlike(kinds))).length,
      ...(await campaignsOf(ref, known)),
      workers: new Set(known.map(({ worker }) => worker.id)).size,
      comments: comments.filter(({ text }) => text !== ''),
      leftOut: [...leftOut.values()],
      undoSeconds: deps.clock.undoSeconds,
    });
  }

  /** Renders the stage that a selection is at. @param said why something was not done, in mrkdwn */
  async function render(ref: AccountRef, selection: BulkSelection, said?: string): Promise<ModalView> {
    const { stage, decision, previewed = [], rating } = selection;
    if (decision === undefined) return expiredView();
    if (stage === 'decision') return decisionForm(ref, selection, decision, said);
    if (stage === 'comments')
      return commentsView(ref.account, selection, decision, await tasksOf(ref, tickedItems(selection)));
    if (rating === undefined) return preview(ref, selection, decision);
    const { undoSeconds } = deps.clock;
    const shown = { verdict: decision.verdict, count: previewed.length, undoSeconds };
    return confirmedView(ref.account, BulkRatingId.parse(rating), shown);
  }

  /** Goes on with a rating: OK to its preview, the others to their comment. What was typed is kept. */
  const rate = (verdict: Verdict) =>
    inSelection((click, selection) => {
      const boxes = asTicked(click);
      const { all } = tickedCounts(boxes(selection));
      const said = all === 0 ? nothingTicked : all > maxBulk ? tooMany(all) : undefined;
      if (said !== undefined) return { page: selection.page, change: boxes, said };
      const { decision: before = begun } = selection;
      // A reason for another rating is not one for this.
      const reason = before.verdict === verdict ? before.reason : undefined;
      const decision = { ...before, verdict, isEach: false, reason };
      const change: Change = (one) => ({ ...boxes(one), decision });
      return needsComment(verdict)
        ? { change: (one) => atStage(change(one), 'decision') }
        : previewed(click.ref, selection, change);
    });

  /**
   * Returns the decision with what is in its form. `problem`: why a chosen reason is not; `isShown`: its text was.
   * @param pressed the reason that was chosen just now: it is filled in again if it had been before
   */
  async function filledIn(ref: AccountRef, selection: BulkSelection, values: Values, pressed?: string) {
    const before = inputsIn(selection, values);
    const comment = commentIn(values);
    const isShown = comment.text === before.text;
    const id = pressed ?? (comment.chosen === before.reason ? undefined : comment.chosen);
    if (id === undefined) return { decision: before, isShown };
    const { problem, ...filled } = withChosenReason(
      { text: before.text, reason: before.reason },
      id,
      await reasonsFor(ref, selection),
      await savedTexts(ref),
    );
    return { decision: { ...before, ...filled }, problem, isShown };
  }

  /** Fills in a saved reason. */
  const choose = within(async (click, selection) => {
    const { ref, view, value } = click;
    const { decision, problem } = await filledIn(ref, selection, view.values, value);
    const moved = await changeStep(ref, selection, refilled(decision));
    if (moved) await modals.replace(click, view, await render(ref, moved, problem));
  });

  /** Stores comments while they are being typed. */
  const typed = within((click, selection) => changeStep(click.ref, selection, kept(click)));

  const submitDecision = submitted(async ({ ref, values }, selection) => {
    const { decision, problem, isShown } = await filledIn(ref, selection, values);
    // The input for the comment, or the last chosen reason in it, is not displayed yet.
    if (!isShown || problem !== undefined) return { change: refilled(decision), said: problem };
    const error = decision.text === '' ? reasonMissing : tooLong(decision.text);
    if (error !== undefined) return { errors: { [commentIn(values).name]: error } };
    return previewed(ref, selection, (one) => ({ ...one, decision }));
  });

  async function previewed(ref: AccountRef, selection: BulkSelection, change: Change): Promise<Next> {
    const changed = change(selection);
    const ticked = tickedItems(changed);
    const leftOut = await leftOutOf(ref, changed, ticked);
    const items = ticked.filter(({ task }) => !leftOut.has(task));
    return { change: (one) => atStage({ ...change(one), previewed: items }, 'preview') };
  }

  const submitComments = submitted(async ({ ref, values }, selection) => {
    const texts = textsIn(values);
    const missing = Object.keys(values).filter((block) => texts[taskOfInput(block) ?? ''] === '');
    if (missing.length > 0)
      return { errors: Object.fromEntries(missing.map((block) => [block, commentMissing])) };
    const { page } = selection;
    const isLast = (page + 1) * commentsPerPage >= tickedItems(selection).length;
    const change = (one: BulkSelection) => withTexts(one, texts);
    return isLast
      ? previewed(ref, selection, change)
      : { change: (one) => atStage(change(one), 'comments', page + 1) };
  });

  /** Returns the change that keeps a form's inputs. */
  const kept =
    ({ view }: ClickInSelection): Change =>
    (one) => {
      if (one.stage === 'comments') return withTexts(one, textsIn(view.values));
      return one.stage === 'decision' && one.decision
        ? { ...one, decision: inputsIn(one, view.values) }
        : one;
    };

  /** Goes to the comment for all, or to one for each task. */
  const toComments = (isEach: boolean) =>
    inSelection((click) => ({
      change(one) {
        const { decision = begun, ...rest } = kept(click)(one);
        return atStage({ ...rest, decision: { ...decision, isEach } }, isEach ? 'comments' : 'decision', 0);
      },
    }));

  /** Starts the bulk rating of exactly the preview's content. A redelivery starts no second one. */
  const confirm = inSelection(async (click, selection) => {
    const { ref } = click;
    const { decision, previewed: items = [] } = selection;
    if (decision === undefined || items.length === 0) return undefined;
    const id = BulkRatingId.parse(`${selection.id}-${selection.step}`);
    const { isEach, verdict, text } = decision;
    const { total } = await campaignsOf(ref, (await tasksOf(ref, items)).values());
    const reasons = isEach ? [] : await reasonsFor(ref, selection);
    const reason = reasons.find((one) => one.id === decision.reason);
    const rating: NewBulkRating = {
      id,
      member: click.member,
      team: click.team,
      at: deps.clock.now(),
      verdict,
      text: needsComment(verdict) ? text : '',
      items: isEach ? items.map((item) => ({ ...item, comment: commentOf(selection, item.task) })) : items,
      ...(reason && isReasonUsed(reason.text, text) ? { reason: reason.id } : {}),
    };
    const step = deps.audit.step(ref, {
      what: 'rate in bulk',
      ...doneBy({ ...click, how: 'form' }),
      verdict,
      act: id,
      after: counted(items.length, 'task'),
      ...(total ? { money: total.toFixed() } : {}),
    });
    await tasks.bulkRatings.apply(ref, id, { type: 'confirmed', rating }, step);
    await queueBulk(deps, ref, id, 'run');
    return { change: (one) => ({ ...atStage(one, 'confirmed'), rating: id }) };
  });

  return {
    render,
    clicks: {
      'bulk.rate.OK': rate('OK'),
      'bulk.rate.REVISE': rate('REVISE'),
      'bulk.rate.NOK': rate('NOK'),
      'bulk.back': inSelection((click) => ({ page: 0, change: kept(click) })),
      'bulk.all': toComments(false),
      'bulk.each': toComments(true),
      [bulkCommentActions.typed]: typed,
      [bulkCommentActions.choose]: choose,
      'bulk.item.typed': typed,
      'bulk.confirm': confirm,
    },
    submissions: {
      'bulk.decision': submitDecision,
      'bulk.comments': submitComments,
    },
  } as const;
}

/** The decision before anything of it is chosen. */
const begun: BulkDecision = { verdict: 'OK', isEach: false, text: '', filled: 0 };

/** Returns the name of the comment's input, which changes with each fill. */
const inputOf = ({ filled }: BulkDecision) => `comment.${filled}`;

/** Returns the decision merged with the inputs: a text that was filled in, but is not displayed yet, stays. */
function inputsIn({ decision = begun }: BulkSelection, values: Values): BulkDecision {
  const { name, text } = commentIn(values);
  const isNewer = name === inputOf(decision) || decision.text === '';
  return { ...decision, text: isNewer ? text : decision.text };
}

/**
 * Returns the change to a decision whose form is filled in again. Its inputs need new names: Slack keeps typed text while
 * the name stays the same.
 */
function refilled(decision: BulkDecision): Change {
  return (one) => ({ ...one, decision: { ...decision, filled: decision.filled + 1 } });
}

/** Returns the comments in a page's inputs, by task. */
function textsIn(values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([block, elements]) => {
      const task = taskOfInput(block);
      const [state] = Object.values(elements);
      return task === undefined ? [] : [[task, state?.value?.trim() ?? '']];
    }),
  );
}

function withTexts(one: BulkSelection, texts: Readonly<Record<string, string>>): BulkSelection {
  return { ...one, texts: { ...one.texts, ...texts } };
}

/** Returns the comment on a task, with placeholders left in. An OK has none. */
function commentOf({ decision, texts }: BulkSelection, task: TaskId): string {
  if (decision === undefined || !needsComment(decision.verdict)) return '';
  return (decision.isEach ? texts[task] : decision.text) ?? '';
}
