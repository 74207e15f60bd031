import { expect, test } from 'vitest';
import { NotConnected } from '../../src/errors.ts';
import { createPollingIncidents } from '../../src/features/polling/incidents.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import { createSubscriptions } from '../../src/store/channels.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const clients = twoRedisClients();

const failure = { operation: '', kind: 'timeout', reason: 'timeout' } as const;
const noAnswer = new TransportError({ ...failure, mayHaveBeenApplied: false });
const fails = () => Promise.reject(noAnswer);
const works = async () => undefined;

/** What reports polls in a process. @param post is called with each notice */
async function reporter(post: (text: string) => Promise<void>, noticeAfterMs = 0) {
  const { first: redis } = clients;
  const subscriptions = createSubscriptions(redis);
  const subscription = { account: ref.account, channel: asId<never>('C1'), at: 1, started: true };
  await subscriptions.put(ref.workspace, subscription);
  return createPollingIncidents(
    testModules(
      redis,
      { channels: { shared: { mayPost: async () => true } }, clock: { noticeAfterMs } },
      {
        messengerOf: () => ({ post: async (_: string, { text }: { text: string }) => post(text) }) as never,
      },
    ),
  );
}

test('the end of an outage that Slack does not take is told at a later poll, once', async () => {
  const posted: string[] = [];
  let isSlackAway = false;
  const incidents = await reporter(async (text) => {
    if (isSlackAway) throw new Error('no answer');
    posted.push(text);
  });
  await incidents.report(ref, fails);
  expect(posted).toEqual([expect.stringContaining('cannot be fetched right now')]);

  isSlackAway = true;
  for (let poll = 1; poll <= 2; poll += 1) await incidents.report(ref, works);
  expect(posted).toHaveLength(1);
  isSlackAway = false;
  for (let poll = 1; poll <= 2; poll += 1) await incidents.report(ref, works);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toContain('are coming in again');
});

test('what only people can mend is told at once', async () => {
  const posted: string[] = [];
  const incidents = await reporter(async (text) => void posted.push(text), 60_000);
  await incidents.report(ref, fails);
  expect(posted).toEqual([]);
  await incidents.report(ref, () => Promise.reject(new NotConnected()));
  expect(posted).toHaveLength(1);
});
