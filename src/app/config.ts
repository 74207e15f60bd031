import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { IANAZone } from 'luxon';
import { z } from 'zod';
import { mostOpenCards } from '../domain/channel-settings.ts';
import { ChannelId, MemberId } from '../domain/terms.ts';

/**
 * Checks of single settings. Each returns what is wrong, as the rest of a sentence that begins with the setting's name and
 * never quotes its value; undefined when nothing is.
 */
type Check = (value: string) => string | undefined;

/** What must hold, and how the sentence goes on where it does not. */
type Rule = readonly [holds: RegExp | ((value: string) => boolean), says: string];

/** Returns a check that tells the first rule that is broken. @param must how each sentence begins */
function rules(must: string, ...all: readonly Rule[]): Check {
  return (value) => {
    const broken = all.find(([holds]) => !(holds instanceof RegExp ? holds.test(value) : holds(value)));
    return broken && `${must}${broken[1]}`;
  };
}

/** Returns a check of one thing. */
const form = (holds: Rule[0], must: string): Check => rules(must, [holds, '']);

/** Placeholders that people copy from instructions instead of the value. */
const placeholder =
  /^$|…|\.{2,}|^[<[{(].*[>\]})]$|^(your|replace|change|insert|enter|paste)[-_ ]|^(changeme|example|placeholder|secret|token|todo|xxx+)$/i;

const isPlaceholder = ': what it has is the placeholder of the instructions';

/** Checks a token or key: no extra text, and no placeholder. @param prefix what it starts with @param what what it is */
const secret = (what: string, prefix = ''): Check =>
  rules(
    `must be ${what}`,
    [(value) => value.startsWith(prefix), `, which starts with ${prefix}`],
    [(value) => !placeholder.test(value.slice(prefix.length)), isPlaceholder],
    [
      /^[\x21-\x7e]+$/,
      ' alone, without spaces, line breaks or other characters that it cannot have: copy it again',
    ],
  );

/** HTTP's own headers, and those that every request sets. */
const takenHeader =
  /^(accept(-charset|-encoding)?|connection|content-(encoding|length|type)|cookie|date|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|(proxy|sec)-.*)$/i;

