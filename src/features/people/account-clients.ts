import { createHash } from 'node:crypto';
import { EnvHttpProxyAgent, Pool } from 'undici';
import type { AccountRef } from '../../domain/terms.ts';
import { messageOf, NotConnected } from '../../errors.ts';
import { Paused } from '../../jobs/queue.ts';
import type { Stores } from '../../kit/modules.ts';
import type { Logger } from '../../logger.ts';
import {
  createDatetimes,
  createMethods,
  createPipeline,
  isAuthenticationCode,
  isReplayable,
  isWorkerSide,
  type MarketplaceClient,
  MarketplaceError,
  type Pipeline,
  type RequestInfo,
  type Skipped,
  TransportError,
} from '../../marketplace/index.ts';
import type { UsableKey } from '../../store/accounts.ts';
import { accountPause, type Incidents } from '../../store/pauses.ts';

export type Marketplaces = ReturnType<typeof createMarketplaces>;

/**
 * Creates the marketplace clients of this process, and one pipeline per API key, so that its rate limit covers all callers.
 * @param requestsPerSecond of each key; by default the client's assumption about the service
 * @param onRequest called after each request
 */
export function createMarketplaces(
  {
    marketplace: config,
    proxy,
  }: {
    readonly marketplace: Readonly<Record<'baseUrl' | 'keyHeader' | 'excludeMark' | 'timeZone', string>>;
    readonly proxy?: EnvHttpProxyAgent.Options;
  },
  logger: Logger,
  deadlineMs: number,
  requestsPerSecond?: number,
  onRequest?: (request: RequestInfo) => void,
) {
  const pipelines = new Map<string, Pipeline>();
  // One pool for all: an account polled twice a minute would open separate connections each time. Each pipeline limits the
  // number of concurrent requests for its key.
  const dispatcher = proxy ? new EnvHttpProxyAgent(proxy) : new Pool(new URL(config.baseUrl).origin);
  const datetimes = createDatetimes(config.timeZone);
  const settings = {
    ...config,
    dispatcher,
    datetimes,
    deadlineMs,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    onSkipped: (skipped: Skipped) => logger.warn(skipped, 'marketplace item skipped'),
    onRequest(request: RequestInfo) {
      logger.debug(request, 'marketplace request');
      onRequest?.(request);
    },
  };

  const pipelineWith = (apiKey: string) => createPipeline({ ...settings, apiKey });
  const clientOver = (call: Pipeline['call']): MarketplaceClient => createMethods(call, settings);

  return {
    clientOver,

    /** Returns a client with a key of its own, for a trial of it. */
    clientFor: (key: string): MarketplaceClient => clientOver(pipelineWith(key).call),

    /** Returns the way to call endpoints with a key of an account. */
    callWith(key: string): Pipeline['call'] {
      const name = createHash('sha256').update(key).digest('hex');
      const pipeline = pipelines.get(name) ?? pipelineWith(key);
      pipelines.set(name, pipeline);
      return pipeline.call;
    },

    async close(): Promise<void> {
      await Promise.all([...pipelines.values()].map((pipeline) => pipeline.close()));
      pipelines.clear();
      await dispatcher.destroy();
    },
  };
}

/** Number of calls in a row without a usable answer that begin a pause: single ones may fail. */
const pausesAfter = 3;

/** The code of a pause because the marketplace does not answer; other codes are the marketplace's own. */
export const unreachableCode = 'UNREACHABLE';

/**
 * Creates the clients of accounts. A call that the marketplace refuses because of its key is made again with another key of
 * the account, and the refused one is used last from then on. Every result counts for the account's pause, but only jobs
 * wait while it lasts.
 */
