import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { commonCampaigns } from '../../src/domain/same-account.ts';
import type { AccountId, AccountRef, CampaignId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf, createAccounts } from '../../src/store/accounts.ts';
import { createVault } from '../../src/store/encryption.ts';
import { accountKey } from '../../src/store/keys.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const workspace = asId<WorkspaceId>('T0SANDBOX');
const apiKeys = `proofdesk:{${workspace}}:api-keys`;
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
    await redis.hset(apiKeys, 'U00BAD', 'not an entry');
    const ref = await accounts.of(workspace, asId('U01ANN'));
    if (ref === undefined) throw new Error('no account');
    expect(await accounts.keyOf(ref)).toBe(apiKey);
    expect(await accounts.unreadable(workspace)).toBe(2);
    expect(log).toEqual([]);
  },
);

test('an account of which no key opens has none; that is logged once, without anything secret', async () => {
  const ref = await accountsOf(former).connect(workspace, asId('U01ANN'), apiKey);
  const { sealed } = JSON.parse((await redis.hget(apiKeys, 'U01ANN')) ?? '') as { sealed: string };
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

describe('the account of a key', () => {
  const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];

  test('is that of its entry as versions before stored it, and of the same key of another member', async () => {
    const vault = present;
    const account = accountIdOf(workspace, apiKey);
    const sealed = vault.seal(apiKey, `api-key ${workspace} ${ann}`);
    await redis.hset(apiKeys, ann, JSON.stringify({ account, sealed }));
    const accounts = accountsOf(vault);
    expect(await accounts.ofKey(workspace, apiKey)).toEqual({ workspace, account });
    expect(await accounts.connect(workspace, ben, apiKey, asId('another'))).toEqual({ workspace, account });
  });

  test('that versions before polled is known after its last key was deleted', async () => {
    const ref = { workspace, account: accountIdOf(workspace, apiKey) };
    const accounts = accountsOf(present);
    expect(await accounts.ofKey(workspace, apiKey)).toBeUndefined();
    await redis.hset(accountKey(ref, 'campaigns'), 'c0ffee01', '{}');
    expect(await accounts.ofKey(workspace, apiKey)).toEqual(ref);
  });

  test('stays when the key is deleted and connected again; the first of two processes decides', async () => {
    const accounts = accountsOf(present);
    const first = await accounts.connect(workspace, ann, apiKey);
    const [one, other] = await Promise.all([
      accounts.connect(workspace, ann, 'new-key', first.account),
      accountsOf(present).connect(workspace, ben, 'new-key'),
    ]);
    expect(other).toEqual(one);
    await accounts.disconnect(workspace, ann);
    await accounts.disconnect(workspace, ben);
    expect(await accounts.ofKey(workspace, 'new-key')).toEqual(one);
    expect(await accounts.connect(workspace, ben, 'new-key')).toEqual(one);
    expect(await accounts.connect(workspace, ben, apiKey)).toEqual(first);
    expect(await accounts.all(workspace)).toHaveLength(new Set([first.account, one.account]).size);
  });

  test('with several keys uses one that works, and each in turn when none does', async () => {
    const accounts = accountsOf(present);
    const ref = await accounts.connect(workspace, ann, apiKey);
    await accounts.connect(workspace, ben, 'new-key', ref.account);
    await accounts.recordRefusedKey(workspace, apiKey, 1);
    expect(await accounts.keyOf(ref)).toBe('new-key');
    await accounts.recordRefusedKey(workspace, 'new-key', 2);
    expect(await accounts.keyOf(ref)).toBe(apiKey);
    await accounts.recordRefusedKey(workspace, apiKey, 3);
    expect(await accounts.keyOf(ref)).toBe('new-key');
    await accounts.recordAcceptedKey(workspace, apiKey);
    expect(await accounts.keyOf(ref)).toBe(apiKey);
    await accounts.recordRefusedKey(workspace, apiKey, 4);
    await accounts.connect(workspace, ann, apiKey);
    expect(await accounts.keyOf(ref)).toBe(apiKey);
  });

  test('a key that waits for an answer is encrypted, given out once, and deleted with the member’s key', async () => {
    const { pendingKeys, ...accounts } = accountsOf(present);
    const pending = { key: apiKey, account: asId<AccountId>('a'), action: '' };
    await pendingKeys.put(workspace, ann, pending);
    const [name = ''] = await redis.keys('*pending*');
    expect(await redis.get(name)).not.toContain(apiKey);
    expect(await redis.ttl(name)).toBeGreaterThan(0);
    expect(await pendingKeys.take(workspace, ben)).toBeUndefined();
    expect(await pendingKeys.take(workspace, ann)).toEqual(pending);
    expect(await pendingKeys.take(workspace, ann)).toBeUndefined();
    await pendingKeys.put(workspace, ann, pending);
    await accounts.disconnect(workspace, ann);
    expect(await pendingKeys.take(workspace, ann)).toBeUndefined();
  });
});

describe('campaigns prove that two lists are of one account', () => {
  const ids = (...some: string[]) => new Set(some.map((id) => asId<CampaignId>(id)));

  test.each([
    ['the same', ids('a', 'b'), ids('a', 'b'), 2],
    ['one list without what was archived', ids('a', 'b', 'c', 'd', 'e', 'f'), ids('e', 'f'), 2],
    ['new ones since', ids('a'), ids('a', 'b', 'c', 'd'), 1],
    ['none in common', ids('a', 'b'), ids('c'), 0],
    ['fewer than most of the shorter list', ids('a', 'b', 'c', 'd'), ids('a', 'x', 'y', 'z'), 0],
    ['nothing known', ids(), ids('a'), 0],
    ['nothing seen', ids('a'), ids(), 0],
  ])('%s', (_, known, seen, common) => {
    expect(commonCampaigns(known, seen)).toHaveLength(common);
  });
});

test('keys that were swapped in Redis, or given to another account, are used for neither', async () => {
  const accounts = accountsOf(present);
  const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];
  const first = await accounts.connect(workspace, ann, 'first key');
  const second = await accounts.connect(workspace, ben, 'second key');
  const entry = async (member: MemberId) => JSON.parse((await redis.hget(apiKeys, member)) ?? '');
  const [ofAnn, ofBen] = [await entry(ann), await entry(ben)];
  const put = async (member: MemberId, stored: object) => {
    await redis.hset(apiKeys, member, JSON.stringify(stored));
    await redis.del(`${apiKeys}:version`);
  };
  for (const [forAnn, forBen] of [
    [ofBen, ofAnn],
    [
      { ...ofAnn, account: second.account },
      { ...ofBen, account: first.account },
    ],
    [
      { ...ofAnn, sealed: ofBen.sealed },
      { ...ofBen, sealed: ofAnn.sealed },
    ],
  ]) {
    await put(ann, forAnn);
    await put(ben, forBen);
    expect(await accounts.keyOf(first)).toBeUndefined();
    expect(await accounts.keyOf(second)).toBeUndefined();
    expect(await accounts.unreadable(workspace)).toBe(2);
  }
  await put(ann, ofAnn);
  expect(await accounts.keyOf(first)).toBe('first key');
});

