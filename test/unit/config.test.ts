import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const enough = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  MARKETPLACE_BASE_URL: 'https://market.example/api/',
};

function faultsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('has defaults for everything that can have one', () => {
    expect(readConfig(enough)).toEqual({
      slack: { botToken: 'xoxb-1', transport: { mode: 'socket', appToken: 'xapp-1' } },
      marketplace: {
        baseUrl: 'https://market.example/api',
        keyHeader: 'ServiceApiKey',
        excludeMark: '-',
        timeZone: 'UTC',
      },
      dataDir: './data',
      encryptionKeys: [],
      pollSeconds: 30,
      undoSeconds: 10,
      port: 3000,
      logLevel: 'info',
    });
  });

  test('takes every setting', () => {
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
      REDIS_URL: 'rediss://:p@h:6379/1',
      REDIS_REPLICAS: '2',
      DATA_DIR: '/var/lib/proofdesk',
      PROOFDESK_ENCRYPTION_KEYS: `${key}, ${key}`,
      POLL_SECONDS: '5',
      UNDO_SECONDS: '0',
      PORT: '8080',
      LOG_LEVEL: 'debug',
    });
    expect(config).toMatchObject({
      slack: {
        botToken: 'xoxb-1',
        apiUrl: 'http://localhost:4000/api/',
        transport: { mode: 'http', signingSecret: 'shh' },
      },
      marketplace: { keyHeader: 'BrandApiKey', excludeMark: '!', timeZone: 'Europe/Berlin', apiKey: 'k' },
      reviewChannel: 'C0123',
      redisUrl: 'rediss://:p@h:6379/1',
      redisReplicas: 2,
      pollSeconds: 5,
      undoSeconds: 0,
      port: 8080,
      logLevel: 'debug',
    });
    expect(config.encryptionKeys.map(({ length }) => length)).toEqual([32, 32]);
  });

  test('an app token means Socket Mode, also beside a signing secret; empty settings are none', () => {
    expect(readConfig({ ...enough, SLACK_SIGNING_SECRET: 'shh' }).slack.transport.mode).toBe('socket');
    const { slack } = readConfig({ ...enough, SLACK_APP_TOKEN: '', SLACK_SIGNING_SECRET: 'shh', PORT: '' });
    expect(slack.transport.mode).toBe('http');
  });

  test('names all that is missing at once', () => {
    const faults = faultsOf({ REDIS_URL: 'redis://h', REVIEW_CHANNEL: 'C1' });
    expect(faults).toHaveLength(5);
    for (const name of [
      'SLACK_BOT_TOKEN is missing',
      'SLACK_APP_TOKEN (for Socket Mode) or SLACK_SIGNING_SECRET',
      'MARKETPLACE_BASE_URL is missing',
      'REVIEW_CHANNEL needs MARKETPLACE_API_KEY',
      'PROOFDESK_ENCRYPTION_KEYS is missing',
    ]) {
      expect(faults.join('\n')).toContain(name);
    }
  });

  test.each([
    ['SLACK_BOT_TOKEN', 'xapp-1'],
    ['SLACK_APP_TOKEN', 'xoxb-1'],
    ['SLACK_API_URL', 'localhost:4000'],
    ['MARKETPLACE_BASE_URL', 'ftp://market'],
    ['MARKETPLACE_KEY_HEADER', 'Api Key'],
    ['MARKETPLACE_TIME_ZONE', 'Mars/Olympus'],
    ['REDIS_URL', 'http://h'],
    ['PROOFDESK_ENCRYPTION_KEYS', 'dG9vIHNob3J0'],
    ['PROOFDESK_ENCRYPTION_KEYS', `${key},dG9vIHNob3J0`],
    ['POLL_SECONDS', '0'],
    ['POLL_SECONDS', '1.5'],
    ['UNDO_SECONDS', '-1'],
    ['UNDO_SECONDS', 'ten'],
    ['UNDO_SECONDS', ' '],
    ['PORT', '70000'],
    ['PORT', ' '],
    ['PORT', '1e3'],
    ['POLL_SECONDS', '1e9'],
    ['POLL_SECONDS', 'NaN'],
    ['REDIS_REPLICAS', '11'],
    ['REDIS_REPLICAS', '-1'],
    ['REDIS_REPLICAS', 'all'],
    ['LOG_LEVEL', 'loud'],
  ])('names a wrong %s (%s) once, without its value', (name, value) => {
    const faults = faultsOf({ ...enough, PROOFDESK_ENCRYPTION_KEYS: key, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}[ ,].*must be .*\\.`));
    if (value.length > 3) expect(faults[0]).not.toContain(value);
  });

  test('many workspaces are not offered yet, and that is said', () => {
    expect(faultsOf({ ...enough, SLACK_BOT_TOKEN: undefined, SLACK_CLIENT_ID: '1' }).join()).toMatch(
      /not available yet/,
    );
  });
});
