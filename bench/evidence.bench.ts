import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { AccountId, type AccountRef, WorkspaceId } from '../src/domain/terms.ts';
import { createThreadComparison } from '../src/features/shared/comparison/in-thread.ts';
import { createEvidenceSearch } from '../src/features/shared/evidence.ts';
import { createEvidence } from '../src/store/evidence.ts';
import { accountKey } from '../src/store/keys.ts';
import { createTasks } from '../src/store/tasks.ts';
import { eventually } from '../test/harness/eventually.ts';
import { type AckTimes, clicksFor, reportAcks, whileStopped } from './acks.ts';
import { decidedCard, polled } from './cards.ts';
import {
  fillIndex,
  hasPicture,
  idOfNumber,
  printOfNumber,
  storeRecords,
  tasksOf,
} from './evidence-corpus.ts';
import { percentile, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Measures how long it takes to compare a new task with all known ones, in all kinds of evidence, with few known tasks and
// with many: the index lookup, reading the records found, and storing the result; and the memory in Redis. Then measures ack
// times at 200 clicks a second while tasks are compared. The known tasks are indexed in batches with the functions of the
// index's own script.

const [few, many] = isQuick ? [2_000, 20_000] : [10_000, 1_000_000];
const searches = isQuick ? 200 : 1_000;
const rounds = 3;
const seconds = isQuick ? 2 : 10;
/** More tasks than can be compared during a round of clicks. */
const waiting = 200 * seconds;

const machine = await startMachine({ env: { OPEN_CARDS: '0' } });
const redis = new Redis(machine.redisUrl);
try {
  const { marketplace } = machine;
  const { campaign_id } = await marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 1_000,
  });
  const first = await machine.startBot();
  await polled(machine, 2);
  const card = await decidedCard(machine, campaign_id);
  const ref = await onlyAccount();
  await first.stop();
  await measureSearches(ref);

  const bot = await machine.startBot();
  await polled(machine, 2);
  const times: AckTimes = { bot: [], empty: [] };
  let compared = 0;
  // Warms up clicks and comparisons.
  await whileComparing(ref, rounds, () => clicksFor(seconds, machine, card));
  for (let round = 0; round < rounds; round += 1) {
    await whileComparing(ref, round, async (left) => {
      const before = await left();
      times.bot.push(await clicksFor(seconds, machine, card));
      const after = await left();
      if (after === 0) throw new Error('everything was compared before the round was over');
      compared += before - after;
    });
    await whileStopped(bot, async () => {
      const empty = await startEmptyBolt('socket', machine.slackUrl);
      await machine.slack.disconnect({ hard: true });
      await machine.slack.sockets(1);
      // Warmed up as the bot is.
      await clicksFor(seconds / 2, machine, card);
      times.empty.push(await clicksFor(seconds, machine, card));
      await empty.stop();
    });
    await machine.slack.sockets(1);
  }
  const perSecond = (compared / rounds / seconds).toFixed(0);
  reportAcks(
    `Click to ack while tasks are compared with ${many.toLocaleString('en')}`,
    times,
    `; ${perSecond} tasks compared a second`,
  );
} finally {
  redis.disconnect();
  await machine.stop();
}

/** Makes few and then many tasks known, and reports how long comparing new tasks with them takes. */
async function measureSearches(ref: AccountRef): Promise<void> {
  const comparison = createThreadComparison({ redisUrl: machine.redisUrl, logger: console });
  const none = { add: async () => undefined, warn: () => undefined, get: async () => ({}) };
  const { search } = createEvidenceSearch({
    tasks: createTasks(redis),
    evidence: createEvidence(redis),
    comparison,
    jobs: none,
    briefs: none,
    logger: none,
    faults: () => undefined,
  } as never);

  /** Returns the percentiles of the times (ms) for new tasks, and the bytes of the similarities found. */
  async function timed(from: number) {
    const tasks = tasksOf(from, from + searches);
    await storeRecords(redis, ref, tasks);
    const times: number[] = [];
    for (const task of tasks) {
      const began = performance.now();
      await search(ref, task);
      times.push(performance.now() - began);
    }
    let links = 0;
    for await (const keys of redis.scanStream({ match: '*:evidence-links:*', count: 10_000 }))
      for (const key of keys as string[]) links += Number(await redis.memory('USAGE', key));
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), links };
  }

  try {
    const start = await fillIndex(redis, ref, 0, few - searches);
    // Warms up this process.
    await timed(few - searches);
    const atFew = await timed(few);
    const rest = await fillIndex(redis, ref, few + searches, many);
    const atMany = await timed(many);
    report({
      what: 'One new task compared with all known ones: p95 in ms',
      against: `${many.toLocaleString('en')} known tasks`,
      value: atMany.p95,
      most: 50,
      measured: `p50 ${atMany.p50.toFixed(1)} ms`,
    });
    report({
      what: 'The same, by how much longer than with few',
      against: `${few.toLocaleString('en')} known tasks`,
      value: atMany.p95 / atFew.p95,
      most: 2,
      measured: `${atFew.p95.toFixed(1)} ms`,
    });
    const filled = many - 2 * searches;
    const index = (start.index + rest.index) / filled;
    const links = atMany.links / (3 * searches);
    report({
      what: 'Redis for evidence, per known task: bytes',
      against: 'records of tasks, which are there anyway',
      value: index + links,
      most: 200,
      measured: `the index ${index.toFixed(0)}, what is alike ${links.toFixed(0)}`,
    });
    const withPicture = Array.from({ length: filled }, (_, number) => number).filter(hasPicture).length;
    const ofPicture = (start.pictures + rest.pictures) / withPicture;
    const stored = JSON.stringify({ print: printOfNumber(1) }).length - 1;
    report({
      what: 'Redis for evidence, per picture more: bytes',
      against: 'tasks without a picture',
      value: ofPicture + stored,
      most: 400,
      measured: `the index ${ofPicture.toFixed(0)}, its print ${stored}`,
    });
  } finally {
    await comparison.stop();
  }
}

/**
 * Lets the bot compare tasks during a round of clicks.
 * @param run called once the first tasks are compared, with a function that returns how many are left
 */
async function whileComparing(
  ref: AccountRef,
  round: number,
  run: (left: () => Promise<number>) => Promise<unknown>,
): Promise<void> {
  const pendingKey = accountKey(ref, 'evidence-pending');
  // Earlier tasks are already known, from the timings.
  const from = many + searches + round * waiting;
  await storeRecords(redis, ref, tasksOf(from, from + waiting));
  const ids = Array.from({ length: waiting }, (_, at) => idOfNumber(from + at));
  await redis.zadd(pendingKey, ...ids.flatMap((id) => [0, id]));
  const left = () => redis.zcard(pendingKey);
  await eventually('the first tasks of the round compared', async () => (await left()) < waiting);
  await run(left);
  await redis.del(pendingKey);
  // The job finishes the tasks that it has already read.
  await delay(1_000);
}

/** Returns the account that the bot polls. */
async function onlyAccount(): Promise<AccountRef> {
  const [key = ''] = await redis.keys('proofdesk:{T0SANDBOX/*}:campaigns*');
  const [, workspace, account] = /\{(\w+)\/(\w+)\}/u.exec(key) ?? [];
  return { workspace: WorkspaceId.parse(workspace), account: AccountId.parse(account) };
}
