import type { Person } from '@proofdesk/slack-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const review = 'C01REVIEW';
const inbox = 'C02INBOX';

const { world, begin, create } = worldPerTest();

const submit = (proof: string) =>
  world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });

const all = async (person: Person, channel: string, pattern: RegExp) =>
  (await person.reads(channel)).filter(({ text }) => pattern.test(text));

/** Stops the bot and starts it again, with another REVIEW_CHANNEL when one is given. */
async function restart(channel: string | undefined = world.environment.REVIEW_CHANNEL): Promise<void> {
  await world.stopBots();
  world.environment.REVIEW_CHANNEL = channel;
  await world.startBot();
}

/** Subscribes a channel to what another one gets. */
async function movesTo(channel: string): Promise<void> {
  const question = await world.ann.asks('/proofdesk subscribe', /They would move here/, channel);
  await world.ann.clicks(question, 'Move it here', /will be posted in this channel/);
}

describe('REVIEW_CHANNEL', () => {
  test('does not undo at a restart what people subscribed since, until the setting changes', async () => {
    await begin({ scenario: { campaigns: [shelf] } });
    const { ann } = world;
    await submit('one');
    await ann.sees(review, /one/);
    await movesTo(inbox);
    await restart();
    await submit('two');
    await ann.sees(inbox, /two/);
    expect(await all(ann, review, /two/)).toEqual([]);

    // Another value is new, and so is the former one when it comes back.
    await movesTo(review);
    await restart(inbox);
    await submit('three');
    await ann.sees(inbox, /three/);
    await restart(review);
    await submit('four');
    await ann.sees(review, /four/);
    expect(await all(ann, inbox, /four/)).toEqual([]);
  });

  test('does not bring back at a restart what people unsubscribed', async () => {
    await begin({ scenario: { campaigns: [shelf] } });
    const { ann } = world;
    await submit('one');
    await ann.sees(review, /one/);
    await ann.asks(
      '/proofdesk unsubscribe',
      /New tasks, digests and inbox messages are no longer posted here/,
    );
    await restart();
    const told = await ann.asks(
      '/proofdesk subscribe',
      /will be posted in this channel|already gets those tasks/,
    );
    expect(told.text).toMatch(/will be posted in this channel/);
  });

  test('is applied by two processes that start at once', async () => {
    await create({ scenario: { campaigns: [shelf] } });
    await Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);
    await submit('one');
    await world.ann.sees(review, /one/);
  });
});
