import type { AccountRef } from './domain/terms.ts';
import { messageOf, NotConnected } from './errors.ts';
import type { Jobs } from './jobs/queue.ts';
import type { Logger } from './logger.ts';
import { type MarketplaceClient, MarketplaceError } from './marketplace/index.ts';
import type { Accounts, UsableKey } from './store/accounts.ts';
import type { Incidents } from './store/incidents.ts';

/**
 * Calls whose refusal says nothing about the key: an employer's key is refused by those of the worker role, and a file that
 * was uploaded once cannot be sent again.
 */
const notTried: ReadonlySet<string | symbol> = new Set([
  'close',
  'createCampaign',
  'submitFileProof',
  'listExcludedEmployers',
  'listIncludedEmployers',
  'excludeEmployers',
  'workerTasks',
]);

/** Returns whether a call's refusal says nothing about the account's key. */
export function saysNothingOfTheKey(method: string | symbol): boolean {
  return notTried.has(method);
}

/** How long a process assumes that an account's key works, before it checks for an incident again (ms). */
const checkedMs = 5_000;

/** How long a client uses the keys that were read when it was made (ms). */
const readForMs = 1_000;

/** Returns the name of the incident in which no key of an account works. */
export function keyIncident({ account }: AccountRef): string {
  return `key ${account}`;
}

/**
 * Creates the clients of accounts. A call that the marketplace refuses because of its key is retried with another key of the
 * account, and the refused one is used last from then on. An incident is recorded when no key works, and is cleared when one
 * does; decisions that waited for a key are then sent.
 */
export function createKeyFailover({
  accounts,
  clientOf,
  incidents,
  jobs,
  logger,
  now,
}: {
  readonly accounts: Accounts;
  /** Returns the client of this process for a key. */
  readonly clientOf: (key: string) => MarketplaceClient;
  readonly incidents: Incidents;
  readonly jobs: Pick<Jobs, 'add'>;
  readonly logger: Logger;
  readonly now: () => number;
}): (ref: AccountRef) => Promise<MarketplaceClient> {
  /** When a key of an account was last seen to work (ms). */
  const workedAt = new Map<string, number>();
  /** When a key was last refused in this process, on its monotonic clock (ms). */
  let lastRefusal = Number.NEGATIVE_INFINITY;

  /** Records something about a key. The marketplace's answer counts even if it cannot be recorded. */
  async function record(ref: AccountRef, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      logger.warn({ account: ref.account, reason: messageOf(error) }, 'state of a key not recorded'),
    );
  }

  async function recordFailure(ref: AccountRef, code: string, began: number): Promise<void> {
    workedAt.delete(nameOf(ref));
    await record(ref, async () => {
      await incidents.record(ref.workspace, keyIncident(ref), code, 1, began);
    });
  }

  async function recordSuccess(ref: AccountRef, { key, refusedAt }: UsableKey, began: number): Promise<void> {
    const last = workedAt.get(nameOf(ref));
    // A key that was refused before is recorded at once: as long as all keys count as refused, a call tries only one.
    if (refusedAt === undefined && last !== undefined && Math.abs(began - last) < checkedMs) return;
    workedAt.set(nameOf(ref), began);
    await record(ref, async () => {
      // One that another process has seen refused meanwhile is recorded by the next call, which reads that.
      if (refusedAt !== undefined) await accounts.recordAcceptedKey(ref.workspace, key);
      const ended = await incidents.clear(ref.workspace, keyIncident(ref), began);
      if (ended !== undefined) await jobs.add('release', ref);
    });
  }

  /** Returns the working keys of an account that were connected since others were read. */
  async function connectedSince(ref: AccountRef, known: ReadonlySet<string>): Promise<UsableKey[]> {
    const keys = await accounts.usableKeys(ref).catch(() => []);
    return keys.filter(({ key, refusedAt }) => refusedAt === undefined && !known.has(key));
  }

  /**
   * Makes a call with one key after another, until one is accepted.
   * @param usable the account's keys
   * @param before keys that were known to this call before, and not accepted
   */
  async function callWithAnyKey<T>(
    ref: AccountRef,
    usable: readonly UsableKey[],
    call: (client: MarketplaceClient) => Promise<T>,
    before: ReadonlySet<string> = new Set(),
  ): Promise<T> {
    const [first, ...others] = usable;
    const began = now();
    if (first === undefined) {
      await recordFailure(ref, 'NO_KEY', began);
      throw new NotConnected();
    }
    // When the last working key is refused, one that was refused before may work again. If all keys were refused, each call
    // tries only the next one.
    const working = others.filter(({ refusedAt }) => refusedAt === undefined);
    const keys = first.refusedAt === undefined ? [first, ...others.slice(0, working.length + 1)] : [first];
    let refusal: MarketplaceError | undefined;
    for (const one of keys) {
      try {
        const answer = await call(clientOf(one.key));
        await recordSuccess(ref, one, began);
        return answer;
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        if (!error.isAuthentication) {
          await recordSuccess(ref, one, began);
          throw error;
        }
        lastRefusal = performance.now();
        await record(ref, () => accounts.recordRefusedKey(ref.workspace, one.key, now()));
        refusal = error;
      }
    }
    const known = new Set([...before, ...usable.map(({ key }) => key)]);
    const connected = await connectedSince(ref, known);
    if (connected.length > 0) return callWithAnyKey(ref, connected, call, known);
    await recordFailure(ref, refusal?.code ?? 'NO_KEY', began);
    throw refusal ?? new NotConnected();
  }

  return async (ref) => {
    const keys = await accounts.usableKeys(ref);
    const readAt = performance.now();
    const [first] = keys;
    if (first === undefined) {
      await recordFailure(ref, 'NO_KEY', now());
      throw new NotConnected();
    }
    // As a rule, the calls follow at once.
    const areCurrent = () => performance.now() - readAt < readForMs && lastRefusal < readAt;
    return new Proxy(clientOf(first.key), {
      get(client, name: keyof MarketplaceClient) {
        const method: unknown = client[name];
        if (typeof method !== 'function' || saysNothingOfTheKey(name)) return method;
        return async (...args: unknown[]) =>
          callWithAnyKey(ref, areCurrent() ? keys : await accounts.usableKeys(ref), (any) =>
            (any[name] as (...all: unknown[]) => Promise<unknown>)(...args),
          );
      },
    });
  };
}

function nameOf({ workspace, account }: AccountRef): string {
  return `${workspace}/${account}`;
}
