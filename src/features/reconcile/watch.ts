import { setTimeout as delay } from 'node:timers/promises';
import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { JobName } from '../../jobs/catalogue.ts';
import { createThrottledWarning } from '../../logger.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Interval of checking that Redis still has the data this process knows (ms). */
const checkEveryMs = 1_000;
/**
 * Number of accounts per check: checking a thousand accounts each second would use a tenth of Redis and of this process. What
 * happens to a server, a restart or a restored copy, shows in any of its accounts, and each poll checks its own.
 */
const accountsPerCheck = 10;
/** Batch size of account checks. */
const chunkSize = 100;
/** Number of checks between two checks that repeating jobs still exist. */
const checksPerRepetitionCheck = 10;

export type WatchParts = Pick<FeatureContext, 'epochs' | 'jobs' | 'logger' | 'recovery' | 'subscriptions'> & {
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  readonly lackingPolls: (refs: readonly AccountRef[]) => Promise<AccountRef[]>;
  /** The repeating jobs of each workspace. */
  readonly housekeeping: readonly {
    readonly name: JobName;
    readonly start: (workspace: WorkspaceId) => Promise<void>;
  }[];
};

/**
 * Creates the watch on the data in Redis: it notices within seconds when data were lost or are older, and starts
 * recovery. Polls cannot do this, because they are jobs, which may be lost as well.
 */
export function createDataWatch(parts: WatchParts) {
  const { epochs, jobs, logger, recovery, subscriptions, startPolling } = parts;
  /** Each account's data at its last check. */
  const lastData = new Map<string, DataEpoch>();
  /** The epoch in which polling of each account was last started. */
  const startedIn = new Map<string, string>();
  /** The accounts not checked yet in this round. */
  let left: AccountToCheck[] = [];
  let isFirst = true;
  /** Forces a check of all accounts at once: at the start, after a failure, and when one account's data changed. */
  let isAllDue = true;
  /** The Redis runs of the accounts' data at the last check. */
  let knownRuns = '';
  let checks = 0;
  const warn = createThrottledWarning(logger);

  async function check(): Promise<void> {
    if (isAllDue || left.length === 0) left = await accountsToCheck();
    const hasChanged = await checkAccounts(left.splice(0, isAllDue ? left.length : accountsPerCheck));
    // One account's change may apply to all, because they share a Redis.
    if (hasChanged && left.length > 0) {
      isAllDue = true;
      return check();
    }
    [isAllDue, isFirst] = [false, false];
    checks += 1;
    if (checks % checksPerRepetitionCheck === 0) await restartLostRepetitions();
  }

  /** Returns the accounts known to this process, and the polled ones. */
  async function accountsToCheck(): Promise<AccountToCheck[]> {
    const polled = await subscriptions.polledAccounts();
    const found = new Map<string, AccountToCheck>();
    for (const ref of epochs.knownAccounts()) found.set(nameOf(ref), { ref, isPolled: false });
    for (const ref of polled) found.set(nameOf(ref), { ref, isPolled: true });
    return [...found.values()];
  }

  /** Checks accounts. Returns whether the data of one have changed since its last check. */
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
      // The next poll may be lost with the data. If this fails, a later check repeats it.
      if (!isFirst && startedIn.get(nameOf(ref)) !== epoch) await startPolling(ref);
      startedIn.set(nameOf(ref), epoch);
    }
    return hasChanged;
  }

  /**
   * Restarts repeating jobs that are missing for any reason: lost with the data or alone, or stopped while an account's
   * subscriptions were being restored.
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
