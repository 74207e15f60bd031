import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { createSandboxSlack, type SandboxSlack, type Workspace } from '../src/index.ts';
import type { Settings } from '../src/model.ts';
import { type SlackHandle, slackHandle } from '../src/testing/index.ts';

export type Transport = 'socket' | 'http';

export type Running = {
  sandbox: SandboxSlack;
  slack: SlackHandle;
  app: App;
  stop: () => Promise<void>;
};

/** A sandbox without a manifest (everything is allowed) unless the test brings one. */
export function sandboxFor(
  options: { workspace?: Workspace; settings?: Partial<Settings> } = {},
): Promise<SandboxSlack> {
  return createSandboxSlack({
    workspace: { manifest: null, ...options.workspace },
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  });
}

/** A Bolt app against that sandbox, over Socket Mode or HTTP. */
export async function startApp(
  sandbox: SandboxSlack,
  transport: Transport,
  listen: (app: App) => void,
): Promise<{ app: App; stop: () => Promise<void> }> {
  const clientOptions = { slackApiUrl: sandbox.apiUrl, retryConfig: { retries: 0 } };
  const receiver =
    transport === 'socket'
      ? new SocketModeReceiver({
          appToken: 'xapp-sandbox',
          logLevel: LogLevel.ERROR,
          installerOptions: { clientOptions },
        })
      : new HTTPReceiver({ signingSecret: 'sandbox-signing-secret', logLevel: LogLevel.ERROR });
  const app = new App({
    token: 'xoxb-sandbox',
    receiver,
    clientOptions,
    logLevel: LogLevel.ERROR,
    deferInitialization: true,
  });
  await app.init();
  listen(app);
  if (transport === 'http') {
    const server = (await app.start(0)) as Server;
    const { port } = server.address() as AddressInfo;
    await slackHandle(sandbox.url).settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  } else {
    await app.start();
  }
  return { app, stop: async () => void (await app.stop()) };
}

/** Sandbox, app and handle together. */
export async function startAll(
  transport: Transport,
  listen: (app: App) => void,
  options: { workspace?: Workspace; settings?: Partial<Settings> } = {},
): Promise<Running> {
  const sandbox = await sandboxFor(options);
  const { app, stop } = await startApp(sandbox, transport, listen);
  return {
    sandbox,
    slack: slackHandle(sandbox.url),
    app,
    stop: async () => {
      await stop();
      await sandbox.close();
    },
  };
}
