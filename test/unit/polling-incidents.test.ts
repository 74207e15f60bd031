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
const works = async () => [];

/** What reports polls in a process. @param post is called with each notice */
async function reporter(post: (text: string) => Promise<void>, noticeAfterMs = 0, queued: string[] = []) {
  const { first: redis } = clients;
  const subscriptions = createSubscriptions(redis);
  const subscription = { account: ref.account, channel: asId<never>('C1'), at: 1, started: true };
  await subscriptions.put(ref.workspace, subscription);
  return createPollingIncidents(
    testModules(
      redis,
      { channels: { shared: { mayPost: async () => true } }, clock: { noticeAfterMs } },
      {
        jobs: { add: async (name: string) => void queued.push(name) } as never,
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
  for (let poll = 1; poll <= 3; poll += 1) await incidents.report(ref, works);
  expect(posted).toHaveLength(1);
  isSlackAway = false;
  for (let poll = 1; poll <= 3; poll += 1) await incidents.report(ref, works);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toContain('are coming in again');
});

test('when polls fail again while people are told that they work, nothing is said twice', async () => {
  const posted: string[] = [];
  let failing = async (): Promise<void> => undefined;
  const incidents = await reporter(async (text) => {
    if (/again/.test(text)) await failing();
    posted.push(/again/.test(text) ? 'over' : 'begun');
  });
  await incidents.report(ref, fails);
  await incidents.report(ref, works);
  // Another process reports that they fail, and Slack does not take what this one says.
  failing = async () => {
    await incidents.report(ref, fails);
    throw new Error('no answer');
  };
  await incidents.report(ref, works);
  expect(posted).toEqual(['begun']);
  failing = () => incidents.report(ref, fails);
  await incidents.report(ref, works);
  await incidents.report(ref, works);
  expect(posted).toEqual(['begun', 'over']);
  failing = async () => undefined;
  await incidents.report(ref, fails);
  expect(posted).toEqual(['begun', 'over', 'begun']);
});

test('what only people can mend is told at once; when polls work again, what was held goes on and the next look is soon', async () => {
  const posted: string[] = [];
  const queued: string[] = [];
  const incidents = await reporter(async (text) => void posted.push(text), 60_000, queued);
  await incidents.report(ref, fails);
  expect(posted).toEqual([]);
  await incidents.report(ref, () => Promise.reject(new NotConnected()));
  expect(posted).toHaveLength(1);
  await incidents.report(ref, works);
  expect(queued).toEqual(['release', 'poll']);
});
