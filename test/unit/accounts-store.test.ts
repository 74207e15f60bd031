import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createVault } from '../../src/store/encryption.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const workspace = asId<WorkspaceId>('T0SANDBOX');
const holdings = `proofdesk:{${workspace}}:holdings`;
const apiKey = 'employer-demo-key';
const [former, present] = [createVault([Buffer.alloc(32, 1)]), createVault([Buffer.alloc(32, 2)])];

let server: TestRedis;
let redis: Redis;
let log: { fields: object; message: string }[] = [];

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterEach(async () => {
  log = [];
  await redis.flushall();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

function accountsOf(vault: ReturnType<typeof createVault>) {
  const error = (fields: object, message: string) => void log.push({ fields, message });
  return createAccounts(redis, vault, { error: error as never });
}

test.each(['U01ANN', 'U02BEN'])(
  'a key that cannot be opened, of %s, does not hide the same key of another member',
  async (withFormerKey) => {
    const accounts = accountsOf(present);
    for (const member of [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')]) {
      await accountsOf(member === withFormerKey ? former : present).connect(workspace, member, apiKey);
    }
    await redis.hset(holdings, 'U00BAD', 'not an entry');
    const ref = await accounts.require(workspace, asId('U01ANN'));
    expect(await accounts.keyOf(ref)).toBe(apiKey);
    expect(await accounts.unreadable(workspace)).toBe(2);
    expect(log).toEqual([]);
  },
);

test('an account of which no key opens has none; that is logged once, without anything secret', async () => {
  const ref = await accountsOf(former).connect(workspace, asId('U01ANN'), apiKey);
  const { sealed } = JSON.parse((await redis.hget(holdings, 'U01ANN')) ?? '') as { sealed: string };
  const accounts = accountsOf(present);
  expect(await accounts.keyOf(ref)).toBeUndefined();
  expect(await accounts.keyOf(ref)).toBeUndefined();
  expect(log).toEqual([
    {
      fields: { ...ref, keys: 1 },
      message: expect.stringMatching(/^no API key of this account can be decrypted/),
    },
  ]);
  expect(JSON.stringify(log)).not.toContain(apiKey);
  expect(JSON.stringify(log)).not.toContain(sealed);

  await accounts.connect(workspace, asId('U01ANN'), apiKey);
  expect(await accounts.keyOf(ref)).toBe(apiKey);
});

test('an account that nobody holds a key of has none, and nothing is wrong', async () => {
  const accounts = accountsOf(present);
  const ref = await accounts.connect(workspace, asId('U01ANN'), apiKey);
  await accounts.disconnect(workspace, asId('U01ANN'));
  expect(await accounts.keyOf(ref)).toBeUndefined();
  expect(log).toEqual([]);
});
