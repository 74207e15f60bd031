import { LogLevel, WebAPIPlatformError, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxSlack } from '../../src/sandbox/slack/index.ts';
import { type SlackHandle, slackHandle } from '../harness/slack.ts';
import { sandboxFor } from './sandbox-slack-app.ts';
import { type BareSocket, openSocket } from './sandbox-slack-socket.ts';

let sandbox: SandboxSlack;
let slack: SlackHandle;
let client: WebClient;
let socket: BareSocket;

beforeAll(async () => {
  const channels = [
    { id: 'C01REVIEW', name: 'review' },
    { id: 'C09PRIVATE', name: 'private', is_private: true },
    { id: 'C08PARTNER', name: 'partner', is_ext_shared: true },
  ];
  sandbox = await sandboxFor({ workspace: { channels } });
  slack = slackHandle(sandbox.url);
  client = new WebClient('xoxb-sandbox', {
    slackApiUrl: sandbox.apiUrl,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });
  socket = await openSocket(sandbox);
  await socket.next();
});
afterAll(async () => {
  socket.close();
  await sandbox.close();
});

async function errorOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'it succeeded',
    (error: unknown) => (error instanceof WebAPIPlatformError ? error.data.error : String(error)),
  );
}

/** Waits for the next events and acks them. */
async function events(count = 1) {
  const types: unknown[] = [];
  for (let n = 0; n < count; n++) {
    const envelope = await socket.next();
    socket.ack(envelope);
    types.push((envelope.payload.event as { type: string }).type);
  }
  return types;
}

test('shares a channel with another company', async () => {
  const info = async (channel: string) => (await client.conversations.info({ channel })).channel;
  expect(await info('C08PARTNER')).toMatchObject({ is_ext_shared: true, is_shared: true });
  expect(await info('C01REVIEW')).toMatchObject({ is_ext_shared: false, is_pending_ext_shared: false });
  await slack.channelPatch('C01REVIEW', { shared: 'pending' });
  expect(await info('C01REVIEW')).toMatchObject({ is_ext_shared: false, is_pending_ext_shared: true });
  await slack.channelPatch('C01REVIEW', { shared: true });
  expect(await info('C01REVIEW')).toMatchObject({ is_ext_shared: true, is_pending_ext_shared: false });
  await slack.channelPatch('C01REVIEW', { shared: false });
  expect(await events(2)).toEqual(['channel_shared', 'channel_unshared']);
});

test('a private channel has events of its own, and is not found without the bot', async () => {
  const { ts = '' } = await client.chat.postMessage({ channel: 'C09PRIVATE', text: 'x' });
  await events();
  await slack.channelPatch('C09PRIVATE', { archived: true });
  await slack.channelPatch('C09PRIVATE', { archived: false });
  await slack.channelPatch('C09PRIVATE', { botIsMember: false });
  expect(await events(4)).toEqual(['group_archive', 'group_unarchive', 'group_left', 'member_left_channel']);
  const update = client.chat.update({ channel: 'C09PRIVATE', ts, text: 'y' });
  expect(await errorOf(update)).toBe('channel_not_found');
  expect(await errorOf(client.conversations.info({ channel: 'C09PRIVATE' }))).toBe('channel_not_found');
});

test('a deleted channel is gone with its messages', async () => {
  const { ts = '' } = await client.chat.postMessage({ channel: 'C01REVIEW', text: 'x' });
  await events();
  await slack.deletesChannel('C01REVIEW');
  expect(await events()).toEqual(['channel_deleted']);
  const calls = [
    client.conversations.info({ channel: 'C01REVIEW' }),
    client.conversations.history({ channel: 'C01REVIEW' }),
    client.chat.postMessage({ channel: 'C01REVIEW', text: 'x' }),
    client.chat.update({ channel: 'C01REVIEW', ts, text: 'x' }),
    client.chat.getPermalink({ channel: 'C01REVIEW', message_ts: ts }),
  ];
  expect(await Promise.all(calls.map(errorOf))).toEqual(calls.map(() => 'channel_not_found'));
  expect((await slack.state()).channels.map(({ id }) => id)).not.toContain('C01REVIEW');
  await expect(slack.deletesChannel('C01REVIEW')).rejects.toThrow('channel_not_found');
});
