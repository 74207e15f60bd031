import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVault, loadEncryptionKeys } from '../../src/store/encryption.ts';

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
