import { setTimeout as delay } from 'node:timers/promises';
import type { AccountRef } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { createThrottledWarning } from '../../logger.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How often it is checked whether Redis still has the data that this process knows (ms). */
const checkEveryMs = 1_000;

export type WatchParts = Pick<FeatureContext, 'epochs' | 'jobs' | 'logger' | 'recovery' | 'subscriptions'> & {
  readonly startPolling: (ref: AccountRef) => Promise<void>;
};

/**
 * Creates the watch over the data in Redis: whatever this process is doing, it notices within seconds that they were lost or
 * are older, and has them recovered. Polls are jobs, which may be lost as well, so they cannot be relied on for that.
 */
export function createDataWatch({ epochs, jobs, logger, recovery, subscriptions, startPolling }: WatchParts) {
  const seen = new Map<string, string>();
  const warn = createThrottledWarning(logger);

  /** Returns the accounts that are polled, and those that this process knows, whatever is left of them in Redis. */
  async function allAccounts(): Promise<AccountRef[]> {
    const known = [...epochs.knownAccounts(), ...(await subscriptions.polledAccounts())];
    return [...new Map(known.map((ref) => [`${ref.workspace} ${ref.account}`, ref])).values()];
  }

  async function check(): Promise<void> {
    const servers = new Set<string>();
    let isChanged = false;
    for (const ref of await allAccounts()) {
      const { epoch, server } = await epochs.check(ref);
      servers.add(server);
      const before = seen.get(ref.account);
      seen.set(ref.account, epoch);
      isChanged ||= before !== undefined && before !== epoch;
    }
    // Jobs of another run may never end: what is queued now does not wait for them.
    if (servers.size > 0) jobs.startGeneration([...servers].sort().join(' '));
    if (isChanged) logger.warn('data in Redis may be older than known, or gone: recovering them');
    for (const ref of await allAccounts()) await recovery.recovered(ref);
    // Their next polls may be lost.
    if (isChanged) for (const ref of await subscriptions.polledAccounts()) await startPolling(ref);
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
