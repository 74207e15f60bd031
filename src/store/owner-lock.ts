import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The process that owns a folder; its start time distinguishes it from a later process with the same id. */
interface Owner {
  readonly pid: number;
  readonly startedAt: string;
}

/** An acquired lock. */
export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Acquires the lock file at `path` for this process, or returns the id of the living process that holds it. Takes over the
 * lock of a dead process. Works between processes of one machine, not for a folder shared between machines.
 */
export async function acquireOwnerLock(path: string): Promise<OwnerLock | { heldBy: number }> {
  const self: Owner = { pid: process.pid, startedAt: (await processStart(process.pid)) ?? '' };
  const content = JSON.stringify(self);
  for (;;) {
    if (await createAtomically(path, content)) {
      return { release: () => removeIfUnchanged(path, content) };
    }
    const found = await readFile(path, 'utf8').catch(() => undefined);
    if (found === undefined) {
      continue;
    }
    const owner = parseOwner(found);
    if (owner !== undefined && (await isAlive(owner))) {
      return { heldBy: owner.pid };
    }
    await removeIfUnchanged(path, found);
  }
}

/** Creates a file with all of its content at once, so that nobody reads half of it. Resolves to false when it exists. */
async function createAtomically(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the file if its content is unchanged. It is first moved aside and checked there, because another process may have
 * replaced it since it was read; other content is put back.
 */
async function removeIfUnchanged(path: string, content: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return;
    }
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== content) {
    await link(aside, path).catch(() => undefined);
  }
  await rm(aside, { force: true });
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'pid' in value && 'startedAt' in value) {
      const { pid, startedAt } = value;
      return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined;
    }
  } catch {
    // Not written by the bot, or truncated by a full disk: it names no owner.
  }
  return undefined;
}

async function isAlive(owner: Owner): Promise<boolean> {
  const startedAt = await processStart(owner.pid);
  return startedAt !== undefined && startedAt === owner.startedAt;
}

/** Returns when a process started, in the system's format; undefined when there is no such process. */
async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    try {
      // Fields 3 (state) and 22 (start), counted after the name in brackets, which may contain any character.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
