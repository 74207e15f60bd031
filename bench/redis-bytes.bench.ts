import { Redis } from 'ioredis';
import type { TaskEvent } from '../src/domain/events.ts';
import {
  AccountId,
  type AccountRef,
  CampaignId,
  ChannelId,
  MemberId,
  type Rating,
  TaskId,
  WorkerId,
  WorkspaceId,
} from '../src/domain/terms.ts';
import { createEvidencePending } from '../src/store/evidence-pending.ts';
import { createFindIndex } from '../src/store/find-index.ts';
import { createTasks } from '../src/store/tasks.ts';
import { startRedis } from '../test/harness/redis.ts';
import { isQuick, report } from './report.ts';

// Measures the memory of one task in Redis: only seen, open with a card, decided, and past its retention; against a string
// with the marketplace's JSON of it. The stores write one task of each kind; Redis then copies their data, key by key and
// member by member, as often as needed. Not counted: the audit, which has its own retention; workers and campaigns, which
// are fewer; and the indexes of find and evidence, which have their own benchmarks (their part of a task's record is
// counted).

const sizes = isQuick ? [1_000, 10_000, 100_000] : [10_000, 100_000, 1_000_000];
const ref: AccountRef = {
  workspace: WorkspaceId.parse('T06ABCDEFGH'),
  account: AccountId.parse('a1b2c3d4e5f60718'),
};
const campaign = CampaignId.parse('5f3a9c0e1b2d');
const channel = ChannelId.parse('C06ABCDEFGH');
const member = MemberId.parse('U06ABCDEFGH');
/** Returns ids as long as the sandbox's. */
const idOf = (index: number) => (0x4f2c_0000_0000 + index * 0x1d).toString(16);
const first = TaskId.parse(idOf(0));
const submittedAt = Date.UTC(2026, 10, 20, 10, 0, 0);
const proof =
  'Order 48213 was placed at the shop in aisle 14 and the picture shows it, https://example.com/receipt/48213';

const redisServer = await startRedis();
const redis = new Redis(redisServer.url);
const tasks = createTasks(redis);
const findIndex = createFindIndex(redis);
const evidencePending = createEvidencePending(redis);

const wire = JSON.stringify({
  task_id: first,
  task_details: {
    bonus_worker_earned: '0.00000',
    campaign_id: campaign,
    csv_record_nr: '12',
    country: 'Peru',
    employer_comment: '',
    finished_datetime: '2026-11-20 10:00:00',
    ip: '203.0.113.9',
    proof: [proof],
    file_proof: { status: 'SUCCESS', file_proof_details: [] },
    task_rating: 'NOTRATED',
    worker_earned: '0.10000',
    worker_id: 'a0b1c2d3e4f5',
  },
});
const messageRef = { channel, ts: '1785542400.000100' };
const worker = {
  id: WorkerId.parse('a0b1c2d3e4f5'),
  name: 'worker_of_the_year',
  country: 'Peru',
  ip: '203.0.113.9',
};
const seen: TaskEvent = {
  type: 'seen',
  ...{ id: first, campaign, rating: 'NOTRATED', comment: '', csvRow: '12', submittedAt, worker },
  proof: { slots: [proof], files: [], finishedAt: submittedAt },
  readAt: submittedAt + 30_000,
  want: 'card',
};
const opened: readonly TaskEvent[] = [
  seen,
  {
    type: 'detailed',
    round: 1,
    worker,
    proof: seen.proof,
    workerRecord: { counts: { NOTREVIEWED: 0, NOTRATED: 3, OK: 41, NOK: 2, REVISE: 1 }, campaigns: 4 },
  },
  { type: 'posting', channel, at: submittedAt + 31_000 },
  { type: 'posted', messageRef, round: 1 },
];
const decided: readonly TaskEvent[] = [
  ...opened,
  {
    type: 'decided',
    decision: { id: 'click-1', by: member, verdict: 'OK', comment: '' },
    round: 1,
    at: submittedAt + 60_000,
    sendAt: submittedAt + 70_000,
  },
];

