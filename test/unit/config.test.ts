import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig, secretsOf } from '../../src/app/config.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const enough = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  MARKETPLACE_BASE_URL: 'https://market.example/api/',
};
const fileOf = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const example = fileOf('.env.example');

/** The credentials of an app that several workspaces install. */
const app = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'shh', SLACK_STATE_SECRET: 'own' };

function faultsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('the configuration has defaults for everything that can have one', () => {
  expect(readConfig(enough)).toEqual({
    slack: { botToken: 'xoxb-1', transport: { mode: 'socket', appToken: 'xapp-1' } },
    marketplace: {
      baseUrl: 'https://market.example/api',
      keyHeader: 'ServiceApiKey',
      excludeMark: '-',
      timeZone: 'UTC',
    },
    accountOwners: [],
    dataDir: './data',
    encryptionKeys: [],
    retentionDays: 90,
    pollSeconds: 30,
    auditDays: 730,
    openCards: 20,
    undoSeconds: 10,
    port: 3000,
    hasMetrics: false,
    host: '127.0.0.1',
    logLevel: 'info',
  });
});

test('there is a desk at an address that browsers reach, encrypted or on this machine, and at its root', () => {
  const deskAt = (PUBLIC_URL: string, more = {}) => readConfig({ ...enough, PUBLIC_URL, ...more }).desk;
  expect(deskAt('https://desk.example/')).toEqual({ url: 'https://desk.example', isEmbedded: false });
  const embedded = { url: 'http://localhost:4002', isEmbedded: true };
  expect(deskAt(embedded.url, { DESK_EMBED: 'on' })).toEqual(embedded);
  const asked = /^PUBLIC_URL must be an address such as https:\/\/proofdesk\.your-company\.com: /;
  const beyond = ['http://desk.example', 'https://desk.example/path'];
  for (const wrong of [...beyond, 'desk.example', 'https://a:b@desk.example'])
    expect(faultsOf({ ...enough, PUBLIC_URL: wrong }), wrong).toEqual([expect.stringMatching(asked)]);
  expect(faultsOf({ ...enough, DESK_EMBED: 'on' })).toEqual([
    'DESK_EMBED needs PUBLIC_URL: without it, there is no desk.',
  ]);
});

test('the configuration takes every setting', () => {
  const config = readConfig({
    SLACK_BOT_TOKEN: ' xoxb-1 ',
    SLACK_SIGNING_SECRET: 'shh',
    SLACK_API_URL: 'http://localhost:4000/api',
    MARKETPLACE_BASE_URL: 'http://localhost:4001',
    MARKETPLACE_KEY_HEADER: 'BrandApiKey',
    MARKETPLACE_EXCLUDE_MARK: '!',
    MARKETPLACE_TIME_ZONE: 'Europe/Berlin',
    MARKETPLACE_API_KEY: 'k',
    REVIEW_CHANNEL: 'C0123',
    REDIS_URL: 'rediss://:p%40ss@h:6379/1',
    DATA_DIR: '/var/lib/proofdesk',
    PROOFDESK_ENCRYPTION_KEYS: `${key}, ${key}`,
    POLL_SECONDS: '5',
    UNDO_SECONDS: '0',
    AUDIT_DAYS: '90',
    OPEN_CARDS: '0',
    PORT: '8080',
    HOST: '10.1.2.3',
    RETENTION_DAYS: '0.5',
    LOG_LEVEL: 'debug',
  });
  const transport = { mode: 'http', signingSecret: 'shh' };
  expect(config).toMatchObject({
    slack: { botToken: 'xoxb-1', apiUrl: 'http://localhost:4000/api/', transport },
    marketplace: { keyHeader: 'BrandApiKey', excludeMark: '!', timeZone: 'Europe/Berlin', apiKey: 'k' },
    reviewChannel: 'C0123',
    redisUrl: 'rediss://:p%40ss@h:6379/1',
    pollSeconds: 5,
    undoSeconds: 0,
    auditDays: 90,
    openCards: 0,
    port: 8080,
    host: '10.1.2.3',
    retentionDays: 0.5,
    logLevel: 'debug',
  });
  const largest = { POLL_SECONDS: '86400', UNDO_SECONDS: '3600', OPEN_CARDS: '1000', AUDIT_DAYS: '36500' };
  expect(faultsOf({ ...enough, ...largest, PORT: '65535' })).toEqual([]);
  expect(config.encryptionKeys.map(({ length }) => length)).toEqual([32, 32]);
  expect(secretsOf(config, key)).toEqual(['xoxb-1', 'shh', '', '', 'k', key, 'p%40ss', 'p@ss']);
});

