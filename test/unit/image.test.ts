import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';

const root = new URL('../../', import.meta.url);
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
const [lastStage = ''] = dockerfile.split(/^FROM /m).slice(-1);

/** What the image sets for the bot. */
const environment = Object.fromEntries(
  [...lastStage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
  ),
);

describe('the image', () => {
  test('opens the port on all addresses of its container, in Socket Mode too', () => {
    const config = readConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      MARKETPLACE_BASE_URL: 'https://market.example/api/',
      REDIS_URL: 'redis://redis:6379',
      PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
      ...environment,
    });
    expect(config.host).toBe('0.0.0.0');
  });

  test('runs what is built, and not as root', () => {
    expect(JSON.parse(/^CMD (.*)$/m.exec(lastStage)?.[1] ?? '[]')).toEqual(['node', 'dist/main.js']);
    expect(lastStage).toMatch(/^USER node$/m);
  });

  test('has neither development packages nor sources', () => {
    expect(dockerfile).toMatch(/^RUN npm install .*--omit=dev/m);
    const copied = [...lastStage.matchAll(/^COPY (?:--from=\w+ )?(\S+)/gm)].map(([, path]) => path);
    expect(copied).toEqual(['/app/node_modules', '/app/dist', 'package.json']);
  });
});
