import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** Runs a script with its keys and arguments, as named at its top. */
export type Script = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** Returns the script in `lua/<name>.lua`. */
export function scriptIn(name: string): Script {
  const lua = readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');
  return (redis, keys, args) => {
    const commands = redis as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
    if (commands[name] === undefined) redis.defineCommand(name, { lua });
    return (commands[name] as (...all: unknown[]) => Promise<unknown>)(keys.length, ...keys, ...args);
  };
}