test('an app token means Socket Mode, also beside a signing secret; empty settings are none', () => {
  expect(readConfig({ ...enough, SLACK_SIGNING_SECRET: 'shh' }).slack.transport.mode).toBe('socket');
  const { slack } = readConfig({ ...enough, SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'shh', PORT: '' });
  expect(slack.transport.mode).toBe('http');
});

test('the port is opened for this machine alone in Socket Mode, and for all with HTTP, unless a setting says so', () => {
  const http = { ...enough, SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'shh' };
  expect(readConfig(enough).host).toBe('127.0.0.1');
  expect(readConfig(http).host).toBeUndefined();
  expect(readConfig({ ...http, HOST: '' }).host).toBeUndefined();
  for (const HOST of ['0.0.0.0', '::', '::1', 'localhost', 'bot.internal']) {
    expect(readConfig({ ...enough, HOST }).host).toBe(HOST);
    expect(readConfig({ ...http, HOST }).host).toBe(HOST);
  }
});

const beyondThisMachine = ['http://market.example', 'HTTP://10.0.0.1:4001', 'http://127.example'];
test.each([...beyondThisMachine, 'http://localhost.evil.example'])(
  'an unencrypted marketplace beyond this machine (%s) is refused, unless a setting says so',
  (MARKETPLACE_BASE_URL) => {
    const faultsWith = (more = {}) => faultsOf({ ...enough, MARKETPLACE_BASE_URL, ...more });
    expect(faultsWith()).toEqual([
      expect.stringMatching(/^MARKETPLACE_BASE_URL must begin with https:.*MARKETPLACE_ALLOW_HTTP=yes/),
    ]);
    expect(faultsWith({ MARKETPLACE_ALLOW_HTTP: 'no' })).toHaveLength(1);
    expect(faultsWith({ MARKETPLACE_ALLOW_HTTP: 'yes' })).toEqual([]);
  },
);

const onThisMachine = ['http://localhost:1', 'http://127.0.0.9', 'http://[::1]:1', 'http://a.localhost'];
test.each([...onThisMachine, 'https://market.example'])(
  'a marketplace on this machine, or encrypted (%s), needs no such setting',
  (MARKETPLACE_BASE_URL) => expect(faultsOf({ ...enough, MARKETPLACE_BASE_URL })).toEqual([]),
);

test('the encryption keys are in one place', () => {
  const file = { ...enough, REDIS_URL: 'redis://h', PROOFDESK_KEY_FILE: '/run/secrets/key' };
  expect(readConfig(file)).toMatchObject({ encryptionKeys: [], encryptionKeyFile: '/run/secrets/key' });
  expect(faultsOf({ ...file, PROOFDESK_ENCRYPTION_KEYS: key })).toEqual([
    expect.stringMatching(/^PROOFDESK_KEY_FILE must be left out/),
  ]);
});

