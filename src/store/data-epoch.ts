import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, ChannelId, TaskId } from '../domain/terms.ts';
import { appendEntry, auditKey } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** An account's polls, and the epoch of its data. The field names in Redis are older. */
const PollRecord = z
  .object({
    /** When the last complete poll was (ms); absent when there was none yet. */
    at: z.number().exactOptional(),
    /** Increases with every complete poll, and jumps when the data are doubted. */
    polls: z.number(),
    /** The run of the Redis server that these data were last known to come from; '' when unknown. */
    server: z.string(),
    /** Name of the epoch: random, and replaced whenever the data are doubted. */
    epoch: z.string(),
    /**
     * Set while the data are in doubt. `search`: this process does not know what was there before it started, so channels
     * may contain cards without a record · `all`: the data are gone, or they are or may be older than what was known, since
     * another run of Redis serves them (a restart, a failover, a restored copy).
     */
    doubt: z.enum(['search', 'all']).exactOptional(),
    /** Whether the bookkeeping of a doubted epoch has been repaired, so that only the channels remain to be read. */
    isRepaired: z.boolean().default(false),
    /** Set when Redis had no data: they are `new`, as far as the process that noticed knows, or were `lost`. */
    empty: z.enum(['new', 'lost']).exactOptional(),
    /** The time (ms) from which channels may contain cards that the data do not know. */
    since: z.number().exactOptional(),
    /** When data were last recovered with a possible loss (ms). */
    lostAt: z.number().exactOptional(),
    /**
     * Channels that could not be read during recovery, each with the time (ms) from which its cards may show what the data
     * do not know. They are searched once they can be read.
     */
    unsearched: z.record(ChannelId, z.number()).exactOptional(),
  })
  .readonly();
export type PollRecord = z.infer<typeof PollRecord>;

export const pollRecordCodec = createCodec('poll-record', PollRecord);

/** An account's data epoch as one process knows it: what it writes as a result counts only while the epoch holds. */
export interface DataEpoch extends PollRecord {}

/** How far a channel was searched, and what was found so far: another process may continue the search. */
const ChannelSearch = z
  .object({
    /** The search went back to the message with this timestamp, or to the `end`; absent before the first page. */
    to: z.string().exactOptional(),
    /** The channel cannot be read: what only its messages showed is lost. */
    isUnreadable: z.boolean(),
    /** How many messages belong to the account, how many show what no record knows, and how many contradict a record. */
    messages: z.number(),
    newer: z.number(),
    contradicted: z.number(),
    /** The subjects of notices in this channel and the ones before it, each with its latest timestamp. */
    notices: z.record(z.string(), z.string()),
    /** Tasks whose card matches their record: thousands of cards need not be rendered again. */
    current: z.array(TaskId).readonly(),
  })
  .readonly();
export type ChannelSearch = z.infer<typeof ChannelSearch>;

export const channelSearchCodec = createCodec('channel-search', ChannelSearch);

const notSearched: ChannelSearch = {
  isUnreadable: false,
  messages: 0,
  newer: 0,
  contradicted: 0,
  notices: {},
  current: [],
};

/** Reads which run of Redis this is, in a script, so that in a cluster the node that has the keys answers. */
const thisServer = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
`;

/**
 * Returns the record, after noting a doubt that was not noted yet. The number of polls then jumps, so that every other
 * process sees that the doubt is known, and a process that knew more polls than an older copy has doubts it in turn.
 * KEYS: record. ARGV: the number of polls that the process knows of, '' for none; a name for the next epoch.
 */
const checkScript = `${thisServer}
local known = tonumber(ARGV[1])
local recorded = redis.call('HMGET', KEYS[1], 'looks', 'server', 'doubt', 'at', 'since', 'epoch', 'repaired', 'empty', 'lost', 'unsearched')
local polls = tonumber(recorded[1] or '')
if recorded[1] and polls == nil then return { recorded[4], recorded[1], server } end
local doubt
if polls == nil or recorded[2] ~= server or (known and polls < known) then doubt = 'all'
elseif not known then doubt = 'search' end
if not doubt then
  return { recorded[4], recorded[1], recorded[2], recorded[6], recorded[3], recorded[7], recorded[5], recorded[8], recorded[9], recorded[10] }
end
if doubt == 'all' then
  redis.call('HINCRBY', KEYS[1], 'looks', 1000000000)
  redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'server', server, 'doubt', 'all', 'repaired', '0')
  if polls == nil then redis.call('HSET', KEYS[1], 'empty', known and 'lost' or 'new') end
