import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './ports.ts';

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
}

/** The token of every sandbox of Slack; here, each team has tokens of its own. */
const sandboxToken = 'xoxb-sandbox';

/**
 * Starts what several workspaces have at one address: Slack's Web API. A call goes to the sandbox of the team whose token it
 * has, and `oauth.v2.access` gives out such tokens; the code of an installation is the team's domain.
 */
export async function startTeams() {
  const teams = new Map<
    string,
    { readonly team: Team; readonly url: string; readonly isOrganization: boolean }
  >();
  /** The domains of the teams by their tokens. */
  const tokens = new Map<string, string>();
  const refreshTokens = new Map<string, string>();
  /** What was asked of oauth.v2.access, in order. */
  const asked: Record<string, string>[] = [];
  let issued = 0;
  let lifeSeconds: number | undefined;
  let keepsUsed = false;
  /** The workspaces that their organization has withdrawn the app from. */
  const withdrawn = new Set<string>();
  let listings = 0;
  let answering: () => Promise<unknown> = async () => undefined;

  function access(args: Record<string, string>): object {
    asked.push(args);
    const { code = '', refresh_token: refreshToken = '' } = args;
    const isRefresh = args.grant_type === 'refresh_token';
    const domain = isRefresh ? refreshTokens.get(refreshToken) : code;
    const found = teams.get(domain ?? '');
    if (found === undefined || domain === undefined)
      return { ok: false, error: isRefresh ? 'invalid_refresh_token' : 'invalid_code' };
    issued += 1;
    const { team, isOrganization } = found;
    const installer = { id: team.id, name: team.name };
    const token = `xoxb-${domain}-${issued}`;
    tokens.set(token, domain);
    // The one that was used is revoked.
    if (!keepsUsed) refreshTokens.delete(refreshToken);
    refreshTokens.set(`xoxe-${domain}-${issued}`, domain);
    const expiring =
      lifeSeconds === undefined ? {} : { refresh_token: `xoxe-${domain}-${issued}`, expires_in: lifeSeconds };
    return {
      ok: true,
      access_token: token,
      token_type: 'bot',
      scope: 'chat:write,commands',
      bot_user_id: 'U0BOT',
      app_id: 'A0SANDBOX',
      team: isOrganization ? null : installer,
      enterprise: isOrganization ? installer : null,
      authed_user: { id: 'U01ANN' },
      is_enterprise_install: isOrganization,
      ...expiring,
    };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const path = request.url ?? '';
    if (path.startsWith('/api/oauth.v2.access')) {
      const answer = access(Object.fromEntries(new URLSearchParams(body.toString())));
      await answering();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const domain = tokens.get(authorization.replace('Bearer ', ''));
    const { url } = teams.get(domain ?? '') ?? [...teams.values()][0] ?? { url: '' };
    if (path.startsWith('/api/auth.teams.list')) {
      listings += 1;
      const left = [...teams.values()].filter((one) => !one.isOrganization && !withdrawn.has(one.team.id));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: true, teams: left.map(({ team: { id, name } }) => ({ id, name })) }));
      return;
    }
    const passed = await fetch(`${url}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        'content-type': type,
        ...(authorization === '' ? {} : { authorization: domain ? `Bearer ${sandboxToken}` : authorization }),
      },
      body: body.length > 0 ? new Uint8Array(body) : null,
    });
    const { 'content-encoding': _, 'content-length': __, ...headers } = Object.fromEntries(passed.headers);
    response.writeHead(passed.status, headers).end(Buffer.from(await passed.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const url = await listen(server);

  return {
    apiUrl: `${url}/api/`,
    /** @param isOrganization whether it is an organization, of which one workspace is at the address */
    add: (team: Team, url: string, isOrganization = false) =>
      void teams.set(team.domain, { team, url, isOrganization }),
    withdraws: (team: Team) => void withdrawn.add(team.id),
    /** How often somebody has asked which workspaces an organization's token is for. */
    listings: () => listings,
    /** How long the tokens last that are given out from now on (s). */
    tokensLast(seconds: number): void {
      lifeSeconds = seconds;
    },
    /** Gives out a refresh token of a team. */
    refreshTokenOf(domain: string): string {
      refreshTokens.set(`xoxe-${domain}`, domain);
      return `xoxe-${domain}`;
    },
    /** The tokens that were given out stop working, each of them. */
    expire: () => tokens.clear(),
    /** A refresh token can be used again, as when Slack has not seen that its answer arrived. */
    keepsUsed(): void {
      keepsUsed = true;
    },
    /** The tokens that were given out stop working, but for the latest of each team. */
    revokesOlder(): void {
      const latest = new Map([...tokens].map(([token, domain]) => [domain, token]));
      for (const [token, domain] of tokens) if (latest.get(domain) !== token) tokens.delete(token);
    },
    /** Runs after a token was given out, before the answer is sent. */
    beforeAnswer(run: typeof answering): void {
      answering = run;
    },
    refreshes: () => asked.filter((one) => one.grant_type === 'refresh_token'),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
