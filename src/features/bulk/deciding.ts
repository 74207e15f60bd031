import type { ModalView, PlainTextOption } from '@slack/types';
import { BulkRatingId, type BulkResult, closedResult, type NewBulkRating } from '../../domain/bulk-rating.ts';
import {
  atStage,
  type BulkDecision,
  type BulkItem,
  type BulkSelection,
  marked,
  maxBulk,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { groupBy } from '../../domain/collections.ts';
import { type Money, money } from '../../domain/money.ts';
import { isReasonUsed, lengthOf, longestFilled, maxComment } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, needsComment, type TaskId, verdicts } from '../../domain/terms.ts';
import { looksAlike } from '../../kit/evidence.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { createReasonOptions } from '../../kit/reasons.ts';
import { limits, option } from '../../slack/blocks.ts';
import type { Typing } from '../../slack/feature.ts';
import { chosen, type Values } from '../../slack/form-values.ts';
import { commentIn, reasonMissing, tooLong, withChosenReason } from '../../ui/comment-input.view.ts';
import { counted } from '../../ui/words.ts';
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
  scopeInput,
  taskOfInput,
  verdictInput,
} from './decision.view.ts';
import { boxesIn, selectionState, stateOf } from './page.view.ts';
import type { Change, ClickInSelection, Next, Said, Selecting } from './selecting.ts';
import { queueBulk, reviewersOf } from './work.ts';

const nothingTicked = 'Nothing is selected yet. Select single tasks, or all of a page.';
const tooMany = (count: number) =>
  `${count} tasks are selected; up to ${maxBulk} can be rated together. Deselect ${count - maxBulk} of them.`;
const ratingMissing = 'Choose a rating.';

/** Number of sample comments in a preview. */
const commentsShown = 2;

export type Deciding = ReturnType<typeof createDeciding>;

