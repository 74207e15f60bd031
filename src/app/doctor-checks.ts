import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { WebClient } from '@slack/web-api';
import type { Redis } from 'ioredis';
import { getGlobalDispatcher } from 'undici';
import { type ChannelId, WorkspaceId } from '../domain/terms.ts';
import { messageOf, UserError } from '../errors.ts';
import { canReadPictures } from '../features/evidence/picture-reader.ts';
import { createLogger } from '../logger.ts';
import { sentenceFor } from '../marketplace/errors.ts';
import { createMarketplaceClient, MarketplaceError, TransportError } from '../marketplace/index.ts';
import { clientOptions, createSlackClock, slackLogger } from '../slack/client.ts';
import { createMessenger } from '../slack/messenger.ts';
import { connectionRefusal, SlackError } from '../slack/slack-error.ts';
import { createAccounts } from '../store/accounts.ts';
import { createVault, loadEncryptionKeys } from '../store/encryption.ts';
import { unreadableKey } from '../store/format.ts';
import { forbiddenCommands, forbiddenText, mayReadInfo, openRedis, untilReady } from '../store/redis.ts';
import { countUnreadable } from '../store/stored-hash.ts';
import type { Config } from './config.ts';
import { redisProblem } from './health.ts';

/** The result of one check: fine, wrong with a fix, or worth knowing. */
export interface Finding {
  readonly kind: 'ok' | 'wrong' | 'note';
  /** What was checked, such as the name of a setting. */
  readonly subject: string;
  readonly text: string;
}

export const ok = (subject: string, text: string): Finding => ({ kind: 'ok', subject, text });
export const wrong = (subject: string, text: string): Finding => ({ kind: 'wrong', subject, text });
const note = (subject: string, text: string): Finding => ({ kind: 'note', subject, text });

/** The scopes that the bot token needs, and their purposes. */
export const neededScopes: Readonly<Record<string, string>> = {
  'chat:write': 'to post cards and answers',
  commands: 'for the slash commands',
  'channels:read': 'to see whether it may post in a channel',
  'groups:read': 'the same in private channels',
  'channels:history': 'to find a card whose post was interrupted instead of posting it twice',
  'groups:history': 'the same in private channels',
  'files:write': 'to show and compare pictures, and to post files',
  'files:read': 'to read files attached in forms',
  'im:history': 'to find direct messages that were sent before a crash',
  'im:write': 'to send direct messages',
  'users:read': 'to tell members from guests and people of other companies',
};

/** Those that an admin may refuse, as manifest.yml says: what needs one says that it is missing. */
export const optionalScopes: readonly string[] = ['files:read', 'files:write'];

/** Checks the tokens, their scopes, and the channels of REVIEW_CHANNEL and INBOX_CHANNEL. Also returns the workspace, when it is known. */
export async function checkSlack({
  slack,
  reviewChannel,
  inboxChannel,
}: Config): Promise<{ findings: Finding[]; workspace?: WorkspaceId }> {
  const clock = createSlackClock();
  const options = {
    ...clientOptions(slack.apiUrl, slackLogger(createLogger('silent', []))),
    fetch: clock.fetch,
  };
  const client = new WebClient(slack.botToken, options);
  const app =
    slack.transport.mode === 'socket'
      ? await checkAppToken(new WebClient(slack.transport.appToken, options))
      : note(
          'SLACK_SIGNING_SECRET',
          'only Slack can check it, which it does when you enter the request URL in the app’s settings.',
        );
  if (slack.install) {
    const each = 'each workspace gets its own token at /slack/install: /readyz says whether they work.';
    return { findings: [note('SLACK_CLIENT_ID', each), app] };
  }
  try {
    const { team, user, team_id, response_metadata } = await client.auth.test();
    const findings = [
      ok('SLACK_BOT_TOKEN', `it belongs to ${user ?? 'the bot'} in ${team ?? 'the workspace'}.`),
      ...checkScopes(response_metadata?.scopes),
      app,
      ...(slack.transport.mode === 'http' ? [checkClock('Clock', 'Slack’s', clock.now(), 300_000)] : []),
      ...(reviewChannel ? [await checkChannel(client, 'REVIEW_CHANNEL', reviewChannel)] : []),
      ...(inboxChannel ? [await checkChannel(client, 'INBOX_CHANNEL', inboxChannel)] : []),
    ];
    return { findings, ...(team_id ? { workspace: WorkspaceId.parse(team_id) } : {}) };
  } catch (error) {
    return { findings: [wrong('SLACK_BOT_TOKEN', failureText('auth.test', error)), app] };
  }
}

