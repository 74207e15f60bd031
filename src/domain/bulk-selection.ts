import { z } from 'zod';
import { FocusFilter } from './focus.ts';
import { MemberId, TaskId, verdicts } from './terms.ts';

/** How many tasks one page shows: two blocks each, of the 100 that Slack allows a modal. */
export const tasksPerPage = 25;
/** How many tasks one selection lists, and how many are decided together at the most. */
export const maxListed = 500;
export const maxBulk = 500;

/** One round of a task: what was shown is what is decided on. */
export const BulkItem = z.object({ task: TaskId, round: z.number() }).readonly();
export type BulkItem = z.infer<typeof BulkItem>;

/** A task that was shown with a box to tick. `order`: when that was last known (ms, by Slack's clock). */
const Mark = z.object({ round: z.number(), isTicked: z.boolean(), order: z.number() }).readonly();

/** What is decided on all that are ticked, as far as it was filled in. */
const BulkDecision = z
  .object({
    verdict: z.enum(verdicts),
    /** Each task has a comment of its own; these are stored beside the selection. */
    isEach: z.boolean(),
    /** The comment for all, with the placeholders of saved reasons; they are filled in for each task. */
    text: z.string(),
    /** The saved reason that was filled in last, and how often one was. */
    reason: z.string().exactOptional(),
    filled: z.number(),
    /** When the text was typed (ms, by Slack's clock): what inputs tell may arrive in any order. */
    order: z.number(),
  })
  .readonly();
export type BulkDecision = z.infer<typeof BulkDecision>;

/** What the modal shows. */
const BulkStage = z.enum(['page', 'filter', 'decision', 'comments', 'preview', 'confirmed']);
type BulkStage = z.infer<typeof BulkStage>;

/**
 * A **selection**: one member who looks at waiting tasks page by page, ticks some, and decides on them together. Each view of
 * its modal has the number of a step; what is done in a view of an earlier step only shows where the selection is.
 */
export const BulkSelection = z
  .object({
    id: z.string(),
    member: MemberId,
    /** When it was begun (ms). */
    at: z.number(),
    /** The filter that it was begun with: opened again with that one, it goes on. */
    origin: FocusFilter,
    filter: FocusFilter,
    step: z.number(),
    stage: BulkStage,
    /** From 0; of the tasks, or of those whose comments are filled in. */
    page: z.number(),
    /** The tasks found by the filter, in the order in which they run out, and how many more there are. */
    listed: z.array(TaskId).readonly(),
    unlisted: z.number(),
    /** The tasks of this page that can be ticked. */
    shown: z.array(BulkItem).readonly(),
    marks: z.record(z.string(), Mark).readonly(),
    decision: BulkDecision.exactOptional(),
    /** What the preview has counted: exactly this is decided once it is confirmed. */
    previewed: z.array(BulkItem).readonly().exactOptional(),
    /** What was confirmed: the bulk rating of this id. */
    rating: z.string().exactOptional(),
  })
  .readonly();
export type BulkSelection = z.infer<typeof BulkSelection>;

/** Returns a new selection. Nothing is ticked. */
export function newSelection(fields: Pick<BulkSelection, 'id' | 'member' | 'at' | 'filter'>): BulkSelection {
  return {
    ...fields,
    origin: fields.filter,
    step: 0,
    stage: 'page',
    page: 0,
    listed: [],
    unlisted: 0,
    shown: [],
    marks: {},
  };
}

/** Returns the selection with the tasks that its filter has found. What is ticked stays ticked. */
export function listing(
  selection: BulkSelection,
  filter: FocusFilter,
  found: readonly TaskId[],
): BulkSelection {
  const listed = found.slice(0, maxListed);
  return { ...selection, filter, listed, unlisted: found.length - listed.length, page: 0 };
}

/** Returns the page nearest to a wanted one (from 0), and the tasks of it. */
export function pageOfListed({ listed }: Pick<BulkSelection, 'listed'>, wanted: number) {
  const pages = Math.max(1, Math.ceil(listed.length / tasksPerPage));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  return { page, pages, here: listed.slice(page * tasksPerPage, (page + 1) * tasksPerPage) };
}

/**
 * Returns the selection with a page shown. A task that has come back with a correction since it was ticked is another one:
 * nobody has looked at it.
 * @param items the tasks of the page that can be ticked
 */
export function showing(selection: BulkSelection, page: number, items: readonly BulkItem[]): BulkSelection {
  const marks = { ...selection.marks };
  for (const { task, round } of items)
    if (marks[task]?.round !== round) marks[task] = { round, isTicked: false, order: 0 };
  return { ...atStage(selection, 'page'), page, shown: items, marks };
}

/** Returns the selection with something else shown: the next step. */
export function atStage(selection: BulkSelection, stage: BulkStage, page = selection.page): BulkSelection {
  return { ...selection, step: selection.step + 1, stage, page };
}

/**
 * Returns the selection with a task ticked or not. Only a round that was shown can be; what happened later counts, in
 * whichever order it arrives.
 */
export function marked(
  selection: BulkSelection,
  { task, round }: BulkItem,
  { isTicked, order }: { readonly isTicked: boolean; readonly order: number },
): BulkSelection {
  const mark = selection.marks[task];
  if (mark?.round !== round || mark.order > order) return selection;
  return { ...selection, marks: { ...selection.marks, [task]: { round, isTicked, order } } };
}

/**
 * Returns the selection with the page that is shown as its boxes are.
 * @param isTicked whether the box of a task is ticked; undefined: as it is known
 */
export function markedPage(
  selection: BulkSelection,
  isTicked: (item: BulkItem) => boolean | undefined,
  order: number,
): BulkSelection {
  return selection.shown.reduce((before, item) => {
    const is = isTicked(item);
    return is === undefined ? before : marked(before, item, { isTicked: is, order });
  }, selection);
}

/** Returns the selection with nothing ticked. */
export function withNothingTicked(selection: BulkSelection, order: number): BulkSelection {
  const marks = Object.entries(selection.marks).map(([task, { round }]) => [
    task,
    { round, isTicked: false, order },
  ]);
  return { ...selection, marks: Object.fromEntries(marks) };
}

/** Returns whether a task is ticked. */
export function isTicked({ marks }: BulkSelection, { task, round }: BulkItem): boolean {
  const mark = marks[task];
  return mark?.round === round && mark.isTicked;
}

/** Returns what is ticked: in the order of the list, then what another filter had found. */
export function tickedItems({ listed, marks }: Pick<BulkSelection, 'listed' | 'marks'>): BulkItem[] {
  const own = new Set<string>(listed);
  const others = Object.keys(marks).filter((task) => !own.has(task));
  return [...listed, ...others].flatMap((task): BulkItem[] => {
    const mark = marks[task];
    return mark?.isTicked ? [{ task: TaskId.parse(task), round: mark.round }] : [];
  });
}

/** Returns how many tasks are ticked: in all, on the page that is shown, and outside of the list. */
export function tickedCounts(selection: BulkSelection): {
  readonly all: number;
  readonly here: number;
  readonly unlisted: number;
} {
  const items = tickedItems(selection);
  const listed = new Set(selection.listed);
  return {
    all: items.length,
    here: selection.shown.filter((item) => isTicked(selection, item)).length,
    unlisted: items.filter(({ task }) => !listed.has(task)).length,
  };
}
