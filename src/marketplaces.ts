import { createHash } from 'node:crypto';
import { EnvHttpProxyAgent, Pool } from 'undici';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import { createMarketplaceClient, type MarketplaceClient } from './marketplace/index.ts';

export type Marketplaces = ReturnType<typeof createMarketplaces>;

/**
 * Creates the marketplace clients of this process: one per API key, so that its rate limit covers all callers.
 * @param requestsPerSecond of each client; by default the client's assumption about the service
 */
export function createMarketplaces(
  { marketplace: config, proxy }: Pick<Config, 'marketplace' | 'proxy'>,
  logger: Logger,
  deadlineMs: number,
  requestsPerSecond?: number,
) {
  const clients = new Map<string, MarketplaceClient>();
  // One pool for all: an account polled twice a minute would open separate connections each time. Each client limits the
  // number of concurrent requests for its key.
  const dispatcher = proxy ? new EnvHttpProxyAgent(proxy) : new Pool(new URL(config.baseUrl).origin);

  function clientFor(apiKey: string): MarketplaceClient {
    const { apiKey: _, ...settings } = config;
    return createMarketplaceClient({
      ...settings,
      dispatcher,
      deadlineMs,
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      apiKey,
      onSkipped: (skipped) => logger.warn(skipped, 'marketplace item skipped'),
      onRequest: (request) => logger.debug(request, 'marketplace request'),
    });
  }

  return {
    clientFor,

    /** Returns the client of a key. */
    ofKey(key: string): MarketplaceClient {
      const name = createHash('sha256').update(key).digest('hex');
      const client = clients.get(name) ?? clientFor(key);
      clients.set(name, client);
      return client;
    },

    async close(): Promise<void> {
      await Promise.all([...clients.values()].map((client) => client.close()));
      clients.clear();
      await dispatcher.destroy();
    },
  };
}
