import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AccountId, AccountRef, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createVault, loadEncryptionKeys } from '../../src/store/encryption.ts';
import { asId, ref } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { audited } from './audited.ts';

const { workspace } = ref;
const apiKeys = `proofdesk:{${workspace}}:api-keys`;
const apiKey = 'employer-demo-key';
const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];
const [former, present] = [createVault([Buffer.alloc(32, 1)]), createVault([Buffer.alloc(32, 2)])];

const redis = redisPerFile();
let log: { fields: object; message: string }[] = [];
beforeEach(() => {
  log = [];
});

function accountsOf(vault: ReturnType<typeof createVault>) {
  const error = (fields: object, message: string) => void log.push({ fields, message });
  return createAccounts(redis(), vault, { error: error as never });
}

test.each(['U01ANN', 'U02BEN'])(
  'a key that cannot be opened, of %s, does not hide the same key of another member',
  async (withFormerKey) => {
    const accounts = accountsOf(present);
    for (const member of [ann, ben])
      await accountsOf(member === withFormerKey ? former : present).connect(ref, member, apiKey);
    await redis().hset(apiKeys, 'U00BAD', 'not an entry');
    expect(await accounts.keyOf(ref)).toBe(apiKey);
    expect(await accounts.unreadable(workspace)).toBe(2);
    expect(log).toEqual([]);
  },
);

test('an account of which no key opens has none; that is logged once, without anything secret', async () => {
  await accountsOf(former).connect(ref, ann, apiKey);
  const { sealed } = JSON.parse((await redis().hget(apiKeys, 'U01ANN')) ?? '') as { sealed: string };
  const accounts = accountsOf(present);
  expect(await accounts.keyOf(ref)).toBeUndefined();
  expect(await accounts.keyOf(ref)).toBeUndefined();
  const message = expect.stringMatching(/^no API key of this account can be decrypted/);
  expect(log).toEqual([{ fields: { ...ref, keys: 1 }, message }]);
  expect(JSON.stringify(log)).not.toContain(apiKey);
  expect(JSON.stringify(log)).not.toContain(sealed);

  await accounts.connect(ref, ann, apiKey);
  expect(await accounts.keyOf(ref)).toBe(apiKey);
});

test('an account has a name that no other has, in whatever case', async () => {
  const accounts = accountsOf(present);
  const first = await accounts.create(workspace, apiKey, 'Acme');
  expect(await accounts.create(workspace, 'another key', 'aCME')).toBeUndefined();
  expect(await accounts.named(workspace, 'ACME')).toEqual(first);
  expect(await accounts.named(workspace, 'Acme 2')).toBeUndefined();
  expect([...(await accounts.names(workspace)).values()]).toEqual(['Acme']);
  expect(await accounts.all(workspace)).toEqual([first]);
});

test('an account is that of its key, also after the key was deleted; the first of two processes decides', async () => {
  const create = (name: string) => accountsOf(present).create(workspace, apiKey, name);
  const [one, other] = await Promise.all([create('Acme'), create('Other')]);
  expect(other).toEqual(one);
  const accounts = accountsOf(present);
  await accounts.connect(one as AccountRef, ann, apiKey);
  await accounts.connect(one as AccountRef, ben, 'new-key');
  await accounts.disconnect(workspace, ben);
  expect(await accounts.ofKey(workspace, 'new-key')).toEqual(one);
  expect(await create('Third')).toEqual(one);
  expect(await accounts.ofKey(workspace, 'another key')).toBeUndefined();
  expect(await accounts.all(workspace)).toEqual([one]);
});

test('an account with several keys uses the newest that works, and each in turn when none does', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const accounts = accountsOf(present);
  await accounts.connect(ref, ben, apiKey);
  vi.advanceTimersByTime(1);
  await accounts.connect(ref, ann, 'new-key');
  vi.useRealTimers();
  expect(await accounts.keyOf(ref)).toBe('new-key');
  await accounts.recordRefusedKey(workspace, 'new-key', 2);
  expect(await accounts.keyOf(ref)).toBe(apiKey);
  await accounts.recordRefusedKey(workspace, apiKey, 3);
  expect(await accounts.keyOf(ref)).toBe('new-key');
  await accounts.recordRefusedKey(workspace, 'new-key', 4);
  expect(await accounts.keyOf(ref)).toBe(apiKey);
  await accounts.recordAcceptedKey(workspace, 'new-key');
  expect(await accounts.keyOf(ref)).toBe('new-key');
});