test('a secret may be in a file, and is in one place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (content: string) => {
    const path = join(folder, 'secret');
    writeFileSync(path, content);
    return path;
  };
  const inFile = { ...enough, SLACK_APP_TOKEN: undefined };
  const socket = { mode: 'socket', appToken: 'xapp-2' };
  for (const content of ['xapp-2', 'xapp-2\n', 'xapp-2\r\n'])
    expect(readConfig({ ...inFile, SLACK_APP_TOKEN_FILE: file(content) }).slack.transport).toEqual(socket);
  const { marketplace } = readConfig({ ...enough, MARKETPLACE_API_KEY_FILE: file('\n') });
  expect(marketplace).not.toHaveProperty('apiKey');
  expect(faultsOf({ ...enough, SLACK_APP_TOKEN_FILE: file('xapp-2') })).toEqual([
    'SLACK_APP_TOKEN and SLACK_APP_TOKEN_FILE are both set: remove one of them.',
  ]);
  expect(faultsOf({ ...inFile, SLACK_APP_TOKEN_FILE: file('xoxb-secret') })).toEqual([
    'SLACK_APP_TOKEN must be an app-level token with the scope connections:write, which starts with xapp-.',
  ]);
  expect(faultsOf({ ...inFile, SLACK_APP_TOKEN_FILE: join(folder, 'none') })).toEqual([
    'SLACK_APP_TOKEN_FILE names a file that cannot be read (ENOENT): correct its path, or let the bot’s user read it.',
  ]);
});

test('the configuration names all that is missing at once', () => {
  const faults = faultsOf({ REDIS_URL: 'redis://h', REVIEW_CHANNEL: 'C1', INBOX_CHANNEL: 'C2' });
  expect(faults).toHaveLength(6);
  for (const name of [
    'SLACK_BOT_TOKEN is missing',
    'SLACK_APP_TOKEN (for Socket Mode) or SLACK_SIGNING_SECRET',
    'MARKETPLACE_BASE_URL is missing',
    'REVIEW_CHANNEL needs MARKETPLACE_API_KEY',
    'INBOX_CHANNEL needs MARKETPLACE_API_KEY',
    'PROOFDESK_ENCRYPTION_KEYS is missing',
  ])
    expect(faults.join('\n')).toContain(name);
});

