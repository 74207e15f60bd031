import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts secrets so that they can only be decrypted for the same purpose. */
export interface Vault {
  /** Encrypts a secret for a purpose (workspace and member). */
  seal(secret: string, purpose: string): string;
  /** Decrypts a secret. Throws when the text was changed, has another purpose, or its key is not configured. */
  open(sealed: string, purpose: string): string;
  /** Returns whether a secret is encrypted with the first key, so that the others are not needed for it. */
  isCurrent(sealed: string): boolean;
}

/**
 * Creates a vault with AES-256-GCM. The first key encrypts and all decrypt, so that a key can be replaced without downtime.
 * @param keys 32 bytes each, at least one
 */
export function createVault(keys: readonly Buffer[]): Vault {
  const byName = new Map(keys.map((key) => [nameOf(key), key]));
  const [first] = keys;
  if (first === undefined) throw new RangeError('a vault needs at least one key');
  const current = nameOf(first);

  return {
    seal(secret, purpose) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first, iv).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [current, iv, sealed, cipher.getAuthTag()]
        .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
        .join('.');
    },

    open(sealed, purpose) {
      const [name = '', iv = '', text = '', tag = ''] = sealed.split('.');
      const key = byName.get(name);
      if (key === undefined) throw new Error('encryption key not configured');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
        authTagLength: 16,
      })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString(
        'utf8',
      );
    },

    isCurrent: (sealed) => sealed.split('.')[0] === current,
  };
}

/** Returns a name that identifies a key without revealing it. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('proofdesk key name').update(key).digest('base64url').slice(0, 8);
}
