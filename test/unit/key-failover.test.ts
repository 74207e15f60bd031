import { expect, test, vi } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createKeyFailover } from '../../src/key-failover.ts';
import { createLogger } from '../../src/logger.ts';
import { type MarketplaceClient, MarketplaceError } from '../../src/marketplace/index.ts';
import type { Accounts } from '../../src/store/accounts.ts';
import type { Incidents } from '../../src/store/incidents.ts';
import { asId } from '../harness/ids.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

const keyRefused = new MarketplaceError({
  operation: 'listCampaigns',
  code: 'API_KEY_WRONG',
  text: 'refused',
  ids: {},
  errorsList: [],
  errors: [],
  problems: [],
  details: {},
});

test('a refused key that works again is recorded at once, however recently another one worked', async () => {
  const refused = new Map<string, number>();
  const revoked = new Set<string>();
  let time = 1_000;
  const accounts = {
    keyOf: async () => 'first',
    usableKeys: async () =>
      ['first', 'second']
        .map((key) => ({ key, ...(refused.has(key) ? { refusedAt: refused.get(key) } : {}) }))
        .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0)),
    recordRefusedKey: async (_: unknown, key: string, at: number) => void refused.set(key, at),
    recordAcceptedKey: async (_: unknown, key: string) => void refused.delete(key),
  } as unknown as Accounts;
  const record = vi.fn(async () => undefined);
  const marketplaceOf = createKeyFailover({
    accounts,
    clientOf: (key) =>
      ({
        async listCampaigns() {
          if (revoked.has(key)) throw keyRefused;
          return [];
        },
      }) as unknown as MarketplaceClient,
    incidents: { record, clear: async () => undefined } as unknown as Incidents,
    jobs: { add: async () => undefined } as never,
    logger: createLogger('silent', []),
    now: () => (time += 10),
  });
  const call = async () => (await marketplaceOf(ref)).listCampaigns();

  revoked.add('first');
  await call();
  expect([...refused.keys()]).toEqual(['first']);
  revoked.clear();
  revoked.add('second');
  await call();
  expect([...refused.keys()]).toEqual(['second']);
  expect(record).not.toHaveBeenCalled();
});
