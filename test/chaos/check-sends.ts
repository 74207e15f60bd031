import { groupBy } from '../../src/domain/group.ts';
import type { Loss, MarketplaceTask, RatingRequest } from './evidence.ts';
import { chaosTimeouts } from './settings.ts';

/** What the marketplace answers when a rating was certainly not applied and may be sent again later. */
const refusedForNow = /PAUSED|PENDING_REVIEW|API KEY|API NOT ENABLED|API ACCESS|TOO MANY/i;

/** One time that a rating of a task was sent. */
interface Send {
  readonly n: number;
  readonly at: number;
  /** Whether the answer said for certain that it was not applied. */
  readonly isRefused: boolean;
  readonly isApplied: boolean;
}

/**
 * Returns ratings that were sent more often than they may be, counted at the marketplace. A second call for one round of a
 * task is legitimate only
 *
 * - when the one before it was refused for now, in words that say so (429, a campaign that is paused, a key that is not
 *   accepted), or
 * - when its answer did not tell whether it was applied (it was lost, late, no answer of the API, or SYSTEM ERROR), and
 *   get_task_info was asked after it and answered before the next call that the task is not rated, or
 * - when it was not applied, and Redis may have lost that it was sent, longer ago than every decision is read back after a
 *   loss: no call is under way for so long, and what was applied is in the results (docs/reliability.md).
 *
 * Whatever else is sent again is found, even if the marketplace has refused it.
 */
export function sentAgain(
  tasks: readonly MarketplaceTask[],
  requests: readonly RatingRequest[],
  losses: readonly Loss[] = [],
): string[] {
  const isForgotten = (before: Send, send: Send) =>
    !before.isApplied &&
    losses.some(
      ({ from, to }) => before.at >= from && before.at <= to && send.at - to > chaosTimeouts.lostDecisionsMs,
    );
  const sends = new Map<string, Send[]>();
  const readBacks = new Map<string, RatingRequest[]>();
  for (const request of requests) {
    const [, read] = /get_task_info\/([^/?]+)/.exec(request.path) ?? [];
    if (read !== undefined) add(readBacks, read, request);
    else for (const id of tasksOf(request)) add(sends, id, sendOf(request, id));
  }
  return tasks.flatMap((task) => {
    const id = task.task_id;
    const rounds = groupBy(sends.get(id) ?? [], ({ at }) => roundAt(task, at));
    return [...rounds].flatMap(([round, all]) =>
      all.flatMap((send, index) => {
        const before = all[index - 1];
        if (before === undefined || before.isRefused || isForgotten(before, send)) return [];
        const isReadBack = (readBacks.get(id) ?? []).some(
          (read) => read.n > before.n && read.n < send.n && isAnswered(read) && !isRatedBy(task, round, read),
        );
        const times = `sent at ${before.at} (request ${before.n}) and ${send.at} (request ${send.n})`;
        return isReadBack ? [] : [`${id} round ${round}: ${times}`];
      }),
    );
  });
}

function add<T>(all: Map<string, T[]>, id: string, item: T): void {
  const items = all.get(id);
  if (items) items.push(item);
  else all.set(id, [item]);
}

/** Returns the ids of the tasks that a request rates. */
function tasksOf({ path, form }: RatingRequest): readonly string[] {
  if (!/rate_task/.test(path)) return [];
  const ids = form['id_task[]'] ?? form.id_task ?? [];
  return typeof ids === 'string' ? [ids] : Array.isArray(ids) ? ids : [];
}

function sendOf({ n, at, status, applied, error, taskErrors }: RatingRequest, id: string): Send {
  const errors = [...(error === undefined ? [] : [error]), ...(taskErrors?.[id] ?? [])];
  return {
    n,
    at: Date.parse(at),
    isApplied: applied,
    isRefused: status === 429 || (status !== null && errors.some((text) => refusedForNow.test(text))),
  };
}

const isAnswered = ({ status, error, fault }: RatingRequest): boolean =>
  status === 200 && error === undefined && fault !== 'garbage';

/** Returns the number of a task's round at a moment. */
function roundAt({ history }: MarketplaceTask, at: number): number {
  return history.filter(({ by, at: moved }) => by === 'worker' && Date.parse(moved) <= at).length;
}

/** Whether the round had its rating when it was read back: then nothing may be sent any more. */
function isRatedBy(task: MarketplaceTask, round: number, read: RatingRequest): boolean {
  const at = Date.parse(read.at);
  return task.history.some(({ by, at: moved }) => {
    const time = Date.parse(moved);
    return by !== 'worker' && by !== 'marketplace' && time < at && roundAt(task, time) === round;
  });
}
