import type { ModalView } from '@slack/types';
import { BulkRatingId, type NewBulkRating } from '../../domain/bulk-rating.ts';
import {
  atStage,
  type BulkDecision,
  type BulkSelection,
  maxBulk,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { isReasonUsed } from '../../domain/reason.ts';
import { type AccountRef, needsComment, verdicts } from '../../domain/terms.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { chosen, type Values } from '../../slack/form-values.ts';
import { commentIn, reasonMissing, tooLong, withChosenReason } from '../../ui/comment-input.view.ts';
import { counted } from '../../ui/words.ts';
import { commentMissing, commentsPerPage, scopeInput, taskOfInput, verdictInput } from './decision.view.ts';
import type { Change, ClickInSelection, Selecting } from './selecting.ts';
import { type Stages, sum } from './stages.ts';
import { queueBulk } from './work.ts';

const nothingTicked = 'Nothing is selected yet. Select single tasks, or all of a page.';
const tooMany = (count: number) =>
  `${count} tasks are selected; up to ${maxBulk} can be rated together. Deselect ${count - maxBulk} of them.`;
const ratingMissing = 'Choose a rating.';

/** A decision changed by a choice in its form. `problem`: why the choice changed nothing. */
interface Changed {
  readonly decision: BulkDecision;
  readonly problem?: string | undefined;
}

/** Creates the steps after selecting: one rating, its comments, the preview, and the confirmation. */
export function createDeciding(deps: Modules, selecting: Selecting, stages: Stages) {
  const { tasks } = deps;
  const { asBoxes, inSelection, moveTo, orderOfClick, orderOfNow, pageAfter, submitted, typing, within } =
    selecting;
  const modals = createModalUpdates(deps);

  /** Leaves the page with its boxes, or says on it why that cannot be. */
  async function leavePage(
    ref: AccountRef,
    selection: BulkSelection,
    boxes: Change,
    leave: () => Promise<ModalView | undefined>,
  ): Promise<ModalView | undefined> {
    const { all } = tickedCounts(boxes(selection));
    const problem = all === 0 ? nothingTicked : all > maxBulk ? tooMany(all) : undefined;
    return problem === undefined ? leave() : pageAfter(ref, selection, selection.page, boxes, [problem]);
  }

  const submitPage = submitted(async ({ ref, values }, selection) => {
    const boxes = asBoxes(values, orderOfNow());
    return leavePage(ref, selection, boxes, () =>
      moveTo(ref, selection, (one) => atStage(boxes(one), 'decision')),
    );
  });

  /** Goes on with a rating: an OK without a text to its preview, the others to their comment. What was typed is kept. */
  const rate = inSelection((click, selection) => {
    const { ref } = click;
    const boxes = asBoxes(click.view.values, orderOfClick(click));
    const { decision: before } = selection;
    const verdict = verdicts.find((one) => one === click.value) ?? 'OK';
    const kept = { ...(before ?? { isEach: false, text: '', filled: 0 }), verdict };
    const change: Change = (one) => ({ ...boxes(one), decision: kept });
    return leavePage(ref, selection, boxes, () =>
      verdict === 'OK' && !kept.isEach && kept.text === ''
        ? previewed(ref, selection, change)
        : moveTo(ref, selection, (one) => atStage(change(one), 'decision')),
    );
  });

  /** Stores a decision and returns its form. The step number stays, because it is the same view. */
  const shown = (ref: AccountRef, selection: BulkSelection, { decision, problem }: Changed) =>
    moveTo(
      ref,
      selection,
      (one) => ({ ...one, decision: refilled(decision) }),
      (moved) => stages.decision(ref, moved, problem),
    );

  /**
   * Stores a choice in the decision form, and shows the result.
   * @param next returns the new decision
   */
  const inDecision = (
    next: (
      value: string,
      decision: BulkDecision,
      ref: AccountRef,
      selection: BulkSelection,
    ) => Changed | Promise<Changed>,
  ) =>
    within(async (click, selection) => {
      const { ref, view, value } = click;
      const changed = await next(value, filledIn(selection, view.values), ref, selection);
      const form = await shown(ref, selection, changed);
      if (form !== undefined) await modals.replace(click, view, form);
    });

  const chooseVerdict = inDecision((value, decision) => ({
    decision: { ...decision, verdict: verdicts.find((one) => one === value) ?? decision.verdict },
  }));

  const chooseScope = inDecision((value, decision) => ({
    decision: { ...decision, isEach: value === 'each' },
  }));

  const chooseReason = inDecision((id, decision, ref, selection) => withChosen(ref, selection, decision, id));

  /** Returns the decision with a saved reason filled in. */
  async function withChosen(
    ref: AccountRef,
    selection: BulkSelection,
    decision: BulkDecision,
    id: string,
  ): Promise<Changed> {
    const reasons = await stages.reasonsFor(ref, { ...selection, decision });
    const { text, reason, problem } = withChosenReason(
      { text: decision.text, reason: decision.reason },
      id,
      reasons,
      await stages.savedTexts(ref),
    );
    return { decision: { ...decision, text, reason }, problem };
  }

  /** Stores the shared comment while it is being typed. */
  const typed = typing(({ blockId, value }, one) =>
    one.decision && blockId === inputOf(one.decision)
      ? { ...one, decision: { ...one.decision, text: value } }
      : one,
  );

  const submitDecision = submitted(async ({ ref, values }, selection) => {
    const verdict = verdicts.find((one) => one === chosen(values, verdictInput));
    if (verdict === undefined) return { errors: { [verdictInput]: ratingMissing } };
    const comment = commentIn(values, selection.decision?.reason);
    let decision = { ...filledIn(selection, values), verdict };
    if (decision.isEach) return moveTo(ref, selection, (one) => atStage({ ...one, decision }, 'comments', 0));
    // The input for the comment, or the last chosen reason in it, is not displayed yet.
    if (hasComment(values) ? comment.text !== decision.text : needsComment(verdict))
      return shown(ref, selection, { decision });
    if (comment.chosen !== undefined && comment.chosen !== decision.reason) {
      const made = await withChosen(ref, selection, decision, comment.chosen);
      if (made.problem !== undefined) return shown(ref, selection, made);
      decision = { ...made.decision, verdict };
    }
    const problem = needsComment(verdict) && decision.text === '' ? reasonMissing : tooLong(decision.text);
    if (problem !== undefined) return { errors: { [comment.name]: problem } };
    return previewed(ref, selection, (one) => ({ ...one, decision }));
  });

  async function previewed(ref: AccountRef, selection: BulkSelection, change: Change) {
    const changed = change(selection);
    const ticked = tickedItems(changed);
    const leftOut = await stages.leftOutOf(ref, changed, ticked);
    const previewed = ticked.filter(({ task }) => !leftOut.has(task));
    return moveTo(ref, selection, (one) => atStage({ ...change(one), previewed }, 'preview'));
  }

  const submitComments = submitted(async ({ ref, values }, selection) => {
    const { decision, page } = selection;
    if (decision === undefined) return undefined;
    const texts = textsIn(values);
    const errors = Object.keys(values).flatMap((block) => {
      const isBlank = needsComment(decision.verdict) && texts[taskOfInput(block) ?? ''] === '';
      return isBlank ? [[block, commentMissing] as const] : [];
    });
    if (errors.length > 0) return { errors: Object.fromEntries(errors) };
    const pages = Math.ceil(tickedItems(selection).length / commentsPerPage);
    const change = (one: BulkSelection) => withTexts(one, texts);
    return page < pages - 1
      ? moveTo(ref, selection, (one) => atStage(change(one), 'comments', page + 1))
      : previewed(ref, selection, change);
  });

  /** Stores the comment on one task while it is being typed. */
  const typedItem = typing(({ blockId, value }, one) => {
    const task = taskOfInput(blockId);
    return task === undefined ? one : withTexts(one, { [task]: value });
  });

  /** Fills in a saved reason for one task. */
  const chooseItemReason = inSelection(async ({ ref, blockId, value, view }, selection) => {
    const task = blockId.split('/').slice(2).join('/');
    const texts = textsIn(view.values);
    const { text, problem } = withChosenReason(
      { text: texts[task] ?? '', reason: undefined },
      value,
      await stages.reasonsFor(ref, selection),
      await stages.savedTexts(ref),
    );
    return moveTo(
      ref,
      selection,
      (one) => atStage(withTexts(one, { ...texts, [task]: text }), 'comments'),
      (moved) => stages.comments(ref, moved, { task, problem }),
    );
  });

  /** Returns the change that keeps a form's inputs when somebody goes back from it. */
  const kept =
    ({ view }: ClickInSelection): Change =>
    (one) => {
      if (one.stage === 'comments') return withTexts(one, textsIn(view.values));
      return one.stage === 'decision' && one.decision
        ? { ...one, decision: filledIn(one, view.values) }
        : one;
    };

  const edit = inSelection((click, selection) =>
    moveTo(click.ref, selection, (one) => atStage(kept(click)(one), 'decision')),
  );

  const back = inSelection((click, selection) => pageAfter(click.ref, selection, 0, kept(click)));

  /** Starts the bulk rating of exactly the preview's content. A redelivery starts no second one. */
  const confirm = inSelection(async (click, selection) => {
    const { ref } = click;
    const { decision, previewed: items = [], texts } = selection;
    if (decision === undefined || items.length === 0) return undefined;
    const id = BulkRatingId.parse(`${selection.id}-${selection.step}`);
    const { isEach, verdict, text } = decision;
    const known = await stages.tasksOf(ref, items);
    const total = sum((await stages.campaignsOf(ref, known.values())).map((one) => one.total));
    const reasons = isEach ? [] : await stages.reasonsFor(ref, selection);
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
    return moveTo(ref, selection, (one) => ({ ...atStage(one, 'confirmed'), rating: id }));
  });

  return {
    back,
    chooseItemReason,
    chooseReason,
    chooseScope,
    chooseVerdict,
    confirm,
    edit,
    rate,
    submitComments,
    submitDecision,
    submitPage,
    typed,
    typedItem,
  };
}

/** Returns the name of the comment's input, which changes with each fill. */
const inputOf = ({ filled }: BulkDecision) => `comment.${filled}`;

const hasComment = (values: Values) => Object.keys(values).some((name) => name.startsWith('comment.'));

/** Returns the decision merged with the inputs: a text that was filled in, but is not displayed yet, stays. */
function filledIn({ decision }: BulkSelection, values: Values): BulkDecision {
  const verdict = verdicts.find((one) => one === chosen(values, verdictInput)) ?? 'OK';
  const before = decision ?? { verdict, isEach: false, text: '', filled: 0 };
  const { name, text } = commentIn(values, before.reason);
  const scope = chosen(values, scopeInput);
  return {
    ...before,
    text: hasComment(values) && (name === inputOf(before) || before.text === '') ? text : before.text,
    isEach: scope === undefined ? before.isEach : scope === 'each',
  };
}

/**
 * Returns the decision for a refilled form, whose inputs need new names: Slack keeps typed text while the name stays the
 * same.
 */
function refilled(decision: BulkDecision): BulkDecision {
  return { ...decision, filled: decision.filled + 1 };
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
