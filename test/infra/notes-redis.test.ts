import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { place, setsThreads, shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { transports } from '../harness/world.ts';
import { sharedWorld } from '../harness/worlds.ts';

describe.each(transports)('notes by replies in threads, over %s', (transport) => {
  // What happens behind the event is the same, however it arrives.
  const behind: (name: string, run: () => Promise<void>) => void =
    transport === 'http' ? test : () => undefined;
  let ann: Person;
  let ben: Person;
  const world = sharedWorld({
    transport,
    scenario: { campaigns: [shelf] },
    env: { ACCOUNT_OWNERS: 'U01ANN' },
  });
  beforeAll(async () => {
    ({ ann, ben } = world);
    await setsThreads(ann, place, true);
  });

  /** Waits until a note is on its card, and checks that it is there once. */
  async function isLeftOnce(card: Seen, note: string): Promise<void> {
    await card.untilText(new RegExp(`@Ben Okafor: ${note}`));
    await world.settled();
    expect((await card.refresh()).text).not.toContain('2 notes');
  }

  behind('that come while Redis refuses to write are left once it does', async () => {
    const card = await world.card('while it is full');
    const end = await world.redis.refusesWrites('OOM');
    try {
      expect((await ben.says(place, 'note it is full', card)).acked).toBe(true);
      await eventually('it was tried', () =>
        world.log.some((line) => line.includes('event failed, retrying')),
      );
    } finally {
      await end();
    }
    await isLeftOnce(card, 'it is full');
  });

  test('that come while Redis is away are left once it is back', async () => {
    const card = await world.card('while it is away');
    await world.settled();
    await world.redis.kill();
    expect((await ben.says(place, 'note the label is missing', card)).acked).toBe(true);
    await world.redis.restart();
    await isLeftOnce(card, 'the label is missing');
  });
});
