import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { eventually } from '../harness/eventually.ts';
import { letRepliesRate, sandboxAccount } from '../harness/sandbox-account.ts';
import type { Person, Seen } from '../harness/slack.ts';
import { startWorld, transports, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';

describe.each(transports)('replies in threads, over %s', (transport) => {
  // What happens behind the event is the same, however it arrives.
  const behind: (name: string, run: () => Promise<void>) => void =
    transport === 'http' ? test : () => undefined;
  let world: World;
  let ann: Person;
  let ben: Person;
  let redis: Redis;
  beforeAll(async () => {
    world = await startWorld({ transport, scenario: { campaigns: [shelf] } });
    ({ ann, ben } = world);
    redis = new Redis(world.redis.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await letRepliesRate(redis, true);
  });
  afterAll(async () => {
    redis?.disconnect();
    await world?.close();
  });

  async function taskWithCard(proof: string): Promise<{ task: string; card: Seen }> {
    const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
    return { task, card: await ann.sees(place, new RegExp(proof)) };
  }
  const answers = async (card: Seen) => (await card.thread()).filter(({ raw }) => raw.user === 'U0BOT');
  const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;

  async function audited(task: string): Promise<[AuditEntry['what'], AuditEntry['how']][]> {
    const found: [AuditEntry['what'], AuditEntry['how']][] = [];
    for await (const entry of createAudit(redis).lines(sandboxAccount))
      if (entry.task === task) found.push([entry.what, entry.how]);
    return found;
  }

  /** Waits until a reply was answered and has become a rating, and checks that both happened once. */
  async function isDoneOnce({ task, card }: { task: string; card: Seen }, verdict: string): Promise<void> {
    await eventually('the rating', async () => (await rating(task)) === verdict);
    await eventually('the answer', async () => (await answers(card)).length > 0);
    await card.untilText(new RegExp(`${verdict}\\* by @Ben`));
    // The marketplace has the rating before its answer is stored.
    await eventually('the audit of both', async () => (await audited(task)).length === 2);
    expect(await audited(task)).toEqual([
      ['decided', 'reply'],
      ['applied', 'job'],
    ]);
    expect(await answers(card)).toHaveLength(1);
    const calls = (await world.marketplace.requests()).filter(
      ({ path, form }) => /rate_task/.test(path) && JSON.stringify(form).includes(task),
    );
    expect(calls).toHaveLength(1);
  }

  behind('rate and note like over Socket Mode, once, however often Slack delivers them', async () => {
    const shown = await taskWithCard('over http');
    await ben.says(place, 'note ask the shop', shown.card);
    await shown.card.untilText(/@Ben Okafor: ask the shop/);
    await eventually('its answer', async () => (await answers(shown.card)).length === 1);
    const again = await taskWithCard('delivered twice');
    await world.slack.fault({ match: { delivery: 'message' }, kind: 'twice' });
    await ben.says(place, 'nok it is another shop', again.card);
    await isDoneOnce(again, 'NOK');
    expect((await world.marketplace.task(again.task)).employer_comment).toBe('it is another shop');
  });

  behind(
    'that come while Redis refuses to write say nothing until they are done, and are done once',
    async () => {
      const shown = await taskWithCard('while it is full');
      await redis.config('SET', 'maxmemory', '1mb');
      try {
        expect((await ben.says(place, 'ok', shown.card)).acked).toBe(true);
        await eventually('it was tried', () =>
          world.log.some((line) => line.includes('event failed, retrying')),
        );
        expect(await answers(shown.card)).toEqual([]);
        expect(await rating(shown.task)).toBe('NOTRATED');
      } finally {
        await redis.config('SET', 'maxmemory', '0');
      }
      await isDoneOnce(shown, 'OK');
    },
  );

  behind('that come while Redis is away wait for it, and are read as they stand then', async () => {
    const kept = await taskWithCard('while it is away');
    const changed = await taskWithCard('changed while it is away');
    const tries = () => world.log.filter((line) => line.includes('event failed, retrying')).length;
    const before = tries();
    await world.redis.kill();
    await ben.says(place, 'revise show the label', kept.card);
    const { ts } = await ben.says(place, 'ok', changed.card);
    await eventually('both were tried', () => tries() >= before + 2);
    await world.slack.deletes({ channel: place, ts });
    expect(await answers(kept.card)).toEqual([]);
    await world.redis.restart();
    await isDoneOnce(kept, 'REVISE');
    await world.settled();
    // It was deleted before anybody read it.
    expect(await rating(changed.task)).toBe('NOTRATED');
    expect(await answers(changed.card)).toEqual([]);
  });

  test('that come while Redis is away are delivered again when their process is no more, and are done once', async () => {
    const shown = await taskWithCard('its process dies');
    const left = () => world.log.filter((line) => line.includes('event not stored, left to Slack')).length;
    const before = left();
    // Slack comes back for as long as this takes.
    await world.slack.settings({ retryDelaysMs: Array.from({ length: 60 }, () => 500) });
    await world.redis.kill();
    await ben.says(place, 'nok the label is missing', shown.card);
    await eventually('it was left to Slack', () => left() > before);
    await world.stopBots();
    await world.redis.restart();
    await world.startBot();
    await isDoneOnce(shown, 'NOK');
    expect((await world.marketplace.task(shown.task)).employer_comment).toBe('the label is missing');
  });
});
