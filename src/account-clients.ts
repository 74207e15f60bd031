import type { AccountRef } from './domain/terms.ts';
import { messageOf, NotConnected } from './errors.ts';
import type { Jobs } from './jobs/queue.ts';
import { Unavailable } from './jobs/runner.ts';
import type { Logger } from './logger.ts';
import { type MarketplaceClient, MarketplaceError, TransportError } from './marketplace/index.ts';
import type { Accounts, UsableKey } from './store/accounts.ts';
import type { Incidents } from './store/incidents.ts';
import { accountPause, type Pauses } from './store/pauses.ts';

type Method = keyof MarketplaceClient;

/**
 * Passed on as they are. An employer's key is refused by calls of the worker role, which says nothing about it, and a file
 * that was uploaded once cannot be sent again with another key.
 */
const passedOn: ReadonlySet<Method> = new Set<Method>([
  'close',
  'submitFileProof',
  'listExcludedEmployers',
  'listIncludedEmployers',
  'excludeEmployers',
  'workerTasks',
]);

/** Number of calls in a row without a usable answer that begin a pause: single ones may fail. */
const pausesAfter = 3;

/** The code of a pause because the marketplace does not answer; other codes are the marketplace's own. */
export const unreachableCode = 'UNREACHABLE';

/**
 * Creates the clients of accounts. A call that the marketplace refuses because of its key is made again with another key of
 * the account, and the refused one is used last from then on. Every result counts for the account's pause, but only jobs
 * wait while it lasts.
 */
