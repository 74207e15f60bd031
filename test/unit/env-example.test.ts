import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';

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
    const settings = names(read('src/config.ts'), /^ {2}([A-Z][A-Z_]+):/gm);
    expect(Object.keys(everything).toSorted()).toEqual(
      settings.filter((name) => !unsupported.includes(name)),
    );
  });

  test('has the settings of the table in README.md', () => {
    expect(Object.keys(everything).toSorted()).toEqual(names(read('README.md'), /^\| `([A-Z_]+)` /gm));
  });

  test('is a valid configuration as it stands, and with every setting', () => {
    const required = readConfig(parseEnv(example) as Record<string, string>);
    expect(required.slack.transport.mode).toBe('socket');
    const { SLACK_SIGNING_SECRET, SLACK_API_URL, MARKETPLACE_API_KEY, REVIEW_CHANNEL, ...rest } = everything;
    const { REDIS_URL, REDIS_REPLICAS, PROOFDESK_ENCRYPTION_KEYS, ...defaults } = rest;
    expect(readConfig(everything)).toMatchObject({
      redisUrl: REDIS_URL,
      redisReplicas: Number(REDIS_REPLICAS),
      reviewChannel: REVIEW_CHANNEL,
      slack: { apiUrl: SLACK_API_URL },
      marketplace: { apiKey: MARKETPLACE_API_KEY },
    });
    expect(readConfig(everything).encryptionKeys).toHaveLength(1);
    expect(PROOFDESK_ENCRYPTION_KEYS).not.toContain(',');
    expect(readConfig({ ...everything, SLACK_APP_TOKEN: undefined }).slack.transport).toEqual({
      mode: 'http',
      signingSecret: SLACK_SIGNING_SECRET,
    });
    // The remaining lines that are commented out show the defaults.
    expect(readConfig(defaults)).toEqual(required);
  });
});
