import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { AuditStep } from './audit.ts';

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

const run = scriptIn('change');

/** A command of Redis on one key. */
export type Command = readonly [name: string, key: string, ...args: (string | number)[]];

/** What a command is expected to reply, '' for nothing. */
type Expected = readonly [reply: string, ...command: Command];

/** Returns an argument as Redis stores it: half of a character cannot be, nor can the script read it. */
const asStored = (arg: string | number): string => String(arg).replace(/\p{Surrogate}/gu, '\ufffd');

/**
 * Runs commands in one step, unless a reply is not the expected one: somebody else has changed it since it was read. Resolves
 * to whether they ran. All keys are of one account or workspace.
 * @param step an audit entry that is added with them
 */
export async function changeIf(
  redis: Redis,
  expected: readonly Expected[],
  commands: readonly Command[],
  step?: AuditStep,
): Promise<boolean> {
  const keys: string[] = [];
  const numbered = ([name, key, ...args]: Command) => {
    const at = keys.indexOf(key);
    return [name, at < 0 ? keys.push(key) : at + 1, ...args.map(asStored)];
  };
  const entry: readonly Command[] = step === undefined ? [] : [['XADD', step.key, '*', 'entry', step.text]];
  const both = [
    expected.map(([reply, ...command]) => [reply, ...numbered(command)]),
    [...commands, ...entry].map(numbered),
  ];
  const isDone = (await run(redis, keys, [JSON.stringify(both)])) === 1;
  if (isDone) step?.stored();
  return isDone;
}

/** Runs commands in one step, with their audit entry. All keys are of one account or workspace. */
export async function change(
  redis: Redis,
  step: AuditStep | undefined,
  ...commands: Command[]
): Promise<void> {
  await changeIf(redis, [], commands, step);
}
