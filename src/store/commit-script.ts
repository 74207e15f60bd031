import { type Redis, ReplyError } from 'ioredis';
import { appendEntry } from './audit/writer.ts';
import { createBatches } from './batches.ts';
import { type CommitStep, stepFunctions } from './commit-step.ts';
import { isNotArchived } from './record-archive.ts';
import { recordFunctions } from './stored-record.ts';

/** The result of a commit: `outdated` when somebody else wrote the record meanwhile, `refused` by the step's guard. */
export type Committed = 'done' | 'outdated' | 'refused';

/** How a commit is written. Commits with the same script and numbers of keys and arguments can be batched. */
export interface CommitPlan {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly (string | number | Buffer)[];
  /** Whether it depends on the writes of other commits in the same run. */
  readonly isAlone: boolean;
}

/** Most commits that one run of the script makes: Redis does nothing else meanwhile. */
const mostAtOnce = 50;

/**
 * Returns the script that writes records, each with its indexes, its digest, an audit entry and its step, if nobody has
 * written it since it was read: all of these, or nothing. KEYS of each commit: record, digest, needs-render set, audit, then
 * one per index, then those of the step. ARGV: version, id, body, revision, when it began to need rendering (ms, or ''),
 * digest text or '' to leave it unchanged, audit entry or '', then one score per index, '' or 'out' (it was not in the index
 * and is not now), the digest of an archived value as read or '', those of the step, the next version. They are preceded by
 * the numbers of keys and arguments of each commit. Returns for each 1, 0 when the version has changed, -1 when the step's
 * guard refuses, or the error of a write that Redis refused.
 * @param archive the mark of archived digests, and the digest that the value was read from, if it was archived
 */
export const commitScript = (
  indexes: number,
  step: CommitStep | undefined,
  archive: { readonly mark: string; readonly read: boolean } | undefined,
) => `
${recordFunctions}
${stepFunctions}
local all, records, written, results = { KEYS, ARGV }, {}, {}, {}
local function partOf(list, from, length)
  local part = {}
  for i = 1, length do part[i] = list[from + i] end
  return part
end
local function commit(KEYS, ARGV)
  local record = records[KEYS[1]]
  if record.version ~= tonumber(ARGV[1]) then return 0 end
  ${archive === undefined ? '' : isNotArchived(archive, `ARGV[${8 + indexes}]`)}
  ${step?.guard ? `if not (${step.guard(5 + indexes, 9 + indexes)}) then return -1 end` : ''}
  record.version, record.revision, record.body = tonumber(ARGV[#ARGV]), ARGV[4], ARGV[3]
  written[#written + 1] = KEYS[1]
  written[#written + 1] = textOf(record)
  if ARGV[6] ~= '' then later('HSET', KEYS[2], ARGV[2], ARGV[6]) end
  if ARGV[5] ~= '' then later('ZADD', KEYS[3], ARGV[5], ARGV[2]) end
  if ARGV[7] ~= '' then afterwards(function() ${appendEntry('KEYS[4]', 'ARGV[7]')} end) end
  for i = 5, ${4 + indexes} do
    local score = ARGV[i + 3]
    if score == '' then later('ZREM', KEYS[i], ARGV[2])
    elseif score ~= 'out' then later('ZADD', KEYS[i], score, ARGV[2]) end
  end
  ${step?.lua(5 + indexes, 9 + indexes) ?? ''}
  return 1
end
local keys, args = tonumber(ARGV[1]), tonumber(ARGV[2])
local recordKeys = {}
for i = 1, #KEYS, keys do recordKeys[#recordKeys + 1] = KEYS[i] end
records = readRecords(recordKeys)
for i = 0, #recordKeys - 1 do
  current = i + 1
  results[current] = commit(partOf(KEYS, i * keys, keys), partOf(ARGV, 2 + i * args, args))
end
if #written > 0 then redis.call('MSET', unpack(written)) end
flush(function(of, problem) results[of] = problem end)
return results`;

/**
 * Creates the batching of commits: commits of one shape that arrive while others are running are made together afterwards.
 */
export function createCommits(redis: Redis) {
  async function run(plans: readonly [CommitPlan, ...CommitPlan[]]): Promise<(Committed | Error)[]> {
    const [first] = plans;
    const keys = plans.flatMap((plan) => plan.keys);
    const args = plans.flatMap((plan) => plan.args);
    const sizes = [first.keys.length, first.args.length];
    const answers = await redis.eval(first.script, keys.length, ...keys, ...sizes, ...args);
    return (answers as (number | string)[]).map((answer) => {
      if (typeof answer === 'string') return new ReplyError(answer);
      return answer === 1 ? 'done' : answer === 0 ? 'outdated' : 'refused';
    });
  }

  const inBatches = createBatches(run, { most: mostAtOnce });
  let alone = 0;

  /** @param group identifies commits whose keys are on one node */
  return async (group: string, plan: CommitPlan): Promise<Committed> => {
    const shape = plan.isAlone
      ? `alone ${++alone}`
      : `${plan.keys.length} ${plan.args.length} ${plan.script}`;
    const result = await inBatches(`${group} ${shape}`, plan);
    if (result instanceof Error) throw result;
    return result;
  };
}
