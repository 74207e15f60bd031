import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { InstallProvider, type InstallProviderOptions, InvalidStateError } from '@slack/oauth';
import { WebClient } from '@slack/web-api';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { installationLeaseKey } from '../store/format.ts';
import type { FoundInstallation, Installations } from '../store/installations.ts';
import type { createLeases, Lease } from '../store/leases.ts';
import { isRedisUnavailable } from '../store/redis.ts';
import { type clientOptions, slackLogger } from './client.ts';

interface Parts {
  /** The credentials of an app that several workspaces install. */
  readonly app: { readonly clientId: string; readonly clientSecret: string; readonly stateSecret: string };
  readonly options: ReturnType<typeof clientOptions>;
  readonly installations: Installations;
  readonly logger: Logger;
}

const notNow = 'Proofdesk cannot be installed right now. Begin again at /slack/install in a minute.';
const notInstalled =
  'Proofdesk was not installed. Begin again at /slack/install: what Slack shows then works once, and for 10 minutes.';

/**
 * Creates the two pages by which a workspace installs the app: `/slack/install` leads to Slack, which leads back to
 * `/slack/oauth_redirect`.
 */
export function createInstaller(
  parts: Parts & { readonly scopes: string[] },
): ReadonlyMap<string, RequestListener> {
  const { installations, options, scopes, logger } = parts;
  // Anybody may open the pages.
  const warn = createThrottledWarning(logger);
  const log = {
    ...slackLogger(logger),
    // They have the states.
    debug() {},
    error: (...said: unknown[]) => warn({ reason: said.map(messageOf).join(' ') }, 'an installation failed'),
  };

  const installationStore: NonNullable<InstallProviderOptions['installationStore']> = {
    async storeInstallation({ bot, enterprise, isEnterpriseInstall = false, team }) {
      const id = isEnterpriseInstall ? enterprise?.id : team?.id;
      if (id === undefined || bot === undefined)
        throw new Error('an installation without a workspace or a bot');
      const { token, userId, id: botId, refreshToken, expiresAt } = bot;
      const botUser = MemberId.parse(userId);
      const installation = { token, botUser, botId, refreshToken, expiresAt: expiresAt && expiresAt * 1_000 };
      await installations.put(id, installation, isEnterpriseInstall);
      logger.info({ event: 'app-installed', workspace: id }, 'a workspace has installed the app');
    },
    // Its reader refreshes each expiring token as often as it is asked for.
    fetchInstallation: () => Promise.reject(new Error('installations are read by their workspace')),
  };
  const clients = { ...options, logger: log };
  const provider = new InstallProvider({
    ...parts.app,
    installationStore,
    installUrlOptions: { scopes },
    directInstall: true,
    authorizationUrl: new URL('/oauth/v2/authorize', options.slackApiUrl ?? 'https://slack.com').href,
    clientOptions: clients,
    logger: log,
  });

  const begin: RequestListener = (request, response) =>
    void provider.handleInstallPath(request, response).catch((error: unknown) => {
      warn({ reason: messageOf(error) }, 'an installation could not begin');
      say(response, 503, notNow);
    });
  const end: RequestListener = (request, response) =>
    void provider.handleCallback(request, response, {
      async beforeInstallation(_, { url = '' }) {
        const state = new URL(url, 'https://any.host').searchParams.get('state') ?? '';
        if (await installations.useState(state)) return true;
        throw new InvalidStateError('the state was used');
      },
      success: ({ team, enterprise }) =>
        say(
          response,
          200,
          `Proofdesk is installed in ${team?.name ?? enterprise?.name ?? 'Slack'}. Connect your marketplace account there with /proofdesk connect: whoever connects an account owns it, and says who else may do what.`,
        ),
      failure: () => say(response, 400, notInstalled),
    });
  return new Map([
    ['/slack/install', begin],
    ['/slack/oauth_redirect', end],
  ]);
}

function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
}

/** A token that ends sooner than this is refreshed (ms). */
const refreshBeforeMs = 600_000;
/** Longer than a call may take (ms). */
const refreshLeaseMs = 15_000;
/** How long a token that has expired is waited for while another process refreshes it, and a failed refresh is left (ms). */
const longestWaitMs = 10_000;
const waitMs = 100;

/**
 * Creates the reader of installations whose tokens are valid: one that is about to expire is refreshed by one process, once,
 * while others use it as long as it lasts. (The installer's own reader knows no such lease:
 * https://github.com/slackapi/node-slack-sdk/issues/2504)
 */
export function createFreshInstallations(
  parts: Parts & { readonly leases: ReturnType<typeof createLeases>; readonly now: () => number },
): (workspace: WorkspaceId) => Promise<FoundInstallation | undefined> {
  const { app, installations, leases, logger, now } = parts;
  const client = new WebClient(undefined, parts.options);
  const lastsFor = ({ expiresAt = Number.POSITIVE_INFINITY }: FoundInstallation) => expiresAt - now();

  async function refresh(found: FoundInstallation): Promise<void> {
    const answer = await client.oauth.v2.access({
      client_id: app.clientId,
      client_secret: app.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: found.refreshToken ?? '',
    });
    const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = answer;
    if (!token || !refreshToken || !seconds) throw new Error('an answer without a token');
    const expiresAt = now() + seconds * 1_000;
    for (;;) {
      try {
        return await installations.replace(found, { ...found, token, refreshToken, expiresAt });
      } catch (error) {
        // Slack gives it only once, also while Redis is away.
        if (!isRedisUnavailable(error) || now() > expiresAt) throw error;
        await delay(waitMs);
      }
    }
  }

  return async (workspace) => {
    const latest = performance.now() + longestWaitMs;
    for (;;) {
      const found = await installations.of(workspace);
      if (found === undefined || lastsFor(found) > refreshBeforeMs) return found;
      let lease: Lease | undefined;
      try {
        lease = await leases.acquire(installationLeaseKey(found.id), refreshLeaseMs);
        if (lease === undefined) {
          if (lastsFor(found) > 0 || performance.now() > latest) return found;
          await delay(waitMs);
          continue;
        }
        // Another process may have refreshed it since it was read.
        const current = await installations.get(found.id);
        if (current && lastsFor(current) <= refreshBeforeMs) await refresh(current);
        await lease.release();
        return await installations.get(found.id);
      } catch (error) {
        logger.error(
          { workspace, reason: messageOf(error) },
          'the token of a workspace could not be refreshed. If this goes on, check SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, and install the app there again: /slack/install',
        );
        await lease?.releaseAfter(longestWaitMs).catch(() => undefined);
        return found;
      }
    }
  };
}
