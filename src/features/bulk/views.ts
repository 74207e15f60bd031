import type { ModalView } from '@slack/types';
import { templateRow } from '../../domain/brief.ts';
import {
  type BulkItem,
  type BulkSelection,
  isTicked,
  pageOfListed,
  tasksPerPage,
  tickedCounts,
} from '../../domain/bulk-selection.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { looksAlike } from '../../kit/evidence.ts';
import type { Modules } from '../../kit/modules.ts';
import { mayTick, type PageRow, pageView } from './page.view.ts';
import { reviewersOf } from './reviewers.ts';

/** A page of tasks that was loaded but not shown yet. */
interface LoadedPage {
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Omit<PageRow, 'isTicked'>[];
  /** The items that can be ticked. */
  readonly items: readonly BulkItem[];
  /** Those that are ticked only one by one. */
  readonly alike: readonly TaskId[];
  /** The title and request of the tasks' campaign, if they share one. */
  readonly campaign?: string;
  readonly asked?: NonNullable<Awaited<ReturnType<typeof askedOfTask>>>;
}

/** Creates the loading and rendering of a selection's pages. */
export function createBulkPages(deps: Modules) {
  const { campaigns, tasks } = deps;

  /** Loads the page closest to the wanted one. */
  async function load(ref: AccountRef, selection: BulkSelection, wanted: number): Promise<LoadedPage> {
    const { page, pages, here } = pageOfListed(selection, wanted);
    const known = await tasks.getMany(ref, here);
    const byId = new Map<TaskId, (typeof known)[number]>(known.map((task) => [task.id, task]));
    const ids = [...new Set(known.map(({ campaign }) => campaign))];
    const [listed, dueTimes, reviewers, records, evidence] = await Promise.all([
      campaigns.getMany(ref, ids),
      deps.tasks.deadlines.dueAt(ref, known),
      reviewersOf(deps, ref, here),
      Promise.all(
        known.map(
          async ({ id, worker }) => [id, await deps.campaigns.workers.record(ref, worker.id)] as const,
        ),
      ),
      Promise.all(known.map(async (task) => [task.id, await deps.campaigns.evidence.on(ref, task)] as const)),
    ]);
    const recordOf = new Map(records);
    const evidenceOn = new Map(evidence);
    const rows = here.map((id, index) => {
      const task = byId.get(id);
      const by = reviewers.get(id);
      const dueAt = dueTimes.get(id);
      const record = recordOf.get(id);
      return {
        number: page * tasksPerPage + index + 1,
        id,
        ...(task ? { task } : {}),
        campaignTitle: (task && listed.get(task.campaign)?.title) ?? 'A campaign',
        ...(dueAt === undefined ? {} : { dueAt }),
        ...(record ? { record } : {}),
        evidence: evidenceOn.get(id) ?? [],
        ...(by !== undefined && by !== selection.member ? { reviewedBy: by } : {}),
        ...(task && !isOpen(task) ? { isClosed: true } : {}),
      };
    });
    const [first] = known;
    const isOne = first !== undefined && ids.length === 1;
    const asked = isOne ? await askedOfTask(deps, ref, first) : undefined;
    const items = rows.flatMap((row) =>
      row.task && mayTick({ ...row, isTicked: false }) ? [{ task: row.id, round: row.task.round }] : [],
    );
    return {
      page,
      pages,
      rows,
      items,
      // Who chose tasks because they look alike has been told.
      alike:
        selection.filter.tasks === undefined
          ? rows.filter((row) => row.evidence.some(({ kinds }) => looksAlike(kinds))).map(({ id }) => id)
          : [],
      ...(isOne ? { campaign: listed.get(first.campaign)?.title ?? 'A campaign' } : {}),
      // With a template, each task asked for something else.
      ...(asked && first && templateRow(first.csvRow) === undefined ? { asked } : {}),
    };
  }

  return {
    load,

    /** Renders a page that was loaded and stored as shown. */
    render(
      ref: AccountRef,
      selection: BulkSelection,
      loaded: LoadedPage,
      notices: readonly string[] = [],
    ): ModalView {
      const { page, pages, rows, campaign, asked } = loaded;
      return pageView({
        state: { account: ref.account, selection: selection.id, step: selection.step },
        label: selection.filter.label,
        page,
        pages,
        listed: selection.listed.length,
        unlisted: selection.unlisted,
        ticked: tickedCounts(selection),
        rows: rows.map((row) => ({
          ...row,
          isAlike: selection.alike.includes(row.id),
          isTicked: row.task !== undefined && isTicked(selection, { task: row.id, round: row.task.round }),
        })),
        notices,
        ...(campaign === undefined ? {} : { campaign }),
        ...(asked ? { asked } : {}),
      });
    },
  };
}
