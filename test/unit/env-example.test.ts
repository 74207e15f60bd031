import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ConfigError, readConfig } from '../../src/app/config.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const example = read('.env.example');
const names = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name).toSorted();

/** The settings of an example in which every setting is uncommented. */
const everything = parseEnv(example.replaceAll(/^# (?=[A-Z_]+=)/gm, '')) as Record<string, string>;

describe('.env.example', () => {
  test('has every setting that the bot reads, and no other', () => {
    // Read only to say that it is not supported yet.
    const unsupported = ['SLACK_CLIENT_ID'];
    const settings = names(read('src/app/config.ts'), /^ {2}([A-Z][A-Z_]+):/gm);
    expect(Object.keys(everything).toSorted()).toEqual(
      settings.filter((name) => !unsupported.includes(name)),
    );
  });

  test('has the settings of the table in README.md', () => {
    expect(Object.keys(everything).toSorted()).toEqual(names(read('README.md'), /^\| `([A-Z_]+)` /gm));
  });

  test('names its placeholders when it is copied as it stands', () => {
    const faultsOf = (settings: Record<string, string>): readonly string[] => {
      try {
        readConfig(settings);
        return [];
      } catch (error) {
        return (error as ConfigError).faults.map((fault) => fault.split(' ')[0] ?? '').toSorted();
      }
    };
    const required = ['MARKETPLACE_BASE_URL', 'SLACK_APP_TOKEN', 'SLACK_BOT_TOKEN'];
    expect(faultsOf(parseEnv(example) as Record<string, string>)).toEqual(required);
    expect(faultsOf(everything)).toEqual(
      [
        ...required,
        'ACCOUNT_OWNERS',
        'INBOX_CHANNEL',
        'MARKETPLACE_API_KEY',
        'PROOFDESK_ENCRYPTION_KEYS',
        // Both are given.
        'PROOFDESK_KEY_FILE',
        'REVIEW_CHANNEL',
        'SLACK_SIGNING_SECRET',
      ].toSorted(),
    );
  });

  test('is a valid configuration once its placeholders are replaced, also with every setting', () => {
    const own = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      MARKETPLACE_BASE_URL: 'https://market.example',
    };
    const required = readConfig({ ...(parseEnv(example) as Record<string, string>), ...own });
    expect(required.slack.transport.mode).toBe('socket');
    const {
      SLACK_SIGNING_SECRET,
      SLACK_API_URL,
      MARKETPLACE_API_KEY,
      REVIEW_CHANNEL,
      INBOX_CHANNEL,
      ACCOUNT_OWNERS,
      HTTP_PROXY,
      HTTPS_PROXY,
      NO_PROXY,
      ...rest
    } = everything;
    const { REDIS_URL, PROOFDESK_ENCRYPTION_KEYS, PROOFDESK_KEY_FILE, ...defaults } = rest;
    const filledIn: Record<string, string | undefined> = {
      ...everything,
      PROOFDESK_KEY_FILE: undefined,
      ...own,
      SLACK_SIGNING_SECRET: 'signing-secret',
      MARKETPLACE_API_KEY: 'api-key',
      REVIEW_CHANNEL: 'C0REVIEW',
      INBOX_CHANNEL: 'C0INBOX',
      ACCOUNT_OWNERS: 'U0OWNER',
      PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    };
    const config = readConfig(filledIn);
    expect(config).toMatchObject({
      redisUrl: REDIS_URL,
      reviewChannel: 'C0REVIEW',
      inboxChannel: 'C0INBOX',
      slack: { apiUrl: SLACK_API_URL },
      proxy: { httpProxy: HTTP_PROXY, httpsProxy: HTTPS_PROXY, noProxy: NO_PROXY },
      marketplace: { apiKey: 'api-key' },
    });
    expect(config.encryptionKeys).toHaveLength(1);
    const inFile = readConfig({ ...filledIn, PROOFDESK_ENCRYPTION_KEYS: undefined, PROOFDESK_KEY_FILE });
    expect(inFile).toMatchObject({ encryptionKeys: [], encryptionKeyFile: PROOFDESK_KEY_FILE });
    for (const placeholder of [
      SLACK_SIGNING_SECRET,
      MARKETPLACE_API_KEY,
      REVIEW_CHANNEL,
      INBOX_CHANNEL,
      ACCOUNT_OWNERS,
    ])
      expect(placeholder).toMatch(/^(replace-me|[CU]0123456789)$/);
    expect(PROOFDESK_ENCRYPTION_KEYS).not.toContain(',');
    expect(readConfig({ ...filledIn, SLACK_APP_TOKEN: undefined }).slack.transport).toEqual({
      mode: 'http',
      signingSecret: 'signing-secret',
    });
    // The remaining lines that are commented out show the defaults.
    expect(readConfig({ ...defaults, ...own })).toEqual(required);
  });
});