test.each([
  ['SLACK_BOT_TOKEN', 'xapp-1'],
  ['SLACK_APP_TOKEN', 'xoxb-1'],
  ['MARKETPLACE_BASE_URL', 'ftp://market'],
  ['MARKETPLACE_TIME_ZONE', 'Mars/Olympus'],
  ['REDIS_URL', 'http://h'],
  ['PROOFDESK_ENCRYPTION_KEYS', `${key},dG9vIHNob3J0`],
  ['POLL_SECONDS', '0'],
  ['POLL_SECONDS', '1.5'],
  ['UNDO_SECONDS', '-1'],
  ['UNDO_SECONDS', 'ten'],
  ['PORT', '70000'],
  ['HOST', 'http://0.0.0.0'],
  ['HOST', '"127.0.0.1"'],
  ['RETENTION_DAYS', '-1'],
  ['RETENTION_DAYS', '40000'],
  ['MARKETPLACE_ALLOW_HTTP', 'true'],
  ['POLL_SECONDS', '1e9'],
  ['AUDIT_DAYS', '0'],
  ['OPEN_CARDS', '-1'],
  ['OPEN_CARDS', '1001'],
  ['LOG_LEVEL', 'loud'],
])('names a wrong %s (%s) once, without its value', (name, value) => {
  const faults = faultsOf({ ...enough, PROOFDESK_ENCRYPTION_KEYS: key, [name]: value });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^${name}[ ,].*must be .*\\.`));
  if (value.length > 3) expect(faults[0]).not.toContain(value);
});

const exampleKey = Buffer.from('some 32 bytes made with openssl!').toString('base64');
test.each([
  ['SLACK_BOT_TOKEN', 'xoxb-…', /placeholder/],
  ['SLACK_BOT_TOKEN', 'xoxb-replace-me', /placeholder/],
  ['SLACK_BOT_TOKEN', '"xoxb-11-abcdef"', /quotation marks/],
  ['SLACK_BOT_TOKEN', 'xoxb-11 abcdef', /without spaces/],
  ['SLACK_APP_TOKEN', 'xapp-…', /placeholder/],
  ['SLACK_APP_TOKEN', 'xapp-1\nabcdef', /line breaks/],
  ['SLACK_APP_TOKEN', 'xapp-1\u200babcdef', /copy it again/],
  ['SLACK_SIGNING_SECRET', 'replace-me', /placeholder/],
  ['SLACK_SIGNING_SECRET', "'0123abcd'", /quotation marks/],
  ['SLACK_API_URL', 'https://slack.com', /https:\/\/slack\.com\/api\/ at Slack itself/],
  ['SLACK_API_URL', 'https://user:s3cr-3t@proxy/api/', /a user name/],
  ['MARKETPLACE_BASE_URL', 'https://…', /complete/],
  ['MARKETPLACE_BASE_URL', 'https://marketplace.example', /placeholder/],
  ['MARKETPLACE_BASE_URL', 'market.example', /with http:\/\/ or https:\/\//],
  ['MARKETPLACE_BASE_URL', 'https://user:s3cr-3t@market', /a user name/],
  ['MARKETPLACE_BASE_URL', 'https://market/?key=abcdef', /without spaces, a user name, \?/],
  ['MARKETPLACE_BASE_URL', 'https://market:99999', /complete/],
  ['MARKETPLACE_KEY_HEADER', 'Api Key', /letters, digits/],
  ['MARKETPLACE_KEY_HEADER', 'ApiKey:', /letters, digits/],
  ['MARKETPLACE_KEY_HEADER', 'ApiKey\r\nX-Evil', /letters, digits/],
  ['MARKETPLACE_KEY_HEADER', 'ApiKéy', /letters, digits/],
  ['MARKETPLACE_KEY_HEADER', 'Content-Type', /meaning of its own/],
  ['MARKETPLACE_API_KEY', '“abcdef”', /quotation marks/],
  ['MARKETPLACE_API_KEY', 'abc def', /without spaces/],
  ['MARKETPLACE_API_KEY', 'abc\u2060def', /copy it again/],
  ['MARKETPLACE_API_KEY', 'abcde\u00e9f', /characters that it cannot have/],
  ['MARKETPLACE_API_KEY', 'your-api-key', /placeholder/],
  ['REVIEW_CHANNEL', '#review', /id of a channel/],
  ['REVIEW_CHANNEL', 'D0123', /id of a channel/],
  ['REDIS_URL', 'redis://:s3cr-3t@', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis://h:70000', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis://:s3cr%zz3t@h', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis://:s3cr#3t@h', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis://h/one', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis://h:1,h:2', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis+sentinel://h:26379', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis+sentinel://h:26379,/name', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis+sentinel://h/name/one', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'redis+cluster://h/1', /such as redis.*percent-encoded/],
  ['REDIS_URL', 'rediss+cluster://:s3cr%3t@h', /such as redis.*percent-encoded/],
  ['PROOFDESK_ENCRYPTION_KEYS', 'ab'.repeat(32), /it has 48/],
  ['PROOFDESK_ENCRYPTION_KEYS', `${key.slice(0, -4)}!!!!`, /another character/],
  ['PROOFDESK_ENCRYPTION_KEYS', Buffer.alloc(16).toString('base64'), /it has 16/],
  ['PROOFDESK_ENCRYPTION_KEYS', exampleKey, /the example of the instructions/],
])('says what is wrong with %s=%s, without its value', (name, value, reason) => {
  const keys = { PROOFDESK_ENCRYPTION_KEYS: key, MARKETPLACE_API_KEY: 'k' };
  const faults = faultsOf({ ...enough, ...keys, [name]: value });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^${name} must be `));
  expect(faults[0]).toMatch(reason);
  for (const part of ['abcdef', 's3cr', '0123abcd', 'proxy']) expect(faults[0]).not.toContain(part);
});

