import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { createAccountLeases, createLeases } from '../../src/store/leases.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();

test('one job of one process holds a key at a time', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 10_000);
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await hold?.renew()).toBe(true);
  await hold?.release();
  expect(await there.acquire('key', 10_000)).toBeDefined();
});

test('what a dead process held is free after its time, and the process learns that it was lost', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 30);
  await expect.poll(() => there.acquire('key', 10_000)).toBeDefined();
  expect(await hold?.renew()).toBe(false);
  await hold?.release();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
});

test('what could not be let go of does not keep its own process waiting', async () => {
  const failing = redis.first.duplicate();
  const here = createLeases(failing);
  const hold = await here.acquire('key', 10_000);
  failing.disconnect();
  await expect(hold?.release()).rejects.toThrow();
  await failing.connect();
  expect(await here.acquire('key', 10_000)).toBeDefined();
  failing.disconnect();
});

test('what rests is taken by nobody for that time', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 10_000);
  await hold?.releaseAfter(1_500);
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  await expect.poll(() => here.acquire('key', 10_000)).toBeDefined();
});

const workspace = asId<WorkspaceId>('T0SANDBOX');

/** A connection that ended before the answer to each command: ioredis has sent it again, and has the second answer. */
function resending(connection: Redis): Redis {
  const twice =
    (command: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      await command(...args);
      return command(...args);
    };
  const client = connection.duplicate();
  const set = client.set.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const run = client.eval.bind(client) as (...args: unknown[]) => Promise<unknown>;
  return Object.assign(client, { set: twice(set), eval: twice(run) });
}

test('what is claimed is done once, also when the answer to the claim was lost', async () => {
  const client = resending(redis.first);
  const [here, there] = [createAccountLeases(client), createAccountLeases(redis.second)];
  expect(await here.claimOnce(workspace, 'a click')).toBe(true);
  expect(await here.claimOnce(workspace, 'a click')).toBe(false);
  expect(await there.claimOnce(workspace, 'a click')).toBe(false);
  client.disconnect();
});
