import { createServer } from 'node:http';
import { WebAPIPlatformError, WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import { expect, onTestFinished, test } from 'vitest';
import { inChunks } from '../../src/slack/files.ts';
import { createMessenger, type Messenger } from '../../src/slack/messenger.ts';
import { asId } from '../harness/ids.ts';
import { listen } from '../harness/ports.ts';
import { recorded } from '../harness/recorded.ts';

const review = asId<never>('C01REVIEW');
const place = { channel: review, ts: '5.1' };
const message = { text: 'a task', blocks: [] };
const shown = { ...message, unfurl_links: false, unfurl_media: false };
const tag = { type: 'card', payload: { task: 't1', round: 1 } };
const metadata = { event_type: 'card', event_payload: tag.payload };
const refused = (error: string) => new WebAPIPlatformError({ ok: false, error } as never);

/** What comes of it, and what Slack was asked, which answers so. */
async function asks(run: (messenger: Messenger) => Promise<unknown>, answers: Record<string, unknown> = {}) {
  const { calls, object } = recorded<WebClient>(answers);
  const outcome = await run(createMessenger(object)).catch((error: Error) => error.message);
  return [outcome, ...calls];
}

test('messages have no previews of links, can be found again, and are where Slack says, which for a member is not where they were sent', async () => {
  const more = { thread_ts: '1.0', metadata: { ...metadata, entities: ['x'] } };
  const about = { tag, threadTs: '1.0' };
  const posted = { 'chat.postMessage': place };
  expect([
    await asks(({ post }) => post(asId('U1'), { ...message, entity: 'x' as never }, about), posted),
    await asks(({ update }) => update(place, message, tag)),
  ]).toEqual([
    [place, ['chat.postMessage', { channel: 'U1', ...shown, ...more }]],
    [undefined, ['chat.update', { ...place, ...shown, metadata }]],
  ]);
});

test('a card is found again by its tag, unless it says itself that it has moved or another app has posted it', async () => {
  const mine = { ts: '5.1', user: 'U0BOT', bot_id: 'B1', metadata };
  const tagged = (type: string, more: object) => ({
    ...mine,
    ts: '9.1',
    metadata: { event_type: type, event_payload: { ...tag.payload, ...more } },
  });
  const others = [
    { ...mine, user: 'U1' },
    tagged('x', {}),
    tagged('card', { round: 2 }),
    tagged('card', { moved: 1 }),
  ];
  const history = ({ latest }: { latest?: string }) =>
    latest === undefined ? { messages: others, has_more: true } : { messages: [...others, mine] };
  const answers = {
    'auth.test': { team_id: 'T1', user_id: 'U0BOT', bot_id: 'B1' },
    'conversations.history': history,
  };
  const search = async ({ identity, findTagged }: Messenger) => [
    await identity(),
    await findTagged(review, 1_999, tag),
  ];
  const asked = { channel: review, oldest: '1', include_all_metadata: true, limit: 999 };
  expect(await asks(search, answers)).toEqual([
    [{ workspace: 'T1', botUserId: 'U0BOT', botId: 'B1' }, place],
    ['auth.test'],
    ['conversations.history', asked],
    ['conversations.history', { ...asked, latest: '9.1' }],
  ]);
});

test.each([
  [{}, [false, false, false]],
  [{ is_im: true, is_archived: true }, [true, true, false]],
  [{ is_im: true, is_member: false, is_ext_shared: true }, [false, false, true]],
  [{ is_member: true, is_pending_ext_shared: true }, [true, false, true]],
])(
  'of a channel that Slack describes as %j is known whether the bot is in it, and who else',
  async (channel, known) => {
    const [isMember, isArchived, isShared] = known;
    const found = (slack: Messenger) => slack.channel(review);
    expect((await asks(found, { 'conversations.info': { channel } }))[0]).toEqual({
      isMember,
      isArchived,
      isShared,
    });
  },
);

test('a message is gone only if Slack says so; its link is asked for until there is one', async () => {
  const all = async (of: Messenger) => [
    await of.isThere(place),
    await of.permalink(place),
    await of.permalink(place),
  ];
  const asked = ['chat.getPermalink', { channel: review, message_ts: '5.1' }];
  for (const [answer, known, times] of [
    [{ permalink: 'https://a' }, [true, 'https://a', 'https://a'], 2],
    [{}, [true, undefined, undefined], 3],
    [refused('message_not_found'), [false, undefined, undefined], 3],
    [refused('channel_not_found'), 'chat.getPermalink: channel_not_found', 1],
  ] as const)
    expect(await asks(all, { 'chat.getPermalink': answer })).toEqual([known, ...Array(times).fill(asked)]);
});

const csv = {
  id: 'F1',
  name: 'a.csv',
  size: 3,
  mimetype: 'text/csv',
  url_private_download: 'https://slack.com/a',
};
const { mimetype: contentType, url_private_download: address, ...named } = csv;
const mb = 1024 * 1024;

test.each([
  [csv, {}, { ...named, contentType, address }],
  [
    { id: 'F1' },
    { file: { ...csv, mimetype: '' } },
    { ...named, contentType: 'application/octet-stream', address },
  ],
  [{ ...csv, size: undefined }, {}, '“file” is stored outside Slack. Attach a file from your own device.'],
  [{ ...csv, size: 0 }, {}, '“a.csv” is empty. Attach a file with something in it.'],
  [{ ...csv, size: 10 * mb }, {}, { ...named, size: 10 * mb, contentType, address }],
  [{ ...csv, size: 10 * mb + 1 }, {}, '“a.csv” has 10.0 MB, and the limit is 10 MB. Attach a smaller one.'],
  [
    { id: 'F1' },
    refused('missing_scope'),
    'Proofdesk can’t read files. Ask an admin to give it the scope files:read, then try again.',
  ],
  [{ id: 'F1' }, refused('file_not_found'), 'Slack no longer has this file. Attach it again.'],
  [{ id: 'F1' }, new Error(), 'Slack could not be reached for the file. Try again in a minute.'],
])('an attached file that the form describes as %j', async (file, info, known) => {
  const slack = { slackApiUrl: 'https://slack.com/api/', 'files.info': info };
  expect((await asks(({ attachments }) => attachments.describe(file as never), slack))[0]).toEqual(known);
});

test('a file is shared under a name in which nothing hides, and nothing is shared if it did not arrive', async () => {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(status).end()),
  );
  onTestFinished(() => void server.close());
  let status = 200;
  const answers = {
    'files.getUploadURLExternal': { upload_url: await listen(server), file_id: 'F1' },
    'files.info': new Error('away'),
  };
  const file = {
    content: inChunks([Buffer.from('abc'), Buffer.from('d')]),
    filename: 'a\u202eb',
    comment: 'Proof',
  };
  const shares = (slack: Messenger) => slack.shareFile({ channel: review, threadTs: '1.0' }, file);
  const asked = ['files.getUploadURLExternal', { filename: 'a[U+202E]b', length: 4 }];
  const to = { channel_id: review, initial_comment: 'Proof', thread_ts: '1.0' };
  expect(await asks(shares, answers)).toEqual([
    undefined,
    asked,
    ['files.completeUploadExternal', { files: [{ id: 'F1', title: 'a[U+202E]b' }], ...to }],
    ['files.info', { file: 'F1' }],
  ]);
  status = 500;
  expect(await asks(shares, answers)).toEqual(['upload: upload_failed (status 500)', asked]);
  const halves = {
    'files.getUploadURLExternal': { upload_url: answers['files.getUploadURLExternal'].upload_url },
  };
  expect(await asks(shares, halves)).toEqual([
    'upload: upload_failed (Slack returned no upload address)',
    asked,
  ]);
  const limited = new WebAPIRateLimitedError(7);
  expect((await asks(shares, { 'files.getUploadURLExternal': limited }))[0]).toBe(
    'files.getUploadURLExternal: ratelimited',
  );
});
