import { execFileSync } from 'node:child_process';
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
    const settings = names(read('src/app/config.ts'), /^ {2}([A-Z][A-Z_]+):/gm);
    expect(Object.keys(everything).toSorted()).toEqual(settings);
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
        ...['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'],
        // These are for one workspace.
        ...['SLACK_BOT_TOKEN', 'MARKETPLACE_API_KEY'],
      ].toSorted(),
    );
  });

  test('is a valid configuration once its placeholders are replaced, and what is commented out shows the defaults', () => {
    const own = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      MARKETPLACE_BASE_URL: 'https://market.example',
    };
    const filledIn: Record<string, string | undefined> = {
      ...everything,
      ...own,
      PROOFDESK_KEY_FILE: undefined,
      ...{ SLACK_CLIENT_ID: undefined, SLACK_CLIENT_SECRET: undefined, SLACK_STATE_SECRET: undefined },
      ...{ SLACK_SIGNING_SECRET: 'signing-secret', MARKETPLACE_API_KEY: 'api-key' },
      ...{ REVIEW_CHANNEL: 'C0REVIEW', INBOX_CHANNEL: 'C0INBOX', ACCOUNT_OWNERS: 'U0OWNER' },
      PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    };
    expect(readConfig(filledIn).redisUrl).toBe(everything.REDIS_URL);
    const inFile = {
      PROOFDESK_ENCRYPTION_KEYS: undefined,
      PROOFDESK_KEY_FILE: everything.PROOFDESK_KEY_FILE,
    };
    expect(readConfig({ ...filledIn, ...inFile }).encryptionKeyFile).toBe(everything.PROOFDESK_KEY_FILE);
    const given =
      /^(SLACK_|REDIS|PROOFDESK_|MARKETPLACE_API_KEY|REVIEW_|INBOX_|ACCOUNT_OWNERS|HTTPS?_PROXY|NO_PROXY|PUBLIC_URL)/;
    const defaults = Object.fromEntries(Object.entries(everything).filter(([name]) => !given.test(name)));
    const required = readConfig({ ...(parseEnv(example) as Record<string, string>), ...own });
    expect(readConfig({ ...defaults, ...own })).toEqual(required);
  });

  test('says how a value with # or spaces is written, so that the shell and deploy/compose.yaml read the same', () => {
    expect(example.replaceAll('\n# ', ' ')).toContain('a value with # or spaces must be in single quotes');
    const line = "MARKETPLACE_API_KEY='a #key with “spaces”'";
    // As node --env-file reads it.
    const { MARKETPLACE_API_KEY: key } = parseEnv(line);
    expect(key).toBe('a #key with “spaces”');
    const inShell = execFileSync('sh', ['-c', `${line}; printf %s "$MARKETPLACE_API_KEY"`], {
      encoding: 'utf8',
    });
    expect(inShell).toBe(key);
    expect(parseEnv(line.replaceAll("'", '')).MARKETPLACE_API_KEY).not.toBe(key);
    expect(read('deploy/compose.yaml')).toContain('--env-file=');
  });
});
