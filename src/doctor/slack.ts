import type { WebClient } from '@slack/web-api';
import type { Config } from '../config.ts';
import { type ChannelId, WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import { clientOptions } from '../slack/client-options.ts';
import { connectionRefusal } from '../slack/connection-refusals.ts';
import { createMessenger, createWebClient } from '../slack/messenger.ts';
import { SlackError } from '../slack/slack-error.ts';
import { slackLogger } from '../slack/slack-logger.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** The scopes that the bot token needs, and their purposes. */
export const neededScopes: Readonly<Record<string, string>> = {
  'chat:write': 'to post cards and answers',
  commands: 'for the slash commands',
  'channels:read': 'to see whether it may post in a channel',
  'groups:read': 'the same in private channels',
  'channels:history': 'to find a card whose post was interrupted instead of posting it twice',
  'groups:history': 'the same in private channels',
  'files:write': 'to post images and files',
  'files:read': 'to read files attached in forms',
  'im:history': 'to find direct messages that were sent before a crash',
  'im:write': 'to send direct messages',
  'users:read': 'to tell members from guests and people of other companies',
  'usergroups:read': 'to give roles to user groups',
};

/** Maximum clock skew (ms): Slack's rules refuse requests whose signature is older than this. */
const maxSkewMs = 300_000;

/** Checks the tokens, their scopes, and the channels of REVIEW_CHANNEL and INBOX_CHANNEL. Also returns the workspace, when it is known. */
export async function checkSlack(
  { slack, reviewChannel, inboxChannel }: Pick<Config, 'slack' | 'reviewChannel' | 'inboxChannel'>,
  logger: Logger,
): Promise<{ findings: Finding[]; workspace?: WorkspaceId }> {
  const options = clientOptions(slack.apiUrl, slackLogger(logger));
  const client = createWebClient(slack.botToken, options);
  const app =
    slack.transport.mode === 'socket'
      ? await checkAppToken(createWebClient(slack.transport.appToken, options))
      : note(
          'SLACK_SIGNING_SECRET',
          'only Slack can check it, which it does when you enter the request URL in the app’s settings.',
        );
  try {
    const { team, user, team_id, response_metadata } = await client.auth.test();
    const findings = [
      ok('SLACK_BOT_TOKEN', `it belongs to ${user ?? 'the bot'} in ${team ?? 'the workspace'}.`),
      checkScopes(response_metadata?.scopes),
      app,
      ...(slack.transport.mode === 'http' ? await checkClock(client) : []),
      ...(reviewChannel ? [await checkChannel(client, 'REVIEW_CHANNEL', reviewChannel)] : []),
      ...(inboxChannel ? [await checkChannel(client, 'INBOX_CHANNEL', inboxChannel)] : []),
    ];
    return { findings, ...(team_id ? { workspace: WorkspaceId.parse(team_id) } : {}) };
  } catch (error) {
    return {
      findings: [wrong('SLACK_BOT_TOKEN', failureText('auth.test', error)), app],
    };
  }
}

function failureText(method: 'auth.test' | 'apps.connections.open', cause: unknown): string {
  const { kind, code } = new SlackError(method, cause);
  return kind === 'refused' ? connectionRefusal(method, code) : unreachableText(code);
}

function unreachableText(code: string): string {
  return `Slack cannot be reached (${code}). Check this machine’s network, its proxy, and SLACK_API_URL.`;
}

/** @param given undefined when Slack did not say */
function checkScopes(given: readonly string[] | undefined): Finding {
  if (given === undefined) return note('Scopes', 'Slack did not report the scopes of the bot token.');
  const missing = Object.keys(neededScopes).filter((scope) => !given.includes(scope));
  if (missing.length === 0) return ok('Scopes', 'the bot token has all it needs.');
  const list = missing.map((scope) => `${scope} (${neededScopes[scope]})`).join(', ');
  return wrong(
    'Scopes',
    `the bot token lacks ${list}. Add what is missing under “OAuth & Permissions”, or paste manifest.yml under “App Manifest”, then install the app again.`,
  );
}

async function checkAppToken(client: WebClient): Promise<Finding> {
  try {
    await client.apps.connections.open();
    return ok('SLACK_APP_TOKEN', 'it opens Socket Mode connections.');
  } catch (error) {
    return wrong('SLACK_APP_TOKEN', failureText('apps.connections.open', error));
  }
}

/** Compares clocks: with a wrong one, every request from Slack looks forged or too old. */
async function checkClock(client: WebClient): Promise<Finding[]> {
  const response = await fetch(client.slackApiUrl, {
    method: 'HEAD',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  const slackTime = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(slackTime)) return [];
  const skew = Math.abs(Date.now() - slackTime);
  return skew < maxSkewMs
    ? [ok('Clock', 'it agrees with Slack’s clock.')]
    : [wrong('Clock', `it is ${Math.round(skew / 60_000)} minutes off Slack’s clock. Set it by NTP.`)];
}

/** Checks whether the bot may post in the channel that a setting names. */
async function checkChannel(
  client: WebClient,
  subject: 'REVIEW_CHANNEL' | 'INBOX_CHANNEL',
  channel: ChannelId,
): Promise<Finding> {
  try {
    const { isMember, isArchived } = await createMessenger(client).channel(channel);
    if (isArchived) return wrong(subject, 'the channel is archived. Unarchive it, or set another one.');
    return isMember
      ? ok(subject, 'the bot is in the channel.')
      : wrong(subject, 'the bot is not in the channel. Type there: /invite @Proofdesk');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return error.code === 'channel_not_found'
      ? wrong(
          subject,
          'there is no such channel, or it is private and the bot is not in it. Check the id (in Slack: the channel’s name, About, Channel ID), and type there: /invite @Proofdesk',
        )
      : wrong(subject, `Slack refused to show the channel (${error.code}). Check the app’s settings.`);
  }
}
