import { setTimeout as delay } from 'node:timers/promises';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { JobName } from '../../jobs/catalogue.ts';
import { createThrottledWarning } from '../../logger.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How often it is checked whether Redis still has the data that this process knows (ms). */
const checkEveryMs = 1_000;
/** At how many of these checks it is checked once whether what is to repeat still does. */
const checksPerRepetitionCheck = 10;

export type WatchParts = Pick<FeatureContext, 'epochs' | 'jobs' | 'logger' | 'recovery' | 'subscriptions'> & {
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  readonly lacksPolls: (ref: AccountRef) => Promise<boolean>;
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
  /** The epoch of each account for which polling was started; undefined before the first check. */
  let started: Map<string, string> | undefined;
  /** The runs of Redis that the accounts' data were of at the last check. */
  let knownRuns = '';
  let checks = 0;
  const warn = createThrottledWarning(logger);

  async function check(): Promise<void> {
    const epochOf = new Map<string, string>();
    const servers = new Set<string>();
    for (const ref of epochs.knownAccounts()) {
      const { epoch, server, doubt } = await epochs.check(ref);
      const before = started?.get(nameOf(ref)) ?? epoch;
      if (before !== epoch && doubt)
        logger.warn(ref, 'data in Redis may be older than known, or gone: recovering them');
      servers.add(server);
    }
    const runs = [...servers].sort().join(' ');
    if (runs !== knownRuns) await jobs.releaseUniqueKeysOfActive();
    knownRuns = runs;
    for (const ref of epochs.knownAccounts()) await recovery.searchUnsearched(ref);
    for (const ref of await subscriptions.polledAccounts()) {
      const { epoch } = await epochs.check(ref);
      // Its next poll may be lost with the data. If this fails, it is done at the next check.
      if (started !== undefined && started.get(nameOf(ref)) !== epoch) await startPolling(ref);
      epochOf.set(nameOf(ref), epoch);
      started?.set(nameOf(ref), epoch);
    }
    started ??= epochOf;
    checks += 1;
    if (checks % checksPerRepetitionCheck === 0) await restartLostRepetitions();
  }

  /**
   * Starts again what is to repeat and does not, for whatever reason: it may have been lost with the data or alone, or was
   * stopped while an account's subscriptions were being restored.
   */
  async function restartLostRepetitions(): Promise<void> {
    const accounts = epochs.knownAccounts();
    for (const ref of accounts) {
      if (!(await parts.lacksPolls(ref))) continue;
      logger.warn(ref, 'the account is not polled any more: polling it again');
      await startPolling(ref);
    }
    for (const workspace of new Set(accounts.map((ref) => ref.workspace))) {
      for (const { name, start } of parts.housekeeping)
        if (!(await jobs.isRepeating(name, workspace))) await start(workspace);
    }
  }

  return {
    /** Checks until `signal` aborts. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await check().catch((error: unknown) =>
          warn({ reason: messageOf(error) }, 'data in Redis not checked'),
        );
        await delay(checkEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

function nameOf({ workspace, account }: AccountRef): string {
  return `${workspace} ${account}`;
}
