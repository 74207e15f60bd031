import { setTimeout as delay } from 'node:timers/promises';
import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { JobName } from '../../jobs/catalogue.ts';
import { createThrottledWarning } from '../../logger.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How often accounts are checked for whether Redis still has the data that this process knows (ms). */
const checkEveryMs = 1_000;
/** Each account is checked once in so many checks: a thousand scripts a second would take a tenth of Redis and of this process. */
const checksPerRound = 5;
/** So many accounts are checked every time. */
const leastAtOnce = 50;
/** How many accounts are asked about in one go. */
const chunkSize = 100;
/** At how many of these checks it is checked once whether what is to repeat still does. */
const checksPerRepetitionCheck = 10;

export type WatchParts = Pick<FeatureContext, 'epochs' | 'jobs' | 'logger' | 'recovery' | 'subscriptions'> & {
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  readonly lackingPolls: (refs: readonly AccountRef[]) => Promise<AccountRef[]>;
  /** Jobs that each workspace repeats. */
  readonly housekeeping: readonly {
    readonly name: JobName;
    readonly start: (workspace: WorkspaceId) => Promise<void>;
  }[];
};

/**
 * Creates the watch over the data in Redis: whatever this process is doing, it notices within seconds that they were lost or
 * are older, and has them recovered. Polls are jobs, which may be lost as well, so they cannot be relied on for that.
 */
export function createDataWatch(parts: WatchParts) {
  const { epochs, jobs, logger, recovery, subscriptions, startPolling } = parts;
  /** The data of each account at its last check. */
  const lastData = new Map<string, DataEpoch>();
  /** The epoch of each account for which polling was started. */
  const startedIn = new Map<string, string>();
  /** The accounts that this round has not checked yet, and how many it began with. */
  let left: AccountToCheck[] = [];
  let inRound = 0;
  let isFirst = true;
  /** Set until all accounts have been checked at once: at the start, after a failure, and when one of them has other data. */
  let isAllDue = true;
  /** The runs of Redis that the accounts' data were of at the last check. */
  let knownRuns = '';
  let checks = 0;
  const warn = createThrottledWarning(logger);

  async function check(): Promise<void> {
    if (isAllDue || left.length === 0) {
      left = await accountsToCheck();
      inRound = left.length;
    }
    const count = isAllDue ? inRound : Math.max(leastAtOnce, Math.ceil(inRound / checksPerRound));
    const hasChanged = await checkAccounts(left.splice(0, count));
    // What one account shows may be true of all: they are in the same Redis.
    if (hasChanged && left.length > 0) {
      isAllDue = true;
      return check();
    }
    [isAllDue, isFirst] = [false, false];
    checks += 1;
    if (checks % checksPerRepetitionCheck === 0) await restartLostRepetitions();
  }

  /** Returns the accounts that this process knows, and those that are polled. */
  async function accountsToCheck(): Promise<AccountToCheck[]> {
    const polled = await subscriptions.polledAccounts();
    const found = new Map<string, AccountToCheck>();
    for (const ref of epochs.knownAccounts()) found.set(nameOf(ref), { ref, isPolled: false });
    for (const ref of polled) found.set(nameOf(ref), { ref, isPolled: true });
    return [...found.values()];
  }

  /** Checks accounts. Returns whether one of them has other data than at its last check. */
  async function checkAccounts(accounts: readonly AccountToCheck[]): Promise<boolean> {
    let hasChanged = false;
    for (const some of chunksOf(accounts, chunkSize)) {
      const found = await Promise.all(some.map(({ ref }) => epochs.check(ref)));
      for (const [index, { ref }] of some.entries()) {
        const [data, before] = [found[index], lastData.get(nameOf(ref))];
        if (data === undefined) continue;
        if (before !== undefined && before.epoch !== data.epoch && data.doubt)
          logger.warn(ref, 'data in Redis may be older than known, or gone: recovering them');
        hasChanged ||= before !== undefined && (before.epoch !== data.epoch || before.server !== data.server);
        lastData.set(nameOf(ref), data);
      }
    }
    const runs = [...new Set([...lastData.values()].map(({ server }) => server))].sort().join(' ');
    if (runs !== knownRuns) await jobs.releaseUniqueKeysOfActive();
    knownRuns = runs;
    for (const { ref } of accounts) {
      const { doubt, unsearched } = lastData.get(nameOf(ref)) ?? {};
      if (doubt !== undefined || unsearched !== undefined) await recovery.searchUnsearched(ref);
    }
    for (const { ref } of accounts.filter(({ isPolled }) => isPolled)) {
      const { epoch = '' } = lastData.get(nameOf(ref)) ?? {};
      // Its next poll may be lost with the data. If this fails, it is done at a later check.
      if (!isFirst && startedIn.get(nameOf(ref)) !== epoch) await startPolling(ref);
      startedIn.set(nameOf(ref), epoch);
    }
    return hasChanged;
  }

  /**
   * Starts again what is to repeat and does not, for whatever reason: it may have been lost with the data or alone, or was
   * stopped while an account's subscriptions were being restored.
   */
  async function restartLostRepetitions(): Promise<void> {
    const accounts = epochs.knownAccounts();
    for (const some of chunksOf(accounts, chunkSize)) {
      for (const ref of await parts.lackingPolls(some)) {
        logger.warn(ref, 'the account is not polled any more: polling it again');
        await startPolling(ref);
      }
    }
    const workspaces = [...new Set(accounts.map((ref) => ref.workspace))];
    for (const { name, start } of parts.housekeeping) {
      const isRepeating = await jobs.areRepeating(name, workspaces);
      for (const workspace of workspaces.filter((_, index) => !isRepeating[index])) await start(workspace);
    }
  }

  return {
    /** Checks until `signal` aborts. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await check().catch((error: unknown) => {
          isAllDue = true;
          warn({ reason: messageOf(error) }, 'data in Redis not checked');
        });
        await delay(checkEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

interface AccountToCheck {
  readonly ref: AccountRef;
  readonly isPolled: boolean;
}

function nameOf({ workspace, account }: AccountRef): string {
  return `${workspace} ${account}`;
}
