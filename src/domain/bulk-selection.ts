import { z } from 'zod';
import { FocusFilter } from './focus.ts';
import { MemberId, TaskId, verdicts } from './terms.ts';

/** Tasks per page: three blocks each, of the 100 that Slack allows in a modal. */
export const tasksPerPage = 25;
/** Tasks on a page that are ticked with one click, so that few are chosen quickly. */
export const tasksPerPart = 10;
/** Maximum number of tasks listed by a selection, and decided together. */
export const maxBulk = 500;

/** One round of a task, so that decisions apply to exactly what was shown. */
export const BulkItem = z.object({ task: TaskId, round: z.number() }).readonly();
export type BulkItem = z.infer<typeof BulkItem>;

/** A task shown with a checkbox. `order`: when its state was last set (s, by Slack's clock). */
const Mark = z.object({ round: z.number(), isTicked: z.boolean(), order: z.number() }).readonly();

/** The partly filled-in decision on all ticked tasks. */
const BulkDecision = z
  .object({
    verdict: z.enum(verdicts),
    /** Whether each task has a comment of its own. */
    isEach: z.boolean(),
    /** The shared comment, with placeholders of saved reasons, filled in per task. */
    text: z.string(),
    /** The last saved reason filled in, and the number of fills. */
    reason: z.string().optional(),
    filled: z.number(),
  })
  .readonly();
export type BulkDecision = z.infer<typeof BulkDecision>;

/** The modal's current stage. */
const BulkStage = z.enum(['page', 'filter', 'decision', 'comments', 'preview', 'confirmed']);
type BulkStage = z.infer<typeof BulkStage>;

/**
 * A **selection**: one member looks at waiting tasks page by page, ticks some, and decides on them together. Each view
 * of its modal has a step number; actions in an outdated view only show the current one.
 */
export const BulkSelection = z
  .object({
    id: z.string(),
    member: MemberId,
    /** When it was started (ms). */
    at: z.number(),
    /** The filter it started with; opening that filter again resumes it. */
    origin: FocusFilter,
    filter: FocusFilter,
    step: z.number(),
    stage: BulkStage,
    /** Page from 0, of the tasks or of the comments. */
    page: z.number(),
    /** The filter's tasks in deadline order, and the number of tasks beyond the limit. */
    listed: z.array(TaskId).readonly(),
    unlisted: z.number(),
    /** The tasks on this page that can be ticked. */
    shown: z.array(BulkItem).readonly(),
    /** Those of them that look like other tasks: they are ticked only one by one. */
    alike: z.array(TaskId).readonly(),
    marks: z.record(z.string(), Mark).readonly(),
    decision: BulkDecision.exactOptional(),
    /** The comments for single tasks. */
    texts: z.record(z.string(), z.string()).readonly(),
    /** The items counted in the preview: a confirmation decides exactly these. */
    previewed: z.array(BulkItem).readonly().exactOptional(),
    /** Id of the confirmed bulk rating. */
    rating: z.string().exactOptional(),
  })
  .readonly();
export type BulkSelection = z.infer<typeof BulkSelection>;

/** Returns a new selection, with nothing ticked. */
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
    alike: [],
    marks: {},
    texts: {},
  };
}

/** Returns the selection with its filter's tasks. Ticks are kept. */
export function listing(
  selection: BulkSelection,
  filter: FocusFilter,
  found: readonly TaskId[],
): BulkSelection {
  const listed = found.slice(0, maxBulk);
  return { ...selection, filter, listed, unlisted: found.length - listed.length, page: 0 };
}

/**
 * Returns the selection with a page shown. A task corrected since it was ticked counts as new: nobody has looked at the
 * correction.
 * @param items the tasks on the page that can be ticked
 * @param alike those of them that look like other tasks
 */
export function showing(
  selection: BulkSelection,
  page: number,
  items: readonly BulkItem[],
  alike: readonly TaskId[],
): BulkSelection {
  const marks = { ...selection.marks };
  for (const { task, round } of items)
    if (marks[task]?.round !== round) marks[task] = { round, isTicked: false, order: 0 };
  return { ...atStage(selection, 'page'), page, shown: items, alike, marks };
}

/** Returns the selection at another stage, which is the next step. */
export function atStage(selection: BulkSelection, stage: BulkStage, page = selection.page): BulkSelection {
  return { ...selection, step: selection.step + 1, stage, page };
}

/** A checkbox of a task. */
export type Box = BulkItem & { readonly isTicked: boolean };

/**
 * Returns the selection with checkboxes applied. Only a displayed round can be ticked; the latest action wins, in whichever
 * order they arrive.
 */
export function marked(selection: BulkSelection, boxes: readonly Box[], order: number): BulkSelection {
  const marks = { ...selection.marks };
  for (const { task, round, isTicked } of boxes) {
    const mark = marks[task];
    if (mark?.round === round && mark.order <= order) marks[task] = { round, isTicked, order };
  }
  return { ...selection, marks };
}

/** Returns whether a task is ticked. */
export function isTicked({ marks }: BulkSelection, { task, round }: BulkItem): boolean {
  const mark = marks[task];
  return mark?.round === round && mark.isTicked;
}

/** Returns the ticked items in list order, then those found by other filters. */
export function tickedItems({ listed, marks }: Pick<BulkSelection, 'listed' | 'marks'>): BulkItem[] {
  const own = new Set<string>(listed);
  const others = Object.keys(marks).filter((task) => !own.has(task));
  return [...listed, ...others].flatMap((task): BulkItem[] => {
    const mark = marks[task];
    return mark?.isTicked ? [{ task: TaskId.parse(task), round: mark.round }] : [];
  });
}

/** Returns the number of ticked tasks: in total, on the current page, and outside the list. */
export function tickedCounts(selection: BulkSelection) {
  const items = tickedItems(selection);
  const listed = new Set(selection.listed);
  return {
    all: items.length,
    here: selection.shown.filter((item) => isTicked(selection, item)).length,
    unlisted: items.filter(({ task }) => !listed.has(task)).length,
  };
}
