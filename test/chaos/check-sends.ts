import { groupBy } from '../../src/domain/group.ts';
import type { Loss, MarketplaceTask, RatingRequest } from './evidence.ts';
import { chaosTimeouts } from './settings.ts';

/** The marketplace's answers that mean a rating was certainly not applied and may be sent again later. */
const refusedForNow = /PAUSED|PENDING_REVIEW|API KEY|API NOT ENABLED|API ACCESS|TOO MANY/i;

/** One call that sent a task's rating. */
interface Send {
  readonly n: number;
  readonly at: number;
  /** Whether the answer made certain that it was not applied. */
  readonly isRefused: boolean;
  readonly isApplied: boolean;
}

/**
 * Returns ratings that were sent too often, counted at the marketplace. A second call for one round of a task is legitimate
 * only
 *
 * - if the previous call was explicitly refused for now (429, a paused campaign, a key that is not accepted), or
 * - if its answer left open whether it was applied (it was lost, late, not an answer of the API, or SYSTEM ERROR), and a
 *   get_task_info call between the two answered that the task is not rated, or
 * - if it was not applied, and Redis may have lost the fact that it was sent, longer ago than the time for which every
 *   decision is read back after a loss: no call takes that long, and applied ratings are in the results
 *   (docs/reliability.md).
 *
 * Every other repeated call is found, even if the marketplace has refused it.
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

/** Returns the ids of the tasks rated by a request. */
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

/** Returns the number of a task's round at a given time. */
function roundAt({ history }: MarketplaceTask, at: number): number {
  return history.filter(({ by, at: moved }) => by === 'worker' && Date.parse(moved) <= at).length;
}

/** Returns whether the round was already rated when it was read back; then nothing may be sent anymore. */
function isRatedBy(task: MarketplaceTask, round: number, read: RatingRequest): boolean {
  const at = Date.parse(read.at);
  return task.history.some(({ by, at: moved }) => {
    const time = Date.parse(moved);
    return by !== 'worker' && by !== 'marketplace' && time < at && roundAt(task, time) === round;
  });
}
