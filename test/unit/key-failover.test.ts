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

/** Two keys of an account, of which some are revoked at the marketplace. */
function twoKeys() {
  const refused = new Map<string, number>();
  const revoked = new Set<string>();
  let time = 1_000;
  const connected = ['first', 'second'];
  const usableKeys = vi.fn(async () =>
    connected
      .map((key) => ({ key, ...(refused.has(key) ? { refusedAt: refused.get(key) } : {}) }))
      .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0)),
  );
  const accepted = vi.fn(async (_: unknown, key: string) => void refused.delete(key));
  const accounts = {
    usableKeys,
    recordRefusedKey: async (_: unknown, key: string, at: number) => void refused.set(key, at),
    recordAcceptedKey: accepted,
  } as unknown as Accounts;
  const record = vi.fn(async () => undefined);
  const calls: string[] = [];
  const marketplaceOf = createKeyFailover({
    accounts,
    clientOf: (key) =>
      ({
        async listCampaigns() {
          calls.push(key);
          if (revoked.has(key)) throw keyRefused;
          return [];
        },
      }) as unknown as MarketplaceClient,
    incidents: { record, clear: async () => undefined } as unknown as Incidents,
    jobs: { add: async () => undefined } as never,
    logger: createLogger('silent', []),
    now: () => (time += 10),
  });
  return { marketplaceOf, connected, refused, revoked, usableKeys, accepted, record, calls };
}

test('a refused key that works again is recorded at once, however recently another one worked', async () => {
  const { marketplaceOf, refused, revoked, record } = twoKeys();
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

test('a key that was connected after the others were read is used when these are refused', async () => {
  const { marketplaceOf, connected, revoked, record, calls } = twoKeys();
  const client = await marketplaceOf(ref);
  connected.push('third');
  revoked.add('first').add('second');
  await client.listCampaigns();
  expect(calls).toEqual(['first', 'second', 'third']);
  expect(record).not.toHaveBeenCalled();

  connected.pop();
  await expect((await marketplaceOf(ref)).listCampaigns()).rejects.toThrow();
  expect(record).toHaveBeenCalledTimes(1);
});

test('the keys are read once for the calls that follow at once, and again after one was refused', async () => {
  const { marketplaceOf, revoked, usableKeys, accepted, calls } = twoKeys();
  const client = await marketplaceOf(ref);
  await Promise.all([client.listCampaigns(), client.listCampaigns()]);
  expect(usableKeys).toHaveBeenCalledTimes(1);
  expect(accepted).not.toHaveBeenCalled();

  revoked.add('first');
  await client.listCampaigns();
  await client.listCampaigns();
  expect(calls.slice(2)).toEqual(['first', 'second', 'second']);
  expect(usableKeys).toHaveBeenCalledTimes(2);
});
