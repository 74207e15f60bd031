import { expect, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

test('the socket is opened again, also when Slack cannot be reached at that moment', async () => {
  const { ann, slack } = await begin();
  await slack.fault({ match: { method: 'apps.connections.open' }, kind: '500', times: 2 });
  await slack.disconnect();
  await eventually('/readyz to say so', () => notReady(world, /Slack cannot be reached \(http_500\)/));
  await eventually('readiness', () => isReady(world));
  await slack.sockets(1);
  await ann.asks('/proofdesk', /\/proofdesk subscribe/);
});

test('whoever turns Socket Mode off is not told that the token is wrong', async () => {
  const { slack } = await begin();
  const match = { method: 'apps.connections.open' };
  await slack.fault({ match, kind: 'error', error: 'link_disabled', times: 0 });
  await slack.disconnect();
  await eventually('/readyz to say so', () =>
    notReady(world, /Socket Mode is turned off for this app \(link_disabled\)\. Turn it on under/),
  );
  expect((await ask(world.port, '/readyz'))?.text).not.toMatch(/token/i);
});

test.each(['drop-before', 'html'] as const)(
  'the socket survives %s when it is opened again',
  async (kind) => {
    const { ann, slack } = await begin();
    await slack.fault({ match: { method: 'apps.connections.open' }, kind, times: 2 });
    await slack.disconnect({ hard: true });
    await slack.sockets(0);
    await slack.sockets(1);
    await ann.asks('/proofdesk', /\/proofdesk subscribe/);
  },
);

test('over HTTP Slack’s challenge is answered, and what Slack has not signed is refused', async () => {
  const { ann, slack, port } = await begin({ transport: 'http' });
  expect(await slack.verify()).toMatchObject({ ok: true });
  await slack.settings({ signingSecret: 'somebody-else' });
  await ann.types(place, '/proofdesk').catch(() => undefined);
  const forged = await fetch(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'command=%2Fproofdesk&text=disconnect&user_id=U01ANN&team_id=T0SANDBOX',
  });
  expect(forged.status).toBe(401);
  expect(await ann.reads(place)).toEqual([]);
});