/** Checks the name of a header that carries a key. */
const headerName = rules(
  'must be the name of an HTTP header, such as ServiceApiKey',
  [/^[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*$/, ': letters, digits, - and _ only'],
  [(value) => !takenHeader.test(value), ': this one has a meaning of its own in HTTP'],
);

/** Checks an http(s) address to which paths are added. @param placeholders hosts that stand in instructions */
const webAddress = (example: string, placeholders: readonly string[] = []): Check =>
  rules(
    `must be an address such as ${example}`,
    [
      (value) => /^https?:\/\/[^\s@?#…]+(?<!\.\.\.)$/i.test(value) && URL.canParse(value),
      ': complete, with http:// or https://, and without spaces, a user name, ? or #',
    ],
    [(value) => !placeholders.includes(new URL(value).hostname), isPlaceholder],
  );

/** Checks the base of Slack's Web API. Other hosts than Slack's are proxies and sandboxes. */
const slackAddress: Check = (value) => {
  const fault = webAddress('https://slack.com/api/')(value);
  if (fault !== undefined) return fault;
  const { protocol, hostname, pathname } = new URL(value);
  if (!/(^|\.)slack(-gov)?\.com$/.test(hostname)) return undefined;
  return protocol === 'https:' && /^\/api\/?$/.test(pathname)
    ? undefined
    : `must be https://${hostname}/api/ at Slack itself`;
};

/** Checks the address under which browsers reach the port: its pages are at fixed paths below it. */
const publicAddress = rules(
  'must be an address such as https://proofdesk.your-company.com',
  [(value) => /^https?:\/\/[^\s@/?#]+\/?$/i.test(value) && URL.canParse(value), ': without a path'],
  [(value) => !isUnencrypted(value), ': over http:// others could read what is shown there'],
);

/** Checks the address of a proxy, which may have a user name and password. */
const proxyAddress = form(
  (value) => /^https?:\/\/[^\s/]+\/?$/i.test(value) && URL.canParse(value),
  'must be the address of a proxy, such as http://proxy.example:3128',
);

/** Returns whether an address is reached unencrypted, on more than this machine. */
function isUnencrypted(address: string): boolean {
  if (!/^http:/i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Checks the address of this machine on which a port is opened. */
const hostAddress = form(
  (value) => isIP(value) !== 0 || /^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value),
  'must be an address of this machine, such as 127.0.0.1, 0.0.0.0 (all) or ::1, without http:// and without a port',
);

const createKey = 'Create one with: openssl rand -base64 32';

/** Checks the encryption keys, separated by commas: each is 32 bytes in base64. */
const encryptionKeys: Check = (value) => {
  const keys = listed(value).map((key) => ({ key, bytes: Buffer.from(key, 'base64') }));
  const wrong = keys.findIndex(
    ({ key, bytes }) => bytes.length !== 32 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(key),
  );
  const which = keys.length > 1 ? `; number ${wrong + 1} is not` : '';
  if (wrong >= 0)
    return `must be 32 bytes in base64${which}: it has ${keys[wrong]?.bytes.length}, or another character. ${createKey}`;
  return keys.some(({ bytes }) => bytes.toString('latin1') === 'some 32 bytes made with openssl!')
    ? `must be 32 bytes in base64 of your own: what it has is the example of the instructions, which everybody knows. ${createKey}`
    : undefined;
};

const login = '(?:(?:[^@/?#%\\s]|%[0-9a-f]{2})*@)?';
const host = '(?:\\[[0-9a-f:.]+\\]|[a-z0-9._-]+)(?::\\d{1,5})?';
const oneServer = new RegExp(`^rediss?://${login}${host}(?:/\\d{0,5})?(?:\\?[^#\\s]*)?$`, 'i');
const sentinels = `sentinel://${login}${host}(?:,${host})*/[^/?#\\s]+(?:/\\d{1,5})?`;
const nodes = `cluster://${login}${host}(?:,${host})*/?`;
const severalServers = new RegExp(`^rediss?\\+(?:${sentinels}|${nodes})$`, 'i');

/** Checks REDIS_URL in each of its forms. */
const redisUrl = form(
  (value) => severalServers.test(value) || (oneServer.test(value) && URL.canParse(value)),
  'must be an address such as redis://localhost:6379, redis+sentinel://host:26379,host:26379/master-name or redis+cluster://host:6379,host:6379; special characters (@ : / ? # %) in a user name or password are percent-encoded, such as %40 for @',
);

/** Names every setting that is wrong or missing. The process then exits with code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** What is absent has not been set. `.env.example` says what each setting is. */
export type Config = ReturnType<typeof readConfig>;

/** A setting that may be absent or empty, with a check of its text. Docker's --env-file keeps quotation marks. */
function text(check: Check = () => undefined) {
  const setting = z.string().trim().optional();
  return setting.superRefine((value, issues) => {
    const isQuoted = /^["'“”‘’`]|["'“”‘’`]$/u.test(value ?? '');
    const fault = isQuoted ? 'must be written without the quotation marks around it' : value && check(value);
    if (fault) issues.addIssue(fault);
  });
}

function wholeNumber(from: number, to: number, otherwise: number) {
  const must = `must be a whole number from ${from} to ${to}`;
  // Number('1e9') is a billion.
  const isWithin = (value: string) => /^\d+$/.test(value) && Number(value) >= from && Number(value) <= to;
  return z
    .string()
    .optional()
    .refine((value) => value === undefined || /^$|\S/.test(value), `is blank: it ${must}, or be left out`)
    .pipe(text(form(isWithin, must)))
    .transform((value) => Number(value || otherwise));
}

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

const channelId = form(
  new RegExp(`^(?!${exampleChannel}$)[CG][A-Z0-9]+$`),
  `must be the id of a channel, such as ${exampleChannel} (in Slack: the channel’s name, About, Channel ID)`,
);

const environment = z.object({
  SLACK_BOT_TOKEN: text(secret('the bot token of the workspace', 'xoxb-')),
  SLACK_APP_TOKEN: text(secret('an app-level token with the scope connections:write', 'xapp-')),
  SLACK_SIGNING_SECRET: text(secret('the signing secret of the app')),
  SLACK_CLIENT_ID: text(secret('the client id of the app')),
  SLACK_CLIENT_SECRET: text(secret('the client secret of the app')),
  SLACK_STATE_SECRET: text(secret('a secret of your own')),
  SLACK_API_URL: text(slackAddress),
  MARKETPLACE_BASE_URL: text(
    webAddress('https://api.your-marketplace.com', ['marketplace.example', 'api.example.com', 'example.com']),
  ),
  MARKETPLACE_ALLOW_HTTP: text(form(/^(yes|no)$/, 'must be yes or no')),
  MARKETPLACE_KEY_HEADER: text(headerName),
  MARKETPLACE_EXCLUDE_MARK: text(),
  MARKETPLACE_TIME_ZONE: text(
    form(IANAZone.isValidZone, 'must be the name of a time zone, such as Europe/Berlin'),
  ),
  MARKETPLACE_API_KEY: text(secret('the API key of an account')),
  REVIEW_CHANNEL: text(channelId),
  INBOX_CHANNEL: text(channelId),
  ACCOUNT_OWNERS: text(
    form(
      (value) =>
        listed(value).length > 0 &&
        listed(value).every((id) => /^[UW][A-Z0-9]+$/.test(id) && id !== exampleMember),
      `must be ids of members, separated by commas, such as ${exampleMember} (in Slack: the member’s profile, the three dots, Copy member ID)`,
    ),
  ),
  REDIS_URL: text(redisUrl),
  DATA_DIR: text(),
  HTTPS_PROXY: text(proxyAddress),
  HTTP_PROXY: text(proxyAddress),
  NO_PROXY: text(),
  PROOFDESK_ENCRYPTION_KEYS: text(encryptionKeys),
  PROOFDESK_KEY_FILE: text(),
  RETENTION_DAYS: text(
    form(
      (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= 36_500,
      'must be a number of days from 0 to 36500',
    ),
  ),
  POLL_SECONDS: wholeNumber(1, 86_400, 30),
  UNDO_SECONDS: wholeNumber(0, 3_600, 10),
  OPEN_CARDS: wholeNumber(0, mostOpenCards, 20),
  AUDIT_DAYS: wholeNumber(1, 36_500, 730),
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: text(hostAddress),
  METRICS: text(form(/^(on|off)$/, 'must be on or off')),
  PUBLIC_URL: text(publicAddress),
  DESK_EMBED: text(form(/^(on|off)$/, 'must be on or off')),
  LOG_LEVEL: text(
    form(
      /^(trace|debug|info|warn|error|fatal|silent)$/,
      'must be one of trace, debug, info, warn, error, fatal, silent',
    ),
  ),
});

/** The secrets that may be in a file, which `<NAME>_FILE` names. The encryption keys have a setting of their own for it. */
const inFiles = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CLIENT_SECRET',
  'SLACK_STATE_SECRET',
  'MARKETPLACE_API_KEY',
  'REDIS_URL',
] as const;

/** Adds the secrets that are in files to the settings. Returns a fault for each that could not be taken. */
function addSecrets(given: Record<string, string | undefined>): { name: string; fault: string }[] {
  return inFiles.flatMap((name) => {
    const path = given[`${name}_FILE`]?.trim();
    if (!path) return [];
    if (given[name]?.trim())
      return [{ name, fault: `${name} and ${name}_FILE are both set: remove one of them.` }];
    try {
      given[name] = readFileSync(path, 'utf8');
      return [];
    } catch (error) {
      given[name] = path;
      const { code } = error as NodeJS.ErrnoException;
      const remedy = 'correct its path, or let the bot’s user read it';
      return [{ name, fault: `${name}_FILE names a file that cannot be read (${code}): ${remedy}.` }];
    }
  });
}

/**
 * Reads the environment, and the files of secrets that it names. Throws a {@link ConfigError} that names every fault at once but never contains a setting's value.
 */
export function readConfig(present: Readonly<Record<string, string | undefined>>) {
  const given = { ...present };
  // Programs read these names in small letters too, and first.
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
    given[name] = present[name.toLowerCase()] ?? present[name];
  const inFile = addSecrets(given);
  const parsed = environment.safeParse({
    ...given,
    ...Object.fromEntries(inFile.map(({ name }) => [name, undefined])),
  });
  const faults = [
    ...inFile.map(({ fault }) => fault),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`),
  ];
  const isGiven = (name: keyof typeof environment.shape) => Boolean(given[name]?.trim());
  const need = (isMet: boolean, fault: string) => void (isMet || faults.push(fault));

  const installing = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
  const isInstalling = installing.some(isGiven);
  need(
    isInstalling || isGiven('SLACK_BOT_TOKEN'),
    'SLACK_BOT_TOKEN is missing: install the app in your workspace and copy the bot token from “OAuth & Permissions”.',
  );
  for (const name of installing)
    need(
      !isInstalling || isGiven(name),
      `${name} is missing: installing in several workspaces takes ${installing.join(', ')}. For one workspace, set SLACK_BOT_TOKEN and none of them.`,
    );
  need(
    !isInstalling || !isGiven('SLACK_BOT_TOKEN'),
    'SLACK_BOT_TOKEN must be left out with SLACK_CLIENT_ID: each workspace gets a token of its own at /slack/install. For one workspace, leave out SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET.',
  );
  need(
    !isInstalling || !isGiven('MARKETPLACE_API_KEY'),
    'MARKETPLACE_API_KEY must be left out with SLACK_CLIENT_ID: it would belong to no workspace. Each connects its own with /proofdesk connect.',
  );
  need(
    isGiven('SLACK_APP_TOKEN') || isGiven('SLACK_SIGNING_SECRET'),
    'SLACK_APP_TOKEN (for Socket Mode) or SLACK_SIGNING_SECRET (for HTTP) is missing: set one of them.',
  );
  need(
    isGiven('MARKETPLACE_BASE_URL'),
    'MARKETPLACE_BASE_URL is missing: set it to the address of the marketplace.',
  );
  for (const [name, why] of [
    ['REVIEW_CHANNEL', 'the key of the account whose tasks are posted there'],
    ['INBOX_CHANNEL', 'the key of the account whose messages are posted there'],
    [
      'ACCOUNT_OWNERS',
      'it names the owners of that key’s account. Whoever connects a key of their own owns its account',
    ],
  ] as const)
    need(!isGiven(name) || isGiven('MARKETPLACE_API_KEY'), `${name} needs MARKETPLACE_API_KEY: ${why}.`);
  need(
    !isGiven('REDIS_URL') || isGiven('PROOFDESK_ENCRYPTION_KEYS') || isGiven('PROOFDESK_KEY_FILE'),
    'PROOFDESK_ENCRYPTION_KEYS is missing: with REDIS_URL, you provide the key. Create one with: openssl rand -base64 32',
  );
  need(
    !isGiven('PROOFDESK_KEY_FILE') || !isGiven('PROOFDESK_ENCRYPTION_KEYS'),
    'PROOFDESK_KEY_FILE must be left out when PROOFDESK_ENCRYPTION_KEYS is set: one of them has the keys.',
  );
  need(
    given.DESK_EMBED?.trim() !== 'on' || isGiven('PUBLIC_URL'),
    'DESK_EMBED needs PUBLIC_URL: without it, there is no desk.',
  );
  need(
    !isUnencrypted(given.MARKETPLACE_BASE_URL?.trim() ?? '') ||
      given.MARKETPLACE_ALLOW_HTTP?.trim() === 'yes',
    'MARKETPLACE_BASE_URL must begin with https://: over http:// anybody on the way reads the API key and the workers’ data. On a network that you trust, set MARKETPLACE_ALLOW_HTTP=yes.',
  );

  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const env = parsed.data;
  const { HTTP_PROXY: httpProxy = '', HTTPS_PROXY: httpsProxy = '', NO_PROXY: noProxy = '' } = env;
  const [clientId = '', clientSecret = '', stateSecret = ''] = installing.map((name) => env[name]);
  const host = env.HOST || (env.SLACK_APP_TOKEN && !isInstalling ? '127.0.0.1' : undefined);
  return {
    slack: {
      // '' when each workspace has its own, by `install`.
      botToken: env.SLACK_BOT_TOKEN ?? '',
      ...(isInstalling ? { install: { clientId, clientSecret, stateSecret } } : {}),
      ...(env.SLACK_API_URL ? { apiUrl: env.SLACK_API_URL.replace(/\/*$/, '/') } : {}),
      transport: env.SLACK_APP_TOKEN
        ? ({ mode: 'socket', appToken: env.SLACK_APP_TOKEN } as const)
        : ({ mode: 'http', signingSecret: env.SLACK_SIGNING_SECRET ?? '' } as const),
    },
    marketplace: {
      baseUrl: (env.MARKETPLACE_BASE_URL ?? '').replace(/\/+$/, ''),
      keyHeader: env.MARKETPLACE_KEY_HEADER ?? 'ServiceApiKey',
      excludeMark: env.MARKETPLACE_EXCLUDE_MARK ?? '-',
      timeZone: env.MARKETPLACE_TIME_ZONE ?? 'UTC',
      ...(env.MARKETPLACE_API_KEY ? { apiKey: env.MARKETPLACE_API_KEY } : {}),
    },
    ...(httpProxy || httpsProxy ? { proxy: { httpProxy, httpsProxy, noProxy } } : {}),
    ...(env.REVIEW_CHANNEL ? { reviewChannel: ChannelId.parse(env.REVIEW_CHANNEL) } : {}),
    ...(env.INBOX_CHANNEL ? { inboxChannel: ChannelId.parse(env.INBOX_CHANNEL) } : {}),
    // None: the admins of the workspace.
    accountOwners: listed(env.ACCOUNT_OWNERS ?? '').map((id) => MemberId.parse(id)),
    // Without it, the bot runs a private redis-server under dataDir.
    ...(env.REDIS_URL ? { redisUrl: env.REDIS_URL } : {}),
    dataDir: env.DATA_DIR ?? './data',
    encryptionKeys: listed(env.PROOFDESK_ENCRYPTION_KEYS ?? '').map((key) => Buffer.from(key, 'base64')),
    ...(env.PROOFDESK_KEY_FILE ? { encryptionKeyFile: env.PROOFDESK_KEY_FILE } : {}),
    retentionDays: Number(env.RETENTION_DAYS || 90),
    pollSeconds: env.POLL_SECONDS,
    undoSeconds: env.UNDO_SECONDS,
    openCards: env.OPEN_CARDS,
    auditDays: env.AUDIT_DAYS,
    port: env.PORT,
    // Without HTTP mode and installations, nobody but this machine has anything to ask.
    ...(host ? { host } : {}),
    hasMetrics: env.METRICS === 'on',
    ...(env.PUBLIC_URL
      ? { desk: { url: new URL(env.PUBLIC_URL).origin, isEmbedded: env.DESK_EMBED === 'on' } }
      : {}),
    logLevel: env.LOG_LEVEL || 'info',
  };
}

/** Returns everything that must never be logged, both as configured and as used. */
export function secretsOf({ slack, marketplace, redisUrl, proxy }: Config, encryptionKeys = ''): string[] {
  const { botToken, install, transport } = slack;
  const passwords = [redisUrl, proxy?.httpProxy, proxy?.httpsProxy].flatMap(
    (address = '') => /:\/\/[^/]*?:([^@/]+)@/.exec(address)?.[1] ?? [],
  );
  return [
    botToken,
    transport.mode === 'socket' ? transport.appToken : transport.signingSecret,
    install?.clientSecret ?? '',
    install?.stateSecret ?? '',
    marketplace.apiKey ?? '',
    ...listed(encryptionKeys),
    ...passwords,
    ...passwords.map(decodeURIComponent),
  ];
}
