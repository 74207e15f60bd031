import type { Redis } from 'ioredis';
import type { Op } from '../domain/op.ts';
import { scriptIn } from './scripts.ts';

const run = scriptIn('commit');

/** The result of a commit: `outdated` when somebody else wrote the record meanwhile, `refused` when there was no room. */
export type Committed = 'done' | 'outdated' | 'refused';

const results: readonly Committed[] = ['outdated', 'done', 'refused'];

/** A set that must have fewer members than a limit. */
export interface Room {
  readonly key: string;
  readonly limit: number;
}

/** What a commit writes. Keys are as in Redis. */
export interface Commit {
  readonly key: string;
  /** The version as read, and the next one. */
  readonly version: number;
  readonly next: number;
  readonly value: string;
  readonly revision: number;
  readonly ops: readonly Op[];
  readonly room?: Room | undefined;
}

/**
 * Writes a record with everything that its change touches, if nobody has written it since it was read: all of it, or
 * nothing.
 */
export async function commit(redis: Redis, { room, ops, ...record }: Commit): Promise<Committed> {
  const keys = [record.key];
  const numberOf = (key: string | undefined): number => {
    if (key === undefined) return 0;
    const at = keys.indexOf(key, 1);
    return at > 0 ? at + 1 : keys.push(key);
  };
  const guarded = numberOf(room?.key);
  const numbered = ops.map(({ run: name, key, other, args }) => [
    name,
    numberOf(key),
    numberOf(other),
    ...args.map(String),
  ]);
  const answer = await run(redis, keys, [
    record.version,
    record.next,
    record.value,
    record.revision,
    guarded,
    room?.limit ?? 0,
    JSON.stringify(numbered),
  ]);
  return results[Number(answer)] ?? 'outdated';
}