test.each([
  ['REDIS_URL', 'redis://h', 'redis://user:pa%40ss@h:6379/1?family=6', 'rediss://[::1]:6379/0'],
  ['REDIS_URL', 'redis://my_redis'],
  ['REDIS_URL', 'redis+sentinel://:p%3Aw@a:1,[::1]:2/reviews/3', 'redis+cluster://h:1,h:2'],
  ['SLACK_API_URL', 'https://slack.com/api', 'https://slack-gov.com/api/', 'http://127.0.0.1:4000/api/'],
  ['MARKETPLACE_BASE_URL', 'https://market.example/api/v1', 'http://127.0.0.1:4001'],
  ['MARKETPLACE_KEY_HEADER', 'ServiceApiKey', 'X-Brand_Key', 'authorization'],
  ['MARKETPLACE_API_KEY', ' k ', '\ufeffk\r\n', 'a+b/c=='],
  ['SLACK_SIGNING_SECRET', '0123456789abcdef0123456789abcdef\n'],
  ['PROOFDESK_ENCRYPTION_KEYS', key.replace('=', ''), `${key},`],
])('the configuration takes %s=%s', (name, ...values) => {
  for (const value of values) {
    const settings = { ...enough, PROOFDESK_ENCRYPTION_KEYS: key, [name]: value };
    expect(faultsOf(settings), value).toEqual([]);
    if (name === 'MARKETPLACE_API_KEY')
      expect(readConfig(settings).marketplace.apiKey).toBe(value.replace(/[\s\ufeff]/g, ''));
  }
});

