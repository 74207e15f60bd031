import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { probeKey } from './keys.ts';

/** One command of each kind that an access list allows or forbids, with arguments that change nothing. */
const needed: readonly (readonly [command: string, ...args: string[]])[] = [
  ['GET', probeKey],
  ['SET', probeKey, '1', 'EX', '60'],
  ['EVAL', 'return 1', '0'],
  ['EVALSHA', '0'.repeat(40), '0'],
  // Without MULTI, it is refused.
  ['EXEC'],
  ['TIME'],
];

async function isForbidden(
  redis: Redis,
  [command, ...args]: readonly [string, ...string[]],
): Promise<boolean> {
  return redis.call(command, ...args).then(
    () => false,
    (error: unknown) => /\bNOPERM\b/.test(messageOf(error)),
  );
}

/** Returns the commands that Redis does not let this user run, and without which the bot cannot work. */
export async function forbiddenCommands(redis: Redis): Promise<string[]> {
  const forbidden = await Promise.all(needed.map((call) => isForbidden(redis, call)));
  return needed.flatMap(([command], index) => (forbidden[index] ? [command] : []));
}

/** Returns whether this user may run INFO: without it, some checks are left out. */
export async function mayReadInfo(redis: Redis): Promise<boolean> {
  return !(await isForbidden(redis, ['INFO', 'server']));
}

/** Says which commands are forbidden, and what to do. */
export function forbiddenText(commands: readonly string[]): string {
  return `it does not let the user of REDIS_URL run ${commands.join(', ')}. Allow what “Redis” in README.md lists.`;
}
