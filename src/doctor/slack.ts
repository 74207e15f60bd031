import type { WebClient } from '@slack/web-api';
import type { Config } from '../config.ts';
import { type ChannelId, WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import { slackLogger } from '../logger.ts';
import { clientOptions, createMessenger, createWebClient } from '../slack/messenger.ts';
import { isWorkspaceError, SlackError } from '../slack/slack-error.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** What the bot token must be allowed to do, and what is missed without it. */
export const neededScopes: Readonly<Record<string, string>> = {
  'chat:write': 'to post cards and answers',
  commands: 'for the slash commands',
  'channels:read': 'to see whether it may post in a channel',
  'groups:read': 'the same in private channels',
  'channels:history': 'to find a card whose post was interrupted, instead of posting it twice',
  'groups:history': 'the same in private channels',
  'files:write': 'to show images and hand out files',
  'files:read': 'to take files out of forms',
  'im:write': 'to send direct messages',
  'users:read': 'to name reviewers in charts',
};

/** Requests signed longer ago than this are refused by Slack's rules, so clocks may not differ by more. */
const mostSkewMs = 300_000;

/** Checks the tokens, what they allow, and the channel of REVIEW_CHANNEL. Gives the workspace too, when it is known. */
export async function checkSlack(
  { slack, reviewChannel }: Pick<Config, 'slack' | 'reviewChannel'>,
  logger: Logger,
): Promise<{ findings: Finding[]; workspace?: WorkspaceId }> {
  const options = clientOptions(slack.apiUrl, slackLogger(logger));
  const client = createWebClient(slack.botToken, options);
  const app =
    slack.transport.mode === 'socket'
      ? await checkAppToken(createWebClient(slack.transport.appToken, options))
      : note(
          'SLACK_SIGNING_SECRET',
          'only Slack can tell whether it is right. Enter the request URL in the app’s settings: Slack checks it then.',
        );
  try {
    const { team, user, team_id, response_metadata } = await client.auth.test();
    const findings = [
      ok('SLACK_BOT_TOKEN', `it is that of ${user ?? 'the bot'} in ${team ?? 'the workspace'}.`),
      checkScopes(response_metadata?.scopes),
      app,
      ...(slack.transport.mode === 'http' ? await checkClock(client) : []),
      ...(reviewChannel ? [await checkChannel(client, reviewChannel)] : []),
    ];
    return { findings, ...(team_id ? { workspace: WorkspaceId.parse(team_id) } : {}) };
  } catch (error) {
    return { findings: [wrong('SLACK_BOT_TOKEN', tokenTrouble(new SlackError('auth.test', error))), app] };
  }
}

function tokenTrouble(failure: SlackError): string {
  if (failure.kind !== 'refused') return unreachable(failure);
  return isWorkspaceError(failure)
    ? `Slack does not accept it (${failure.code}). Install the app in the workspace again and copy its bot token from “OAuth & Permissions”.`
    : `Slack refused it (${failure.code}). Look at the app’s settings.`;
}

function unreachable({ code }: SlackError): string {
  return `Slack cannot be reached (${code}). Check this machine’s way to the internet, its proxy, and SLACK_API_URL.`;
}

/** @param given undefined when Slack did not say */
function checkScopes(given: readonly string[] | undefined): Finding {
  if (given === undefined) return note('Scopes', 'Slack did not say what the bot token allows.');
  const missing = Object.keys(neededScopes).filter((scope) => !given.includes(scope));
  if (missing.length === 0) return ok('Scopes', 'the bot token has all that are needed.');
  const list = missing.map((scope) => `${scope} (${neededScopes[scope]})`).join(', ');
  return wrong(
    'Scopes',
    `the bot token lacks ${list}. Add them under “OAuth & Permissions”, or paste manifest.yml under “App Manifest”, then install the app again.`,
  );
}

async function checkAppToken(client: WebClient): Promise<Finding> {
  try {
    await client.apps.connections.open();
    return ok('SLACK_APP_TOKEN', 'Socket Mode can be opened with it.');
  } catch (error) {
    const failure = new SlackError('apps.connections.open', error);
    if (failure.kind !== 'refused') return wrong('SLACK_APP_TOKEN', unreachable(failure));
    return wrong(
      'SLACK_APP_TOKEN',
      `Slack does not accept it (${failure.code}). Make an app-level token with the scope connections:write under “Basic Information”, and turn Socket Mode on in the app’s settings.`,
    );
  }
}

/** A clock that is wrong makes every request of Slack look forged, or too old. */
async function checkClock(client: WebClient): Promise<Finding[]> {
  const answer = await fetch(client.slackApiUrl, {
    method: 'HEAD',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  const theirs = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return [];
  const skew = Math.abs(Date.now() - theirs);
  return skew < mostSkewMs
    ? [ok('Clock', 'it agrees with Slack’s.')]
    : [wrong('Clock', `it is ${Math.round(skew / 60_000)} minutes off Slack’s. Let it be set by NTP.`)];
}

async function checkChannel(client: WebClient, channel: ChannelId): Promise<Finding> {
  const piece = 'REVIEW_CHANNEL';
  try {
    const { isMember, isArchived } = await createMessenger(client).channel(channel);
    if (isArchived) return wrong(piece, 'the channel is archived. Unarchive it or name another one.');
    return isMember
      ? ok(piece, 'the bot is in the channel.')
      : wrong(piece, 'the bot is not in the channel. Invite it there: /invite @Proofdesk');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return error.code === 'channel_not_found'
      ? wrong(
          piece,
          'there is no such channel, or it is private and the bot is not in it. Check the id (the channel’s name, About, Channel ID), and invite the bot: /invite @Proofdesk',
        )
      : wrong(piece, `Slack does not tell about the channel (${error.code}).`);
  }
}
