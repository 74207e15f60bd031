import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { nextSecond } from '../harness/next-second.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let world: World;
afterEach(() => world?.close());

/** Everything Redis knew is gone, as when it is set up anew. */
async function loseBookkeeping(): Promise<void> {
  await world.stopBots();
  const redis = new Redis(world.redis.url);
  await redis.flushall();
  redis.disconnect();
  await world.startBot();
}

/** Every key of Redis as it is now; gives what puts all of them back. */
async function copyRedis(): Promise<() => Promise<void>> {
  const redis = new Redis(world.redis.url);
  const copies = await Promise.all(
    (await redis.keys('*')).map(async (key) => ({
      key,
      ttl: Math.max(0, await redis.pttl(key)),
      dump: await redis.dumpBuffer(key),
    })),
  );
  return async () => {
    await redis.flushall();
    for (const { key, ttl, dump } of copies) await redis.restore(key, ttl, dump ?? '');
    redis.disconnect();
  };
}

const cardsOfTask = async (task: string) =>
  (await world.ann.reads('C01REVIEW')).filter(({ raw }) => raw.metadata?.event_payload.task === task);
const cardsOf = async (pattern: RegExp) =>
  (await world.ann.reads('C01REVIEW')).filter(({ text }) => pattern.test(text));

test('cards that stand in the channel are taken up again, and none is posted twice', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const proofs = ['first proof', 'second proof', 'third proof'];
  const tasks: string[] = [];
  for (const proof of proofs) {
    tasks.push(...(await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] })));
    await ann.sees('C01REVIEW', new RegExp(proof));
  }
  const [first] = await Promise.all(proofs.map((proof) => ann.sees('C01REVIEW', new RegExp(proof))));

  await loseBookkeeping();
  // What comes in afterwards has its card after all that was there has been taken in.
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a later one'] });
  await ann.sees('C01REVIEW', /a later one/);
  const cards = (await ann.reads('C01REVIEW')).filter(({ buttons }) => buttons.includes('OK'));
  expect(cards).toHaveLength(4);

  if (first) await ann.clicks(first, 'OK');
  await first?.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await marketplace.task(tasks[0] ?? '')).task_rating === 'OK');
});

test('the card of a corrected task keeps its round', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['blurred'] });
  const card = await ann.sees('C01REVIEW', /blurred/);
  await ann.clicks(card, 'REVISE');
  const modal = await ann.modal(/Ask for a revision/);
  await modal.fill('What should be corrected?', 'Hold still');
  await modal.submit();
  await card.untilText(/REVISE\* by @Ann.*Hold still/s);
  await eventually('REVISE', async () => (await marketplace.task(task)).task_rating === 'REVISE');
  await marketplace.correct(task, ['sharp']);
  const next = await ann.sees('C01REVIEW', /sharp/);

  await loseBookkeeping();
  await ann.clicks(next, 'OK');
  await next.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
  const rounds = (await cardsOfTask(task)).map(({ raw }) => raw.metadata?.event_payload.round);
  expect(rounds).toEqual([1, 2]);
});

test('a copy of a moment ago does not post again what was posted since, and what was rated since is shown', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const submit = async (proof: string) => {
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
    return { task, card: await ann.sees('C01REVIEW', new RegExp(proof)) };
  };
  await submit('before the copy');
  await world.stopBots();
  const restore = await copyRedis();
  await world.startBot();
  const open = await submit('after the copy');
  const rated = await submit('rated after the copy');
  await world.stopBots();
  await marketplace.rate(rated.task, 'NOK', 'Not a shelf');
  await restore();

  await world.startBot();
  // Somebody may have decided in Slack, too: Redis has lost what was stored then.
  await rated.card.untilText(/\*NOK\*.*Who rated is not known/);
  await submit('a later one');
  // The card of a settled task does not show its proof any more.
  for (const { task } of [open, rated]) expect(await cardsOfTask(task)).toHaveLength(1);
  await ann.clicks(open.card, 'OK');
  await open.card.untilText(/OK\* by @Ann/);
  expect(await cardsOf(/before the copy|a later one/)).toHaveLength(2);
});

test('the card of a correction that a copy does not know yet is not posted again', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['blurred'] });
  const card = await ann.sees('C01REVIEW', /blurred/);
  await world.stopBots();
  const restore = await copyRedis();
  await world.startBot();
  await marketplace.rate(task, 'REVISE', 'Hold still');
  await card.untilText(/\*REVISE\*, rated outside of Slack/);
  await nextSecond();
  await marketplace.correct(task, ['sharp']);
  const next = await ann.sees('C01REVIEW', /sharp/);
  await world.stopBots();
  await restore();

  await world.startBot();
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a later one'] });
  await ann.sees('C01REVIEW', /a later one/);
  await ann.clicks(next, 'OK');
  await next.untilText(/OK\* by @Ann/);
  // That of each round.
  expect(await cardsOfTask(task)).toHaveLength(2);
});

test('when Redis comes back without the latest, while the bot runs on, nothing is posted twice', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['just before'] });
  await ann.sees('C01REVIEW', /just before/);
  const redis = new Redis(world.redis.url, { retryStrategy: () => null });
  redis.on('error', () => undefined);
  await eventually('the read to be over', async () => (await redis.keys('*:campaigns:reads')).length > 0);
  const [record = ''] = await redis.keys(`*:task:${task}`);
  const account = record.slice(0, -`task:${task}`.length);
  // In one breath: no look comes in between.
  const keys = [record, `${account}tasks:digest:${shelf.campaign_id}`, `${account}tasks:open`];
  const lose = `redis.call('DEL', KEYS[1]) redis.call('HDEL', KEYS[2], ARGV[1]) redis.call('ZREM', KEYS[3], ARGV[1])`;
  // Its answer may go with the server.
  const lost = redis.eval(lose, keys.length, ...keys, task).catch(() => undefined);
  void redis.call('shutdown').catch(() => undefined);
  await lost;
  await world.redis.restart();

  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a later one'] });
  await ann.sees('C01REVIEW', /a later one/);
  expect(await cardsOf(/just before/)).toHaveLength(1);
});