function failureText(method: 'auth.test' | 'apps.connections.open', cause: unknown): string {
  const { kind, code } = new SlackError(method, cause);
  return kind === 'refused'
    ? connectionRefusal(method, code)
    : `Slack cannot be reached (${code}). Check this machine’s network, its proxy, and SLACK_API_URL.`;
}

/** @param given undefined when Slack did not say */
function checkScopes(given: readonly string[] | undefined): Finding[] {
  if (given === undefined) return [note('Scopes', 'Slack did not report the scopes of the bot token.')];
  const lacks = (isOptional: boolean) =>
    Object.keys(neededScopes)
      .filter((scope) => !given.includes(scope) && optionalScopes.includes(scope) === isOptional)
      .map((scope) => `${scope} (${neededScopes[scope]})`)
      .join(', ');
  const [missing, refused] = [lacks(false), lacks(true)];
  const remedy =
    'Add what is missing under “OAuth & Permissions”, or paste manifest.yml under “App Manifest”, then install the app again.';
  if (missing + refused === '') return [ok('Scopes', 'the bot token has all it needs.')];
  return [
    ...(missing ? [wrong('Scopes', `the bot token lacks ${missing}. ${remedy}`)] : []),
    ...(refused
      ? [note('Scopes', `the bot token lacks ${refused}, which an admin may refuse. ${remedy}`)]
      : []),
  ];
}

async function checkAppToken(client: WebClient): Promise<Finding> {
  try {
    await client.apps.connections.open();
    return ok('SLACK_APP_TOKEN', 'it opens Socket Mode connections.');
  } catch (error) {
    return wrong('SLACK_APP_TOKEN', failureText('apps.connections.open', error));
  }
}

/** Compares this machine's clock with that of `whose`. @param mostMs how far they may be apart */
function checkClock(subject: string, whose: string, time: number, mostMs: number): Finding {
  const skew = Math.abs(Date.now() - time);
  return skew < mostMs
    ? ok(subject, `it agrees with ${whose} clock.`)
    : wrong(subject, `it is ${Math.round(skew / 60_000)} minutes off ${whose} clock. Set clocks by NTP.`);
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
      : wrong(subject, `Slack does not show the channel (${error.code}). Check the app’s settings.`);
  }
}

/** Checks the requirements of a private Redis. */
export async function checkPrivateRedis({ dataDir }: Config): Promise<Finding[]> {
  const folder = resolve(dataDir);
  const server = await promisify(execFile)('redis-server', ['--version']).then(
    ({ stdout }) => ok('Redis', `a private redis-server ${/v=(\S+)/.exec(stdout)?.[1]} starts with the bot.`),
    () =>
      wrong(
        'Redis',
        'redis-server is not installed. Run "npm run setup", or set REDIS_URL to the address of a Redis.',
      ),
  );
  const data = await mkdir(folder, { recursive: true })
    .then(() => access(folder, constants.W_OK))
    .then(
      () => ok('DATA_DIR', `${folder} is writable.`),
      (error: unknown) =>
        wrong('DATA_DIR', `${folder} is not writable (${messageOf(error)}). Set it to a writable folder.`),
    );
  return [server, data];
}

/** Returns `one stored value`, `12 stored values`. */
const number = (count: number, of: string) => (count === 1 ? `one ${of}` : `${count} ${of}s`);

