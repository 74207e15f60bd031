import type { Authorize } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Redis } from 'ioredis';
import { type MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import { type clientOptions, createSlackPause } from '../slack/client.ts';
import { createFreshInstallations, createInstaller } from '../slack/install.ts';
import { createMessenger } from '../slack/messenger.ts';
import type { Vault } from '../store/encryption.ts';
import { createInstallations, type Installation } from '../store/installations.ts';
import { createLeases } from '../store/leases.ts';
import type { Pauses } from '../store/pauses.ts';
import { isRedisUnavailable } from '../store/redis.ts';
import type { Config } from './config.ts';
import { neededScopes } from './doctor-checks.ts';
import { identifyBot } from './lifecycle.ts';

interface Parts {
  readonly options: ReturnType<typeof clientOptions>;
  readonly pauses: Pauses;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called after each call of Slack's Web API. */
  readonly onCall?: Parameters<typeof createSlackPause>[0]['onCall'];
}

/**
 * Returns what calls Slack in a workspace, and what does so where nothing has been called for long.
 * @param bot as createMessenger has it
 */
function connect(
  workspace: WorkspaceId,
  client: WebClient,
  parts: Parts,
  bot?: Parameters<typeof createMessenger>[2],
) {
  const pause = createSlackPause({ workspace, ...parts });
  const messenger = createMessenger(client, pause.record, bot);
  return { messenger, check: () => pause.check(messenger.identity) };
}

/** Returns the only workspace, that of the token, and how the bot is known there, once Slack has said which it is. */
export async function findWorkspace(
  botToken: string,
  parts: Parts,
  ...waiting: [signal: AbortSignal, onWait: (reason: string) => void]
) {
  const client = new WebClient(botToken, parts.options);
  const { workspace, ...bot } = await identifyBot(createMessenger(client), parts.logger, ...waiting);
  const { messenger, check } = connect(workspace, client, parts);
  const authorize: Authorize<boolean> = async () => ({ ...bot, teamId: workspace });
  return {
    workspace,
    all: async () => [workspace],
    messengerOf(of: WorkspaceId) {
      if (of !== workspace) throw new Error('unknown workspace');
      return messenger;
    },
    botUserOf: async () => bot.botUserId,
    authorize,
    check,
    identity: messenger.identity,
  };
}

/** Returns the workspaces that have installed the app, the pages by which others do, and the store of the installations. */
export function createInstalledWorkspaces(
  app: NonNullable<Config['slack']['install']>,
  parts: Parts & { readonly redis: Redis; readonly vault: Vault },
) {
  const { options, redis } = parts;
  const installations = createInstallations(redis, parts.vault, parts.logger);
  const shared = { ...parts, app, installations };
  const fresh = createFreshInstallations({ ...shared, leases: createLeases(redis) });

  /** The bot of a workspace, by a token that is read anew for each call: it may be refreshed, or be that of a new installation. */
  function connectTo(workspace: WorkspaceId) {
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
    return connect(workspace, client, parts, { token, user: () => user });
  }

  const connected = new Map<WorkspaceId, ReturnType<typeof connect>>();
  function connectionOf(workspace: WorkspaceId) {
    const found = connected.get(workspace) ?? connectTo(workspace);
    connected.set(workspace, found);
    return found;
  }
  const all = async () => (await installations.workspaces()).installed;
  const authorize: Authorize<boolean> = async ({ teamId, enterpriseId }, body) => {
    // It is of an organization, and Slack is asked whether it is so.
    if (body && 'event' in body && body.event.type === 'team_access_revoked') return {};
    const workspace = WorkspaceId.parse(teamId);
    // While Redis is away, the listener tells the person.
    const found = await installations.of(workspace, enterpriseId).catch((error: unknown) => {
      if (!isRedisUnavailable(error)) throw error;
      return { botId: '' };
    });
    if (found === undefined) throw new Error('the app is not installed in this workspace');
    return { botId: found.botId, teamId: workspace };
  };

  return {
    all,
    messengerOf: (workspace: WorkspaceId) => connectionOf(workspace).messenger,
    botUserOf: async (workspace: WorkspaceId) => (await installations.of(workspace))?.botUser,
    authorize,
    check: (workspace: WorkspaceId) => connectionOf(workspace).check(),
    installations,
    pages: createInstaller({ ...shared, scopes: Object.keys(neededScopes) }),
    /** Refreshes the tokens that are about to expire, also where nothing is called: only one that works tells of a removal. */
    async refreshTokens(): Promise<void> {
      for (const workspace of await all()) await fresh(workspace);
    },
    messengerWith: ({ token }: Installation) => createMessenger(new WebClient(token, options)),
  };
}