test('an account whose keys are replaced keeps those that work; when none is refused, all are replaced', async () => {
  const accounts = accountsOf(present);
  const keys = async () => (await accounts.usableKeys(ref)).map(({ key }) => key).sort();
  await accounts.connect(ref, 'shared', apiKey);
  await accounts.connect(ref, ben, 'key of ben');
  await accounts.recordRefusedKey(workspace, apiKey, 1);
  await accounts.replace(ref, 'new key', ann);
  expect(await keys()).toEqual(['key of ben', 'new key']);
  await accounts.replace(ref, 'newer key', ann);
  expect(await keys()).toEqual(['newer key']);
  expect(await accounts.owners(ref)).toEqual({ isShared: true, members: [ben] });
  await accounts.disconnect(workspace, 'shared');
  await accounts.disconnect(workspace, ben);
  await accounts.replace(ref, 'last key', ann);
  expect(await accounts.owners(ref)).toEqual({ isShared: false, members: [ann] });
  expect(await accounts.disconnect(workspace, ben)).toBeUndefined();
  const deleted = (await audited(redis(), { workspace })).filter(({ what }) => what === 'disconnect');
  expect(deleted.map(({ by, how }) => by ?? how)).toEqual(['setting', ben]);
});

test('keys that were swapped in Redis, or given to another account, are used for neither', async () => {
  const accounts = accountsOf(present);
  const [first, second] = [ref, { workspace, account: asId<AccountId>('a2') }];
  await accounts.connect(first, ann, 'first key');
  await accounts.connect(second, ben, 'second key');
  const entry = async (member: MemberId) => JSON.parse((await redis().hget(apiKeys, member)) ?? '');
  const [ofAnn, ofBen] = [await entry(ann), await entry(ben)];
  const put = async (member: MemberId, stored: object) => {
    await redis().hset(apiKeys, member, JSON.stringify(stored));
    await redis().del(`${apiKeys}:version`);
  };
  const swapped = (field: string) => [
    { ...ofAnn, [field]: ofBen[field] },
    { ...ofBen, [field]: ofAnn[field] },
  ];
  for (const [forAnn, forBen] of [[ofBen, ofAnn], swapped('account'), swapped('sealed')]) {
    await put(ann, forAnn);
    await put(ben, forBen);
    expect(await accounts.keyOf(first)).toBeUndefined();
    expect(await accounts.keyOf(second)).toBeUndefined();
    expect(await accounts.unreadable(workspace)).toBe(2);
  }
  await put(ann, ofAnn);
  expect(await accounts.keyOf(first)).toBe('first key');
  const other = asId<WorkspaceId>('T2');
  await redis().hset(apiKeys.replace(workspace, other), ann, JSON.stringify(ofAnn));
  expect(await accounts.keyOf({ ...first, workspace: other })).toBeUndefined();
});

