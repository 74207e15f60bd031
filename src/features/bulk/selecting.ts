import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ModalView } from '@slack/types';
import {
  atStage,
  type BulkItem,
  type BulkSelection,
  listing,
  marked,
  newSelection,
  showing,
  tasksPerPage,
  tasksPerPart,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { templateRow } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import { byIndex, untilPicturesReady } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { createPacedViews } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onForm, onView, type ViewClick } from '../../kit/on.ts';
import { pageOf } from '../../slack/blocks.ts';
import type { Actor, Click, OpenView, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { withoutFiles } from '../../slack/files.ts';
import { typed } from '../../slack/form-values.ts';
import { date } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { createTaskDetails } from '../cards/public.ts';
import { connectedTasks, looksAlike } from '../evidence/public.ts';
import {
  createWaitingTasks,
  decodeFocus,
  filterOfCampaign,
  filterOfChannel,
  filterTyped,
  looksAtTasks,
  noFilter,
} from '../focus/public.ts';
import { expiredView, loadingView } from './decision.view.ts';
import {
  boxesIn,
  filterInput,
  filterView,
  mayTick,
  pageView,
  type SelectionState,
  selectionState,
} from './page.view.ts';
import { bulkStart } from './public.ts';
import { reviewersOf } from './work.ts';

export type Change = (one: BulkSelection) => BulkSelection;
export type ClickInSelection = ViewClick<SelectionState>;

/** What follows an action in a selection. */
export interface Next {
  readonly change: Change;
  /** The page of tasks to show; absent: the stage that the selection is at then is shown. */
  readonly page?: number;
  /** Said there, in mrkdwn. */
  readonly said?: string | undefined;
}

export type Selecting = ReturnType<typeof createSelecting>;

/** Number of tasks whose pictures are loaded concurrently. */
const picturesAtOnce = 5;

/**
 * Creates the paged selection of tasks. Each view is a step: an action in an outdated view only shows the current one.
 * Single checkboxes are the exception, because they identify their task.
 * @param renderDeciding renders the stages after the selection
 */
export function createSelecting(
  deps: Modules,
  renderDeciding: (ref: AccountRef, selection: BulkSelection, said?: string) => Promise<ModalView>,
) {
  const { tasks, campaigns, clock } = deps;
  const sessions = tasks.bulkSelections;
  const views = createPacedViews(deps);
  const waitingTasks = createWaitingTasks(deps);
  const details = createTaskDetails(deps);
  /** Returns the time of a click (ms) on Slack's clock; a submission carries no time. */
  const orderOfClick = ({ ts }: Pick<Click, 'ts'>) => Number(ts) * 1_000;

  /** Loads the page closest to the wanted one. */
  async function loadPage(ref: AccountRef, selection: BulkSelection, wanted: number) {
    const { page, pages, here } = pageOf(selection.listed, wanted, tasksPerPage);
    const byId = await tasks.byId(ref, here);
    const known = [...byId.values()];
    const ids = [...new Set(known.map(({ campaign }) => campaign))];
    const [titleOf, dueTimes, reviewers] = await Promise.all([
      campaigns.titlesOf(ref, ids),
      tasks.deadlines.dueAt(ref, known),
      reviewersOf(deps, ref, selection.member, here),
    ]);
    const rows = await Promise.all(
      here.map(async (id, index) => {
        const task = byId.get(id);
        const [record, evidence = []] = task
          ? await Promise.all([
              campaigns.workers.record(ref, task.worker.id),
              campaigns.evidence.on(ref, task),
            ])
          : [];
        return {
          number: page * tasksPerPage + index + 1,
          id,
          task,
          campaignTitle: task ? titleOf(task.campaign) : '',
          dueAt: dueTimes.get(id),
          record,
          evidence,
          reviewedBy: reviewers.get(id),
        };
      }),
    );
    const only = ids.length === 1 ? known[0] : undefined;
    const shown = rows.flatMap((row) =>
      row.task && mayTick(row) ? [{ task: row.id, round: row.task.round }] : [],
    );
    // Who chose tasks because they look alike has been told.
    const alike = selection.filter.tasks
      ? []
      : rows.filter((row) => row.evidence.some(({ kinds }) => looksAlike(kinds))).map(({ id }) => id);
    const ofCampaign = {
      campaign: only && titleOf(only.campaign),
      // With a template, each task asked for something else.
      asked: only && templateRow(only.csvRow) === undefined ? await askedOfTask(deps, ref, only) : undefined,
    };
    return {
      shown,
      alike,
      store: (one: BulkSelection) => showing(one, page, shown, alike),
      view: (one: BulkSelection, said?: string) =>
        pageView({ account: ref.account, selection: one, pages, rows, said, ...ofCampaign }),
    };
  }

  /** Returns the person's selection in a view. `isCurrent`: the view shows its current step. */
  async function selectionIn(ref: AccountRef, member: MemberId, { selection: id, step }: SelectionState) {
    const selection = await sessions.get(ref, id);
    return selection?.member === member ? { selection, isCurrent: selection.step === step } : undefined;
  }

  /** Returns whether a selection is still at the step of a view. */
  async function isAt(ref: AccountRef, view: ModalView): Promise<boolean> {
    const { selection, step } = selectionState.decode(view.private_metadata ?? '');
    return (await sessions.get(ref, selection))?.step === step;
  }

  /** Changes a selection. Returns undefined if it has moved on to another step. */
  async function changeStep(
    ref: AccountRef,
    { id, step }: BulkSelection,
    change: Change,
  ): Promise<BulkSelection | undefined> {
    const { session, isChanged } = await sessions.change(ref, id, (one) =>
      one.step === step ? change(one) : undefined,
    );
    return isChanged ? session : undefined;
  }

  /** Makes the change that follows an action, unless the selection has moved on meanwhile. Returns what is shown then. */
  async function follow(
    ref: AccountRef,
    selection: BulkSelection,
    next: Next | undefined,
  ): Promise<ModalView> {
    if (next === undefined) return latest(ref, selection.id);
    const { change, page } = next;
    const loaded = page === undefined ? undefined : await loadPage(ref, change(selection), page);
    const moved = await changeStep(ref, selection, (one) =>
      loaded ? loaded.store(change(one)) : change(one),
    );
    if (moved === undefined) return latest(ref, selection.id);
    return loaded ? loaded.view(moved, next.said) : render(ref, moved, next.said);
  }

  /** Renders the current step of a selection. A page stays the step that it is while the same tasks can be ticked on it. */
  async function latest(ref: AccountRef, id: string): Promise<ModalView> {
    const selection = await sessions.get(ref, id);
    if (selection === undefined) return expiredView();
    if (selection.stage !== 'page') return render(ref, selection);
    const { shown, alike, store, view } = await loadPage(ref, selection, selection.page);
    const isSame = isDeepStrictEqual(shown, selection.shown);
    const moved = await changeStep(ref, selection, (one) => (isSame ? { ...one, alike } : store(one)));
    return moved ? view(moved) : latest(ref, id);
  }

  const render = (ref: AccountRef, selection: BulkSelection, said?: string) =>
    selection.stage === 'filter' ? filterView(ref.account, selection) : renderDeciding(ref, selection, said);

  const update = ({ workspace }: Pick<Actor, 'workspace'>, { id }: Pick<OpenView, 'id'>, view: ModalView) =>
    views.update(workspace, id, (isRefused) => withoutFiles(view, isRefused));

  const withoutPictures = (view: ModalView) => withoutFiles(view, () => true);

  /**
   * Shows the pictures that a view was first shown without. Those of tasks that have no card are loaded, as for a card, and
   * follow if the person is still on that page.
   */
  async function showPictures(
    actor: Pick<Actor, 'workspace'>,
    ref: AccountRef,
    open: Pick<OpenView, 'id'>,
    view: ModalView,
    first = view,
  ): Promise<void> {
    const isCurrent = () => isAt(ref, view);
    if (!isDeepStrictEqual(first, view) && (await isCurrent())) await update(actor, open, view);
    if (view.callback_id !== 'bulk.page') return;
    const { selection: id } = selectionState.decode(view.private_metadata ?? '');
    const shown = (await sessions.get(ref, id))?.shown ?? [];
    const byId = await tasks.byId(
      ref,
      shown.map(({ task }) => task),
    );
    const missing = [...byId.values()].filter(({ detailed, pictures }) => !detailed || !pictures);
    const loaded: Task[] = [];
    for (const some of chunksOf(missing, picturesAtOnce)) {
      if (!(await isCurrent())) return;
      loaded.push(...(await Promise.all(some.map((task) => details.forModal(ref, task)))));
    }
    await delay(Math.max(0, ...loaded.map((task) => untilPicturesReady(task, clock.now()))));
    const isMore = ({ pictures = [], hasEvidence }: Task) => hasEvidence || byIndex(pictures).length > 0;
    if (!loaded.some(isMore) || !(await isCurrent())) return;
    const drawn = await latest(ref, id);
    // Whoever has left the page meanwhile keeps the form that is shown now.
    if (drawn.callback_id === 'bulk.page' && (await isAt(ref, drawn))) await update(actor, open, drawn);
  }

  /** A click in the current view; in an outdated view, it shows the current one. */
  const inSelection = (
    run: (click: ClickInSelection, selection: BulkSelection) => Next | Promise<Next | undefined>,
  ) =>
    onView(selectionState, 'rate', async (click) => {
      const { ref } = click;
      const open = await selectionIn(ref, click.member, click.state);
      if (open === undefined) return update(click, click.view, expiredView());
      const next = open.isCurrent ? await run(click, open.selection) : undefined;
      const view = await follow(ref, open.selection, next);
      await update(click, click.view, view);
      await showPictures(click, ref, click.view, view);
    });

  /** A submission of the current view; of an outdated view, it shows the current one. */
  const submitted = (
    run: (
      submission: Omit<Submission, 'state'> & { readonly ref: AccountRef },
      selection: BulkSelection,
    ) => Promise<Next | Required<Pick<SubmissionAnswer, 'errors'>> | undefined>,
  ) =>
    onForm(selectionState, 'rate', async ({ state, ...submission }) => {
      const { ref, member } = submission;
      const open = await selectionIn(ref, member, state);
      if (open === undefined) return { update: expiredView() };
      const next = open.isCurrent ? await run(submission, open.selection) : undefined;
      if (next !== undefined && 'errors' in next) return next;
      const view = await follow(ref, open.selection, next);
      // Slack refuses an answer with a picture that it cannot show, so pictures follow.
      const first = withoutPictures(view);
      return { update: first, afterwards: () => showPictures(submission, ref, submission, view, first) };
    });

  /** A choice or text in the current view, which stays; in an outdated one, nothing happens. */
  const within = (run: (click: ClickInSelection, selection: BulkSelection) => Promise<unknown>) =>
    onView(selectionState, 'rate', async (click) => {
      const open = await selectionIn(click.ref, click.member, click.state);
      if (open?.isCurrent) await run(click, open.selection);
    });

  /** Returns the change that applies the checkboxes of the clicked page. */
  const asTicked =
    (click: ClickInSelection): Change =>
    (one) =>
      marked(one, boxesIn(click.view.values), orderOfClick(click));

  /** Opens a selection, or resumes the person's unconfirmed one from the same place. */
  async function start(
    { member, workspace, open }: Pick<Click, 'member' | 'workspace' | 'open'>,
    ref: AccountRef,
    filter: FocusFilter,
  ): Promise<void> {
    const before = await sessions.latest(ref, member);
    const isResumed =
      before !== undefined &&
      before.stage !== 'confirmed' &&
      isDeepStrictEqual(before.origin, filter) &&
      tickedCounts(before).all > 0;
    const selection = isResumed
      ? before
      : newSelection({ id: randomUUID(), member, at: clock.now(), filter });
    const { filter: listed } = selection;
    const opened = looksAtTasks(listed) ? await open(loadingView()) : undefined;
    if (!isResumed) await sessions.create(ref, selection);
    const found = await waitingTasks.inOrder(ref, member, listed);
    const view = await follow(ref, selection, {
      change: (one) => listing(one, listed, found),
      page: 0,
      said: isResumed ? resumedText(selection) : undefined,
    });
    const first = withoutPictures(view);
    // Also when another click has moved the selection on: "Loading…" would stay.
    if (opened !== undefined) await update({ workspace }, { id: opened }, first);
    const id = opened ?? (await open(first));
    await showPictures({ workspace }, ref, { id }, view, first);
  }

  /** Opens a selection from one of its buttons. */
  const startFromButton = onButton(bulkStart, 'rate', async (click) => {
    const { ref, channel, value } = click;
    const { account, campaign, alike } = value;
    if (alike !== undefined)
      await start(click, ref, { tasks: await connectedTasks(deps, ref, alike), label: 'similar tasks' });
    else if (campaign !== undefined) await start(click, ref, await filterOfCampaign(deps, ref, campaign));
    // That of a message names its account.
    else if (channel !== undefined && account !== undefined)
      await start(click, ref, await filterOfChannel(deps, ref, channel));
    else await start(click, ref, noFilter);
  });

  /** Opens a selection above a focus review, with its filter. */
  const startFromReview = onView({ decode: decodeFocus }, 'rate', async (click) => {
    const { ref, state } = click;
    await start(click, ref, (await tasks.focusSessions.get(ref, state.session))?.filter ?? noFilter);
  });

  /** Goes to another page. @param ticked which tasks of this one are ticked besides; none that looks like others */
  const turn = (by: number, ticked: (click: Click, one: BulkSelection) => readonly TaskId[] = () => []) =>
    inSelection((click, { page }) => {
      const change = (one: BulkSelection) => {
        const more = ticked(click, one);
        const boxes = one.shown.filter(({ task }) => more.includes(task) && !one.alike.includes(task));
        return marked(asTicked(click)(one), boxes.map(as(true)), orderOfClick(click));
      };
      return { page: page + by, change };
    });
  const all = (_: Click, { listed }: BulkSelection) => listed;
  const part = ({ value }: Click, { listed }: BulkSelection) =>
    listed.slice(Number(value) - 1).slice(0, tasksPerPart);

  /** Stores a single tick. It identifies its task, so it also counts from an outdated view. */
  const tick = onView(selectionState, 'rate', async (click) => {
    const { ref, view, blockId } = click;
    const open = await selectionIn(ref, click.member, click.state);
    if (open === undefined) return update(click, view, expiredView());
    const { id } = open.selection;
    const boxes = boxesIn({ [blockId]: view.values[blockId] ?? {} });
    await sessions.change(ref, id, (one) => marked(one, boxes, orderOfClick(click)));
    if (!open.isCurrent) await update(click, view, await latest(ref, id));
  });

  const clear = inSelection((click, { page }) => ({
    page,
    change: (one) => marked(one, tickedItems(one).map(as(false)), orderOfClick(click)),
  }));

  const submitFilter = submitted(async ({ ref, values }, { member }) => {
    try {
      const filter = await filterTyped(deps, ref, typed(values, filterInput) ?? '');
      const found = await waitingTasks.inOrder(ref, member, filter);
      return { page: 0, change: (one) => listing(one, filter, found) };
    } catch (error) {
      if (error instanceof UserError) return { errors: { [filterInput]: error.message } };
      throw error;
    }
  });

  return {
    asTicked,
    changeStep,
    inSelection,
    submitted,
    update,
    within,
    clicks: {
      'bulk.open': startFromButton,
      'focus.more.select': startFromReview,
      'bulk.tick': tick,
      'bulk.tick-page': turn(0, all),
      'bulk.tick-next': turn(1, all),
      'bulk.tick-part': turn(0, part),
      'bulk.clear': clear,
      'bulk.previous': turn(-1),
      'bulk.next': turn(1),
      'bulk.filter': inSelection((click) => ({ change: (one) => atStage(asTicked(click)(one), 'filter') })),
    },
    submissions: { 'bulk.filter': submitFilter },
  } as const;
}

const as = (isTicked: boolean) => (item: BulkItem) => ({ ...item, isTicked });

function resumedText(selection: BulkSelection): string {
  const { all } = tickedCounts(selection);
  return `Your selection of ${date(selection.at)} is still here: *${counted(all, 'task')}* selected. Press *Deselect all* to start over.`;
}
