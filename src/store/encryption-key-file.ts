import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';

/**
 * The encryption key that belongs to a private Redis: made on the first start under the same folder, readable by its
 * owner only. Without it nobody can use the API keys that are kept there.
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
    `${path} does not hold an encryption key. Put the right file back; if it is lost, delete it and have everyone connect again.`,
  );
}
