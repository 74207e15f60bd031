import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView, PlainTextOption } from '@slack/types';
import { BulkRatingId, closedResult } from '../../domain/bulk-rating.ts';
import {
  type BulkItem,
  type BulkSelection,
  isTicked,
  pageOfListed,
  tasksPerPage,
  tickedCounts,
  tickedItems,
} from '../../domain/bulk-selection.ts';
import { campaignTitleOf, searchCampaigns, tellApart, templateRow } from '../../domain/campaign.ts';
import { chunksOf, groupBy } from '../../domain/collections.ts';
import { type Money, money } from '../../domain/money.ts';
import { byIndex, untilPicturesReady } from '../../domain/picture.ts';
import { lengthOf, longestFilled, maxComment } from '../../domain/reason.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, MemberId, TaskId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { looksAlike } from '../../kit/evidence.ts';
import type { Modules } from '../../kit/modules.ts';
import { createReasonOptions } from '../../kit/reasons.ts';
import { createTaskDetails } from '../../kit/task-details.ts';
import { limits, option } from '../../slack/blocks.ts';
import type { Typing } from '../../slack/feature.ts';
import {
  commentsPerPage,
  commentsView,
  confirmedView,
  decisionView,
  expiredView,
  type LeftOut,
  previewView,
} from './decision.view.ts';
import { campaignOption, filterView, mayTick, pageView, selectionState } from './page.view.ts';

export type Stages = ReturnType<typeof createStages>;

/** Number of campaigns that are searched for the filter: those with the earliest deadlines. */
const campaignsSearched = 1_000;
/** Number of tasks whose pictures are loaded concurrently. */
const picturesAtOnce = 5;
/** Number of sample comments in a preview. */
const commentsShown = 2;

type LoadedPage = Awaited<ReturnType<Stages['loadPage']>>;

