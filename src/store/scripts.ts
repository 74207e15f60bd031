import { readdirSync, readFileSync } from 'node:fs';
import { Cluster, type Redis } from 'ioredis';
import { AccountId, type WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit.ts';
import { accountsPrefix } from './format.ts';

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

/** How many keys a server scans for each answer. */
const scannedAtOnce = 1_000;

/**
 * Yields the names of all keys that match a pattern, on every node of a cluster. Keys created or deleted meanwhile may be
 * missed or no longer exist, and a key may be yielded twice.
 */
export async function* scanKeys(redis: Redis, pattern: string): AsyncGenerator<string> {
  // See redis.ts: a cluster is typed as a single server.
  const connection: unknown = redis;
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', scannedAtOnce);
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/** Returns a text as a pattern that matches only itself. */
export function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/g, '\\$&');
}

/** Yields the keys of a name in all accounts of a workspace, such as `notes:<id>`: those of any id, or of one. */
export async function* keysOfAccounts(redis: Redis, workspace: WorkspaceId, name: string, of?: string) {
  const prefix = accountsPrefix(workspace);
  const id = of === undefined ? '*' : literal(of);
  for await (const key of scanKeys(redis, `${literal(prefix)}*}:${name}:${id}`)) {
    const end = key.indexOf('}:', prefix.length);
    const account = AccountId.parse(key.slice(prefix.length, end));
    yield { key, ref: { workspace, account }, id: key.slice(end + name.length + 3) };
  }
}
