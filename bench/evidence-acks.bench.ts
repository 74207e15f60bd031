import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { AccountId, type AccountRef, WorkspaceId } from '../src/domain/terms.ts';
import { accountKey } from '../src/store/keys.ts';
import { eventually } from '../test/harness/eventually.ts';
import { clickOk, decidedCard, type OpenCard, polled } from './cards.ts';
import { fillIndex, idOfNumber, storeRecords } from './evidence-corpus.ts';
import { pause, percentile, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Clicks come at 200 a second, while tasks are compared with all that are known: how much longer does the bot take to ack than an
// empty Bolt app, which does nothing but that? In turns in the same run; the median of the rounds. How long acks take while
// nothing is compared is what the benchmark `ack` measures.

const known = isQuick ? 20_000 : 1_000_000;
const rounds = isQuick ? 3 : 5;
const seconds = isQuick ? 2 : 10;
const perSecond = 200;
/** More tasks than are compared within a round. */
const waiting = 200 * seconds;
const bars = { p50: 1.2, p99: 1.3 };

const machine = await startMachine({ env: { OPEN_CARDS: '0' } });
const redis = new Redis(machine.redisUrl);
try {
  const { marketplace } = machine;
  const title = 'Photo of a shelf';
  const { campaign_id } = await marketplace.addCampaign({
    title,
    status: 'RUNNING',
    available_positions: 1_000,
  });
  const bot = await machine.startBot();
  await polled(machine, 2);
  const card = await decidedCard(machine, campaign_id);

  const ref = await onlyAccount();
  await storeRecords(redis, ref, 0, known + rounds * waiting);
  await fillIndex(redis, ref, 0, known, 'all but pictures');
  await fillIndex(redis, ref, 0, known, 'pictures');
  const pendingKey = accountKey(ref, 'evidence-pending');
  const times = { comparing: [] as number[][], empty: [] as number[][] };
  let compared = 0;

  /** Clicks for a while. Returns how long the acks took (ms). */
  async function clicks(to: OpenCard): Promise<number[]> {
    const all: Promise<number>[] = [];
    const began = performance.now();
    for (let n = 0; n < seconds * perSecond; n += 1) {
      await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
      all.push(clickOk(machine, to));
    }
    return Promise.all(all);
  }
  await clicks(card);
  for (let round = 0; round < rounds; round += 1) {
    const ids = Array.from({ length: waiting }, (_, at) => idOfNumber(known + round * waiting + at));
    await redis.zadd(pendingKey, ...ids.flatMap((id) => [0, id]));
    await eventually(
      'the first tasks of the round compared',
      async () => (await redis.zcard(pendingKey)) < waiting,
    );
    const before = await redis.zcard(pendingKey);
    times.comparing.push(await clicks(card));
    const after = await redis.zcard(pendingKey);
    if (after === 0) throw new Error('everything was compared before the round was over');
    compared += before - after;
    await redis.del(pendingKey);
    // The job ends with the tasks that it has read.
    await delay(1_000);
    // Socket Mode delivers to any of the app's sockets: the bot stands still while the other is measured.
    bot.process.kill('SIGSTOP');
    const empty = await startEmptyBolt('socket', machine.slackUrl);
    await machine.slack.disconnect({ hard: true });
    await machine.slack.sockets(1);
    times.empty.push(await clicks(card));
    await empty.stop();
    bot.process.kill('SIGCONT');
    await machine.slack.sockets(1);
  }
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const of = (what: keyof typeof times) =>
      percentile(
        times[what].map((all) => percentile(all, share)),
        0.5,
      );
    const [comparing, empty] = [of('comparing'), of('empty')];
    report({
      what: `Click to ack while tasks are compared with ${known.toLocaleString('en')}: ${name}`,
      against: 'an empty Bolt app',
      value: comparing / empty,
      most: bars[name],
      measured: `${comparing.toFixed(1)} ms, ${empty.toFixed(1)} ms; ${(compared / rounds / seconds).toFixed(0)} tasks compared a second`,
    });
  }
} finally {
  redis.disconnect();
  await machine.stop();
}

/** Returns the account that the bot polls. */
async function onlyAccount(): Promise<AccountRef> {
  const [key = ''] = await redis.keys('proofdesk:{T0SANDBOX/*}:campaigns*');
  const [, workspace, account] = /\{(\w+)\/(\w+)\}/u.exec(key) ?? [];
  return { workspace: WorkspaceId.parse(workspace), account: AccountId.parse(account) };
}