/** Checks the Redis of REDIS_URL. */
export async function checkRedis(url: string, config: Config, workspace?: WorkspaceId): Promise<Finding[]> {
  const redis = openRedis(url);
  let reason = '';
  redis.on('error', (error) => {
    reason = messageOf(error);
  });
  try {
    await untilReady(redis);
    const forbidden = await forbiddenCommands(redis);
    if (forbidden.length > 0) return [wrong('Redis', forbiddenText(forbidden))];
    const problem = await redisProblem(redis);
    const [seconds] = await redis.time();
    const unreadable = workspace
      ? await createAccounts(redis, createVault(await loadEncryptionKeys(config))).unreadable(workspace)
      : 0;
    const values = await countUnreadable(redis);
    return [
      ...((await mayReadInfo(redis)) ? checkInfo(await redis.info()) : [note('Redis', withoutInfo)]),
      ...(problem ? [wrong('Redis writes', problem)] : []),
      await checkSync(redis),
      // The bot's time is Redis's.
      checkClock('Redis clock', 'this machine’s', Number(seconds) * 1_000, 60_000),
      values === 0
        ? ok('Redis data', 'every stored value could be read.')
        : note(
            'Redis data',
            `${number(values, 'stored value')} could not be read and ${values === 1 ? 'was' : 'were'} moved to ${unreadableKey}. Search the log for stored-value-unreadable to see which. Delete that key when you are done; it expires after 30 days.`,
          ),
      unreadable === 0
        ? ok('PROOFDESK_ENCRYPTION_KEYS', 'they decrypt every stored API key.')
        : wrong(
            'PROOFDESK_ENCRYPTION_KEYS',
            `they do not decrypt ${number(unreadable, 'stored API key')}. Add the old key after the new one, separated by a comma; or ask those members to connect again.`,
          ),
    ];
  } catch (error) {
    if (error instanceof UserError) return [wrong('PROOFDESK_KEY_FILE', error.message)];
    const why = reason || messageOf(error);
    return [
      wrong(
        'Redis',
        /^(WRONGPASS|NOAUTH)/.test(why)
          ? 'it does not accept the user name or password in REDIS_URL. Correct them.'
          : `it cannot be reached (${why.split('\n')[0]}). Start it, or correct REDIS_URL.`,
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

/** Checks what Redis says of itself. */
function checkInfo(info: string): Finding[] {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
  const [version, policy] = [field('redis_version'), field('maxmemory_policy')];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [
    major > 6 || (major === 6 && minor >= 2)
      ? ok('Redis', `it answers, version ${version}.`)
      : wrong('Redis', `version ${version} is too old. Use 6.2 or newer.`),
    field('aof_enabled') === '1'
      ? ok('Redis persistence', 'its append-only file is on.')
      : wrong(
          'Redis persistence',
          'its append-only file is off, so a restart of Redis would lose decisions. Set "appendonly yes" in its configuration, or run CONFIG SET appendonly yes.',
        ),
    policy === 'noeviction'
      ? ok('Redis memory', 'its eviction policy is noeviction.')
      : policy === ''
        ? note('Redis memory', 'it does not report its eviction policy. Make sure that it is noeviction.')
        : wrong(
            'Redis memory',
            `its eviction policy is ${policy}, which deletes data when memory is full. Set maxmemory-policy noeviction.`,
          ),
  ];
}

const withoutInfo =
  'it answers, but does not let the user of REDIS_URL run INFO. Check yourself: version 6.2 or newer, appendonly yes, maxmemory-policy noeviction.';

/** Checks what a power cut may lose. Most providers do not allow CONFIG. */
async function checkSync(redis: Redis): Promise<Finding> {
  const name = 'Redis power cut';
  const [, appendfsync] = (await redis.config('GET', 'appendfsync').catch(() => [])) as string[];
  if (appendfsync === undefined)
    return note(name, 'it does not report appendfsync. Make sure that it is always.');
  if (appendfsync === 'always') return ok(name, 'appendfsync is always: nothing that was accepted is lost.');
  return note(
    name,
    `appendfsync is ${appendfsync}: a power cut may lose the last decisions, which are asked again. Set appendfsync always.`,
  );
}

const addressSetting = 'MARKETPLACE_BASE_URL';
const keySetting = 'MARKETPLACE_API_KEY';

/** Checks the marketplace's address and, when there is one, the shared account's key. */
export async function checkMarketplace({ apiKey, ...settings }: Config['marketplace']): Promise<Finding[]> {
  const client = createMarketplaceClient({
    ...settings,
    // Without a key, a refusal shows that the marketplace answers.
    apiKey: apiKey ?? 'proofdesk-doctor',
    dispatcher: getGlobalDispatcher(),
  });
  const answers = (ofKey: Finding) => [
    ok(addressSetting, 'the marketplace answers.'),
    apiKey === undefined
      ? note(keySetting, 'not set: members connect their own accounts with /proofdesk connect.')
      : ofKey,
  ];
  try {
    const campaigns = await client.listCampaigns();
    return answers(ok(keySetting, `the marketplace accepts it; campaigns: ${campaigns.length}.`));
  } catch (error) {
    if (error instanceof TransportError) {
      const text =
        error.kind === 'http' || error.kind === 'unreadable'
          ? 'what answers there is not the marketplace. Check the address.'
          : 'it cannot be reached. Check the address, and this machine’s network and proxy.';
      return [wrong(addressSetting, text)];
    }
    if (!(error instanceof MarketplaceError)) throw error;
    const text =
      error.code === 'API_KEY_WRONG'
        ? `the marketplace does not accept it. Copy it again; if it is correct, check MARKETPLACE_KEY_HEADER (${settings.keyHeader}).`
        : sentenceFor(error);
    return answers(wrong(keySetting, text));
  } finally {
    await client.close();
  }
}

/** Checks whether pictures can be compared: their decoder is an optional dependency. */
export function checkPictures(isInstalled = canReadPictures()): Finding {
  return isInstalled
    ? ok('Pictures', 'sharp is installed: pictures that look the same are found.')
    : note(
        'Pictures',
        'sharp is not installed: pictures are compared by their bytes only, all else works. To install it: npm install --include=optional',
      );
}
