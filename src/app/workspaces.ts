import type { Authorize } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Redis } from 'ioredis';
import { type MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import { type clientOptions, createSlackPause } from '../slack/client.ts';
import { createFreshInstallations, createInstaller } from '../slack/install.ts';
import { createMessenger, type Messenger } from '../slack/messenger.ts';
import type { Vault } from '../store/encryption.ts';
import { createInstallations, createInstallStates, type Installation } from '../store/installations.ts';
import { createLeases } from '../store/leases.ts';
import type { Pauses } from '../store/pauses.ts';
import { isRedisUnavailable } from '../store/redis.ts';
import type { Config } from './config.ts';
import { neededScopes } from './doctor-checks.ts';
import { identifyBot } from './lifecycle.ts';

/** The workspaces that the bot works in, and how it is known there. */
export interface Workspaces {
  readonly all: () => Promise<readonly WorkspaceId[]>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly botUserOf: (workspace: WorkspaceId) => Promise<MemberId | undefined>;
  readonly authorize: Authorize<boolean>;
  /** Calls Slack in a workspace where nothing has been called for long. */
  readonly check: (workspace: WorkspaceId) => Promise<void>;
}

type Options = ReturnType<typeof clientOptions>;

interface Parts {
  readonly options: Options;
  readonly pauses: Pauses;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called after each call of Slack's Web API. */
  readonly onCall?: Parameters<typeof createSlackPause>[0]['onCall'];
}

/** Returns the only workspace, that of the token, once Slack has said which it is. */
export async function findWorkspace(
  botToken: string,
  { options, ...parts }: Parts,
  ...waiting: [signal: AbortSignal | undefined, onWait: (reason: string) => void]
): Promise<Workspaces & { readonly workspace: WorkspaceId; readonly identity: () => Promise<unknown> }> {
  const client = new WebClient(botToken, options);
  const identity = await identifyBot(createMessenger(client), parts.logger, ...waiting);
  const { workspace, ...bot } = identity;
  const pause = createSlackPause({ workspace, ...parts });
  const messenger = createMessenger(client, pause.record);
  return {
    workspace,
    all: async () => [workspace],
    messengerOf(of) {
      if (of !== workspace) throw new Error('unknown workspace');
      return messenger;
    },
    botUserOf: async () => bot.botUserId,
    authorize: async () => ({ botToken, teamId: workspace, ...bot }),
    check: () => pause.check(() => messenger.identity()),
    identity: () => messenger.identity(),
  };
}

/** Returns the workspaces that have installed the app, the pages by which others do, and the store of the installations. */
export function createInstalledWorkspaces(
  { stateSecret, ...app }: NonNullable<Config['slack']['install']>,
  {
    options,
    apiUrl,
    redis,
    vault,
    ...parts
  }: Parts & {
    readonly apiUrl: string | undefined;
    readonly redis: Redis;
    readonly vault: Vault;
  },
) {
  const { logger, now } = parts;
  const installations = createInstallations(redis, vault, logger);
  const shared = { app, apiUrl, installations, logger };
  const states = createInstallStates(redis, stateSecret, now);
  const pages = createInstaller({ ...shared, states, scopes: Object.keys(neededScopes) });
  const fresh = createFreshInstallations({ ...shared, leases: createLeases(redis), now });

  /** The bot of a workspace, by a token that is read anew for each call: it may be refreshed, or be that of a new installation. */
  function connect(workspace: WorkspaceId) {
    let user: MemberId | undefined;
    const token = async () => {
      const found = await fresh(workspace);
      user = found?.botUser;
      return found?.token;
    };
    const client = new WebClient(undefined, {
      ...options,
      teamId: workspace,
      async fetch(input, init) {
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${(await token()) ?? ''}`);
        return options.fetch(input, { ...init, headers });
      },
    });
    const pause = createSlackPause({ workspace, ...parts });
    return { pause, messenger: createMessenger(client, pause.record, { token, user: () => user }) };
  }

  const connected = new Map<WorkspaceId, ReturnType<typeof connect>>();
  function connectionOf(workspace: WorkspaceId) {
    const found = connected.get(workspace) ?? connect(workspace);
    connected.set(workspace, found);
    return found;
  }
  const messengerOf = (workspace: WorkspaceId) => connectionOf(workspace).messenger;

  const workspaces: Workspaces = {
    all: async () => (await installations.workspaces()).installed,
    messengerOf,
    botUserOf: async (workspace) => (await installations.of(workspace))?.botUser,
    // Bolt needs a token, and makes no call: this one is as stored.
    async authorize({ teamId, enterpriseId }) {
      const workspace = WorkspaceId.parse(teamId);
      try {
        const found = await installations.of(workspace, enterpriseId);
        if (found === undefined) throw new Error('the app is not installed in this workspace');
        const { token: botToken, botUser: botUserId, botId } = found;
        return { botToken, botUserId, botId, teamId: workspace };
      } catch (error) {
        if (!isRedisUnavailable(error)) throw error;
        // The listener tells the person, without a token.
        return { botToken: 'unknown', botUserId: '', botId: '', teamId: workspace };
      }
    },
    check: (workspace) => connectionOf(workspace).pause.check(() => messengerOf(workspace).identity()),
  };
  return {
    ...workspaces,
    installations,
    pages,
    /** Refreshes the tokens that are about to expire, also where nothing is called: only one that works tells of a removal. */
    async refreshTokens(): Promise<void> {
      for (const workspace of await workspaces.all()) await fresh(workspace);
    },
    /** Asks Slack whose the token of an installation is. */
    identityOf: ({ token }: Installation) => createMessenger(new WebClient(token, options)).identity(),
  };
}
