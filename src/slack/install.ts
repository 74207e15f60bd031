import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, InstallProvider, type InstallProviderOptions, InvalidStateError } from '@slack/oauth';
import { WebClient } from '@slack/web-api';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { installationLeaseKey } from '../store/format.ts';
import type {
  createInstallStates,
  FoundInstallation,
  Installation,
  Installations,
} from '../store/installations.ts';
import type { createLeases, Lease } from '../store/leases.ts';
import { isRedisUnavailable } from '../store/redis.ts';
import { clientOptions, slackLogger } from './client.ts';
import { SlackError } from './slack-error.ts';

/** The credentials of an app that several workspaces install. */
interface App {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Parts {
  readonly app: App;
  readonly apiUrl: string | undefined;
  readonly installations: Installations;
  readonly logger: Logger;
}

const notNow = 'Proofdesk cannot be installed right now. Begin again at /slack/install in a minute.';
const tooOld = 'This link was used already, or is older than 10 minutes. Begin again at /slack/install.';
/** Why a workspace has not installed the app. */
const failures: Readonly<Record<string, string>> = {
  [ErrorCode.AuthorizationError]:
    'You cancelled the installation, so Proofdesk was not installed. Begin again at /slack/install.',
  [ErrorCode.InvalidStateError]: tooOld,
  [ErrorCode.MissingStateError]: tooOld,
  [ErrorCode.MissingCodeError]: tooOld,
};

/**
 * Creates the two pages by which a workspace installs the app: `/slack/install` leads to Slack, which leads back to
 * `/slack/oauth_redirect`.
 * @param parts.scopes what the bot asks for
 * @returns the handler of a page; undefined for any other path
 */
export function createInstaller(
  parts: Parts & {
    readonly scopes: readonly string[];
    readonly states: ReturnType<typeof createInstallStates>;
  },
): (path: string) => RequestListener | undefined {
  const { installations, states, logger, apiUrl = 'https://slack.com/api/' } = parts;
  // Anybody may open the pages.
  const warn = createThrottledWarning(logger);
  const log = {
    ...slackLogger(logger),
    // They have the states.
    debug() {},
    error: (...said: unknown[]) => warn({ reason: said.map(messageOf).join(' ') }, 'an installation failed'),
  };
  const scopes = [...parts.scopes];

  const installationStore: NonNullable<InstallProviderOptions['installationStore']> = {
    async storeInstallation({ bot, enterprise, isEnterpriseInstall = false, team }) {
      const id = isEnterpriseInstall ? enterprise?.id : team?.id;
      if (id === undefined || bot === undefined)
        throw new Error('an installation without a workspace or a bot');
      const { token, userId, id: botId, refreshToken, expiresAt } = bot;
      const expiring =
        refreshToken === undefined || expiresAt === undefined
          ? {}
          : { refreshToken, expiresAt: expiresAt * 1_000 };
      const installation = { token, botUser: MemberId.parse(userId), botId, ...expiring };
      await installations.put(id, installation, isEnterpriseInstall);
      logger.info({ event: 'app-installed', workspace: id }, 'a workspace has installed the app');
    },
    // Its reader refreshes each expiring token as often as it is asked for.
    fetchInstallation: () => Promise.reject(new Error('installations are read by their workspace')),
  };
  const stateStore: NonNullable<InstallProviderOptions['stateStore']> = {
    generateStateParam: async () => states.issue(),
    async verifyStateParam(_now, state) {
      if (await states.use(state)) return { scopes };
      throw new InvalidStateError('the state was used, or is older than 10 minutes');
    },
  };
  const provider = new InstallProvider({
    ...parts.app,
    installationStore,
    stateStore,
    installUrlOptions: { scopes },
    directInstall: true,
    authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
    clientOptions: clientOptions(apiUrl, log),
    logger: log,
  });

  const pages: Readonly<Record<string, RequestListener>> = {
    '/slack/install': (request, response) =>
      void provider.handleInstallPath(request, response).catch((error: unknown) => {
        warn({ reason: messageOf(error) }, 'an installation could not begin');
        say(response, 503, notNow);
      }),
    '/slack/oauth_redirect': (request, response) =>
      void provider.handleCallback(request, response, {
        success: ({ team, enterprise }) =>
          say(
            response,
            200,
            `Proofdesk is installed in ${team?.name ?? enterprise?.name ?? 'Slack'}. Connect your marketplace account there with /proofdesk connect: whoever connects an account owns it, and says who else may do what.`,
          ),
        failure: ({ code }) => say(response, 400, failures[code] ?? notNow),
      }),
  };
  return (path) => (Object.hasOwn(pages, path) ? pages[path] : undefined);
}

function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
}

/** A token that ends sooner than this is refreshed (ms). */
const refreshBeforeMs = 600_000;
/** Longer than a call may take (ms). */
const refreshLeaseMs = 15_000;
/** How long a token that has expired is waited for while another process refreshes it (ms). */
const longestWaitMs = 10_000;
const waitMs = 100;
/** How long after a failed refresh the next one follows (ms). */
const retryMs = 10_000;

/**
 * Creates the reader of installations whose tokens are valid: one that is about to expire is refreshed by one process, once,
 * while others use it as long as it lasts. (The installer's own reader knows no such lease:
 * https://github.com/slackapi/node-slack-sdk/issues/2504)
 */
export function createFreshInstallations(
  parts: Parts & { readonly leases: ReturnType<typeof createLeases>; readonly now: () => number },
): (workspace: WorkspaceId) => Promise<FoundInstallation | undefined> {
  const { installations, leases, logger, now } = parts;
  const client = new WebClient(undefined, clientOptions(parts.apiUrl, slackLogger(logger)));
  const lastsFor = ({ expiresAt = Number.POSITIVE_INFINITY }: FoundInstallation) => expiresAt - now();

  /** Stores what Slack gives only once, also while Redis is away. */
  async function store(found: FoundInstallation, next: Installation & { expiresAt: number }): Promise<void> {
    for (;;) {
      try {
        return await installations.replace(found, next);
      } catch (error) {
        if (!isRedisUnavailable(error) || now() > next.expiresAt) throw error;
        await delay(waitMs);
      }
    }
  }

  async function refresh(found: FoundInstallation): Promise<void> {
    const answer = await client.oauth.v2
      .access({
        client_id: parts.app.clientId,
        client_secret: parts.app.clientSecret,
        grant_type: 'refresh_token',
        refresh_token: found.refreshToken ?? '',
      })
      .catch((error: unknown) => {
        throw new SlackError('oauth.v2.access', error);
      });
    const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = answer;
    if (!token || !refreshToken || !seconds) throw new Error('an answer without a token');
    const { botUser, botId } = found;
    const expiresAt = now() + seconds * 1_000;
    await store(found, { botUser, botId, token, refreshToken, expiresAt });
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
          { workspace, code: error instanceof SlackError ? error.code : undefined, reason: messageOf(error) },
          'the token of a workspace could not be refreshed. If this goes on, check SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, and install the app there again: /slack/install',
        );
        await lease?.releaseAfter(retryMs).catch(() => undefined);
        return found;
      }
    }
  };
}
