import type { AccountRef } from './domain/terms.ts';
import { messageOf } from './errors.ts';
import { Unavailable } from './jobs/runner.ts';
import { saysNothingOfTheKey } from './key-failover.ts';
import type { Logger } from './logger.ts';
import { type MarketplaceClient, MarketplaceError, TransportError } from './marketplace/index.ts';
import { accountBreaker, type Breakers } from './store/breakers.ts';

/** Number of consecutive calls without a usable answer that opens the breaker: single ones may fail. */
const opensAfter = 3;

/** For how long after a job has asked the breaker, its calls rely on the answer that nothing has failed (ms). */
const enteredMs = 1_000;

/** The code of a breaker that opened because the marketplace does not answer; other codes are the marketplace's own. */
export const unreachableCode = 'UNREACHABLE';

/** Creates the circuit breakers of accounts. The result of every call is reported, but only jobs wait while calls fail. */
export function createAccountBreakers({
  breakers,
  marketplaceOf,
  logger,
  onOutageOver,
}: {
  readonly breakers: Breakers;
  /** The client of an account, which tries its keys. */
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly logger: Logger;
  /** Called once when an account's calls succeed again. */
  readonly onOutageOver: (ref: AccountRef) => Promise<void>;
}) {
  async function record(ref: AccountRef, error: unknown, began: number): Promise<void> {
    const name = accountBreaker(ref.account);
    const ageMs = performance.now() - began;
    const failure = failureOf(error);
    if (failure === 'neither') return;
    if (failure) {
      const opened = await breakers.recordFailure(ref.workspace, name, { ...failure, ageMs });
      if (opened)
        logger.warn({ ...ref, code: failure.code }, 'calls to the marketplace stop: only probes are made');
    } else if (await breakers.recordSuccess(ref.workspace, name, { ageMs })) {
      logger.info(ref, 'the marketplace works again');
      await onOutageOver(ref);
    }
  }

  /**
   * Returns the client, reporting the result of every call before its caller sees it.
   * @param matters whether a success has to be reported, because a breaker counts failures or is open
   */
  function reporting(
    client: MarketplaceClient,
    ref: AccountRef,
    matters: (began: number) => boolean,
  ): MarketplaceClient {
    let hasFailed = false;
    return new Proxy(client, {
      get(target, property, receiver) {
        const method: unknown = Reflect.get(target, property, receiver);
        if (typeof method !== 'function' || property === 'close' || saysNothingOfTheKey(property))
          return method;
        return async (...args: unknown[]) => {
          const began = performance.now();
          let thrown: unknown;
          try {
            return await method.apply(target, args);
          } catch (error) {
            thrown = error;
            throw error;
          } finally {
            hasFailed ||= thrown !== undefined;
            if (hasFailed || matters(began))
              await record(ref, thrown, began).catch((error: unknown) =>
                logger.warn({ reason: messageOf(error) }, 'result of a call to the marketplace not recorded'),
              );
          }
        };
      },
    });
  }

  return {
    /** Returns the client of an account, for calls that a person waits for. */
    of: async (ref: AccountRef): Promise<MarketplaceClient> =>
      reporting(await marketplaceOf(ref), ref, () => true),

    /** Returns the client of an account, for a job. Throws {@link Unavailable} while only probes may be made. */
    async forJob(ref: AccountRef): Promise<MarketplaceClient> {
      const client = await marketplaceOf(ref);
      const { waitMs, code, matters } = await breakers.enter(ref.workspace, [accountBreaker(ref.account)]);
      if (waitMs > 0) throw new Unavailable(waitMs, code);
      const entered = performance.now();
      return reporting(client, ref, (began) => matters || began - entered > enteredMs);
    },
  };
}

/** Returns what a call's result means for the account's breaker: a failure, nothing (`neither`), or success (undefined). */
function failureOf(error: unknown): { code: string; opensAfter: number } | 'neither' | undefined {
  if (error instanceof TransportError) {
    const isOwn = error.kind === 'rate-limited' || error.kind === 'aborted';
    return isOwn ? 'neither' : { code: unreachableCode, opensAfter };
  }
  if (error instanceof MarketplaceError) {
    if (error.isAuthentication) return { code: error.code, opensAfter: 1 };
    return error.code === 'SYSTEM_ERROR' ? { code: error.code, opensAfter } : undefined;
  }
  return error === undefined ? undefined : 'neither';
}
