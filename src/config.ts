import { IANAZone } from 'luxon';
import { z } from 'zod';
import { redisUrl } from './config/redis-url.ts';
import {
  type Check,
  encryptionKey,
  headerName,
  hostAddress,
  isQuoted,
  isUnencrypted,
  proxyAddress,
  secret,
  slackAddress,
  webAddress,
} from './config/setting-checks.ts';
import { mostOpenCards } from './domain/channel-settings.ts';
import { ChannelId, MemberId } from './domain/terms.ts';
import type { ProxySettings } from './proxy.ts';

/** Names every setting that is wrong or missing. The process then exits with code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export interface Config {
  readonly slack: {
    readonly botToken: string;
    /** Web API base, ending in a slash; absent: Slack's own. */
    readonly apiUrl?: string;
    readonly transport:
      | { readonly mode: 'socket'; readonly appToken: string }
      | { readonly mode: 'http'; readonly signingSecret: string };
  };
  readonly marketplace: {
    readonly baseUrl: string;
    readonly keyHeader: string;
    readonly excludeMark: string;
    readonly timeZone: string;
    /** The workspace's shared account. */
    readonly apiKey?: string;
  };
  /** Absent: everything is reached directly. */
  readonly proxy?: ProxySettings;
  readonly reviewChannel?: ChannelId;
  /** Where the inbox of the shared account goes, unless somebody has chosen a channel. */
  readonly inboxChannel?: ChannelId;
  /** The owners of the shared account; none: the admins of the workspace. */
  readonly accountOwners: readonly MemberId[];
  /** Absent: the bot runs a private redis-server under dataDir. */
  readonly redisUrl?: string;
  readonly dataDir: string;
  /** 32 bytes each; empty when they are in a file. */
  readonly encryptionKeys: readonly Buffer[];
  /** Path of the encryption keys; absent: in `dataDir`, created at the first start, if they are not configured. */
  readonly encryptionKeyFile?: string;
  /** How long names, addresses and proofs of decided tasks of finished campaigns are kept. */
  readonly retentionDays: number;
  readonly pollSeconds: number;
  readonly undoSeconds: number;
  /** Most open cards in a channel at a time; 0: any number. */
  readonly openCards: number;
  /** How long audit entries are kept. */
  readonly auditDays: number;
  readonly port: number;
  /** The address on which the port is opened; absent: all of this machine's. */
  readonly host?: string;
  readonly logLevel: string;
}

const optional = z.preprocess((value) => (value === '' ? undefined : value), z.string().trim().optional());

function wholeNumber<Default extends number | undefined>(from: number, to: number, otherwise: Default) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .optional()
    .transform((text, issues): number | Default => {
      if (text === undefined || text === '') return otherwise;
      const digits = text.trim();
      // Number('') is 0, and Number('1e9') a billion.
      const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
      if (value >= from && value <= to) return value;
      issues.addIssue(digits === '' ? `is blank: it ${message}, or be left out` : message);
      return z.NEVER;
    });
}

const defaultRetentionDays = 90;
const mostRetentionDays = 36_500;

/** Example ids from the instructions. */
const exampleChannel = 'C0123456789';
const exampleMember = 'U0123456789';

