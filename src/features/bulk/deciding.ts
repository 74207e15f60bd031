import type { ModalView } from '@slack/types';
import { type BulkRating, BulkRatingId, type NewBulkRating } from '../../domain/bulk-rating.ts';
import {
  atStage,
  type BulkDecision,
  type BulkSelection,
  maxBulk,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { isReasonUsed, withReason } from '../../domain/reason.ts';
import { type AccountRef, needsComment, TaskId, verdicts } from '../../domain/terms.ts';
import { takeFromLimit } from '../../kit/budgets.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor, Click, SubmissionAnswer } from '../../slack/feature.ts';
import { chosen, type Values } from '../../slack/form-values.ts';
import { reasonGone, reasonMissing, tooLong } from '../../ui/comment-input.view.ts';
import { commentMissing, commentsPerPage, taskOfInput, verdictInput } from './decision.view.ts';
import { type Filled, filledIn, refilled, textsIn } from './decision-input.ts';
import type { OpenSelection, Selecting } from './selecting.ts';
import { type Stages, sum } from './stages.ts';
import { queueBulk, queueShow } from './work.ts';

const nothingTicked = 'Nothing is selected yet. Select single tasks, or all of a page, then press “Decide…”.';
const tooMany = (count: number) =>
  `${count} tasks are selected; up to ${maxBulk} can be decided together. Deselect ${count - maxBulk} of them.`;
const ratingMissing = 'Choose a rating.';

/** Creates the steps after selecting: one rating, its comments, the preview, and the confirmation. */
export function createDeciding(deps: Modules, selecting: Selecting, stages: Stages) {
  const { tasks } = deps;
  const { inSelection, openedIn, orderOfClick, orderOfNow, pageAfter, submitted } = selecting;
  const modals = createModalUpdates(deps);

  /** Moves a selection to another stage. Returns undefined if it has moved on meanwhile. */
  async function moveTo(
    ref: AccountRef,
    { id, step }: BulkSelection,
    change: (one: BulkSelection) => BulkSelection,
    render = (moved: BulkSelection) => stages.render(ref, moved),
  ): Promise<ModalView | undefined> {
    const { selection, isChanged } = await tasks.bulkSelections.change(ref, id, (one) =>
      one.step === step ? change(one) : undefined,
    );
    return selection && isChanged ? render(selection) : undefined;
  }

  const answer = (view: ModalView | undefined): SubmissionAnswer | undefined => view && { update: view };

  const submitPage = submitted(async ({ values }, { ref, selection }) => {
    const boxes = selecting.asBoxes(values, orderOfNow());
    const { all } = tickedCounts(boxes(selection));
    const problem = all === 0 ? nothingTicked : all > maxBulk ? tooMany(all) : undefined;
    if (problem !== undefined)
      return answer(await pageAfter(ref, selection, selection.page, boxes, [problem]));
    return answer(await moveTo(ref, selection, (one) => atStage(boxes(one), 'decision')));
  });

  /**
   * Stores a choice in the decision form, and shows the result. The step number stays, because it is the same view.
   * @param next returns the new decision from the input values
   */
  function inDecision(
    next: (click: Click, now: Filled, open: OpenSelection) => Promise<Changed | undefined>,
  ) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      const open = view && (await openedIn({ ...click, ...view }));
      if (view === undefined || open === undefined) return;
      const { ref, selection, isCurrent } = open;
      const changed = isCurrent ? await next(click, filledIn(selection, view.values), open) : undefined;
      if (changed === undefined) return;
      const order = orderOfClick(click);
      const { selection: after } = await tasks.bulkSelections.change(ref, selection.id, (one) =>
        one.step === selection.step && (one.decision?.order ?? 0) <= order
          ? { ...one, decision: { ...changed.decision, order } }
          : undefined,
      );
      if (after === undefined) return;
      await modals.replace(click, view, await stages.decision(ref, after, changed.problem));
    };
  }

  const chooseVerdict = inDecision(async ({ value }, { decision }) => {
    const verdict = verdicts.find((one) => one === value);
    return verdict && { decision: refilled({ ...decision, verdict }) };
  });

  const chooseScope = inDecision(async ({ value }, { decision }) => ({
    decision: refilled({ ...decision, isEach: value === 'each' }),
  }));

  const chooseReason = inDecision(async ({ value }, { decision }, { ref, selection }) =>
    withChosen(ref, { ...selection, decision }, value),
  );

  /** Returns the decision with a saved reason filled in. */
  async function withChosen(
    ref: AccountRef,
    selection: BulkSelection & { readonly decision: BulkDecision },
    id: string,
  ): Promise<Changed> {
    const { decision } = selection;
    const reasons = await stages.reasonsFor(ref, selection);
    const reason = reasons.find((one) => one.id === id);
    if (reason === undefined) return { decision: refilled(decision), problem: reasonGone };
    const last = reasons.find((one) => one.id === decision.reason)?.text;
    const text = withReason(decision.text, await stages.savedTexts(ref), reason.text, last);
    const problem = tooLong(text);
    return problem === undefined
      ? { decision: refilled({ ...decision, text, reason: reason.id }) }
      : { decision: refilled(decision), problem };
  }

  /** Stores the shared comment while it is being typed. */
  async function typed(click: Click): Promise<void> {
    const { view, value: text } = click;
    const open = view && (await openedIn({ ...click, ...view }));
    if (open === undefined) return;
    const order = orderOfClick(click);
    await tasks.bulkSelections.change(open.ref, open.selection.id, (one) =>
      one.decision && one.decision.order <= order && one.stage === 'decision'
        ? { ...one, decision: { ...one.decision, text, order } }
        : undefined,
    );
  }

  const submitDecision = submitted(async ({ values }, { ref, selection }) => {
    const verdict = verdicts.find((one) => one === chosen(values, verdictInput));
    if (verdict === undefined) return { errors: { [verdictInput]: ratingMissing } };
    const { decision, comment, hasInputs, isOutdated } = filledIn(selection, values);
    const before = selection.decision?.text ?? '';
    const made = { ...decision, verdict, order: orderOfNow() };
    const show = async ({ decision: next, problem }: Changed) => {
      const { selection: after } = await tasks.bulkSelections.change(ref, selection.id, (one) =>
        one.step === selection.step ? { ...one, decision: next } : undefined,
      );
      return after && { update: await stages.decision(ref, after, problem) };
    };
    // The inputs of this rating, or the last chosen reason, are not displayed yet.
    const isBehind = selection.decision?.verdict !== verdict || !hasInputs;
    if ((isBehind && (needsComment(verdict) || made.isEach)) || (isOutdated && comment.text !== ''))
      return show({ decision: refilled(isOutdated ? { ...made, text: before } : made) });
    const isReasonShown = comment.chosen === undefined || comment.chosen === selection.decision?.reason;
    let final: BulkDecision = made;
    if (!made.isEach && !isReasonShown && comment.chosen !== undefined) {
      const changed = await withChosen(ref, { ...selection, decision: made }, comment.chosen);
      // Both typed and chosen text exist, so the person sees the result first.
      if (made.text !== '' || changed.problem !== undefined) return show(changed);
      final = changed.decision;
    }
    if (made.isEach)
      return answer(
        await moveTo(ref, selection, (one) => atStage({ ...one, decision: final }, 'comments', 0)),
      );
    if (needsComment(verdict) && final.text === '') return { errors: { [comment.name]: reasonMissing } };
    const problem = tooLong(final.text);
    if (problem !== undefined) return { errors: { [comment.name]: problem } };
    return previewed(ref, selection, final);
  });

  async function previewed(
    ref: AccountRef,
    selection: BulkSelection,
    decision: BulkDecision,
  ): Promise<SubmissionAnswer | undefined> {
    const { items } = await stages.classified(ref, { ...selection, decision });
    return answer(
      await moveTo(ref, selection, (one) => atStage({ ...one, decision, previewed: items }, 'preview')),
    );
  }

  /** Stores the comments in a page's inputs. */
  async function storeTexts(ref: AccountRef, { id }: BulkSelection, values: Values): Promise<void> {
    const order = orderOfNow();
    for (const [task, text] of textsIn(values))
      await tasks.bulkSelections.putText(ref, id, task, { text, order, isFinal: true });
  }

  const submitComments = submitted(async ({ values }, { ref, selection }) => {
    const { decision, page } = selection;
    if (decision === undefined) return undefined;
    await storeTexts(ref, selection, values);
    const isNeeded = needsComment(decision.verdict);
    const errors = Object.keys(values).flatMap((block) => {
      const task = taskOfInput(block);
      const text = task === undefined ? undefined : (textsIn(values).get(TaskId.parse(task)) ?? '');
      return isNeeded && text === '' ? [[block, commentMissing] as const] : [];
    });
    if (errors.length > 0) return { errors: Object.fromEntries(errors) };
    const pages = Math.ceil(tickedItems(selection).length / commentsPerPage);
    if (page < pages - 1)
      return answer(await moveTo(ref, selection, (one) => atStage(one, 'comments', page + 1)));
    return previewed(ref, selection, decision);
  });

  /** Stores the comment on one task while it is being typed. */
  async function typedItem(click: Click): Promise<void> {
    const { view, blockId, value } = click;
    const task = taskOfInput(blockId);
    const open = view && task !== undefined ? await openedIn({ ...click, ...view }) : undefined;
    if (open === undefined || task === undefined) return;
    await tasks.bulkSelections.putText(open.ref, open.selection.id, TaskId.parse(task), {
      text: value,
      order: orderOfClick(click),
    });
  }

  /** Fills in a saved reason for one task. */
  const chooseItemReason = inSelection(async (click, { ref, selection }) => {
    const task = TaskId.parse(click.blockId.split('/').slice(2).join('/'));
    await storeTexts(ref, selection, click.view.values);
    const reason = (await stages.reasonsFor(ref, selection)).find(({ id }) => id === click.value);
    let problem: string | undefined = reasonGone;
    if (reason !== undefined) {
      const before = (await tasks.bulkSelections.texts(ref, selection.id)).get(task) ?? '';
      const text = withReason(before, await stages.savedTexts(ref), reason.text);
      problem = tooLong(text);
      if (problem === undefined)
        await tasks.bulkSelections.putText(ref, selection.id, task, {
          text,
          order: orderOfNow(),
          isFinal: true,
        });
    }
    return moveTo(
      ref,
      selection,
      (one) => atStage(one, 'comments'),
      (moved) => stages.comments(ref, moved, { task, problem }),
    );
  });

  /** Stores a form's inputs when somebody goes back from it. */
  async function filled(click: Click, ref: AccountRef, selection: BulkSelection) {
    const values = click.view?.values ?? {};
    if (selection.stage === 'comments') await storeTexts(ref, selection, values);
    const order = orderOfClick(click);
    return (one: BulkSelection): BulkSelection =>
      one.stage === 'decision' && one.decision
        ? { ...one, decision: { ...filledIn(one, values).decision, order } }
        : one;
  }

  const edit = inSelection(async (click, { ref, selection }) => {
    const stay = await filled(click, ref, selection);
    return moveTo(ref, selection, (one) => atStage(stay(one), 'decision'));
  });

  const back = inSelection(async (click, { ref, selection }) =>
    pageAfter(ref, selection, 0, await filled(click, ref, selection)),
  );

  /** Starts the bulk rating of exactly the preview's content. A redelivery starts no second one. */
  const confirm = inSelection(async (click, { ref, selection }) => {
    const { decision, previewed: items = [] } = selection;
    if (decision === undefined || items.length === 0) return undefined;
    const id = BulkRatingId.parse(`${selection.id}-${selection.step}`);
    if ((await tasks.bulkRatings.get(ref, id)) === undefined) await takeFromLimit(deps, click, 'bulk');
    await begin(ref, { ...click, how: 'form' }, id, { ...selection, decision, previewed: items });
    return moveTo(ref, selection, (one) => ({ ...atStage(one, 'confirmed'), rating: id }));
  });

  async function begin(
    ref: AccountRef,
    actor: Actor,
    id: BulkRating['id'],
    selection: BulkSelection & {
      readonly decision: BulkDecision;
      readonly previewed: NonNullable<BulkSelection['previewed']>;
    },
  ): Promise<void> {
    const { decision, previewed: items } = selection;
    const texts = decision.isEach ? await tasks.bulkSelections.texts(ref, selection.id) : undefined;
    const total = sum(
      (await stages.campaignsOf(ref, (await stages.tasksOf(ref, items)).values())).map((one) => one.total),
    );
    const reasons = decision.isEach ? [] : await stages.reasonsFor(ref, selection);
    const reason = reasons.find((one) => one.id === decision.reason);
    const used = reason && isReasonUsed(reason.text, decision.text) ? reason.id : undefined;
    const rating: NewBulkRating = {
      id,
      member: actor.member,
      team: actor.team,
      at: deps.clock.now(),
      verdict: decision.verdict,
      text: decision.isEach ? '' : decision.text,
      items: items.map((item) => (texts ? { ...item, comment: texts.get(item.task) ?? '' } : item)),
      ...(used === undefined ? {} : { reason: used }),
    };
    const step = deps.audit.step(ref, {
      what: 'rate in bulk',
      ...doneBy(actor),
      verdict: decision.verdict,
      act: id,
      after: items.length === 1 ? '1 task' : `${items.length} tasks`,
      ...(total ? { money: total.toFixed() } : {}),
    });
    await tasks.bulkRatings.apply(ref, id, { type: 'confirmed', rating }, step);
    await Promise.all([queueBulk(deps, ref, id, 'run'), queueShow(deps, ref, id)]);
  }

  return {
    back,
    chooseItemReason,
    chooseReason,
    chooseScope,
    chooseVerdict,
    confirm,
    edit,
    submitComments,
    submitDecision,
    submitPage,
    typed,
    typedItem,
  };
}

interface Changed {
  readonly decision: BulkDecision;
  readonly problem?: string | undefined;
}
