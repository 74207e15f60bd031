import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { access, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.ts';

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

/** Where encryption keys are configured. */
export interface KeySettings {
  readonly encryptionKeys: readonly Buffer[];
  readonly encryptionKeyFile?: string;
  readonly dataDir: string;
  readonly redisUrl?: string;
}

/**
 * Loads the encryption keys from the settings, or from their file. For a private Redis, a file is created on the first
 * start, readable by its owner only. Without the keys, the stored API keys cannot be used. Throws UserError when the file is
 * missing or holds no keys.
 */
export async function loadEncryptionKeys(settings: KeySettings): Promise<readonly Buffer[]> {
  if (settings.encryptionKeys.length > 0) return settings.encryptionKeys;
  const usual = join(settings.dataDir, 'encryption.key');
  const path = settings.encryptionKeyFile ?? usual;
  if (settings.redisUrl === undefined && !(await exists(path))) {
    if (path !== usual && (await exists(usual))) {
      throw new UserError(
        `PROOFDESK_KEY_FILE (${path}) does not exist, and the key that is in use is in ${usual}. Move that file there.`,
      );
    }
    await createKeyFile(path);
  }
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UserError(
      `The encryption keys cannot be read from ${path} (${messageOf(error)}). Create the file with: openssl rand -base64 32 > ${path}`,
    );
  });
  const keys = text
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .map((each) => Buffer.from(each, 'base64'));
  if (keys.length > 0 && keys.every(({ length }) => length === 32)) return keys;
  throw new UserError(
    `${path} must contain encryption keys of 32 bytes in base64, one per line. Restore the right file; if it is lost, delete this one and have everyone connect again.`,
  );
}

async function createKeyFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
    await file.close();
  } catch (error) {
    throw new UserError(
      `The encryption key cannot be stored in ${path} (${messageOf(error)}). Set PROOFDESK_KEY_FILE to a file that can be written.`,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