test('no setting may have quotation marks around it', () => {
  const settings = names(example, /^#? ?([A-Z][A-Z_]+)=/gm);
  const some = ['DATA_DIR', 'MARKETPLACE_EXCLUDE_MARK', 'PROOFDESK_KEY_FILE'];
  expect(settings).toEqual(expect.arrayContaining(some));
  for (const name of settings)
    for (const value of ['"/data"', "'-'", '“30”', '""']) {
      const keys = name === 'REDIS_URL' ? { PROOFDESK_ENCRYPTION_KEYS: key } : {};
      const one = { ...enough, MARKETPLACE_API_KEY: 'k' };
      const several = { ...enough, SLACK_BOT_TOKEN: undefined, ...app };
      const faults = faultsOf({ ...(name in app ? several : one), ...keys, [name]: value });
      expect(faults).toEqual([`${name} must be written without the quotation marks around it.`]);
    }
});

test('several workspaces take the credentials of the app, and nothing that belongs to one workspace', () => {
  const { SLACK_BOT_TOKEN: _, ...rest } = enough;
  expect(readConfig({ ...rest, ...app })).toMatchObject({
    slack: { botToken: '', install: { clientId: '1.2', clientSecret: 'shh', stateSecret: 'own' } },
  });
  // The pages for installing the app are reached from elsewhere, also in Socket Mode.
  expect(readConfig({ ...rest, ...app })).not.toHaveProperty('host');
  expect(faultsOf({ ...rest, ...app, SLACK_STATE_SECRET: '' })).toEqual([
    expect.stringMatching(/^SLACK_STATE_SECRET is missing: .* set SLACK_BOT_TOKEN and none of them\.$/),
  ]);
  expect(faultsOf({ ...enough, ...app, MARKETPLACE_API_KEY: 'k' })).toEqual([
    expect.stringMatching(/^SLACK_BOT_TOKEN must be left out .*\/slack\/install/),
    expect.stringMatching(/^MARKETPLACE_API_KEY must be left out .*\/proofdesk connect\.$/),
  ]);
});

const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** The settings of an example in which every setting is uncommented. */
const everything = parseEnv(example.replaceAll(/^# (?=[A-Z_]+=)/gm, '')) as Record<string, string>;

test('.env.example has every setting that the bot reads, and no other', () => {
  const settings = names(fileOf('src/app/config.ts'), /^ {2}([A-Z][A-Z_]+):/gm).toSorted();
  expect(Object.keys(everything).toSorted()).toEqual(settings);
});

test('.env.example names its placeholders when it is copied as it stands', () => {
  const wrong = (settings: object) => {
    const faults = faultsOf(settings as Record<string, string>);
    return faults.map((fault) => fault.split(' ')[0] ?? '').toSorted();
  };
  const required = ['MARKETPLACE_BASE_URL', 'SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN'];
  expect(wrong(parseEnv(example))).toEqual(required);
  const needed = ['ACCOUNT_OWNERS', 'INBOX_CHANNEL', 'REVIEW_CHANNEL', 'SLACK_SIGNING_SECRET'];
  const both = ['PROOFDESK_ENCRYPTION_KEYS', 'PROOFDESK_KEY_FILE'];
  // One that belongs to one workspace is a placeholder, and not for several.
  const twice = ['MARKETPLACE_API_KEY', 'MARKETPLACE_API_KEY', 'SLACK_BOT_TOKEN'];
  const all = [...required, ...needed, ...both, ...twice, ...Object.keys(app)];
  expect(wrong(everything)).toEqual(all.toSorted());
});

test('.env.example is a valid configuration once its placeholders are replaced, and what is commented out shows the defaults', () => {
  const filledIn: Record<string, string | undefined> = {
    ...everything,
    ...enough,
    PROOFDESK_KEY_FILE: undefined,
    ...{ SLACK_CLIENT_ID: undefined, SLACK_CLIENT_SECRET: undefined, SLACK_STATE_SECRET: undefined },
    ...{ SLACK_SIGNING_SECRET: 'signing-secret', MARKETPLACE_API_KEY: 'api-key' },
    ...{ REVIEW_CHANNEL: 'C0REVIEW', INBOX_CHANNEL: 'C0INBOX', ACCOUNT_OWNERS: 'U0OWNER' },
    PROOFDESK_ENCRYPTION_KEYS: key,
  };
  expect(readConfig(filledIn).redisUrl).toBe(everything.REDIS_URL);
  const { PROOFDESK_KEY_FILE } = everything;
  const inFile = { ...filledIn, PROOFDESK_ENCRYPTION_KEYS: undefined, PROOFDESK_KEY_FILE };
  expect(readConfig(inFile).encryptionKeyFile).toBe(PROOFDESK_KEY_FILE);
  const given =
    /^(SLACK_|REDIS|PROOFDESK_|MARKETPLACE_API_KEY|REVIEW_|INBOX_|ACCOUNT_OWNERS|HTTPS?_PROXY|NO_PROXY|PUBLIC_URL)/;
  const defaults = Object.fromEntries(Object.entries(everything).filter(([name]) => !given.test(name)));
  const required = readConfig({ ...parseEnv(example), ...enough });
  expect(readConfig({ ...defaults, ...enough })).toEqual(required);
});

test('.env.example says how a value with # or spaces is written, so that the shell and deploy/compose.yaml read the same', () => {
  expect(example.replaceAll('\n# ', ' ')).toContain('a value with # or spaces must be in single quotes');
  const line = "MARKETPLACE_API_KEY='a #key with “spaces”'";
  // As node --env-file reads it.
  const { MARKETPLACE_API_KEY: key } = parseEnv(line);
  expect(key).toBe('a #key with “spaces”');
  const echo = `${line}; printf %s "$MARKETPLACE_API_KEY"`;
  const inShell = execFileSync('sh', ['-c', echo], { encoding: 'utf8' });
  expect(inShell).toBe(key);
  expect(parseEnv(line.replaceAll("'", '')).MARKETPLACE_API_KEY).not.toBe(key);
  expect(fileOf('deploy/compose.yaml')).toContain('--env-file=');
});
