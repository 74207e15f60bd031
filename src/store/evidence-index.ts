import type { Redis } from 'ioredis';
import { z } from 'zod';
import { hashText } from '../domain/evidence/hash.ts';
import type { Posting } from '../domain/evidence/print.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/*
 * The index of what tasks are alike in. It is made for millions of tasks at some 12 bytes per posting, so it consists of small
 * hashes that Redis stores as one string each (at most 128 fields of at most 64 bytes):
 *
 * - Tasks are numbered as they come. `n…` hashes have the ids of 100 numbers each.
 * - A posting is a field of one of many `p…` hashes, named by 3 bytes of its hash. Its value are the numbers of the latest tasks
 *   there, 4 bytes each.
 * - How many of these hashes there are grows with the tasks: each time that their number has doubled, an epoch begins, which has
 *   as many hashes as all before. So nothing is ever moved, and a look is one field per epoch.
 *
 * All keys have the hash tag of the account; scripts make their names from the first part, which they are given.
 */

/** So many tasks are remembered at a place in each epoch; what more tasks have in common says nothing. */
export const mostAtPlace = 15;
/** How many tasks the first epoch has, and how many hashes. */
const firstEpoch = 4_096;
const firstShards = 768;
const namesPerHash = 100;

/**
 * KEYS: how many tasks have a number. ARGV: first part of all keys, id, two hashes of the id, how many postings there are, two
 * hashes for each of them, then two for each place that is only looked at.
 */
const functions = `
local prefix, id = ARGV[1], ARGV[2]
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local function epochOf(number)
  local epoch, last = 0, ${firstEpoch}
  while number >= last do epoch, last = epoch + 1, last * 2 end
  return epoch
end
local function keyOf(epoch, hash)
  local shards = epoch == 0 and ${firstShards} or ${firstShards} * 2 ^ (epoch - 1)
  return prefix .. 'p' .. epoch .. ':' .. string.format('%d', hash % shards)
end
local names = {}
local function nameKey(number) return prefix .. 'n' .. math.floor(number / ${namesPerHash}) end
local function nameOf(number)
  if names[number] == nil then
    names[number] = redis.call('HGET', nameKey(number), number % ${namesPerHash})
  end
  return names[number]
end
local lastEpoch = count > 0 and epochOf(count - 1) or -1
local own
for epoch = 0, lastEpoch do
  local found = redis.call('HGET', keyOf(epoch, tonumber(ARGV[3])), ARGV[4]) or ''
  for at = 1, #found, 4 do
    local number = struct.unpack('>I4', found, at)
    if nameOf(number) == id then own = number end
  end
end
local function remove(hash, field)
  local key = keyOf(epochOf(own), tonumber(hash))
  local found, left = redis.call('HGET', key, field) or '', {}
  for at = 1, #found, 4 do
    if struct.unpack('>I4', found, at) ~= own then left[#left + 1] = string.sub(found, at, at + 3) end
  end
  if #left == 0 then redis.call('HDEL', key, field)
  elseif 4 * #left < #found then redis.call('HSET', key, field, table.concat(left)) end
end`;

