import type { Redis } from 'ioredis';
import { appendEntry } from './audit/writer.ts';
import type { CommitStep } from './commit-step.ts';

/** The result of a commit: `outdated` when somebody else wrote the record meanwhile, `refused` by the step's guard. */
export type Committed = 'done' | 'outdated' | 'refused';

const results: readonly Committed[] = ['outdated', 'done', 'refused'];

/** What a commit writes. */
export interface CommitPlan {
  /** Record, digest, needs-render set, audit, then one per index. */
  readonly keys: readonly string[];
  /**
   * Version as read, id, next version, value, revision, when it began to need rendering (ms, or ''), digest text or '' to
   * leave it unchanged, audit entry or '', then one score per index, '' to leave it.
   */
  readonly args: readonly (string | number)[];
  readonly step: CommitStep | undefined;
}

const ownKeys = 4;
const ownArgs = 8;

/**
 * Returns the script that writes a record with its indexes, its digest, an audit entry and its step, if nobody has written
 * it since it was read: all of these, or nothing. Returns the number of a result.
 * @param indexes how many indexes there are
 */
const commitScript = (indexes: number, step: CommitStep | undefined) => `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
${step?.guard ? `if not (${step.guard(ownKeys + 1 + indexes, ownArgs + 1 + indexes)}) then return 2 end` : ''}
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'value', ARGV[4], 'revision', ARGV[5])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], ARGV[7]) end
if ARGV[6] ~= '' then redis.call('ZADD', KEYS[3], ARGV[6], ARGV[2]) end
if ARGV[8] ~= '' then ${appendEntry('KEYS[4]', 'ARGV[8]')} end
for i = 1, ${indexes} do
  local score = ARGV[i + ${ownArgs}]
  if score == '' then redis.call('ZREM', KEYS[i + ${ownKeys}], ARGV[2])
  else redis.call('ZADD', KEYS[i + ${ownKeys}], score, ARGV[2]) end
end
${step?.lua(ownKeys + 1 + indexes, ownArgs + 1 + indexes) ?? ''}
return 1`;

/** Makes a commit. */
export async function commit(redis: Redis, { keys, args, step }: CommitPlan): Promise<Committed> {
  const script = commitScript(keys.length - ownKeys, step);
  const all = [...keys, ...(step?.keys ?? [])];
  const answer = await redis.eval(script, all.length, ...all, ...args, ...(step?.args ?? []));
  return results[Number(answer)] ?? 'outdated';
}
