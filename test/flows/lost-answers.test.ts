import { expect, test } from 'vitest';
import { opensFromDetails, place, shelf } from '../harness/acts.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

const causes = {
  'an announcement': {
    kind: 'inbox',
    channel: place,
    cause: () => world.marketplace.write({ subject: 'A letter' }),
  },
  'a notice about a campaign': {
    kind: 'campaigns',
    channel: place,
    cause: () => world.marketplace.patchCampaign(shelf.campaign_id, { status: 'FINISHED' }),
  },
  'a notice of assigned tasks': {
    kind: 'assigned',
    channel: 'D03CHLOE',
    async cause() {
      const card = await world.ann.sees(place, /a shelf/);
      const form = await opensFromDetails(world.ben, card, 'Assign to…', /Assign this task/);
      await form.select('Colleague', 'U03CHLOE');
      await form.submit();
    },
  },
};

test.each(Object.entries(causes))(
  '%s whose post gets no answer is found, and not posted again',
  async (_, { kind, channel, cause }) => {
    const { slack } = await begin({ timeouts: { firstRetryMs: 50, lateArrivalMs: 300 } });
    await world.card('a shelf');
    await slack.fault({ match: { method: 'chat.postMessage', channel }, kind: 'drop-after' });
    await cause();
    await slack.request(({ method, ok }) => method === 'conversations.history' && ok === true);
    await world.settled();
    expect(await world.postsOf(kind, channel)).toHaveLength(1);
  },
);

test('an update that Slack makes after the bot has stopped waiting is followed by one with what is true then', async () => {
  const timeouts = { slackMs: 500, lateArrivalMs: 5_000, firstRetryMs: 50 };
  const { ann, marketplace, slack } = await begin({ timeouts, env: { UNDO_SECONDS: '120' } });
  const { task, card } = await world.taskWithCard('a shelf');
  await slack.fault({ match: { method: 'chat.update' }, kind: 'latency', delayMs: 4_000 });
  await ann.clicks(card, 'OK');
  await slack.request(({ method }) => method === 'chat.update');
  await marketplace.rate(task, 'NOK', 'Blurred');
  await slack.request(
    ({ method, fault, ok }) => method === 'chat.update' && fault === 'latency' && ok === true,
  );
  await card.untilText(/NOK\*, rated outside of Slack/);
});