export function createAccountClients(
  { accounts, marketplaces: { callWith, clientOver }, jobs, logger, now, pauses }: Stores,
  incidents: Incidents,
) {
  /** Records the result of a call with a key, which counts even if it cannot be recorded. */
  async function record(ref: AccountRef, one: UsableKey, error: unknown, began: number): Promise<void> {
    const { workspace } = ref;
    const code = failureCode(error);
    try {
      if (isKeyRefusal(error)) await accounts.recordRefusedKey(workspace, one.key, now());
      else if (code !== undefined) await fail(ref, code, began, pausesAfter);
      else if (error === undefined || error instanceof MarketplaceError) {
        if (one.refusedAt !== undefined) await accounts.recordAcceptedKey(workspace, one.key);
        const noKey = await incidents.clear(workspace, keyIncident(ref), began);
        const pause = await pauses.succeed(workspace, accountPause(ref.account), began);
        if (noKey ?? pause) await jobs.add('release', ref);
        if (pause === undefined) return;
        logger.info(ref, 'the marketplace works again');
        await jobs.add('poll', ref, { uniqueKey: `${ref.account} recovery` });
      }
    } catch (unrecorded) {
      logger.warn({ ...ref, reason: messageOf(unrecorded) }, 'result of a call not recorded');
    }
  }

  async function fail(ref: AccountRef, code: string, began: number, after: number): Promise<void> {
    const failure = { code, began, pausesAfter: after };
    if (await pauses.fail(ref.workspace, accountPause(ref.account), failure))
      logger.warn({ ...ref, code }, 'jobs pause their calls to the marketplace');
  }

  /** Records that no key works: people are told, and decisions wait for one. Returns the error to throw. */
  async function noKeyWorks(ref: AccountRef, refusal: MarketplaceError | undefined, began: number) {
    const code = refusal?.code ?? 'NO_KEY';
    await incidents
      .record(ref.workspace, keyIncident(ref), code, began)
      .then(() => refusal && fail(ref, code, began, 1))
      .catch((error: unknown) => logger.warn({ ...ref, reason: messageOf(error) }, 'refusal not recorded'));
    return refusal ?? new NotConnected();
  }

  /** Returns the account's keys. Throws NotConnected if there are none. */
  async function keysOf(ref: AccountRef): Promise<readonly UsableKey[]> {
    const keys = await accounts.usableKeys(ref);
    if (keys.length === 0) throw await noKeyWorks(ref, undefined, now());
    return keys;
  }

  /** Returns a client with these keys. @param isProbe whether nothing else may be called before its first call has ended */
  function clientWith(ref: AccountRef, known: readonly UsableKey[], isProbe: boolean): MarketplaceClient {
    let keys = known;
    let first: Promise<unknown> | undefined;

    /**
     * Makes a call with one key after another, until one is accepted; one that cannot be repeated, with one key only. A key
     * that was refused before may work again, but only one is tried: if all were refused, each call tries the next.
     */
    async function callWithAnyKey<Result>(
      call: (one: Pipeline['call']) => Promise<Result>,
      isRepeatable: boolean,
    ): Promise<Result> {
      if (isProbe)
        await first?.catch((error: unknown) => {
          if (failureCode(error) !== undefined) throw error;
        });
      const tried = new Set<string>();
      const began = now();
      let hasRetried = false;
      let refusal: MarketplaceError | undefined;
      for (;;) {
        const one = keys.find(
          ({ key, refusedAt }) => !tried.has(key) && !(hasRetried && refusedAt !== undefined),
        );
        if (one === undefined) throw await noKeyWorks(ref, refusal, began);
        hasRetried ||= one.refusedAt !== undefined;
        tried.add(one.key);
        try {
          const answer = await call(callWith(one.key));
          await record(ref, one, undefined, began);
          return answer;
        } catch (error) {
          await record(ref, one, error, began);
          if (!isKeyRefusal(error) || !isRepeatable) throw error;
          refusal = error;
          // Others may have been connected since.
          keys = await accounts.usableKeys(ref).catch(() => keys);
        }
      }
    }

    return clientOver((endpoint, input) => {
      // The key of an employer is refused there, which says nothing about it.
      if (isWorkerSide(endpoint)) return callWith(keys[0]?.key ?? '')(endpoint, input);
      const result = callWithAnyKey((call) => call(endpoint, input), isReplayable(input.fields));
      first ??= result;
      return result;
    });
  }

  return {
    /** Returns the client of an account, for calls that a person waits for. */
    of: async (ref: AccountRef): Promise<MarketplaceClient> => clientWith(ref, await keysOf(ref), false),

    /** Returns the client of an account, for a job. Throws {@link Paused} while its calls pause. */
    async forJob(ref: AccountRef): Promise<MarketplaceClient> {
      const keys = await keysOf(ref);
      const { waitMs, code, isProbe } = await pauses.enter(ref.workspace, [accountPause(ref.account)]);
      // A key that was connected since they were refused is tried at once.
      const isNewKey = isAuthenticationCode(code) && keys[0]?.refusedAt === undefined;
      if (waitMs > 0 && !isNewKey) throw new Paused(waitMs, 'marketplace', code);
      return clientWith(ref, keys, isProbe);
    },
  };
}

function keyIncident({ account }: AccountRef): string {
  return `key ${account}`;
}

function isKeyRefusal(error: unknown): error is MarketplaceError {
  return error instanceof MarketplaceError && error.isAuthentication;
}

/** Returns the code of an error that counts as a failure of the marketplace; undefined for other errors. */
function failureCode(error: unknown): string | undefined {
  if (error instanceof TransportError)
    return error.kind === 'rate-limited' || error.kind === 'aborted' ? undefined : unreachableCode;
  if (!(error instanceof MarketplaceError)) return undefined;
  return error.isAuthentication || error.code === 'SYSTEM_ERROR' ? error.code : undefined;
}
