import { LogLevel, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxSlack } from '../src/index.ts';
import { type SlackHandle, slackHandle } from '../src/testing/index.ts';
import { sandboxFor } from './app.ts';

const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

let sandbox: SandboxSlack;
let slack: SlackHandle;
let client: WebClient;

beforeAll(async () => {
  sandbox = await sandboxFor();
  slack = slackHandle(sandbox.url);
  client = webClient('xoxb-sandbox');
});
afterAll(() => sandbox.close());
beforeEach(() => slack.reset());

function webClient(token: string): WebClient {
  return new WebClient(token, {
    slackApiUrl: sandbox.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    // What fails here fails on purpose.
    logLevel: LogLevel.ERROR,
  });
}

/** What a call that fails says: the `data` of the client's error. */
async function failure(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await call.then(
    () => ({ data: { error: 'it succeeded' } }),
    (reason: unknown) => reason,
  );
  return (error as { data: Record<string, unknown> }).data;
}
const errorOf = async (call: Promise<unknown>) => (await failure(call)).error;

describe('tokens and scopes', () => {
  test('wrong, missing, revoked and misplaced tokens', async () => {
    expect(await errorOf(webClient('xoxb-wrong').auth.test())).toBe('invalid_auth');
    const bare = await fetch(`${sandbox.apiUrl}auth.test`, { method: 'POST' });
    expect(await bare.json()).toMatchObject({ ok: false, error: 'not_authed' });
    const asArgument = await fetch(`${sandbox.apiUrl}auth.test?token=xoxb-sandbox`);
    expect(await asArgument.json()).toMatchObject({ ok: true });
    expect(await errorOf(client.apps.connections.open({}))).toBe('not_allowed_token_type');
    expect(await errorOf(webClient('xapp-sandbox').users.list({}))).toBe('not_allowed_token_type');
    await slack.settings({ tokenRevoked: true });
    expect(await errorOf(client.auth.test())).toBe('token_revoked');
  });

  test('a missing scope names what is needed and what is there', async () => {
    await slack.settings({ scopes: ['commands', 'channels:read'] });
    expect(await failure(client.chat.postMessage({ channel: 'C01REVIEW', text: 'x' }))).toMatchObject({
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'commands,channels:read',
    });
    expect(await failure(client.conversations.history({ channel: 'C01REVIEW' }))).toMatchObject({
      error: 'missing_scope',
      needed: 'channels:history',
    });
    expect((await client.conversations.info({ channel: 'C01REVIEW' })).ok).toBe(true);
  });

  test('a JSON body works as a form does, and one without charset is warned about', async () => {
    const response = await fetch(`${sandbox.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-sandbox', 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'C01REVIEW', text: 'x', blocks: [section('from JSON')] }),
    });
    expect(await response.json()).toMatchObject({
      ok: true,
      message: { blocks: [{ type: 'section' }] },
      response_metadata: { warnings: ['missing_charset'] },
    });
  });
});

describe('messages', () => {
  test('channels where the bot cannot write', async () => {
    const post = (channel: string) => errorOf(client.chat.postMessage({ channel, text: 'x' }));
    expect(await Promise.all(['C0NOWHERE', 'C03RANDOM', 'C04OLD'].map(post))).toEqual([
      'channel_not_found',
      'not_in_channel',
      'is_archived',
    ]);
    const channel = 'C01REVIEW';
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'x' });
    const update = () => errorOf(client.chat.update({ channel, ts, text: 'y' }));
    await slack.channelPatch(channel, { botIsMember: false });
    expect(await update()).toBe('not_in_channel');
    await slack.channelPatch(channel, { botIsMember: true, archived: true });
    expect(await update()).toBe('is_archived');
  });

  test('texts: none, too long, somebody else’s', async () => {
    const channel = 'C01REVIEW';
    expect(await errorOf(client.chat.postMessage({ channel, text: ' ' }))).toBe('no_text');
    expect(await errorOf(client.chat.postMessage({ channel, text: 'x'.repeat(40_001) }))).toBe(
      'msg_too_long',
    );
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'x' });
    // Counted in code points: 4,000 of two UTF-16 units each still fit.
    await client.chat.update({ channel, ts, text: '😀'.repeat(4000) });
    expect(await errorOf(client.chat.update({ channel, ts, text: 'x'.repeat(4001) }))).toBe('msg_too_long');
    const said = await slack.person('U01ANN').says(channel, 'mine');
    expect(await errorOf(client.chat.update({ channel, ts: said.ts, text: 'x' }))).toBe(
      'cant_update_message',
    );
  });

  test('blocks: the failing path is named as Slack names it', async () => {
    const blocks = [
      section('fine'),
      {
        type: 'actions' as const,
        elements: [
          {
            type: 'button' as const,
            action_id: 'a',
            text: { type: 'plain_text' as const, text: 'x'.repeat(76) },
          },
        ],
      },
    ];
    expect(await failure(client.chat.postMessage({ channel: 'C01REVIEW', text: 'x', blocks }))).toMatchObject(
      {
        error: 'invalid_blocks',
        errors: ['must be less than 76 characters [json-pointer:/blocks/1/elements/0/text/text]'],
        response_metadata: {
          messages: ['[ERROR] must be less than 76 characters [json-pointer:/blocks/1/elements/0/text/text]'],
        },
      },
    );
    expect(
      await errorOf(client.apiCall('chat.postMessage', { channel: 'C01REVIEW', text: 'x', blocks: '{oops' })),
    ).toBe('invalid_blocks_format');
    const long = Array.from({ length: 5 }, () => section('x'.repeat(2900)));
    expect(await errorOf(client.chat.postMessage({ channel: 'C01REVIEW', text: 'x', blocks: long }))).toBe(
      'msg_blocks_too_long',
    );
  });

  test('metadata has a limit', async () => {
    const post = (comment: string) =>
      client.chat.postMessage({
        channel: 'C01REVIEW',
        text: 'x',
        metadata: { event_type: 'task_card', event_payload: { comment } },
      });
    expect((await post('x'.repeat(7_900))).ok).toBe(true);
    expect(await errorOf(post('x'.repeat(8_001)))).toBe('metadata_too_large');
  });

  test('metadata is kept by updates and given by history on demand', async () => {
    const channel = 'C01REVIEW';
    const metadata = { event_type: 'task_card', event_payload: { task: '12e5', list: [{ a: 1 }] } };
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'x', metadata });
    await client.chat.update({ channel, ts, text: 'y' });
    const without = await client.conversations.history({ channel });
    expect(without.messages?.[0]).not.toHaveProperty('metadata');
    const given = await client.conversations.history({
      channel,
      include_all_metadata: true,
      oldest: ts,
      inclusive: true,
    });
    expect(given.messages).toMatchObject([{ ts, text: 'y', metadata }]);
    const nested = { event_type: 'x', event_payload: { deep: { deeper: { deepest: 1 } } } } as never;
    expect(await errorOf(client.chat.postMessage({ channel, text: 'x', metadata: nested }))).toBe(
      'invalid_metadata_format',
    );
  });

  test('threads, broadcasts, links and tombstones', async () => {
    const channel = 'C01REVIEW';
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'parent' });
    await client.chat.postMessage({ channel, text: 'reply', thread_ts: ts });
    const loud = await client.chat.postMessage({
      channel,
      text: 'loud',
      thread_ts: ts,
      reply_broadcast: true,
    });
    const replies = await client.conversations.replies({ channel, ts });
    expect(replies.messages?.map(({ text }) => text)).toEqual(['parent', 'reply', 'loud']);
    expect(replies.messages?.[0]).toMatchObject({ reply_count: 2, thread_ts: ts });
    const history = await client.conversations.history({ channel });
    expect(history.messages?.map(({ text, subtype }) => [text, subtype])).toEqual([
      ['loud', 'thread_broadcast'],
      ['parent', undefined],
    ]);
    const link = await client.chat.getPermalink({ channel, message_ts: loud.ts ?? '' });
    expect(link.permalink).toContain(`thread_ts=${ts}`);
    const opened = await fetch(link.permalink ?? '', { redirect: 'manual' });
    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toBe(`/?channel=${channel}&message=${ts}`);
    await client.chat.delete({ channel, ts });
    const after = await client.conversations.replies({ channel, ts });
    expect(after.messages?.[0]).toMatchObject({ subtype: 'tombstone' });
    expect(await errorOf(client.conversations.replies({ channel, ts: '1.000001' }))).toBe('thread_not_found');
  });

  test('history comes in pages, newest first, within a window', async () => {
    const channel = 'C01REVIEW';
    const sent: string[] = [];
    for (let n = 0; n < 5; n += 1)
      sent.push((await client.chat.postMessage({ channel, text: `m${n}` })).ts ?? '');
    const first = await client.conversations.history({ channel, limit: 2 });
    expect(first.messages?.map(({ text }) => text)).toEqual(['m4', 'm3']);
    expect(first.has_more).toBe(true);
    const cursor = first.response_metadata?.next_cursor ?? '';
    const second = await client.conversations.history({ channel, limit: 2, cursor });
    expect(second.messages?.map(({ text }) => text)).toEqual(['m2', 'm1']);
    const window = await client.conversations.history({
      channel,
      oldest: sent[1] ?? '',
      latest: sent[3] ?? '',
    });
    expect(window.messages?.map(({ text }) => text)).toEqual(['m2']);
    expect(await errorOf(client.conversations.history({ channel: 'C03RANDOM' }))).toBe('not_in_channel');
  });
});

describe('people and channels', () => {
  test('conversations: list, info, members, join', async () => {
    const listed = await client.conversations.list({ exclude_archived: true });
    expect(listed.channels?.map(({ id }) => id)).toEqual(['C01REVIEW', 'C02INBOX', 'C03RANDOM']);
    expect((await client.conversations.info({ channel: 'C03RANDOM' })).channel).toMatchObject({
      is_member: false,
      name: 'random',
    });
    expect((await client.conversations.members({ channel: 'C01REVIEW' })).members).toContain('U0BOT');
    await client.conversations.join({ channel: 'C03RANDOM' });
    expect((await client.chat.postMessage({ channel: 'C03RANDOM', text: 'in' })).ok).toBe(true);
    expect((await client.conversations.join({ channel: 'C03RANDOM' })).warning).toBe('already_in_channel');
    const im = await client.conversations.list({ types: 'im' });
    expect(im.channels?.map(({ id, user }) => [id, user])).toContainEqual(['D01ANN', 'U01ANN']);
  });
});

describe('rate limits', () => {
  test('calls a minute per method, and a factor on all of them', async () => {
    await slack.settings({ rateLimits: 0.1 });
    const list = () => client.usergroups.list();
    await list();
    await list();
    await expect(list()).rejects.toMatchObject({ retryAfter: 30 });
    expect((await client.users.info({ user: 'U01ANN' })).ok).toBe(true);
    await slack.settings({ rateLimits: 'off' });
    expect((await list()).ok).toBe(true);
  });
});

describe('faults of calls', () => {
  const post = () => client.chat.postMessage({ channel: 'C01REVIEW', text: 'x' });
  const posted = async () => (await slack.person('U01ANN').reads('C01REVIEW')).length;

  test('429, 500, HTML and any error code', async () => {
    await slack.fault({ match: { method: 'chat.postMessage' }, kind: '429', retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    await slack.fault({ kind: '500' });
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    await slack.fault({ kind: 'html' });
    await expect(post()).rejects.toMatchObject({ statusCode: 502 });
    await slack.fault({ kind: 'error', error: 'fatal_error' });
    expect(await errorOf(post())).toBe('fatal_error');
    expect(await posted()).toBe(0);
    expect((await post()).ok).toBe(true);
  });

  test('dropped before and after, answered too late, only where it matches', async () => {
    await slack.fault({ match: { channel: 'C02INBOX' }, kind: 'drop-before' });
    expect((await post()).ok).toBe(true);
    await slack.clearFaults();
    await slack.fault({ kind: 'drop-before' });
    await expect(post()).rejects.toThrow();
    expect(await posted()).toBe(1);
    await slack.fault({ kind: 'drop-after' });
    await expect(post()).rejects.toThrow();
    expect(await posted()).toBe(2);
    await slack.fault({ kind: 'accepted-late', delayMs: 400 });
    const impatient = new WebClient('xoxb-sandbox', {
      slackApiUrl: sandbox.apiUrl,
      timeout: 200,
      retryConfig: { retries: 0 },
    });
    await expect(impatient.chat.postMessage({ channel: 'C01REVIEW', text: 'x' })).rejects.toThrow();
    expect(await posted()).toBe(3);
    const id = await slack.fault({ kind: 'latency', delayMs: 100, times: 0 });
    const started = Date.now();
    await post();
    expect(Date.now() - started).toBeGreaterThanOrEqual(95);
    expect(id).toMatch(/^fault-/);
  });

  test('a call that a fault delays goes on when the fault is removed', async () => {
    await slack.fault({ kind: 'latency', delayMs: 600_000 });
    await slack.clearRequests();
    const posting = post();
    await slack.request(({ fault }) => fault === 'latency');
    await slack.clearFaults();
    expect(await posting).toMatchObject({ ok: true });
  });

  test('everything is logged, tokens masked', async () => {
    await slack.clearRequests();
    await slack.fault({ kind: 'error', error: 'fatal_error' });
    await errorOf(post());
    await post();
    const log = await slack.requests({ method: 'chat.postMessage' });
    expect(log).toMatchObject([
      { direction: 'in', ok: false, fault: 'error', args: { channel: 'C01REVIEW', text: 'x' } },
      { direction: 'in', ok: true, status: 200 },
    ]);
    expect(JSON.stringify(log)).not.toContain('xoxb-sandbox');
  });
});

test('control calls refuse what they do not understand', async () => {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  expect(await post('faults', { kind: 'earthquake' })).toMatchObject([400, expect.stringContaining('kind')]);
  expect(await post('command', { user: 'U01ANN' })).toMatchObject([400, expect.stringContaining('channel')]);
  expect(await post('click', { user: 'U0', channel: 'C01REVIEW', ts: '1', action_id: 'a' })).toMatchObject([
    200,
    'There is no person U0',
  ]);
});
