import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, ChannelId, TaskId } from '../domain/terms.ts';
import { appendEntry, auditKey } from './audit/writer.ts';
import { createBatches } from './batches.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** An account's polls, and the epoch of its data. The fields' names in Redis are older. */
const PollRecord = z
  .object({
    /** When the last complete poll was (ms); absent when there was none yet. */
    at: z.number().exactOptional(),
    /** Grows with every complete poll, and by far when the data are doubted. */
    polls: z.number(),
    /** The run of the Redis server that these data were last known to be of; '' when it is unknown. */
    server: z.string(),
    /** Names the epoch: random, another one whenever the data were doubted. */
    epoch: z.string(),
    /**
     * Set while the data are in doubt. `search`: this process does not know what was there before it, so cards may stand in
     * the channels without a record · `all`: the data are older than what was known, or may be, since another run of Redis
     * serves them (a restart, a failover, a restored copy), or they are gone.
     */
    doubt: z.enum(['search', 'all']).exactOptional(),
    /** Whether the bookkeeping of a doubted epoch was repaired already, and only the channels are still to be read. */
    isRepaired: z.boolean().default(false),
    /** Set when there was nothing: the data are `new`, as far as the process that noticed knows, or were `lost`. */
    empty: z.enum(['new', 'lost']).exactOptional(),
    /** From when on (ms) cards may stand in the channels that the data do not know. */
    since: z.number().exactOptional(),
    /** When data were last recovered of which some may have been lost (ms). */
    lostAt: z.number().exactOptional(),
    /**
     * Channels that could not be read when the data were recovered, and from when on (ms) their cards may show what the data
     * do not know: they are searched once they can be read.
     */
    unsearched: z.record(ChannelId, z.number()).exactOptional(),
  })
  .readonly();
export type PollRecord = z.infer<typeof PollRecord>;

export const pollRecordCodec = createCodec('poll-record', PollRecord);

/** The data of an account as one process knows them: what it writes as a result counts only while this holds. */
export interface DataEpoch extends PollRecord {}

/** How far a channel was searched, and what was found there up to now: a search may go on in another process. */
const ChannelSearch = z
  .object({
    /** Down to the message with this timestamp, or `end`; absent before the first page. */
    to: z.string().exactOptional(),
    /** It may not be read: what only its messages showed is lost. */
    isUnreadable: z.boolean(),
    /** How many messages are the account's, show what no record knows, and contradict a record. */
    messages: z.number(),
    newer: z.number(),
    contradicted: z.number(),
    /** What notices are about, in this channel and those before it, by the timestamp of the latest. */
    notices: z.record(z.string(), z.string()),
    /** Tasks whose card shows their record as it is: thousands of cards need not be rendered again. */
    current: z.array(TaskId).readonly(),
  })
  .readonly();
export type ChannelSearch = z.infer<typeof ChannelSearch>;

export const channelSearchCodec = createCodec('channel-search', ChannelSearch);

/** A channel that was not searched yet. */
const notSearched: ChannelSearch = {
  isUnreadable: false,
  messages: 0,
  newer: 0,
  contradicted: 0,
  notices: {},
  current: [],
};

/** Reads which run of Redis this is: in a script, so that in a cluster the node that has the keys answers. */
const thisServer = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
`;

/**
 * Returns the record, after noting a doubt that was not noted yet. The number of polls leaps then, so that every other
 * process sees that the doubt is known, and one that knew more polls than an older copy has doubts it in turn.
 * KEYS: record. ARGV: how many polls the process knows of, '' when none; a name for the next epoch.
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

/** Begins scripts that write only while the epoch is still this one. KEYS: record. ARGV: its server and name. */
const inSameEpoch = `${thisServer}
if server ~= ARGV[1] or (redis.call('HGET', KEYS[1], 'epoch') or '') ~= ARGV[2] then return 0 end
`;

/** ARGV: …, when (ms). Returns how many polls there were. */
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

/** ARGV: …, from when on (ms) cards may stand in the channels that the data do not know. */
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

/** Has all data of the account doubted, however old: a record of theirs could not be read. */
export async function requestRecovery(redis: Redis, ref: AccountRef): Promise<void> {
  await redis
    .multi()
    .hset(recordKey(ref), 'looks', 0, 'server', 'doubted', 'since', 0)
    .hdel(recordKey(ref), 'at')
    .exec();
}

/**
 * Writes a field of an account's hash if the epoch is still this one. Resolves false when it is another.
 * @param counter a hash whose `changes` count up with it
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
 * Creates the notion of whose data Redis has: of an account, a process remembers how many polls there were; Redis records
 * by which run of the server they were written. Data that are older than that, gone, or served by another run are doubted
 * until they are recovered (src/features/reconcile/recovery.ts).
 */
export function createDataEpochs(redis: Redis, logger?: ErrorLogger) {
  /** What this process knows of each account: restoring a copy does not change that. */
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

  /** The items are one account. */
  const checks = createBatches(async (all: readonly [AccountRef, ...AccountRef[]]) => {
    const epoch = await check(all[0]);
    return all.map(() => epoch);
  });

  return {
    /**
     * Returns the epoch of an account's data, as it is after this was called. A reason to doubt them is noted in Redis, for all
     * processes.
     */
    check: (ref: AccountRef): Promise<DataEpoch> => checks(nameOf(ref), ref),

    /** Records a complete poll that began in this epoch; in another one it counts for nothing. */
    async recordPoll(ref: AccountRef, epoch: DataEpoch, at: number): Promise<void> {
      const polls = await runInEpoch(recordPollScript, ref, epoch, at);
      if (polls > 0) known.set(nameOf(ref), { ref, polls });
    },

    /** Records that the bookkeeping was repaired: what is left is to read the channels. */
    async recordRepaired(ref: AccountRef, epoch: DataEpoch): Promise<void> {
      await runInEpoch(recordRepairedScript, ref, epoch);
    },

    /**
     * Ends the doubt. Resolves false when the data were doubted again meanwhile.
     * @param unsearched the channels that could not be read, and from when on (ms) they are to be searched
     * @param loss set when some data may be lost: the time (ms), and an entry for the audit
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

    /** Has the channels searched again, from `since` (ms) on: one that could not be read can be. */
    async searchAgain(ref: AccountRef, epoch: DataEpoch, since: number): Promise<void> {
      await runInEpoch(searchAgainScript, ref, epoch, since);
    },

    /** Doubts all data: the channels show that they are older than what was there. */
    async doubtAll(ref: AccountRef): Promise<void> {
      await redis.hset(recordKey(ref), 'server', 'doubted');
    },

    /** Returns how far a channel was searched in this epoch; one that cannot be read is searched anew. */
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

    /** Returns the accounts that this process knows, whatever is left of them in Redis. */
    knownAccounts: (): AccountRef[] =>
      [...known.values()].map(({ ref: { workspace, account } }) => ({ workspace, account })),
  };
}

/** Returns what a stored text says, undefined when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