/** Creates the rendering of a selection's stages. */
export function createStages(deps: Modules) {
  const { tasks, campaigns } = deps;
  const reasonOptions = createReasonOptions(deps);
  const details = createTaskDetails(deps);
  const stateOf = ({ account }: AccountRef, { id, step }: BulkSelection) => ({
    account,
    selection: id,
    step,
  });

  async function tasksOf(
    ref: AccountRef,
    items: readonly Pick<BulkItem, 'task'>[],
  ): Promise<Map<TaskId, Task>> {
    return tasks.byId(
      ref,
      items.map(({ task }) => task),
    );
  }

  /** Returns campaigns with their titles and numbers of waiting tasks. */
  async function choicesOf(ref: AccountRef, ids: readonly CampaignId[]) {
    const titleOf = await campaigns.titlesOf(ref, ids);
    const counts = await tasks.open.waitingIn(ref, ids);
    return counts.map(({ campaign: id, waiting }) => ({ id, title: titleOf(id), waiting }));
  }

  /** Loads the page closest to the wanted one. */
  async function loadPage(ref: AccountRef, selection: BulkSelection, wanted: number) {
    const { page, pages, here } = pageOfListed(selection, wanted);
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
    // With a template, each task asked for something else.
    const isSame = only && templateRow(only.csvRow) === undefined;
    return {
      page,
      pages,
      rows,
      items: rows.flatMap((row) =>
        row.task && mayTick(row) ? [{ task: row.id, round: row.task.round }] : [],
      ),
      // Who chose tasks because they look alike has been told.
      alike: selection.filter.tasks
        ? []
        : rows.filter((row) => row.evidence.some(({ kinds }) => looksAlike(kinds))).map(({ id }) => id),
      campaign: only && titleOf(only.campaign),
      asked: isSame ? await askedOfTask(deps, ref, only) : undefined,
    };
  }

  /**
   * Loads the pictures of the tasks on a page that were never loaded. Returns whether there are any.
   * @param isWanted whether the page is still shown
   */
  async function loadPictures(
    ref: AccountRef,
    id: BulkSelection['id'],
    isWanted: () => Promise<boolean>,
  ): Promise<boolean> {
    const shown = (await tasks.bulkSelections.get(ref, id))?.shown ?? [];
    const known = [...(await tasksOf(ref, shown)).values()];
    const missing = known.filter(({ detailed, pictures }) => !detailed || pictures === undefined);
    const loaded: Task[] = [];
    for (const some of chunksOf(missing, picturesAtOnce)) {
      if (!(await isWanted())) return false;
      loaded.push(...(await Promise.all(some.map((task) => details.forModal(ref, task)))));
    }
    await delay(Math.max(0, ...loaded.map((task) => untilPicturesReady(task, deps.clock.now()))));
    return loaded.some(({ pictures = [], hasEvidence }) => hasEvidence || byIndex(pictures).length > 0);
  }

  /** Renders a page that was loaded and stored as shown. */
  function page(
    ref: AccountRef,
    selection: BulkSelection,
    loaded: LoadedPage,
    notices: readonly string[] = [],
  ): ModalView {
    return pageView({
      ...loaded,
      state: stateOf(ref, selection),
      label: selection.filter.label,
      listed: selection.listed.length,
      unlisted: selection.unlisted,
      ticked: tickedCounts(selection),
      rows: loaded.rows.map((row) => ({
        ...row,
        isAlike: selection.alike.includes(row.id),
        isTicked: row.task !== undefined && isTicked(selection, { task: row.id, round: row.task.round }),
      })),
      notices,
    });
  }

  async function filter(ref: AccountRef, selection: BulkSelection): Promise<ModalView> {
    const [campaign, other] = selection.filter.campaigns ?? [];
    const isOne = campaign !== undefined && other === undefined;
    const [chosen] = isOne ? await choicesOf(ref, [campaign]) : [];
    return filterView(stateOf(ref, selection), selection.filter, chosen);
  }

  /** Returns campaigns with waiting tasks whose ids or titles match typed text, those with the earliest deadlines first. */
  async function campaignOptions({ authorize, text, view }: Typing): Promise<PlainTextOption[]> {
    if (view === undefined) return [];
    const ref = await authorize({ account: selectionState.decode(view.state).account });
    const ids = await tasks.open.campaigns(ref, { limit: campaignsSearched });
    const listed = await campaigns.getMany(ref, ids);
    const all = ids.map((id) => listed.get(id) ?? { id, title: '' });
    const found = searchCampaigns(all, text).found.slice(0, limits.options);
    const told = tellApart(all);
    const waiting = await choicesOf(
      ref,
      found.map(({ id }) => id),
    );
    return found.flatMap((one, index) => (waiting[index] ? [campaignOption(waiting[index], told(one))] : []));
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

  /** Returns the campaigns of tasks, with their task counts and payments, largest count first. */
  async function campaignsOf(ref: AccountRef, known: Iterable<Task>) {
    const groups = groupBy(known, ({ campaign }) => campaign);
    const listed = await campaigns.getMany(ref, [...groups.keys()]);
    return [...groups]
      .map(([id, { length: count }]) => {
        const campaign = listed.get(id);
        const total = campaign && money(campaign.paymentPerTask).times(count);
        return { id, title: campaignTitleOf(id, campaign?.title), count, ...(total ? { total } : {}) };
      })
      .sort((a, b) => b.count - a.count);
  }

  /** Returns the saved reasons offered for all ticked tasks, with placeholders left in. */
  async function reasonsFor(ref: AccountRef, selection: BulkSelection) {
    const { decision } = selection;
    if (decision === undefined) return [];
    const known = await tasksOf(ref, tickedItems(selection));
    const ids = [...new Set([...known.values()].map(({ campaign }) => campaign))];
    return reasonOptions.commonReasons(ref, ids, decision.verdict);
  }

  async function decision(ref: AccountRef, selection: BulkSelection, problem?: string): Promise<ModalView> {
    const items = tickedItems(selection);
    const known = await tasksOf(ref, items);
    return decisionView(stateOf(ref, selection), {
      count: items.length,
      campaigns: await campaignsOf(ref, known.values()),
      decision: selection.decision,
      reasons: await reasonsFor(ref, selection),
      problem,
    });
  }

  /** Renders a page of comments, one per task. @param refused why a reason was not filled in for one of them */
  async function comments(
    ref: AccountRef,
    selection: BulkSelection,
    refused?: { readonly task: string; readonly problem: string | undefined },
  ): Promise<ModalView> {
    const chunks = chunksOf(tickedItems(selection), commentsPerPage);
    const items = chunks[selection.page] ?? [];
    const [known, reasons] = await Promise.all([tasksOf(ref, items), reasonsFor(ref, selection)]);
    return commentsView(stateOf(ref, selection), {
      verdict: selection.decision?.verdict ?? 'OK',
      rows: items.flatMap(({ task: id }, index) => {
        const task = known.get(id);
        const number = selection.page * commentsPerPage + index + 1;
        const problem = refused?.task === id ? refused.problem : undefined;
        return task === undefined ? [] : [{ number, task, text: selection.texts[id] ?? '', problem }];
      }),
      page: selection.page,
      pages: Math.max(1, chunks.length),
      hasReasons: reasons.length > 0,
    });
  }

  /** Returns the comment for one worker. */
  function commentFor(ref: AccountRef, selection: BulkSelection, task: Task): Promise<string> {
    return reasonOptions.fill(ref, task, commentOf(selection, task.id));
  }

  /** Returns which items cannot be decided on now, and why. */
  async function leftOutOf(ref: AccountRef, selection: BulkSelection, items: readonly BulkItem[]) {
    const ids = items.map(({ task }) => task);
    const [known, reviewers] = await Promise.all([
      tasksOf(ref, items),
      reviewersOf(deps, ref, selection.member, ids),
    ]);
    const leftOut = new Map<TaskId, LeftOut>();
    for (const item of items) {
      const task = known.get(item.task);
      const by = reviewers.get(item.task);
      let why = closedResult(task, item) ?? (by && ({ kind: 'reviewed', by } as const));
      // Filled in only if it can become too long.
      const mayBeTooLong = longestFilled(commentOf(selection, item.task)) > maxComment;
      if (task && why === undefined && mayBeTooLong)
        if (lengthOf(await commentFor(ref, selection, task)) > maxComment) why = { kind: 'too long' };
      if (why !== undefined) leftOut.set(item.task, { worker: task?.worker.name ?? item.task, why });
    }
    return leftOut;
  }

  /** Renders the preview of what a confirmation decides. */
  async function preview(ref: AccountRef, selection: BulkSelection): Promise<ModalView> {
    const { previewed = [], decision: made } = selection;
    if (made === undefined) return expiredView();
    const own = new Set(previewed.map(({ task }) => task));
    const others = tickedItems(selection).filter(({ task }) => !own.has(task));
    const [known, leftOut] = await Promise.all([tasksOf(ref, previewed), leftOutOf(ref, selection, others)]);
    const listed = await campaignsOf(ref, known.values());
    const total = sum(listed.map((one) => one.total));
    const shown = [...known.values()].slice(0, commentsShown);
    const written = await Promise.all(
      shown.map(async (task) => ({
        worker: task.worker.name ?? task.worker.id,
        text: await commentFor(ref, selection, task),
      })),
    );
    const evidence = await Promise.all(
      [...known.values()].map((task) => deps.campaigns.evidence.on(ref, task)),
    );
    return previewView(stateOf(ref, selection), {
      verdict: made.verdict,
      count: previewed.length,
      alike: evidence.filter((all) => all.some(({ kinds }) => looksAlike(kinds))).length,
      campaigns: listed,
      ...(total ? { total } : {}),
      workers: new Set([...known.values()].map(({ worker }) => worker.id)).size,
      comments: written.filter(({ text }) => text !== ''),
      leftOut: [...leftOut.values()],
      undoSeconds: deps.clock.undoSeconds,
    });
  }

  function confirmed({ account }: AccountRef, selection: BulkSelection): ModalView {
    const { rating, decision: made, previewed = [] } = selection;
    if (rating === undefined || made === undefined) return expiredView();
    const { undoSeconds } = deps.clock;
    const shown = { verdict: made.verdict, count: previewed.length, undoSeconds };
    return confirmedView(account, BulkRatingId.parse(rating), shown);
  }

  return {
    campaignOptions,
    campaignsOf,
    leftOutOf,
    comments,
    decision,
    loadPage,
    loadPictures,
    page,
    reasonsFor,
    reasonsTyped,
    savedTexts: (ref: AccountRef) => reasonOptions.savedTexts(ref),
    tasksOf,

    /** Renders the current stage of a selection, except for its pages. */
    async render(ref: AccountRef, selection: BulkSelection): Promise<ModalView> {
      switch (selection.stage) {
        case 'filter':
          return filter(ref, selection);
        case 'decision':
          return decision(ref, selection);
        case 'comments':
          return comments(ref, selection);
        case 'preview':
          return preview(ref, selection);
        default:
          return confirmed(ref, selection);
      }
    },
  };
}

/** Returns the comment on a task, with placeholders left in. */
function commentOf({ decision, texts }: BulkSelection, task: TaskId): string {
  return (decision?.isEach ? texts[task] : decision?.text) ?? '';
}

/** Returns the sum of amounts; undefined if one is unknown. */
export function sum(amounts: readonly (Money | undefined)[]): Money | undefined {
  let total = money(0);
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    total = total.plus(amount);
  }
  return total;
}

/** Returns who else is looking at which of these tasks in a focus review right now. */
export async function reviewersOf(
  { tasks }: Modules,
  ref: AccountRef,
  member: MemberId,
  shown: readonly TaskId[],
): Promise<Map<TaskId, MemberId>> {
  const owners = await tasks.leases.owners(ref, shown);
  const sessions = [...new Set(owners.values())].map((id) => tasks.focusSessions.get(ref, id));
  const members = new Map((await Promise.all(sessions)).map((one) => [one?.id, one?.member]));
  return new Map(
    [...owners].flatMap(([task, owner]) => {
      const by = members.get(owner);
      return by === undefined || by === member ? [] : [[task, by] as const];
    }),
  );
}
