import { App, LogLevel } from '@slack/bolt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ActResult, createSandboxSlack, type SandboxState } from '../src/index.ts';

/** An app of another project, by the sandbox's exports and its HTTP calls alone: as README.md says. */
let sandbox: Awaited<ReturnType<typeof createSandboxSlack>>;
let app: App;

beforeAll(async () => {
  sandbox = await createSandboxSlack({ workspace: { manifest: null } });
  app = new App({
    token: 'xoxb-sandbox',
    appToken: 'xapp-sandbox',
    socketMode: true,
    clientOptions: { slackApiUrl: sandbox.apiUrl },
    logLevel: LogLevel.ERROR,
  });
  app.command('/hello', async ({ command, ack, respond }) => {
    await ack();
    await respond(`Hello, <@${command.user_id}>.`);
  });
  await app.start();
});

afterAll(async () => {
  await app.stop();
  await sandbox.close();
});

test('a Bolt app of another project answers a command in the sandbox', async () => {
  const response = await fetch(`${sandbox.url}/_sandbox/command`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'U01ANN', channel: 'C01REVIEW', command: '/hello', text: '' }),
  });
  expect((await response.json()) as ActResult).toMatchObject({ ok: true, acked: true });
  await expect
    .poll(async () => {
      const state = (await (await fetch(`${sandbox.url}/_sandbox/state`)).json()) as SandboxState;
      return state.channels.find(({ id }) => id === 'C01REVIEW')?.ephemerals.map(({ text }) => text);
    })
    .toEqual(['Hello, <@U01ANN>.']);
});
