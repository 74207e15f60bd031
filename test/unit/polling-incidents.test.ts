import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test, vi } from 'vitest';
import { NotConnected } from '../../src/errors.ts';
import { createOutageNotices } from '../../src/features/polling/incidents.ts';
import { TransportError } from '../../src/marketplace/index.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const clients = twoRedisClients();

const failure = { operation: '', kind: 'timeout', reason: 'timeout' } as const;
const noAnswer = new TransportError({ ...failure, mayHaveBeenApplied: false });
const fails = () => Promise.reject(noAnswer);
const works = async () => undefined;

/** What reports polls in a process, and which notices were posted. @param takes says whether Slack takes one */
async function reporter({ noticeAfterMs = 0, now = Date.now, mayPost = true, takes = works } = {}) {
  const posted: string[] = [];
  const post = async (_: string, { text }: { text: string }) => takes().then(() => posted.push(text));
  const messengerOf = () => ({ post }) as never;
  const replaced = { channels: { shared: { mayPost: async () => mayPost } }, clock: { noticeAfterMs } };
  const modules = testModules(clients.first, replaced, { now, messengerOf });
  const subscription = { account: ref.account, channel: asId<never>('C1'), at: 1, started: true };
  await modules.channels.subscriptions.put(ref.workspace, subscription);
  return { posted, ...createOutageNotices(modules), ...modules.marketplace };
}

test('the end of an outage is told at a later poll if Slack does not take it, once, with the time of the end', async () => {
  let isSlackAway = false;
  let time = 1_000_000_000;
  const takes = () => (isSlackAway ? fails() : works());
  const { posted, ...outages } = await reporter({ now: () => time, takes });
  await outages.report(ref, fails);
  expect(posted).toEqual([expect.stringContaining('cannot be fetched right now')]);
  expect(await outages.outages.since(ref)).toBe(1_000_000_000);

  isSlackAway = true;
  time += 60_000;
  await outages.report(ref, works);
  // It goes on before anybody was told that it had ended.
  for (isSlackAway of [true, false]) await outages.report(ref, fails);
  expect(posted).toHaveLength(1);
  expect(await outages.outages.since(ref)).toBe(1_000_000_000);

  isSlackAway = true;
  for (time += 60_000; time <= 1_000_180_000; time += 60_000) await outages.report(ref, works);
  expect(posted).toHaveLength(1);
  expect(await outages.outages.since(ref)).toBeUndefined();
  isSlackAway = false;
  for (let poll = 1; poll <= 2; poll += 1) await outages.report(ref, works);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toMatch(/outage from 1970-01-12 13:46 UTC to 1970-01-12 13:48 UTC/);
});

test('an outage that a channel does not take any notice of is over all the same', async () => {
  const refused = new SlackError(
    'chat.postMessage',
    new WebAPIPlatformError({ ok: false, error: 'is_archived' } as never),
  );
  const takes = vi.fn(() => Promise.reject(refused));
  const outages = await reporter({ takes });
  await outages.report(ref, fails);
  for (let poll = 1; poll <= 3; poll += 1) await outages.report(ref, works);
  expect(takes).toHaveBeenCalledTimes(2);
});

test('an outage is not told in a channel that is shared and unconfirmed', async () => {
  const { posted, ...outages } = await reporter({ mayPost: false });
  for (const poll of [fails, works]) await outages.report(ref, poll);
  expect(posted).toEqual([]);
});

test('an outage of Slack that lasts a minute is told once, when Slack works again', async () => {
  let time = 1_000_000;
  const { posted, ...outages } = await reporter({ noticeAfterMs: 60_000, now: () => time });
  for (const ms of [59_999, 60_000]) {
    const failure = { code: 'http_500', began: time, pausesAfter: 1 };
    await outages.pauses.fail(ref.workspace, 'slack', failure);
    time += ms;
    await outages.reportSlack(ref);
    expect(posted).toEqual([]);
    await outages.pauses.succeed(ref.workspace, 'slack', time);
    for (let poll = 1; poll <= 2; poll += 1) await outages.reportSlack(ref);
  }
  expect(posted).toEqual([expect.stringContaining('wasn’t accepting messages')]);
});

test('what only people can mend is told at once', async () => {
  const { posted, ...outages } = await reporter({ noticeAfterMs: 60_000 });
  await outages.report(ref, fails);
  expect(posted).toEqual([]);
  await outages.report(ref, () => Promise.reject(new NotConnected()));
  expect(posted).toHaveLength(1);
});
