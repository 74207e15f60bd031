import { expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createPollingIncidents } from '../../src/features/polling/incidents.ts';
import { createLogger } from '../../src/logger.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import { createAccountOutages } from '../../src/store/account-outages.ts';
import { createBreakers } from '../../src/store/breakers.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const clients = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

test('the end of an outage that Slack does not take is told at a later poll, once', async () => {
  const { first: redis } = clients;
  const subscriptions = createSubscriptions(redis);
  const subscription = { account: ref.account, channel: asId<never>('C1'), at: 1, started: true };
  await subscriptions.put(ref.workspace, subscription);
  const posted: string[] = [];
  let isSlackAway = false;
  const incidents = createPollingIncidents({
    breakers: createBreakers(redis, { now: Date.now, firstProbeMs: 1_000, probeMs: 1_000 }),
    campaigns: createCampaigns(redis),
    jobs: { add: async () => undefined } as never,
    logger: createLogger('silent', []),
    messengerOf: () =>
      ({
        post: async (_: string, { text }: { text: string }) => {
          if (isSlackAway) throw new Error('no answer');
          posted.push(text);
        },
      }) as never,
    noticeAfterMs: 0,
    now: Date.now,
    outages: createAccountOutages(redis),
    sharedChannels: { mayPost: async () => true } as never,
    subscriptions,
    tasks: createTasks(redis),
  });
  const noAnswer = {
    operation: 'listCampaigns',
    kind: 'timeout',
    mayHaveBeenApplied: false,
    reason: 'timeout',
  } as const;
  await incidents.report(ref, () => Promise.reject(new TransportError(noAnswer)));
  expect(posted).toEqual([expect.stringContaining('cannot be fetched right now')]);

  isSlackAway = true;
  for (let poll = 1; poll <= 3; poll += 1) await incidents.report(ref, async () => []);
  expect(posted).toHaveLength(1);
  isSlackAway = false;
  for (let poll = 1; poll <= 3; poll += 1) await incidents.report(ref, async () => []);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toContain('are fetched again');
});
