import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';

/**
 * Loads the encryption key of a private Redis: created on the first start in the same folder, readable by its owner only.
 * Without it, the stored API keys cannot be used. Throws UserError when the file holds no key.
 */
export async function loadEncryptionKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'encryption.key');
  await mkdir(dataDir, { recursive: true });
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64');
  if (key.length === 32) return key;
  throw new UserError(
    `${path} does not contain an encryption key. Restore the right file; if it is lost, delete this one and have everyone connect again.`,
  );
}