/** Creates the steps after selecting: one rating, its comments, the preview, and the confirmation. */
export function createDeciding(deps: Modules, selecting: Selecting) {
  const { campaigns, tasks } = deps;
  const { asTicked, changeStep, inSelection, submitted, typing, within } = selecting;
  const modals = createModalUpdates(deps);
  const { commonReasons, fill, savedTexts } = createReasonOptions(deps);

  const tasksOf = (ref: AccountRef, items: readonly BulkItem[]) =>
    tasks.byId(
      ref,
      items.map(({ task }) => task),
    );

  /** Returns the campaigns of tasks, with their task counts and payments, largest count first, and what is paid in all. */
  async function campaignsOf(ref: AccountRef, known: Iterable<Task>) {
    const groups = groupBy(known, ({ campaign }) => campaign);
    const listed = await campaigns.getMany(ref, [...groups.keys()]);
    const counts = [...groups]
      .map(([id, { length: count }]) => {
        const campaign = listed.get(id);
        const total = campaign && money(campaign.paymentPerTask).times(count);
        return { title: campaignTitleOf(id, campaign?.title), count, total };
      })
      .sort((a, b) => b.count - a.count);
    return { campaigns: counts, total: sum(counts.map(({ total }) => total)) };
  }

  /** Returns the saved reasons offered for all ticked tasks, with placeholders left in. */
  async function reasonsFor(ref: AccountRef, selection: BulkSelection) {
    const { decision } = selection;
    if (decision === undefined) return [];
    const known = await tasksOf(ref, tickedItems(selection));
    const ids = [...new Set([...known.values()].map(({ campaign }) => campaign))];
    return commonReasons(ref, ids, decision.verdict);
  }

  /** Returns the saved reasons whose names match typed text, for one of the comments. */
  async function reasonsTyped({ authorize, text, view }: Typing): Promise<PlainTextOption[]> {
    if (view === undefined) return [];
    const { account, selection: id } = selectionState.decode(view.state);
    const ref = await authorize({ account });
    const selection = await tasks.bulkSelections.get(ref, id);
    const wanted = text.trim().toLowerCase();
    return (selection === undefined ? [] : await reasonsFor(ref, selection))
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .slice(0, limits.options)
      .map((reason) => option(reason.name, reason.id));
  }

  /** Returns which items cannot be decided on now, and why. */
  async function leftOutOf(ref: AccountRef, selection: BulkSelection, items: readonly BulkItem[]) {
    const ids = items.map(({ task }) => task);
    const [known, reviewers] = await Promise.all([
      tasksOf(ref, items),
      reviewersOf(deps, ref, selection.member, ids),
    ]);
    const whyNot = async (item: BulkItem): Promise<BulkResult | undefined> => {
      const task = known.get(item.task);
      const by = reviewers.get(item.task);
      const closed = closedResult(task, item) ?? (by && { kind: 'reviewed' as const, by });
      const comment = commentOf(selection, item.task);
      // Filled in only if it can become too long.
      if (closed !== undefined || task === undefined || longestFilled(comment) <= maxComment) return closed;
      return lengthOf(await fill(ref, task, comment)) > maxComment ? { kind: 'too long' } : undefined;
    };
    const leftOut = new Map<TaskId, LeftOut>();
    for (const item of items) {
      const why = await whyNot(item);
      if (why) leftOut.set(item.task, { worker: known.get(item.task)?.worker.name ?? item.task, why });
    }
    return leftOut;
  }

  async function decisionForm(ref: AccountRef, selection: BulkSelection, { said: problem }: Said) {
    const known = await tasksOf(ref, tickedItems(selection));
    return decisionView(ref.account, selection, {
      ...(await campaignsOf(ref, known.values())),
      reasons: await reasonsFor(ref, selection),
      problem,
    });
  }

  async function commentsForm(ref: AccountRef, selection: BulkSelection, { said: problem, task }: Said) {
    const [known, reasons] = await Promise.all([
      tasksOf(ref, tickedItems(selection)),
      reasonsFor(ref, selection),
    ]);
    return commentsView(ref.account, selection, { known, hasReasons: reasons.length > 0, problem, task });
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

  /** Renders the stage that a selection is at. */
  async function render(ref: AccountRef, selection: BulkSelection, said: Said = {}): Promise<ModalView> {
    const { stage, decision, previewed = [], rating } = selection;
    if (stage === 'decision') return decisionForm(ref, selection, said);
    if (decision === undefined) return expiredView();
    if (stage === 'comments') return commentsForm(ref, selection, said);
    if (rating === undefined) return preview(ref, selection, decision);
    const { undoSeconds } = deps.clock;
    const shown = { verdict: decision.verdict, count: previewed.length, undoSeconds };
    return confirmedView(ref.account, BulkRatingId.parse(rating), shown);
  }

  /** Leaves the page, or says on it why that cannot be. @param boxes applies its boxes */
  function leave(selection: BulkSelection, boxes: Change, next: () => Promise<Next> | Next) {
    const { all } = tickedCounts(boxes(selection));
    const said = all === 0 ? nothingTicked : all > maxBulk ? tooMany(all) : undefined;
    return said === undefined ? next() : { page: selection.page, change: boxes, said };
  }

  const submitPage = submitted(async ({ values }, selection) => {
    const order = deps.clock.slackNow();
    const boxes = (one: BulkSelection) => marked(one, boxesIn(values), order);
    return leave(selection, boxes, () => ({ change: (one) => atStage(boxes(one), 'decision') }));
  });

  /** Goes on with a rating: an OK without a text to its preview, the others to their comment. What was typed is kept. */
  const rate = inSelection((click, selection) => {
    const verdict = verdicts.find((one) => one === click.value) ?? 'OK';
    const decision = { ...begun, ...selection.decision, verdict };
    const boxes = asTicked(click);
    const change: Change = (one) => ({ ...boxes(one), decision });
    return leave(selection, boxes, () =>
      verdict === 'OK' && !decision.isEach && decision.text === ''
        ? previewed(click.ref, selection, change)
        : { change: (one) => atStage(change(one), 'decision') },
    );
  });

  /**
   * Returns the decision with what is in its form. `problem`: why a chosen reason is not; `isShown`: its text was.
   * @param pressed the reason that was chosen just now: it is filled in again if it had been before
   */
  async function filledIn(ref: AccountRef, selection: BulkSelection, values: Values, pressed?: string) {
    const before = inputsIn(selection, values);
    const comment = commentIn(values);
    const { text } = comment;
    const id = pressed ?? (comment.chosen === before.reason ? undefined : comment.chosen);
    const isShown = hasComment(values) ? text === before.text : !needsComment(before.verdict);
    // A reason for another rating is not one for this.
    const isSame = before.verdict === selection.decision?.verdict;
    if (id === undefined || !isSame) return { decision: before, isShown };
    const { problem, ...filled } = withChosenReason(
      { text: before.text, reason: before.reason },
      id,
      await reasonsFor(ref, { ...selection, decision: before }),
      await savedTexts(ref),
    );
    return { decision: { ...before, ...filled }, problem, isShown };
  }

  /** Stores what was chosen in the form of the decision, and shows what follows from it, in the same step. */
  const choose = within(async (click, selection) => {
    const { ref, view, value, actionId } = click;
    const reason = actionId === bulkCommentActions.choose ? value : undefined;
    const { decision, problem } = await filledIn(ref, selection, view.values, reason);
    const moved = await changeStep(ref, selection, refilled(decision));
    if (moved) await modals.replace(click, view, await render(ref, moved, { said: problem }));
  });

  /** Stores the comment, for all or for one task, while it is being typed. */
  const typed = typing(({ blockId, value }, one) => {
    const task = taskOfInput(blockId);
    if (task !== undefined) return withTexts(one, { [task]: value });
    const { decision } = one;
    if (decision === undefined || blockId !== inputOf(decision)) return one;
    return { ...one, decision: { ...decision, text: value } };
  });

  const submitDecision = submitted(async ({ ref, values }, selection) => {
    if (chosen(values, verdictInput) === undefined) return { errors: { [verdictInput]: ratingMissing } };
    const { decision, problem, isShown } = await filledIn(ref, selection, values);
    if (decision.isEach) return { change: (one) => atStage({ ...one, decision }, 'comments', 0) };
    // The input for the comment, or the last chosen reason in it, is not displayed yet.
    if (!isShown || problem !== undefined) return { change: refilled(decision), said: problem };
    const isMissing = needsComment(decision.verdict) && decision.text === '';
    const error = isMissing ? reasonMissing : tooLong(decision.text);
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
    const { decision, page } = selection;
    if (decision === undefined) return undefined;
    const texts = textsIn(values);
    const missing = Object.keys(values).filter(
      (block) => needsComment(decision.verdict) && texts[taskOfInput(block) ?? ''] === '',
    );
    if (missing.length > 0)
      return { errors: Object.fromEntries(missing.map((block) => [block, commentMissing])) };
    const isLast = (page + 1) * commentsPerPage >= tickedItems(selection).length;
    const change = (one: BulkSelection) => withTexts(one, texts);
    return isLast
      ? previewed(ref, selection, change)
      : { change: (one) => atStage(change(one), 'comments', page + 1) };
  });

  /** Fills in a saved reason for one task. */
  const chooseItemReason = inSelection(async ({ ref, blockId, value, view }, selection) => {
    const task = blockId.split('/').slice(2).join('/');
    const texts = textsIn(view.values);
    const { text, problem } = withChosenReason(
      { text: texts[task] ?? '', reason: undefined },
      value,
      await reasonsFor(ref, selection),
      await savedTexts(ref),
    );
    const change = (one: BulkSelection) => atStage(withTexts(one, { ...texts, [task]: text }), 'comments');
    return { change, said: problem, task };
  });

  /** Returns the change that keeps a form's inputs when somebody goes back from it. */
  const kept =
    ({ view }: ClickInSelection): Change =>
    (one) => {
      if (one.stage === 'comments') return withTexts(one, textsIn(view.values));
      return one.stage === 'decision' && one.decision
        ? { ...one, decision: inputsIn(one, view.values) }
        : one;
    };

  /** Starts the bulk rating of exactly the preview's content. A redelivery starts no second one. */
  const confirm = inSelection(async (click, selection) => {
    const { ref } = click;
    const { decision, previewed: items = [], texts } = selection;
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
      text: isEach ? '' : text,
      items: isEach ? items.map((item) => ({ ...item, comment: texts[item.task] ?? '' })) : items,
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
      'bulk.rate.OK': rate,
      'bulk.rate.REVISE': rate,
      'bulk.rate.NOK': rate,
      'bulk.back': inSelection((click) => ({ page: 0, change: kept(click) })),
      'bulk.edit': inSelection((click) => ({ change: (one) => atStage(kept(click)(one), 'decision') })),
      'bulk.verdict': choose,
      'bulk.scope': choose,
      [bulkCommentActions.typed]: typed,
      [bulkCommentActions.choose]: choose,
      'bulk.item.typed': typed,
      'bulk.item.reason': chooseItemReason,
      'bulk.confirm': confirm,
    },
    typings: { 'bulk.item.reason': { needs: 'rate', run: reasonsTyped } },
    submissions: {
      'bulk.page': submitPage,
      'bulk.decision': submitDecision,
      'bulk.comments': submitComments,
    },
  } as const;
}

/** The decision before anything of it is chosen. */
const begun: BulkDecision = { verdict: 'OK', isEach: false, text: '', filled: 0 };

/** Returns the name of the comment's input, which changes with each fill. */
const inputOf = ({ filled }: BulkDecision) => `comment.${filled}`;

const hasComment = (values: Values) => Object.keys(values).some((name) => name.startsWith('comment.'));

/** Returns the decision merged with the inputs: a text that was filled in, but is not displayed yet, stays. */
function inputsIn({ decision = begun }: BulkSelection, values: Values): BulkDecision {
  const { name, text } = commentIn(values);
  const scope = chosen(values, scopeInput);
  const isNewer = hasComment(values) && (name === inputOf(decision) || decision.text === '');
  return {
    ...decision,
    verdict: verdicts.find((one) => one === chosen(values, verdictInput)) ?? decision.verdict,
    text: isNewer ? text : decision.text,
    isEach: scope === undefined ? decision.isEach : scope === 'each',
  };
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

/** Returns the comment on a task, with placeholders left in. */
function commentOf({ decision, texts }: BulkSelection, task: TaskId): string {
  return (decision?.isEach ? texts[task] : decision?.text) ?? '';
}

/** Returns the sum of amounts; undefined if one is unknown. */
function sum(amounts: readonly (Money | undefined)[]): Money | undefined {
  let total = money(0);
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    total = total.plus(amount);
  }
  return total;
}
