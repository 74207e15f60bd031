import { createHash } from 'node:crypto';
import { EnvHttpProxyAgent, Pool } from 'undici';
import type { Logger } from '../logger.ts';
import {
  createDatetimes,
  createMethods,
  createPipeline,
  type MarketplaceClient,
  type Pipeline,
  type RequestInfo,
  type Skipped,
} from '../marketplace/index.ts';
import type { Config } from './config.ts';

export type Marketplaces = ReturnType<typeof createMarketplaces>;

/**
 * Creates the marketplace clients of this process, and one pipeline per API key, so that its rate limit covers all callers.
 * @param requestsPerSecond of each key; by default the client's assumption about the service
 */
export function createMarketplaces(
  { marketplace: config, proxy }: Pick<Config, 'marketplace' | 'proxy'>,
  logger: Logger,
  deadlineMs: number,
  requestsPerSecond?: number,
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
    onRequest: (request: RequestInfo) => logger.debug(request, 'marketplace request'),
  };

  const pipelineWith = (apiKey: string) => createPipeline({ ...settings, apiKey });
  /** Returns the client that calls endpoints in this way. */
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
