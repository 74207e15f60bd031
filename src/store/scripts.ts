import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

const folder = new URL('./lua/', import.meta.url);

/** All scripts in `lua/`, by name, as the option of a connection: commands that travel together have to know them. */
export const scripts: Readonly<Record<string, { readonly lua: string }>> = Object.fromEntries(
  readdirSync(folder).map((file) => [
    file.replace('.lua', ''),
    { lua: readFileSync(new URL(file, folder), 'utf8') },
  ]),
);

/** Runs a script with its keys and arguments, as named at its top. */
export type Script = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
) => Promise<unknown>;

/** Returns the script in `lua/<name>.lua`. */
export function scriptIn(name: string): Script {
  return (redis, keys, args) => {
    const commands = redis as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
    if (commands[name] === undefined) redis.defineCommand(name, scripts[name] as { lua: string });
    return (commands[name] as (...all: unknown[]) => Promise<unknown>)(keys.length, ...keys, ...args);
  };
}
