import { describe, expect, test } from 'vitest';
import { createVault } from '../../src/store/encryption.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

describe('the vault', () => {
  test('opens what it sealed, for the same purpose only', () => {
    const vault = createVault([first]);
    const sealed = vault.seal('the key: ключ', 'api-key T1 U1');
    expect(vault.open(sealed, 'api-key T1 U1')).toBe('the key: ключ');
    expect(() => vault.open(sealed, 'api-key T1 U2')).toThrow();
    expect(() => vault.open(sealed, 'api-key T2 U1')).toThrow();
  });

  test('never seals the same twice alike, and shows nothing of the secret', () => {
    const vault = createVault([first]);
    const all = Array.from({ length: 50 }, () => vault.seal('secret', 'p'));
    expect(new Set(all).size).toBe(50);
    expect(all.join()).not.toContain('secret');
    expect(all.join()).not.toContain(Buffer.from('secret').toString('base64url'));
  });

  test('refuses what was changed in any of its parts', () => {
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

  test('needs a key', () => {
    expect(() => createVault([])).toThrow(RangeError);
  });
});

function flipped(part: string): string {
  const bytes = Buffer.from(part, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return bytes.toString('base64url');
}
