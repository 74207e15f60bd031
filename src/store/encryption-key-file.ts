import { randomBytes } from 'node:crypto';
import { access, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.ts';

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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
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