/** Applies events to the first task, then renders it. */
async function apply(events: readonly TaskEvent[]): Promise<void> {
  for (const event of events) {
    const { kind } = await tasks.apply(ref, first, event);
    if (kind !== 'done') throw new Error(`${event.type}: ${kind}`);
  }
  await tasks.clearNeedsRender(ref, first);
  // In production, jobs index each change within seconds.
  const [record] = await tasks.loadMany(ref, [first]);
  if (record?.value?.detailsRemovedAt === undefined && record !== undefined)
    await findIndex.put(ref, record, []);
  else await findIndex.forget(ref, first);
  await evidencePending.forget(ref, first);
}

const kinds: readonly { what: string; most: number; make: () => Promise<unknown> }[] = [
  {
    what: 'seen only',
    most: 80,
    make: () => tasks.recordRatings(ref, campaign, new Map<TaskId, Rating>([[first, 'OK']]), new Map()),
  },
  { what: 'open with card', most: 1_000, make: () => apply(opened) },
  { what: 'decided and past retention', most: 120, make: archived },
];

async function archived(): Promise<void> {
  await apply(decided);
  const at = submittedAt + 71_000;
  await apply([
    { type: 'sending', decision: 'click-1', attempt: 1, at, leaseUntil: at + 30_000 },
    { type: 'applied', decision: 'click-1', at, answered: true },
    { type: 'details-expired', at: at + 90 * 86_400_000 },
  ]);
  if (!(await tasks.archive(ref, first))) throw new Error('it keeps its record');
}

/**
 * Copies all data of one task for others. KEYS: the keys that concern it. ARGV: its id, then the others' ids. A key with the
 * id in its name is copied as a whole; in other keys, the id is a field or a member.
 */
const copyScript = `
local function with(text, id) return (string.gsub(text, ARGV[1], id)) end
for _, key in ipairs(KEYS) do
  local type = redis.call('TYPE', key).ok
  for i = 2, #ARGV do
    if string.find(key, ARGV[1], 1, true) then redis.call('COPY', key, with(key, ARGV[i]), 'REPLACE')
    elseif type == 'hash' then redis.call('HSET', key, ARGV[i], redis.call('HGET', key, ARGV[1]))
    elseif type == 'zset' then redis.call('ZADD', key, redis.call('ZSCORE', key, ARGV[1]), ARGV[i])
    elseif type == 'set' then redis.call('SADD', key, ARGV[i]) end
  end
end`;

/** Returns the keys that have a task's id in their name, or as a field or member. */
async function keysOf(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const has =
      key.includes(id) ||
      (type === 'hash' && (await redis.hexists(key, id)) === 1) ||
      (type === 'zset' && (await redis.zscore(key, id)) !== null) ||
      (type === 'set' && (await redis.sismember(key, id)) === 1);
    if (has) found.push(key);
  }
  return found;
}

const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

/** Copies the first task until there are `to` tasks. */
async function fill(keys: readonly string[], from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 500) {
    const ids = Array.from({ length: Math.min(500, to - start) }, (_, index) => idOf(start + index));
    await redis.eval(copyScript, keys.length, ...keys, first, ...ids);
  }
}

try {
  // The copies need not be persisted.
  await redis.config('SET', 'appendonly', 'no');
  await redis.flushall();
  const empty = await used();
  for (let start = 0; start < 100_000; start += 10_000) {
    const texts = Array.from({ length: 10_000 }, (_, index) => [`task:${idOf(start + index)}`, wire]);
    await redis.mset(...texts.flat());
  }
  const text = ((await used()) - empty) / 100_000;
  for (const { what, most, make } of kinds) {
    await redis.flushall();
    const before = await used();
    await make();
    const keys = await keysOf(first);
    let filled = 1;
    for (const size of sizes) {
      await fill(keys, filled, size);
      filled = size;
      // Includes both tables while a hash table is being resized, because that memory is needed too.
      const bytes = ((await used()) - before) / size;
      report({
        what: `Redis bytes per task, ${what}: ${size.toLocaleString('en')} tasks`,
        against: 'a JSON string per task',
        value: bytes,
        ...(size === sizes.at(-1) ? { most } : {}),
        measured: `${text.toFixed(0)} for the JSON`,
      });
    }
  }
} finally {
  redis.disconnect();
  await redisServer.stop();
}