/** Returns 1 when the task is new, how many were known before, and for each posting the ids of the latest tasks there, without itself. */
const indexScript = `${functions}
local isNew = own == nil
if isNew then
  own = count
  redis.call('SET', KEYS[1], string.format('%d', count + 1))
  redis.call('HSET', nameKey(own), own % ${namesPerHash}, id)
  names[own] = id
end
local ownEpoch, packed = epochOf(own), struct.pack('>I4', own)
if ownEpoch > lastEpoch then lastEpoch = ownEpoch end
local result = {}
local function look(hash, field, isOwn)
  local ids = {}
  for epoch = lastEpoch, 0, -1 do
    local key = keyOf(epoch, hash)
    local found = redis.call('HGET', key, field) or ''
    local isThere = false
    for at = #found - 3, 1, -4 do
      local number = struct.unpack('>I4', found, at)
      if number == own then isThere = true
      elseif #ids < ${mostAtPlace} then
        local name = nameOf(number)
        if name then ids[#ids + 1] = name end
      end
    end
    if isOwn and epoch == ownEpoch and not isThere then
      local after = found .. packed
      if #after > ${4 * mostAtPlace} then after = string.sub(after, 5) end
      redis.call('HSET', key, field, after)
    end
  end
  return ids
end
look(tonumber(ARGV[3]), ARGV[4], true)
local lastOwn = 5 + 2 * tonumber(ARGV[5])
for arg = 6, lastOwn, 2 do result[#result + 1] = look(tonumber(ARGV[arg]), ARGV[arg + 1], true) end
local probed = {}
for arg = lastOwn + 1, #ARGV, 2 do
  for _, found in ipairs(look(tonumber(ARGV[arg]), ARGV[arg + 1], false)) do probed[#probed + 1] = found end
end
return {isNew and 1 or 0, count, result, probed}`;

/** Takes a task out of the places of some postings. */
const leaveScript = `${functions}
if own == nil then return end
for arg = 6, #ARGV, 2 do remove(ARGV[arg], ARGV[arg + 1]) end`;

/** Takes a task out of its places, and forgets its number. */
const forgetScript = `${functions}
if own == nil then return end
remove(ARGV[3], ARGV[4])
for arg = 6, #ARGV, 2 do remove(ARGV[arg], ARGV[arg + 1]) end
redis.call('HDEL', nameKey(own), own % ${namesPerHash})`;

const Answer = z.tuple([z.number(), z.number(), z.array(z.array(TaskId)), z.array(TaskId)]);

/** What was found where a task was put. */
export interface IndexedTask {
  /** It was not known before. */
  readonly isNew: boolean;
  /** How many tasks were ever put there before. */
  readonly known: number;
  /** The other tasks at the place of each posting, latest first. */
  readonly found: readonly { readonly kind: Posting['kind']; readonly tasks: readonly TaskId[] }[];
  /** The other tasks at the places that were only looked at: once for each place. */
  readonly probed: readonly TaskId[];
}

/** Creates the index by which tasks are found that are alike in something. */
export function createEvidenceIndex(redis: Redis) {
  function run(
    script: string,
    ref: AccountRef,
    task: TaskId,
    postings: readonly Posting[],
    probes: readonly Posting['place'][] = [],
  ) {
    const prefix = accountKey(ref, 'evidence', '');
    const own = [hashText(task, 1), fieldOf(hashText(task, 2))];
    const looked = [...postings.map(({ place }) => place), ...probes];
    const places = looked.flatMap(([shard, field]) => [shard, fieldOf(field)]);
    return redis.eval(script, 1, `${prefix}tasks`, prefix, task, ...own, postings.length, ...places);
  }

  return {
    /** Looks where a task belongs, and puts it there, and at some other places, in one step. A task may be put there again. */
    async put(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: readonly Posting['place'][] = [],
    ): Promise<IndexedTask> {
      const answer = await run(indexScript, ref, task, postings, probes);
      const [isNew, known, found, probed] = Answer.parse(answer);
      return {
        isNew: isNew === 1,
        known,
        found: postings.map(({ kind }, index) => ({ kind, tasks: found[index] ?? [] })),
        probed,
      };
    },

    /** Takes a task out of some places: those of an earlier round. */
    async leave(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      if (postings.length > 0) await run(leaveScript, ref, task, postings);
    },

    /** Takes a task out of all of its places. */
    async forget(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      await run(forgetScript, ref, task, postings);
    },

    /** Returns whether any task was ever put there. */
    async isBegun(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(accountKey(ref, 'evidence', 'tasks'))) === 1;
    },
  };
}

/** Returns the name of a field: 3 bytes, besides those by which its hash was chosen. */
function fieldOf(hash: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(hash & 0xffffff, 0, 3);
  return bytes;
}