describe('after another encryption key was put first', () => {
  const both = createVault([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
  const members = Array.from({ length: 5 }, (_, index) => asId<MemberId>(`U0${index}`));

  test('a key is sealed anew as it is used; so is one of version 0.1, with its account', async () => {
    const ref = await accountsOf(former).connect(workspace, asId('U01ANN'), apiKey);
    const sealed = former.seal(apiKey, `api-key ${workspace} U02BEN`);
    await redis.hset(apiKeys, 'U02BEN', JSON.stringify({ account: ref.account, sealed }));
    expect(await accountsOf(both).keyOf(ref)).toBe(apiKey);
    expect(await accountsOf(present).unreadable(workspace)).toBe(0);
    expect(await accountsOf(present).keyOf(ref)).toBe(apiKey);
  });

  test('one command seals everything anew, once, also what waits for an answer; what it cannot read it leaves', async () => {
    const before = accountsOf(former);
    for (const member of members) await before.connect(workspace, member, `key of ${member}`);
    const account = accountIdOf(workspace, apiKey);
    await before.pendingKeys.put(workspace, asId('U01ANN'), { key: apiKey, account, action: '' });
    await redis.hset(apiKeys, 'U09LOST', JSON.stringify({ account, sealed: 'k.a.b.c' }));
    const pending = `proofdesk:{${workspace}}:pending-key:U01ANN`;
    await redis.expire(pending, 600);
    const count = async () => (await accountsOf(both).reseal(workspace)).sort();
    expect(await count()).toEqual([...Array(6).fill('resealed'), 'unreadable']);
    expect(await count()).toEqual([...Array(6).fill('current'), 'unreadable']);
    expect(await redis.ttl(pending)).toBeGreaterThan(500);
    expect(await redis.ttl(pending)).toBeLessThanOrEqual(600);
    const after = accountsOf(present);
    for (const member of members) {
      const ref = await after.of(workspace, member);
      expect(await after.keyOf(ref as AccountRef)).toBe(`key of ${member}`);
    }
    expect(await after.pendingKeys.take(workspace, asId('U01ANN'))).toMatchObject({ key: apiKey });
    expect(await redis.hget(apiKeys, 'U09LOST')).toContain('k.a.b.c');
  });

  test('a key that is connected meanwhile is not replaced by the one before', async () => {
    const ref = await accountsOf(former).connect(workspace, asId('U01ANN'), 'before');
    const accounts = accountsOf(both);
    const resealing = Array.from({ length: 20 }, () => accounts.reseal(workspace));
    await accounts.connect(workspace, asId('U01ANN'), 'after', ref.account);
    await Promise.all(resealing);
    expect(await accountsOf(present).keyOf(ref)).toBe('after');
  });
});