elseif not recorded[3] then
  redis.call('HSET', KEYS[1], 'doubt', 'search')
end
if not recorded[5] then redis.call('HSET', KEYS[1], 'since', recorded[4] or '0') end
return redis.call('HMGET', KEYS[1], 'at', 'looks', 'server', 'epoch', 'doubt', 'repaired', 'since', 'empty', 'lost', 'unsearched')`;

/** Prelude of scripts that write only while the epoch is unchanged. KEYS: record. ARGV: its server and name. */
const inSameEpoch = `${thisServer}
if server ~= ARGV[1] or (redis.call('HGET', KEYS[1], 'epoch') or '') ~= ARGV[2] then return 0 end
`;

/** ARGV: …, time of the poll (ms). Returns the number of polls. */
const recordPollScript = `${inSameEpoch}
redis.call('HSET', KEYS[1], 'at', ARGV[3])
return redis.call('HINCRBY', KEYS[1], 'looks', 1)`;

const recordRepairedScript = `${inSameEpoch}
redis.call('HSET', KEYS[1], 'repaired', '1')
return 1`;

const recordRecoveredScript = `${inSameEpoch}
redis.call('HDEL', KEYS[1], 'doubt', 'since', 'empty', 'unsearched')
redis.call('DEL', KEYS[2])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'unsearched', ARGV[5]) end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'lost', ARGV[4]) end
if ARGV[3] ~= '' then ${appendEntry('KEYS[3]', 'ARGV[3]')} end
return 1`;

/** ARGV: …, the time (ms) from which channels may contain cards that the data do not know. */
const searchAgainScript = `${inSameEpoch}
if redis.call('HEXISTS', KEYS[1], 'doubt') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'doubt', 'search', 'since', ARGV[3])
return 1`;

/**
 * KEYS: record, hash, a hash that counts changes if there is one. ARGV: server and name of the epoch, field, value. Returns
 * 1, or 0 in another epoch.
 */
const writeInEpochScript = `${inSameEpoch}
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
if KEYS[3] then redis.call('HINCRBY', KEYS[3], 'changes', 1) end
return 1`;

const recordKey = (ref: AccountRef) => accountKey(ref, 'looks');

const positionsKey = (ref: AccountRef) => accountKey(ref, 'looks', 'searched');

/** Marks all data of the account as doubted, however old, because one of their records could not be read. */
export async function requestRecovery(redis: Redis, ref: AccountRef): Promise<void> {
  await redis
    .multi()
    .hset(recordKey(ref), 'looks', 0, 'server', 'doubted', 'since', 0)
    .hdel(recordKey(ref), 'at')
    .exec();
}

/** Returns when the list of an account's last complete poll was read (ms); undefined when there was none. */
export async function lastPollAt(redis: Redis, ref: AccountRef): Promise<number | undefined> {
  const at = await redis.hget(recordKey(ref), 'at');
  return at === null ? undefined : Number(at);
}

/**
 * Writes a field of an account's hash if the epoch is unchanged. Resolves to false in another epoch.
 * @param counter a hash whose `changes` field is incremented with the write
 */
export async function writeInEpoch(
  redis: Redis,
  ref: AccountRef,
  { server, epoch }: DataEpoch,
  key: string,
  field: string,
  value: string,
  counter?: string,
): Promise<boolean> {
  const keys = [recordKey(ref), key, ...(counter === undefined ? [] : [counter])];
  return (await redis.eval(writeInEpochScript, keys.length, ...keys, server, epoch, field, value)) === 1;
}

export type DataEpochs = ReturnType<typeof createDataEpochs>;

/**
 * Creates the check of whether Redis still has an account's latest data. Each process remembers an account's number of
 * polls; Redis records which run of the server they were written by. Data that are older than that, gone, or served by
 * another run are doubted until they are recovered (src/features/reconcile/recovery.ts).
 */
export function createDataEpochs(redis: Redis, logger?: ErrorLogger) {
  /** Polls that this process knows of, by account. Restoring a copy of Redis does not change them. */
  const known = new Map<string, { readonly ref: AccountRef; readonly polls: number }>();
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;

  async function runInEpoch(
    script: string,
    ref: AccountRef,
    { server, epoch }: DataEpoch,
    ...rest: number[]
  ): Promise<number> {
    return Number(await redis.eval(script, 1, recordKey(ref), server, epoch, ...rest));
  }

  async function check(ref: AccountRef): Promise<DataEpoch> {
    const before = known.get(nameOf(ref))?.polls;
    const answer = await redis.eval(checkScript, 1, recordKey(ref), before ?? '', crypto.randomUUID());
    const [at, polls, server, epoch, doubt, repaired, since, empty, lostAt, unsearched] = answer as (
      | string
      | null
    )[];
    const decoded = pollRecordCodec.decode(
      JSON.stringify({
        ...(at == null ? {} : { at: Number(at) }),
        polls: Number(polls),
        server,
        epoch: epoch ?? '',
        ...(doubt == null ? {} : { doubt }),
        isRepaired: repaired === '1',
        ...(empty == null ? {} : { empty }),
        ...(since == null ? {} : { since: Number(since) }),
        ...(lostAt == null ? {} : { lostAt: Number(lostAt) }),
        ...(unsearched == null ? {} : { unsearched: parsed(unsearched) }),
      }),
    );
    if (decoded.ok) {
      known.set(nameOf(ref), { ref, polls: decoded.value.polls });
      return decoded.value;
    }
    const { reason } = decoded;
    const about = { kind: pollRecordCodec.name, key: recordKey(ref), reason, text: String(answer) };
    await setAside(redis, logger, about);
    await redis.del(recordKey(ref));
    return check(ref);
  }

  return {
    /**
     * Returns the epoch of an account's data, read after this was called. A reason to doubt them is noted in Redis, for all
     * processes.
     */
    check,

    lastPollAt: (ref: AccountRef): Promise<number | undefined> => lastPollAt(redis, ref),

    /** Records a complete poll that began in this epoch. Does nothing in another epoch. @param at the time of its list (ms) */
    async recordPoll(ref: AccountRef, epoch: DataEpoch, at: number): Promise<void> {
      const polls = await runInEpoch(recordPollScript, ref, epoch, at);
      if (polls > 0) known.set(nameOf(ref), { ref, polls });
    },

    /** Records that the bookkeeping was repaired: only the channels remain to be read. */
    async recordRepaired(ref: AccountRef, epoch: DataEpoch): Promise<void> {
      await runInEpoch(recordRepairedScript, ref, epoch);
    },

    /**
     * Ends the doubt. Resolves to false when the data were doubted again meanwhile.
     * @param unsearched the channels that could not be read, each with the time (ms) from which to search it
     * @param loss set when some data may be lost: the time (ms), and an audit entry
     */
    async recordRecovered(
      ref: AccountRef,
      epoch: DataEpoch,
      unsearched: NonNullable<PollRecord['unsearched']>,
      loss?: { readonly at: number; readonly entry: string },
    ): Promise<boolean> {
      const keys = [recordKey(ref), positionsKey(ref), auditKey(ref)];
      const left = Object.keys(unsearched).length === 0 ? '' : JSON.stringify(unsearched);
      const args = [epoch.server, epoch.epoch, loss?.entry ?? '', loss?.at ?? '', left];
      return (await redis.eval(recordRecoveredScript, keys.length, ...keys, ...args)) === 1;
    },

    /** Requests another search of the channels, from `since` (ms) on, because one that could not be read now can be. */
    async searchAgain(ref: AccountRef, epoch: DataEpoch, since: number): Promise<void> {
      await runInEpoch(searchAgainScript, ref, epoch, since);
    },

    /** Marks all data as doubted: the channels show that they are older than what was there. */
    async doubtAll(ref: AccountRef): Promise<void> {
      await redis.hset(recordKey(ref), 'server', 'doubted');
    },

    /**
     * Returns how far a channel was searched in this epoch. If the stored position is unreadable, the search starts over.
     */
    async searchOf(ref: AccountRef, { epoch }: DataEpoch, channel: ChannelId): Promise<ChannelSearch> {
      const text = await redis.hget(positionsKey(ref), `${epoch} ${channel}`);
      const decoded = text === null ? undefined : channelSearchCodec.decode(text);
      return decoded?.ok ? decoded.value : notSearched;
    },

    async recordSearch(
      ref: AccountRef,
      epoch: DataEpoch,
      channel: ChannelId,
      search: ChannelSearch,
    ): Promise<void> {
      const text = channelSearchCodec.encode(search);
      await writeInEpoch(redis, ref, epoch, positionsKey(ref), `${epoch.epoch} ${channel}`, text);
    },

    /** Returns the accounts that this process knows, whatever remains of them in Redis. */
    knownAccounts: (): AccountRef[] =>
      [...known.values()].map(({ ref: { workspace, account } }) => ({ workspace, account })),
  };
}

/** Parses a stored text; undefined when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
