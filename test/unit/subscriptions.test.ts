import { beforeEach, expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { channelSettingsState, subscriptionListCodec } from '../../src/features/channels/list.view.ts';
import { createSubscriptionsFeature } from '../../src/features/channels/subscriptions.ts';
import { noCardChannel } from '../../src/features/channels/subscriptions.view.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();
const { workspace, account } = ref;
const [c1, c2] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const shelf = campaign({ id: asId('shelf'), title: 'Shelf' });

let { channels } = {} as ReturnType<typeof testModules>;
let feature: ReturnType<typeof createSubscriptionsFeature>;
/** What is answered to Ann alone or posted in a channel, and for which accounts her right is checked. */
let said: string[] = [];
let checked: string[] = [];
let takes: () => Promise<void>;
beforeEach(() => {
  [said, checked] = [[], []];
  takes = async () => undefined;
  const messenger = {
    channel: async () => ({ isMember: true, isArchived: false, isShared: false }),
    post: async (to: string, { text }: { text: string }) => takes().then(() => said.push(`${to}: ${text}`)),
  };
  const campaigns = { listings: { find: async () => ({ campaign: shelf }) } };
  const modules = testModules(redis(), { campaigns }, { messengerOf: () => messenger as never });
  ({ channels } = modules);
  const watch = { problemOf: async () => undefined, suspect: async () => undefined };
  feature = createSubscriptionsFeature({ ...modules, watch, startPolling: async () => undefined });
});

/** An action of Ann's. */
const by = (more: object) =>
  ({
    ...{ workspace, channel: c1, member: 'U1', how: 'click', ...more },
    answer: async ({ text }: { text: string }) => void said.push(text),
    async authorize({ account: of = account } = {}) {
      checked.push(of);
      return { workspace, account: of };
    },
  }) as never;
const types = async (command: number, more: object = {}) => feature.commands?.[command]?.run(by(more));
const here = { account, channel: c1, by: asId<never>('U1'), at: 1, started: true };

test('who ends what a channel gets, or changes its settings, may do so in each account with messages there', async () => {
  await channels.subscriptions.put(workspace, here);
  await channels.digests.put(workspace, { ...here, account: asId('a2') });
  const inboxOf3 = { workspace, account: asId<never>('a3') };
  await channels.inbox.choose(inboxOf3, here, { how: 'form' });
  const list = { account, page: 0 };
  const opened: { private_metadata?: string }[] = [];
  const origin = { at: 'message', channel: c1, ts: '1.1' };
  const blockId = subscriptionListCodec.encode('x', list);
  const click = { blockId, value: c1, origin, open: async (view: object) => void opened.push(view) };
  await feature.clicks?.['subscriptions.settings']?.run(by(click));
  expect(checked.splice(0)).toEqual([account, account, 'a2', 'a3']);
  const state = channelSettingsState.encode({ ...list, channel: c1, origin } as never);
  await feature.submissions?.['subscriptions.settings']?.run(by({ state, values: {} }));
  expect(checked.splice(0)).toEqual([account, account, 'a2', 'a3']);
  await types(1);
  expect(checked).toEqual([account, 'a2', 'a3']);
  expect(said).toEqual([expect.stringMatching(/^C1: <@U1> unsubscribed this channel\. New tasks, digests/)]);
  expect(await channels.subscriptions.all(workspace)).toEqual([]);
  expect(await channels.digests.all(workspace)).toEqual([]);
  expect(await channels.routing.forInbox(inboxOf3)).toBeUndefined();
});

test('who unsubscribes a channel in which that cannot be posted reads it alone', async () => {
  await channels.subscriptions.put(workspace, here);
  takes = () => Promise.reject(new SlackError('', new Error('no answer')));
  await types(1);
  expect(said).toEqual([
    expect.stringMatching(/^New tasks, digests and inbox messages are no longer posted/),
  ]);
});

const [nothingAdded, ofEach, ofShelf] = [
  /already gets these cards/,
  /tasks of each campaign/,
  /tasks of Shelf/,
];
test.each([
  ['digest', [c1], nothingAdded, []],
  ['digest', [c2], ofEach, [undefined]],
  ['digest', [undefined, c1], nothingAdded, []],
  ['digest', [c1, c2], ofEach, [undefined]],
  ['Digest shelf', [c1], nothingAdded, []],
  ['digest shelf', [c2, c1], nothingAdded, []],
  ['digest  shelf', [c1, c2], ofShelf, [shelf.id]],
] as const)('%s, where cards of the account and of a campaign go to %j', async (text, to, told, digests) => {
  const [all, own] = to;
  if (all) await channels.subscriptions.put(workspace, { ...here, channel: all });
  if (own) await channels.subscriptions.put(workspace, { ...here, channel: own, campaign: shelf.id });
  await types(0, { text });
  expect(said).toEqual([expect.stringMatching(told)]);
  expect((await channels.digests.all(workspace)).map(({ campaign: of }) => of)).toEqual(digests);
});

test('a digest needs a channel with cards', async () => {
  await expect(types(0, { text: 'digest' })).rejects.toThrow(noCardChannel);
});

test('a channel that loses a subscription is told, and so is the one that gets it', async () => {
  await channels.subscriptions.put(workspace, { ...here, channel: c2 });
  await types(0, { text: '' });
  await types(0, { text: '' });
  expect(said).toEqual([
    'C2: <@U1> moved new tasks from their account to <#C1>. What is already here stays, and its buttons still work.',
    'C1: <@U1> moved new tasks from their account here from <#C2>.',
    expect.stringMatching(
      /^New tasks of your account .* They’re no longer posted in <#C2>.* \/proofdesk unsubscribe/,
    ),
    expect.stringMatching(/^This channel already gets those tasks/),
  ]);
});
