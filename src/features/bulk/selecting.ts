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
  tickedCounts,
  withNothingTicked,
} from '../../domain/bulk-selection.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import { type AccountRef, CampaignId } from '../../domain/terms.ts';
import { connectedTasks } from '../../kit/evidence.ts';
import { decodeFocus } from '../../kit/focus-frame.ts';
import { createPacedViews } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  createWaitingTasks,
  filterLabel,
  filterOfChannel,
  looksAtTasks,
  noFilter,
} from '../../kit/waiting-tasks.ts';
import type {
  Actor,
  Authorized,
  Click,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../../slack/feature.ts';
import type { Values } from '../../slack/form-values.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { expiredView, loadingView } from './decision.view.ts';
import { filterIn, itemOfBlock, selectionState } from './page.view.ts';
import { bulkStart } from './public.ts';
import type { Stages } from './stages.ts';

/** A selection during an action in one of its views. `isCurrent`: the view shows the selection's current step. */
export interface OpenSelection {
  readonly ref: AccountRef;
  readonly selection: BulkSelection;
  readonly isCurrent: boolean;
}

export type ClickInView = Click & { readonly view: OpenView };

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
  const orderOfNow = deps.clock.slackNow;

  async function openedIn({
    view,
    member,
    authorize,
  }: Authorized & { readonly view?: OpenView }): Promise<OpenSelection | undefined> {
    if (view === undefined) return undefined;
    const { account, selection: id, step } = selectionState.decode(view.state);
    const ref = await authorize({ account });
    const selection = await tasks.bulkSelections.get(ref, id);
    if (selection?.member !== member) return undefined;
    return { ref, selection, isCurrent: selection.step === step };
  }

  /** Changes a selection. Returns undefined if it has moved on to another step, or nothing changes. */
  async function changeStep(
    ref: AccountRef,
    { id, step }: BulkSelection,
    change: (one: BulkSelection) => BulkSelection,
  ): Promise<BulkSelection | undefined> {
    const { session, isChanged } = await tasks.bulkSelections.change(ref, id, (one) =>
      one.step === step ? change(one) : undefined,
    );
    return isChanged ? session : undefined;
  }

  /** Applies a change and shows a page, storing it as shown. Returns undefined if the selection has moved on. */
  async function pageAfter(
    ref: AccountRef,
    selection: BulkSelection,
    wanted: number,
    change: (one: BulkSelection) => BulkSelection,
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
    if (isDeepStrictEqual(loaded.items, selection.shown)) return stages.page(ref, selection, loaded);
    return (await pageAfter(ref, selection, selection.page, (one) => one)) ?? latest(ref, id);
  }

  const update = ({ workspace }: Pick<Actor, 'workspace'>, { id }: OpenView, view: ModalView) =>
    views.update(workspace, id, () => view);

  /** Runs a click in the current view; in an outdated view, shows the current one. */
  function inSelection(run: (click: ClickInView, open: OpenSelection) => Promise<ModalView | undefined>) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const open = await openedIn(click);
      if (open === undefined) return update(click, view, expiredView());
      const { ref, selection, isCurrent } = open;
      const next = isCurrent ? await run({ ...click, view }, open) : undefined;
      await update(click, view, next ?? (await latest(ref, selection.id)));
    };
  }

  /** Runs a submission of the current view; of an outdated view, shows the current one. */
  function submitted(
    run: (submission: Submission, open: OpenSelection) => Promise<SubmissionAnswer | undefined>,
  ) {
    return async (submission: Submission): Promise<SubmissionAnswer> => {
      const open = await openedIn({ ...submission, view: submission });
      if (open === undefined) return { update: expiredView() };
      const { ref, selection, isCurrent } = open;
      const answer = isCurrent ? await run(submission, open) : undefined;
      return answer ?? { update: await latest(ref, selection.id) };
    };
  }

  /** Returns the change that applies a page's checkboxes to a selection. */
  const asBoxes =
    (values: Values, order: number) =>
    (one: BulkSelection): BulkSelection => {
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
    if (opened === undefined) await open(view);
    else await views.update(workspace, opened, () => view);
  }

  /** Opens a selection from one of its buttons. */
  async function startFromButton(click: Click): Promise<void> {
    const { account, campaign, alike } = bulkStart.decode(click.value);
    const ref = await click.authorize(account === undefined ? {} : { account });
    const filter =
      alike === undefined
        ? await filterOfButton(ref, click, campaign)
        : { tasks: await connectedTasks(deps, ref, alike), label: 'tasks that look alike' };
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
  async function startFromReview(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const { account, session } = decodeFocus(view.state);
    const ref = await click.authorize({ account });
    const filter = (await deps.tasks.focusSessions.get(ref, session))?.filter ?? noFilter;
    await start(click, ref, filter, click.open);
  }

  /** Goes to another page. @param ticks new state of this page's checkboxes; absent: unchanged */
  const turn = (by: number, ticks?: boolean) =>
    inSelection((click, { ref, selection }) => {
      const order = orderOfClick(click);
      const change =
        ticks === undefined
          ? asBoxes(click.view.values, order)
          : (one: BulkSelection) =>
              markedPage(one, ({ task }) => (ticks && one.alike.includes(task) ? undefined : ticks), order);
      return pageAfter(ref, selection, selection.page + by, change);
    });

  /** Stores a single tick. It identifies its task, so it also counts from an outdated view. */
  async function tick(click: Click): Promise<void> {
    const { view, blockId, actionId, values } = click;
    const item = itemOfBlock(blockId);
    if (view === undefined || item === undefined) return;
    const open = await openedIn(click);
    if (open === undefined) return update(click, view, expiredView());
    const { ref, selection, isCurrent } = open;
    const state = (view.values[blockId] ?? values[blockId])?.[actionId];
    const isTicked = (state?.selected_options ?? []).length > 0;
    const order = orderOfClick(click);
    await tasks.bulkSelections.change(ref, selection.id, (one) =>
      marked(one, item as BulkItem, { isTicked, order }),
    );
    if (!isCurrent) await update(click, view, await latest(ref, selection.id));
  }

  const clear = inSelection((click, { ref, selection }) =>
    pageAfter(ref, selection, selection.page, (one) => withNothingTicked(one, orderOfClick(click))),
  );

  const openFilter = inSelection(async (click, { ref, selection }) => {
    const boxes = asBoxes(click.view.values, orderOfClick(click));
    const at = await changeStep(ref, selection, (one) => atStage(boxes(one), 'filter'));
    return at && stages.render(ref, at);
  });

  const submitFilter = submitted(async ({ values }, { ref, selection }) => {
    const { campaign, ...others } = filterIn(values);
    const filter =
      campaign === undefined
        ? { ...others, label: filterLabel(others.text === undefined ? '' : `“${others.text}”`, others) }
        : await filterOfCampaign(ref, CampaignId.parse(campaign), others);
    const found = await waitingTasks.inOrder(ref, selection.member, filter);
    const view = await pageAfter(ref, selection, 0, (one) => listing(one, filter, found));
    return view && { update: view };
  });

  return {
    asBoxes,
    changeStep,
    clear,
    inSelection,
    openFilter,
    openedIn,
    orderOfNow,
    pageAfter,
    startFromButton,
    startFromReview,
    submitFilter,
    submitted,
    tick,
    turn,
    update,
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
  return `Your selection of ${date(selection.at)} is still here: *${counted(all, 'task')}* selected. Press “Deselect all” to begin again.`;
}