/** Returns the parts of a list separated by commas. */
function listed(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** A setting that may be absent or empty, with a check of its text. */
function text(check: Check) {
  return optional.superRefine((value, issues) => {
    const fault = value ? check(value) : undefined;
    if (fault !== undefined) issues.addIssue(fault);
  });
}

/** Returns the problem with a channel id. */
function channelId(value: string): string | undefined {
  return /^[CG][A-Z0-9]+$/.test(value) && value !== exampleChannel
    ? undefined
    : `must be the id of a channel, such as ${exampleChannel} (in Slack: the channel’s name, About, Channel ID)`;
}

const environment = z.object({
  SLACK_BOT_TOKEN: text(secret('the bot token of the workspace', 'xoxb-')),
  SLACK_APP_TOKEN: text(secret('an app-level token with the scope connections:write', 'xapp-')),
  SLACK_SIGNING_SECRET: text(secret('the signing secret of the app')),
  SLACK_CLIENT_ID: optional,
  SLACK_API_URL: text(slackAddress),
  MARKETPLACE_BASE_URL: text(
    webAddress('https://api.your-marketplace.com', ['marketplace.example', 'api.example.com', 'example.com']),
  ),
  MARKETPLACE_ALLOW_HTTP: text((value) => (/^(yes|no)$/.test(value) ? undefined : 'must be yes or no')),
  MARKETPLACE_KEY_HEADER: text(headerName),
  MARKETPLACE_EXCLUDE_MARK: optional,
  MARKETPLACE_TIME_ZONE: text((value) =>
    IANAZone.isValidZone(value) ? undefined : 'must be the name of a time zone, such as Europe/Berlin',
  ),
  MARKETPLACE_API_KEY: text(secret('the API key of an account')),
  REVIEW_CHANNEL: text(channelId),
  INBOX_CHANNEL: text(channelId),
  ACCOUNT_OWNERS: text((value) => {
    const wrong = listed(value).some((id) => !/^[UW][A-Z0-9]+$/.test(id) || id === exampleMember);
    return wrong || listed(value).length === 0
      ? `must be ids of members, separated by commas, such as ${exampleMember} (in Slack: the member’s profile, the three dots, Copy member ID)`
      : undefined;
  }),
  REDIS_URL: text(redisUrl),
  DATA_DIR: optional,
  HTTPS_PROXY: text(proxyAddress),
  HTTP_PROXY: text(proxyAddress),
  NO_PROXY: optional,
  PROOFDESK_ENCRYPTION_KEYS: optional,
  PROOFDESK_KEY_FILE: optional,
  RETENTION_DAYS: text((value) =>
    /^\d+(\.\d+)?$/.test(value) && Number(value) <= mostRetentionDays
      ? undefined
      : `must be a number of days from 0 to ${mostRetentionDays}`,
  ),
  POLL_SECONDS: wholeNumber(1, 86_400, 30),
  UNDO_SECONDS: wholeNumber(0, 3_600, 10),
  OPEN_CARDS: wholeNumber(0, mostOpenCards, 20),
  AUDIT_DAYS: wholeNumber(1, 36_500, 730),
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: text(hostAddress),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be one of trace, debug, info, warn, error, fatal, silent',
    )
    .default('info'),
});

/**
 * Reads the environment. Throws a {@link ConfigError} that names every fault at once but never contains a setting's value.
 */