const both = createVault([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
const members = Array.from({ length: 5 }, (_, index) => asId<MemberId>(`U0${index}`));

test('after another encryption key was put first, a start seals everything anew, once; what it cannot read it leaves', async () => {
  const before = accountsOf(former);
  for (const member of members) await before.connect(ref, member, `key of ${member}`);
  await redis().hset(apiKeys, 'U09LOST', JSON.stringify({ account: ref.account, sealed: 'k.a.b.c', at: 1 }));
  const count = async () => (await accountsOf(both).reseal(workspace)).sort();
  expect(await count()).toEqual([...Array(5).fill('resealed'), 'unreadable']);
  expect(await count()).toEqual([...Array(5).fill('current'), 'unreadable']);
  const keys = (await accountsOf(present).usableKeys(ref)).map(({ key }) => key);
  expect(keys.sort()).toEqual(members.map((member) => `key of ${member}`));
  expect(await redis().hget(apiKeys, 'U09LOST')).toContain('k.a.b.c');
});

test('after another encryption key was put first, a key that is connected meanwhile is not replaced by the one before', async () => {
  await accountsOf(former).connect(ref, ann, 'before');
  const accounts = accountsOf(both);
  const resealing = Array.from({ length: 20 }, () => accounts.reseal(workspace));
  await accounts.connect(ref, ann, 'after');
  await Promise.all(resealing);
  expect(await accountsOf(present).keyOf(ref)).toBe('after');
});

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

test('the vault opens what it sealed, for the same purpose only', () => {
  const vault = createVault([first]);
  const sealed = vault.seal('the key: ключ', 'api-key T1 U1');
  expect(vault.open(sealed, 'api-key T1 U1')).toBe('the key: ключ');
  expect(() => vault.open(sealed, 'api-key T1 U2')).toThrow();
  expect(() => vault.open(sealed, 'api-key T2 U1')).toThrow();
});

test('the vault never seals the same twice alike, and shows nothing of the secret', () => {
  const vault = createVault([first]);
  const all = Array.from({ length: 50 }, () => vault.seal('secret', 'p'));
  expect(new Set(all).size).toBe(50);
  expect(all.join()).not.toContain('secret');
  expect(all.join()).not.toContain(Buffer.from('secret').toString('base64url'));
});

test('the vault refuses what was changed in any of its parts', () => {
  const vault = createVault([first]);
  const parts = vault.seal('secret', 'p').split('.');
  for (const index of [1, 2, 3]) {
    const changed = parts.map((part, at) => (at === index ? flipped(part) : part));
    expect(() => vault.open(changed.join('.'), 'p')).toThrow();
  }
  expect(() => vault.open('', 'p')).toThrow();
  expect(() => vault.open(parts.slice(0, 3).join('.'), 'p')).toThrow();
});

test('a key can be replaced: the first encrypts, all decrypt', () => {
  const old = createVault([first]).seal('secret', 'p');
  const both = createVault([second, first]);
  expect(both.open(old, 'p')).toBe('secret');
  const renewed = both.seal('secret', 'p');
  expect(createVault([second]).open(renewed, 'p')).toBe('secret');
  expect(() => createVault([second]).open(old, 'p')).toThrow(/encryption key not configured/);
  expect(() => createVault([first]).open(renewed, 'p')).toThrow(/encryption key not configured/);
});

test('the vault needs a key', () => {
  expect(() => createVault([])).toThrow(RangeError);
});

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-keys-'));
});
afterEach(() => rm(dataDir, { recursive: true }));
const [one, other] = [first.toString('base64'), second.toString('base64')];

test('the key file is made once, for its owner only, where the setting says', async () => {
  const encryptionKeyFile = join(dataDir, 'elsewhere/bot.key');
  const settings = { dataDir, encryptionKeys: [], encryptionKeyFile };
  const [made] = await loadEncryptionKeys(settings);
  expect(made).toHaveLength(32);
  expect((await stat(encryptionKeyFile)).mode & 0o777).toBe(0o600);
  expect(await loadEncryptionKeys(settings)).toEqual([made]);
  const usual = await loadEncryptionKeys({ dataDir, encryptionKeys: [] });
  expect(await readFile(join(dataDir, 'encryption.key'), 'utf8')).toContain(usual[0]?.toString('base64'));
});

test('the key file may have several keys, and is not made where the data are used by others', async () => {
  const encryptionKeyFile = join(dataDir, 'keys');
  const settings = { dataDir, encryptionKeys: [], encryptionKeyFile, redisUrl: 'redis://h' };
  await expect(loadEncryptionKeys(settings)).rejects.toThrow(/cannot be read from .*openssl rand/);
  await writeFile(encryptionKeyFile, `${other}\n${one}\n`);
  expect(await loadEncryptionKeys(settings)).toEqual([second, first]);
  await writeFile(encryptionKeyFile, 'nonsense');
  await expect(loadEncryptionKeys(settings)).rejects.toThrow(/must contain encryption keys/);
});

test('the key file that was moved by the setting alone is not replaced by a new key', async () => {
  await loadEncryptionKeys({ dataDir, encryptionKeys: [] });
  const moved = { dataDir, encryptionKeys: [], encryptionKeyFile: join(dataDir, 'new place') };
  await expect(loadEncryptionKeys(moved)).rejects.toThrow(/Move that file there/);
});

function flipped(part: string): string {
  const bytes = Buffer.from(part, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return bytes.toString('base64url');
}
