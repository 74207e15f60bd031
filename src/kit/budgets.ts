import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import type { Actor } from '../slack/feature.ts';
import type { LimitedAction } from '../store/rights.ts';
import type { Modules } from './modules.ts';

/** Limits how many bytes of files and results this process holds at a time. */
export interface MemoryBudget {
  /**
   * Runs an action that holds about this many bytes, as soon as they are free, first come, first served. A quarter of
   * the budget is reserved for small shares, so that a card with a picture never waits for a large campaign's results.
   */
  hold<T>(bytes: number, run: () => Promise<T>): Promise<T>;
}

export const memoryBudgetBytes = 48 * 1024 * 1024;
/** A share up to this fraction of the budget is small. */
const smallPart = 1 / 32;

export function createMemoryBudget(total: number): MemoryBudget {
  const small = createPool(total / 4);
  const large = createPool((total * 3) / 4);
  return {
    async hold(bytes, run) {
      const release = await (bytes <= total * smallPart ? small : large)(bytes);
      try {
        return await run();
      } finally {
        release();
      }
    },
  };
}

/** Creates an acquire function that waits for bytes and returns their release. Requests above the total take all of it. */
function createPool(total: number): (bytes: number) => Promise<() => void> {
  let free = total;
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  function startWaiting(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  return (wanted) =>
    new Promise((resolve) => {
      const bytes = Math.min(wanted, total);
      const release = () => {
        free += bytes;
        startWaiting();
      };
      waiting.push({ bytes, start: () => resolve(release) });
      startWaiting();
    });
}

/**
 * Timeout of a request before a modal opens or a submission is answered (ms): Slack allows 3 seconds from the person's
 * action, including the network round trip.
 */
export const modalDeadlineMs = 2_000;

/** Timeout of a request before a plain answer, for which only the person waits (ms). */
export const answerDeadlineMs = 6_000;

/** Work that took longer spent the time waiting, which leaves time to others anyway. */
const longestRestMs = 200;

/**
 * Runs potentially heavy background work, then rests for as long as it took, leaving half of the time to interactive
 * work. Returns or throws what `work` does.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(Math.min(performance.now() - began, longestRestMs));
  return result;
}

/** Replies are delayed instead of refused. */
type RefusedAction = Exclude<LimitedAction, 'replies'>;

const what: Readonly<Record<RefusedAction, string>> = {
  results: 'You requested a lot of results. They’re on their way.',
  files: 'You fetched a lot of files.',
};

/** Counts a member's request. Throws a UserError with the retry time when the limit is exceeded. */
export async function takeFromLimit(
  { people }: Modules,
  { workspace, member }: Pick<Actor, 'workspace' | 'member'>,
  action: RefusedAction,
): Promise<void> {
  const waitMs = await people.limits.take(workspace, member, action);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new UserError(
    `${what[action]} Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then try again.`,
  );
}
