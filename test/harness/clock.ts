import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const dayMs = 86_400_000;

/** A clock that a test can shift while a program uses it. */
export interface ShiftedClock {
  /** The environment of a program that uses this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock `ms` ahead of the machine's (behind it if negative). */
  shift(ms: number): void;
  remove(): void;
}

/** Creates a clock for Node programs. It does not affect their timers, like setting a machine's clock. */
export function createNodeClock(ms = 0): ShiftedClock {
  const preload = join(import.meta.dirname, 'shifted-clock.mjs');
  const envOf = (file: string) => ({ NODE_OPTIONS: `--import ${preload}`, CLOCK_OFFSET_FILE: file });
  return createClock(ms, String, envOf);
}

/**
 * Creates a clock for redis-server, using libfaketime. If that is missing, throws an error that says what to install.
 *
 * Memory comes from libc, because Debian's redis-server uses jemalloc, which asks for the time before libfaketime can
 * answer. Redis measures durations with the monotonic clock, which is not affected.
 */
export function createRedisClock(ms = 0): ShiftedClock {
  const envOf = (file: string) => ({
    LD_PRELOAD: `${faketimeLibrary()}:libc.so.6`,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  return createClock(ms, (by) => `${by < 0 ? '-' : '+'}${Math.abs(by) / 1_000}`, envOf);
}

function createClock(
  ms: number,
  contentOf: (ms: number) => string,
  envOf: (file: string) => Readonly<Record<string, string>>,
): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-clock-'));
  const file = join(folder, 'offset');
  const shift = (by: number) => {
    // Atomically, so that nobody reads a partial file.
    const draft = join(folder, randomUUID());
    writeFileSync(draft, contentOf(by));
    renameSync(draft, file);
  };
  shift(ms);
  return { env: envOf(file), shift, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the path of libfaketime. */
function faketimeLibrary(): string {
  const folders = ['/usr/lib', '/usr/lib64', '/usr/local/lib'].flatMap((folder) => [
    folder,
    ...within(folder),
  ]);
  const found = folders
    .map((folder) => join(folder, 'faketime/libfaketime.so.1'))
    .find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(
      'libfaketime is missing. Run "npm run setup", or install it (Debian: apt-get install faketime).',
    );
  }
  return found;
}

function within(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