export function readConfig(present: Readonly<Record<string, string | undefined>>): Config {
  const given = withProxyNames(present);
  // Docker's --env-file keeps quotation marks.
  const quoted = Object.keys(environment.shape).filter((name) => isQuoted(given[name]?.trim() ?? ''));
  const variables = { ...given, ...Object.fromEntries(quoted.map((name) => [name, undefined])) };
  const parsed = environment.safeParse({ ...variables, LOG_LEVEL: variables.LOG_LEVEL || undefined });
  const faults = [
    ...quoted.map((name) => `${name} must be written without the quotation marks around it.`),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`),
  ];
  const isGiven = (name: string) => Boolean(given[name]?.trim());

  if (!isGiven('SLACK_BOT_TOKEN')) {
    faults.push(
      isGiven('SLACK_CLIENT_ID')
        ? 'SLACK_BOT_TOKEN is missing. Installing in several workspaces (SLACK_CLIENT_ID) is not available yet: set the bot token of one workspace.'
        : 'SLACK_BOT_TOKEN is missing: install the app in your workspace and copy the bot token from “OAuth & Permissions”.',
    );
  }
  if (!isGiven('SLACK_APP_TOKEN') && !isGiven('SLACK_SIGNING_SECRET')) {
    faults.push(
      'SLACK_APP_TOKEN (for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP) is missing: set one of them.',
    );
  }
  if (!isGiven('MARKETPLACE_BASE_URL'))
    faults.push('MARKETPLACE_BASE_URL is missing: set it to the address of the marketplace.');
  if (isGiven('REVIEW_CHANNEL') && !isGiven('MARKETPLACE_API_KEY')) {
    faults.push(
      'REVIEW_CHANNEL needs MARKETPLACE_API_KEY: the key of the account whose tasks are posted there.',
    );
  }
  if (isGiven('INBOX_CHANNEL') && !isGiven('MARKETPLACE_API_KEY')) {
    faults.push(
      'INBOX_CHANNEL needs MARKETPLACE_API_KEY: the key of the account whose messages are posted there.',
    );
  }
  if (isGiven('ACCOUNT_OWNERS') && !isGiven('MARKETPLACE_API_KEY')) {
    faults.push(
      'ACCOUNT_OWNERS needs MARKETPLACE_API_KEY: it names the owners of that key’s account. Whoever connects a key of their own owns its account.',
    );
  }
  if (isGiven('REDIS_URL') && !isGiven('PROOFDESK_ENCRYPTION_KEYS') && !isGiven('PROOFDESK_KEY_FILE')) {
    faults.push(
      'PROOFDESK_ENCRYPTION_KEYS is missing: with REDIS_URL, you provide the key. Create one with: openssl rand -base64 32',
    );
  }
  if (isGiven('PROOFDESK_KEY_FILE') && isGiven('PROOFDESK_ENCRYPTION_KEYS')) {
    faults.push(
      'PROOFDESK_KEY_FILE must be left out when PROOFDESK_ENCRYPTION_KEYS is set: one of them has the keys.',
    );
  }
  const address = variables.MARKETPLACE_BASE_URL?.trim() ?? '';
  if (isUnencrypted(address) && variables.MARKETPLACE_ALLOW_HTTP?.trim() !== 'yes') {
    faults.push(
      'MARKETPLACE_BASE_URL must begin with https://: over http:// anybody on the way reads the API key and the workers’ data. On a network that you trust, set MARKETPLACE_ALLOW_HTTP=yes.',
    );
  }
  const keyTexts = (variables.PROOFDESK_ENCRYPTION_KEYS ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  keyTexts.forEach((each, index) => {
    const fault = encryptionKey(each);
    const which = keyTexts.length > 1 ? `, number ${index + 1},` : '';
    if (fault !== undefined) faults.push(`PROOFDESK_ENCRYPTION_KEYS${which} ${fault}`);
  });
  const encryptionKeys = keyTexts.map((each) => Buffer.from(each, 'base64'));

  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const env = parsed.data;
  return {
    slack: {
      botToken: env.SLACK_BOT_TOKEN ?? '',
      ...(env.SLACK_API_URL ? { apiUrl: env.SLACK_API_URL.replace(/\/*$/, '/') } : {}),
      transport: env.SLACK_APP_TOKEN
        ? { mode: 'socket', appToken: env.SLACK_APP_TOKEN }
        : { mode: 'http', signingSecret: env.SLACK_SIGNING_SECRET ?? '' },
    },
    marketplace: {
      baseUrl: (env.MARKETPLACE_BASE_URL ?? '').replace(/\/+$/, ''),
      keyHeader: env.MARKETPLACE_KEY_HEADER ?? 'ServiceApiKey',
      excludeMark: env.MARKETPLACE_EXCLUDE_MARK ?? '-',
      timeZone: env.MARKETPLACE_TIME_ZONE ?? 'UTC',
      ...(env.MARKETPLACE_API_KEY ? { apiKey: env.MARKETPLACE_API_KEY } : {}),
    },
    ...proxyOf(env),
    ...(env.REVIEW_CHANNEL ? { reviewChannel: ChannelId.parse(env.REVIEW_CHANNEL) } : {}),
    ...(env.INBOX_CHANNEL ? { inboxChannel: ChannelId.parse(env.INBOX_CHANNEL) } : {}),
    accountOwners: listed(env.ACCOUNT_OWNERS ?? '').map((id) => MemberId.parse(id)),
    ...(env.REDIS_URL ? { redisUrl: env.REDIS_URL } : {}),
    dataDir: env.DATA_DIR ?? './data',
    encryptionKeys,
    ...(env.PROOFDESK_KEY_FILE ? { encryptionKeyFile: env.PROOFDESK_KEY_FILE } : {}),
    retentionDays: env.RETENTION_DAYS ? Number(env.RETENTION_DAYS) : defaultRetentionDays,
    pollSeconds: env.POLL_SECONDS,
    undoSeconds: env.UNDO_SECONDS,
    openCards: env.OPEN_CARDS,
    auditDays: env.AUDIT_DAYS,
    port: env.PORT,
    // Slack reaches the port in HTTP mode only. Otherwise the port is for this machine alone.
    ...hostOf(env.HOST, env.SLACK_APP_TOKEN !== undefined && env.SLACK_APP_TOKEN !== ''),
    logLevel: env.LOG_LEVEL,
  };
}

/** Returns the variables with the names of a proxy in capital letters: programs also read them in small ones, and first. */
function withProxyNames(variables: Readonly<Record<string, string | undefined>>) {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map((name) => [
    name,
    variables[name.toLowerCase()] ?? variables[name],
  ]);
  return { ...variables, ...Object.fromEntries(proxies) } as typeof variables;
}

function proxyOf(env: z.output<typeof environment>): { readonly proxy?: ProxySettings } {
  const httpProxy = env.HTTP_PROXY ?? '';
  const httpsProxy = env.HTTPS_PROXY ?? '';
  return httpProxy || httpsProxy ? { proxy: { httpProxy, httpsProxy, noProxy: env.NO_PROXY ?? '' } } : {};
}

function hostOf(given: string | undefined, isSocketMode: boolean): { readonly host?: string } {
  if (given) return { host: given };
  return isSocketMode ? { host: '127.0.0.1' } : {};
}