export function createAccountClients({
  accounts,
  clientOf,
  incidents,
  jobs,
  logger,
  now,
  pauses,
}: {
  readonly accounts: Pick<Accounts, 'usableKeys' | 'recordRefusedKey' | 'recordAcceptedKey'>;
  /** Returns the client of this process for a key. */
  readonly clientOf: (key: string) => MarketplaceClient;
  readonly incidents: Pick<Incidents, 'record' | 'clear'>;
  readonly jobs: Pick<Jobs, 'add'>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly pauses: Pauses;
}) {
  /** Records something about a call. Its answer counts even if that cannot be recorded. */
  async function record(ref: AccountRef, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) =>
      logger.warn({ account: ref.account, reason: messageOf(error) }, 'result of a call not recorded'),
    );
  }

  /** Records that no key works: people are told, and decisions wait for one. */
  const recordNoKey = (ref: AccountRef, code: string, began: number) =>
    record(ref, async () => {
      await incidents.record(ref.workspace, keyIncident(ref), code, began);
    });

  async function recordWorkingKey(ref: AccountRef, { key, refusedAt }: UsableKey, began: number) {
    if (refusedAt !== undefined) await accounts.recordAcceptedKey(ref.workspace, key);
    const ended = await incidents.clear(ref.workspace, keyIncident(ref), began);
    if (ended !== undefined) await jobs.add('release', ref);
  }

  /** Records a result for the account's pause. When that ends, what waited for it is done. */
  async function recordResult(ref: AccountRef, error: unknown, began: number): Promise<void> {
    const { workspace, account } = ref;
    const failure = failureOf(error);
    if (failure) {
      if (await pauses.fail(workspace, accountPause(account), { ...failure, began }))
        logger.warn({ ...ref, code: failure.code }, 'jobs pause their calls to the marketplace');
    } else if (isAnswer(error) && (await pauses.succeed(workspace, accountPause(account), began))) {
      logger.info(ref, 'the marketplace works again');
      await jobs.add('release', ref);
      await jobs.add('poll', ref, { uniqueKey: `${account} recovery` });
    }
  }

  /** Returns the account's keys. Throws NotConnected if there are none. */
  async function keysOf(ref: AccountRef): Promise<readonly UsableKey[]> {
    const keys = await accounts.usableKeys(ref);
    if (keys.length > 0) return keys;
    await recordNoKey(ref, 'NO_KEY', now());
    throw new NotConnected();
  }

  /** Returns a client with these keys. @param isProbe whether nothing else may be called before its first call has ended */
  function clientWith(ref: AccountRef, known: readonly UsableKey[], isProbe: boolean): MarketplaceClient {
    let keys = known;
    let first: Promise<unknown> | undefined;

    /**
     * Makes a call with one key after another, until one is accepted. One that was refused before may work again, but only
     * one is tried: if all were refused, each call tries the next.
     */
    async function callWithAnyKey(call: (client: MarketplaceClient) => Promise<unknown>): Promise<unknown> {
      const tried = new Set<string>();
      const began = now();
      let hasRetried = false;
      let refusal: MarketplaceError | undefined;
      for (;;) {
        const one = keys.find(
          ({ key, refusedAt }) => !tried.has(key) && !(hasRetried && refusedAt !== undefined),
        );
        if (one === undefined) break;
        hasRetried ||= one.refusedAt !== undefined;
        tried.add(one.key);
        try {
          const answer = await call(clientOf(one.key));
          await record(ref, () => recordWorkingKey(ref, one, began));
          return answer;
        } catch (error) {
          if (!(error instanceof MarketplaceError)) throw error;
          if (!error.isAuthentication) {
            await record(ref, () => recordWorkingKey(ref, one, began));
            throw error;
          }
          refusal = error;
          await record(ref, () => accounts.recordRefusedKey(ref.workspace, one.key, now()));
          // Others may have been connected since.
          keys = await accounts.usableKeys(ref).catch(() => keys);
        }
      }
      await recordNoKey(ref, refusal?.code ?? 'NO_KEY', began);
      throw refusal ?? new NotConnected();
    }

    async function callAndRecord(call: (client: MarketplaceClient) => Promise<unknown>): Promise<unknown> {
      if (isProbe)
        await first?.catch((error: unknown) => {
          if (failureOf(error)) throw error;
        });
      const began = now();
      let thrown: unknown;
      try {
        return await callWithAnyKey(call);
      } catch (error) {
        thrown = error;
        throw error;
      } finally {
        await record(ref, () => recordResult(ref, thrown, began));
      }
    }

    return new Proxy(clientOf(keys[0]?.key ?? ''), {
      get(client, name: Method) {
        const method: unknown = client[name];
        if (typeof method !== 'function' || passedOn.has(name)) return method;
        return (...args: unknown[]) => {
          const result = callAndRecord((any) =>
            (any[name] as (...all: unknown[]) => Promise<unknown>)(...args),
          );
          first ??= result;
          return result;
        };
      },
    });
  }

  return {
    /** Returns the client of an account, for calls that a person waits for. */
    of: async (ref: AccountRef): Promise<MarketplaceClient> => clientWith(ref, await keysOf(ref), false),

    /** Returns the client of an account, for a job. Throws {@link Unavailable} while its calls pause. */
    async forJob(ref: AccountRef): Promise<MarketplaceClient> {
      const keys = await keysOf(ref);
      const { waitMs, code, isProbe } = await pauses.enter(ref.workspace, [accountPause(ref.account)]);
      if (waitMs > 0) throw new Unavailable(waitMs, code);
      return clientWith(ref, keys, isProbe);
    },
  };
}

/** Returns the name of the incident in which no key of an account works. */
function keyIncident({ account }: AccountRef): string {
  return `key ${account}`;
}

/** Returns how a call's error counts as a failure of the marketplace; undefined if it does not. */
function failureOf(error: unknown): { code: string; pausesAfter: number } | undefined {
  if (error instanceof TransportError)
    return error.kind === 'rate-limited' || error.kind === 'aborted'
      ? undefined
      : { code: unreachableCode, pausesAfter };
  if (!(error instanceof MarketplaceError)) return undefined;
  if (error.isAuthentication) return { code: error.code, pausesAfter: 1 };
  return error.code === 'SYSTEM_ERROR' ? { code: error.code, pausesAfter } : undefined;
}

/** Returns whether a call that did not fail shows that the marketplace works: it answered, if only by a refusal. */
function isAnswer(error: unknown): boolean {
  return error === undefined || error instanceof MarketplaceError;
}
