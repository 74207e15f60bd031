import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ModalView } from '@slack/types';
import {
  atStage,
  type BulkItem,
  type BulkSelection,
  listing,
  marked,
  markedPage,
  newSelection,
  showing,
  tasksPerPart,
  tickedCounts,
  withNothingTicked,
} from '../../domain/bulk-selection.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import { type AccountRef, CampaignId, type MemberId, type TaskId } from '../../domain/terms.ts';
import { connectedTasks } from '../../kit/evidence.ts';
import { decodeFocus } from '../../kit/focus-frame.ts';
import { createPacedViews } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onView, type ViewClick } from '../../kit/on.ts';
import {
  createWaitingTasks,
  filterLabel,
  filterOfChannel,
  looksAtTasks,
  noFilter,
} from '../../kit/waiting-tasks.ts';
import type { Actor, Click, OpenView, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { withoutFiles } from '../../slack/files.ts';
import type { Values } from '../../slack/form-values.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { expiredView, loadingView } from './decision.view.ts';
import { filterIn, itemOfBlock, type SelectionState, selectionState } from './page.view.ts';
import { bulkStart } from './public.ts';
import type { Stages } from './stages.ts';

export type Change = (one: BulkSelection) => BulkSelection;
export type ClickInSelection = ViewClick<SelectionState>;
type SubmissionOfSelection = Omit<Submission, 'state'> & {
  readonly state: SelectionState;
  readonly ref: AccountRef;
};

export type Selecting = ReturnType<typeof createSelecting>;

/**
 * Creates the paged selection of tasks. Each view is a step: an action in an outdated view only shows the current one.
 * Single checkboxes are the exception, because they identify their task.
 */
export function createSelecting(deps: Modules, stages: Stages) {
  const { tasks, campaigns, clock } = deps;
  const views = createPacedViews(deps);
  const waitingTasks = createWaitingTasks(deps);
  /** Returns the time of a click (ms) on Slack's clock; a submission carries no time. */
  const orderOfClick = ({ ts }: Pick<Click, 'ts'>) => Number(ts) * 1_000;

  /** Returns the person's selection in a view. `isCurrent`: the view shows its current step. */
  async function selectionIn(ref: AccountRef, member: MemberId, { selection: id, step }: SelectionState) {
    const selection = await tasks.bulkSelections.get(ref, id);
    return selection?.member === member ? { selection, isCurrent: selection.step === step } : undefined;
  }

  /** Changes a selection. Returns undefined if it has moved on to another step, or nothing changes. */
  async function changeStep(
    ref: AccountRef,
    { id, step }: BulkSelection,
    change: Change,
  ): Promise<BulkSelection | undefined> {
    const { session, isChanged } = await tasks.bulkSelections.change(ref, id, (one) =>
      one.step === step ? change(one) : undefined,
    );
    return isChanged ? session : undefined;
  }

  /** Moves a selection to another stage. Returns undefined if it has moved on meanwhile. */
  async function moveTo(
    ref: AccountRef,
    selection: BulkSelection,
    change: Change,
    render = (moved: BulkSelection) => stages.render(ref, moved),
  ): Promise<ModalView | undefined> {
    const moved = await changeStep(ref, selection, change);
    return moved && render(moved);
  }

  /** Applies a change and shows a page, storing it as shown. Returns undefined if the selection has moved on. */
  async function pageAfter(
    ref: AccountRef,
    selection: BulkSelection,
    wanted: number,
    change: Change,
    notices: readonly string[] = [],
  ): Promise<ModalView | undefined> {
    const loaded = await stages.loadPage(ref, change(selection), wanted);
    const shown = await changeStep(ref, selection, (one) =>
      showing(change(one), loaded.page, loaded.items, loaded.alike),
    );
    return shown && stages.page(ref, shown, loaded, notices);
  }

  /** Renders the current step of a selection. */
  async function latest(ref: AccountRef, id: string): Promise<ModalView> {
    const selection = await tasks.bulkSelections.get(ref, id);
    if (selection === undefined) return expiredView();
    if (selection.stage !== 'page') return stages.render(ref, selection);
    const loaded = await stages.loadPage(ref, selection, selection.page);
    const { alike, items } = loaded;
    if (isDeepStrictEqual(items, selection.shown)) {
      const shown = await changeStep(ref, selection, (one) => ({ ...one, alike }));
      return shown ? stages.page(ref, shown, loaded) : latest(ref, id);
    }
    return (await pageAfter(ref, selection, selection.page, (one) => one)) ?? latest(ref, id);
  }

  const update = ({ workspace }: Pick<Actor, 'workspace'>, { id }: Pick<OpenView, 'id'>, view: ModalView) =>
    views.update(workspace, id, (isRefused) => withoutFiles(view, isRefused));

  /**
   * Shows the pictures that a view was first shown without. Those of tasks that have no card are loaded, as for a card, and
   * follow if the person is still on that page.
   */
  async function showPictures(
    actor: Pick<Actor, 'workspace'>,
    ref: AccountRef,
    open: Pick<OpenView, 'id'>,
    { first, view }: { readonly first: ModalView; readonly view: ModalView },
  ): Promise<void> {
    const isCurrent = () => isAt(ref, view);
    if (!isDeepStrictEqual(first, view) && (await isCurrent())) await update(actor, open, view);
    if (view.callback_id !== 'bulk.page') return;
    const { selection: id } = selectionState.decode(view.private_metadata ?? '');
    if (!(await stages.loadPictures(ref, id, isCurrent)) || !(await isCurrent())) return;
    const drawn = await latest(ref, id);
    // Whoever has left the page meanwhile keeps the form that is shown now.
    if (drawn.callback_id === 'bulk.page' && (await isAt(ref, drawn))) await update(actor, open, drawn);
  }

  const withoutPictures = (view: ModalView) => withoutFiles(view, () => true);

  /** Returns whether a selection is still at the step of a view. */
  async function isAt(ref: AccountRef, view: ModalView): Promise<boolean> {
    const { selection, step } = selectionState.decode(view.private_metadata ?? '');
    return (await tasks.bulkSelections.get(ref, selection))?.step === step;
  }

  /** A click in the current view; in an outdated view, it shows the current one. */
  const inSelection = (
    run: (click: ClickInSelection, selection: BulkSelection) => Promise<ModalView | undefined>,
  ) =>
    onView(selectionState, 'rate', async (click) => {
      const open = await selectionIn(click.ref, click.member, click.state);
      if (open === undefined) return update(click, click.view, expiredView());
      const next = open.isCurrent ? await run(click, open.selection) : undefined;
      const view = next ?? (await latest(click.ref, open.selection.id));
      await update(click, click.view, view);
      await showPictures(click, click.ref, click.view, { first: view, view });
    });

  /** A submission of the current view; of an outdated view, it shows the current one. */
  const submitted = (
    run: (
      submission: SubmissionOfSelection,
      selection: BulkSelection,
    ) => Promise<ModalView | SubmissionAnswer | undefined>,
  ) =>
    onForm(selectionState, 'rate', async (submission) => {
      const { ref, member, state } = submission;
      const open = await selectionIn(ref, member, state);
      if (open === undefined) return { update: expiredView() };
      const answer = open.isCurrent ? await run(submission, open.selection) : undefined;
      if (answer !== undefined && !('type' in answer)) return answer;
      const view = answer ?? (await latest(ref, open.selection.id));
      // Slack refuses an answer with a picture that it cannot show, so pictures follow.
      const first = withoutPictures(view);
      return { update: first, afterwards: () => showPictures(submission, ref, submission, { first, view }) };
    });

  /** A choice or text in the current view, which stays; in an outdated one, nothing happens. */
  const within = (run: (click: ClickInSelection, selection: BulkSelection) => Promise<unknown>) =>
    onView(selectionState, 'rate', async (click) => {
      const open = await selectionIn(click.ref, click.member, click.state);
      if (open?.isCurrent) await run(click, open.selection);
    });

  /** Text that is stored while it is being typed. */
  const typing = (change: (click: ClickInSelection, one: BulkSelection) => BulkSelection) =>
    within((click, selection) => changeStep(click.ref, selection, (one) => change(click, one)));

  /** Returns the change that applies a page's checkboxes to a selection. */
  const asBoxes =
    (values: Values, order: number): Change =>
    (one) => {
      const boxes = boxesIn(values);
      return markedPage(one, (item) => boxes.get(nameOf(item)), order);
    };

  /** Opens a selection, or resumes the person's unconfirmed one from the same place. */
  async function start(
    { member, workspace }: Pick<Actor, 'member' | 'workspace'>,
    ref: AccountRef,
    filter: FocusFilter,
    open: (view: ModalView) => Promise<string>,
  ): Promise<void> {
    const before = await tasks.bulkSelections.latest(ref, member);
    const isResumed =
      before !== undefined &&
      before.stage !== 'confirmed' &&
      isDeepStrictEqual(before.origin, filter) &&
      tickedCounts(before).all > 0;
    const fresh = newSelection({ id: randomUUID(), member, at: clock.now(), filter });
    const selection = isResumed ? before : fresh;
    const { filter: listed } = selection;
    const opened = looksAtTasks(listed) ? await open(loadingView()) : undefined;
    if (!isResumed) await tasks.bulkSelections.create(ref, fresh);
    const found = await waitingTasks.inOrder(ref, member, listed);
    const notices = isResumed ? [resumedText(before)] : [];
    const view =
      (await pageAfter(ref, selection, 0, (one) => listing(one, listed, found), notices)) ??
      (await latest(ref, selection.id));
    const first = withoutPictures(view);
    const id = opened ?? (await open(first));
    if (opened !== undefined) await update({ workspace }, { id }, first);
    await showPictures({ workspace }, ref, { id }, { first, view });
  }

  /** Opens a selection from one of its buttons. */
  async function startFromButton(click: Click): Promise<void> {
    const { account, campaign, alike } = bulkStart.decode(click.value);
    const ref = await click.authorize(account === undefined ? {} : { account });
    const filter =
      alike === undefined
        ? await filterOfButton(ref, click, campaign)
        : { tasks: await connectedTasks(deps, ref, alike), label: 'similar tasks' };
    await start(click, ref, filter, click.open);
  }

  async function filterOfButton(
    ref: AccountRef,
    { channel, value }: Click,
    campaign: CampaignId | undefined,
  ): Promise<FocusFilter> {
    if (campaign !== undefined) return filterOfCampaign(ref, campaign, {});
    const isOfMessage = channel !== undefined && bulkStart.decode(value).account !== undefined;
    return isOfMessage ? filterOfChannel(deps, ref, channel) : noFilter;
  }

  async function filterOfCampaign(
    ref: AccountRef,
    campaign: CampaignId,
    others: Omit<FocusFilter, 'label' | 'campaigns'>,
  ): Promise<FocusFilter> {
    const title = await campaigns.titleOf(ref, campaign);
    const about = others.text === undefined ? [] : [inline(`“${others.text}”`, 80)];
    return { ...others, campaigns: [campaign], label: [filterLabel(title, others), ...about].join(' · ') };
  }

  /** Opens a selection above a focus review, with its filter. */
  const startFromReview = onView({ decode: decodeFocus }, 'rate', async (click) => {
    const { ref, state } = click;
    const filter = (await tasks.focusSessions.get(ref, state.session))?.filter ?? noFilter;
    await start(click, ref, filter, click.open);
  });

  /** Goes to another page. @param ticked which tasks of this one are ticked besides; none that looks like others */
  const turn = (by: number, ticked: (click: Click, one: BulkSelection) => readonly TaskId[] = () => []) =>
    inSelection((click, selection) => {
      const order = orderOfClick(click);
      const boxes = asBoxes(click.view.values, order);
      return pageAfter(click.ref, selection, selection.page + by, (one) => {
        const part = new Set(ticked(click, one).filter((task) => !one.alike.includes(task)));
        return markedPage(boxes(one), ({ task }) => part.has(task) || undefined, order);
      });
    });
  const all = (_: Click, { listed }: BulkSelection) => listed;
  const part = ({ value }: Click, { listed }: BulkSelection) =>
    listed.slice(Number(value), Number(value) + tasksPerPart);

  /** Stores a single tick. It identifies its task, so it also counts from an outdated view. */
  const tick = onView(selectionState, 'rate', async (click) => {
    const { ref, view, blockId, actionId, values } = click;
    const item = itemOfBlock(blockId);
    const open = await selectionIn(ref, click.member, click.state);
    if (open === undefined) return update(click, view, expiredView());
    if (item === undefined) return;
    const state = (view.values[blockId] ?? values[blockId])?.[actionId];
    const isTicked = (state?.selected_options ?? []).length > 0;
    const order = orderOfClick(click);
    const { id } = open.selection;
    await tasks.bulkSelections.change(ref, id, (one) => marked(one, item as BulkItem, { isTicked, order }));
    if (!open.isCurrent) await update(click, view, await latest(ref, id));
  });

  const clear = inSelection((click, selection) =>
    pageAfter(click.ref, selection, selection.page, (one) => withNothingTicked(one, orderOfClick(click))),
  );

  const openFilter = inSelection((click, selection) => {
    const boxes = asBoxes(click.view.values, orderOfClick(click));
    return moveTo(click.ref, selection, (one) => atStage(boxes(one), 'filter'));
  });

  const submitFilter = submitted(async ({ ref, values }, selection) => {
    const { campaign, ...others } = filterIn(values);
    const filter =
      campaign === undefined
        ? { ...others, label: filterLabel(others.text === undefined ? '' : `“${others.text}”`, others) }
        : await filterOfCampaign(ref, CampaignId.parse(campaign), others);
    const found = await waitingTasks.inOrder(ref, selection.member, filter);
    return pageAfter(ref, selection, 0, (one) => listing(one, filter, found));
  });

  return {
    asBoxes,
    clear,
    inSelection,
    moveTo,
    openFilter,
    orderOfClick,
    orderOfNow: clock.slackNow,
    pageAfter,
    startFromButton,
    startFromReview,
    submitFilter,
    submitted,
    tick,
    tickAll: (by: number) => turn(by, all),
    tickPart: turn(0, part),
    turn,
    typing,
    update,
    within,
  };
}

const nameOf = ({ task, round }: { readonly task: string; readonly round: number }) => `${task} ${round}`;

/** Returns the checkboxes of a view by task and round, with whether each is ticked. */
function boxesIn(values: Values): Map<string, boolean> {
  const boxes = new Map<string, boolean>();
  for (const [block, elements] of Object.entries(values)) {
    const item = itemOfBlock(block);
    const [state] = Object.values(elements);
    if (item !== undefined) boxes.set(nameOf(item), (state?.selected_options ?? []).length > 0);
  }
  return boxes;
}

function resumedText(selection: BulkSelection): string {
  const { all } = tickedCounts(selection);
  return `Your selection of ${date(selection.at)} is still here: *${counted(all, 'task')}* selected. Press *Deselect all* to start over.`;
}
