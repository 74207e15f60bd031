import { expect, test } from 'vitest';
import { createAccountBreakers } from '../../src/account-breakers.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createLogger } from '../../src/logger.ts';
import { type MarketplaceClient, TransportError } from '../../src/marketplace/index.ts';
import { createBreakers } from '../../src/store/breakers.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

const away = new TransportError({
  operation: 'listCampaigns',
  kind: 'connection',
  reason: 'away',
  mayHaveBeenApplied: false,
});

/** An account whose calls fail while `isAway` is set. */
function account() {
  const marketplace = { isAway: false };
  const client = {
    async listCampaigns() {
      if (marketplace.isAway) throw away;
      return [];
    },
  } as unknown as MarketplaceClient;
  const breakers = createAccountBreakers({
    breakers: createBreakers(redis.first, { now: Date.now, firstProbeMs: 60_000, probeMs: 60_000 }),
    marketplaceOf: async () => client,
    logger: createLogger('silent', []),
    onOutageOver: async () => undefined,
  });
  const commands = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await redis.second.info('stats'))?.[1]);
  return { marketplace, breakers, commands };
}

/** Calls for a job of its own. */
async function callOf({ breakers }: ReturnType<typeof account>): Promise<unknown> {
  const client = await breakers.forJob(ref);
  return client.listCampaigns().catch((error: unknown) => error);
}

test('a success of a job resets the failures that earlier jobs have counted', async () => {
  const one = account();
  for (let round = 0; round < 5; round++) {
    one.marketplace.isAway = true;
    await callOf(one);
    await callOf(one);
    one.marketplace.isAway = false;
    expect(await callOf(one)).toEqual([]);
  }
});

test('a success resets a failure of the same job', async () => {
  const one = account();
  const client = await one.breakers.forJob(ref);
  for (let round = 0; round < 5; round++) {
    one.marketplace.isAway = true;
    await client.listCampaigns().catch(() => undefined);
    one.marketplace.isAway = false;
    await client.listCampaigns();
  }
  expect(await callOf(one)).toEqual([]);
});

test('three failures in a row hold up the next job', async () => {
  const one = account();
  one.marketplace.isAway = true;
  for (let times = 0; times < 3; times++) await callOf(one);
  await expect(one.breakers.forJob(ref)).rejects.toThrow();
});

test('while nothing fails, the calls of a job that follow at once cost Redis nothing', async () => {
  const one = account();
  const client = await one.breakers.forJob(ref);
  const before = await one.commands();
  await client.listCampaigns();
  await client.listCampaigns();
  // Only the command that counts.
  expect((await one.commands()) - before).toBe(1);
});
