import { expect, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { isDegraded, isReady } from '../harness/health.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

test('a revoked token is said by /readyz, nothing is lost, and all goes on when it is valid again', async () => {
  const { ann, slack, marketplace } = await begin();
  const { task, card } = await world.taskWithCard('before');
  // What Slack said of Ann counts while it cannot be asked.
  await ann.asks('/campaign list', /1 campaign\*?\./);
  await slack.settings({ tokenRevoked: true });
  await ann.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await world.submit('meanwhile');
  await eventually('/readyz to say so', () =>
    isDegraded(world, /SLACK_BOT_TOKEN was revoked \(token_revoked\)/),
  );
  await slack.disconnect({ hard: true });

  await slack.settings({ tokenRevoked: false });
  await eventually('readiness', () => isReady(world));
  const next = await ann.sees(place, /meanwhile/);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/meanwhile/)).toHaveLength(1);
  await ann.clicks(next, 'OK', /:white_check_mark: \*OK\* by @Ann/);
});

test('a decision that cannot be sent says so on its card, and that it is sent by itself', async () => {
  const { ann, marketplace } = await begin({ timeouts: { marketplaceMs: 3_000 } });
  const card = await world.card('before');
  await marketplace.fault({ match: { path: 'rate_task' }, kind: '429', retryAfter: 1, times: 0 });
  await ann.clicks(
    card,
    'OK',
    /not sent yet\. The marketplace is limiting requests\. It will be sent automatically/,
  );
  expect(card.buttons).toEqual([expect.stringMatching(/^Undo (OK|NOK|REVISE) for /)]);
  await marketplace.clearFaults();
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
});
