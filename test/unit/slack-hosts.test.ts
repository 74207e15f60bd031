import { createServer, type RequestListener, type Server } from 'node:http';
import { WebClient } from '@slack/web-api';
import { afterEach, expect, test } from 'vitest';
import { createMarketplaces } from '../../src/features/people/account-clients.ts';
import { createLogger } from '../../src/logger.ts';
import { clientOptions, createSlackClock, slackLogger } from '../../src/slack/client.ts';
import { isSlackAddress } from '../../src/slack/files.ts';
import { createMessenger } from '../../src/slack/messenger.ts';
import { listen } from '../harness/ports.ts';

const slack = 'https://slack.com/api/';
const sandbox = 'http://127.0.0.1:4000/api/';

test.each([
  ['https://files.slack.com/files-pri/T1-F1/download/a.png', slack],
  ['https://slack.com/x', slack],
  ['https://team.slack.com/files/U1/F1/a.png', slack],
  ['https://slack-files.com/T1-F1', slack],
  ['https://files.slack-gov.com/a', 'https://slack-gov.com/api/'],
  ['https://files.slack.com/a', sandbox],
  ['http://127.0.0.1:4000/files/a', sandbox],
])('the token may go to %s with the base %s', (address, base) => {
  expect(isSlackAddress(address, base)).toBe(true);
});

test.each([
  ['http://files.slack.com/a', slack],
  ['https://evilslack.com/a', slack],
  ['https://slack.com.evil.example/a', slack],
  ['https://evil.example/slack.com', slack],
  ['https://evil.example?.slack.com', slack],
  ['https://files.slack.com@evil.example/a', slack],
  ['https://user:pass@files.slack.com/a', slack],
  ['https://127.0.0.1:4000/a', sandbox],
  ['http://127.0.0.1:4001/a', sandbox],
  ['http://localhost:4000/a', sandbox],
  ['file:///etc/passwd', slack],
  ['not an address', slack],
  ['', slack],
])('the token must not go to %s with the base %s', (address, base) => {
  expect(isSlackAddress(address, base)).toBe(false);
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
const silent = createLogger('silent', []);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  return listen(server);
}

/** Another server, and one that redirects everything to it. */
async function twoServers() {
  const received: string[] = [];
  const other = await serve((request, response) => {
    received.push(JSON.stringify([request.url, request.headers]));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  const redirects = await serve((request, response) => {
    request.resume();
    response.writeHead(307, { location: `${other}${request.url}` }).end();
  });
  return { other, redirects, received };
}

test.each([
  ['of its own client', {}],
  ['with the clock', { fetch: createSlackClock().fetch }],
])('a secret of Slack follows no redirect, %s', async (_, more) => {
  const { redirects, received } = await twoServers();
  const options = { ...clientOptions(`${redirects}/api/`, slackLogger(silent)), ...more };
  const messenger = createMessenger(new WebClient('xoxb-hush-hush', options));
  await expect(messenger.identity()).rejects.toThrow(/no_answer/);
  expect(received).toEqual([]);
});

test('a secret of Slack does not go to the address of a file elsewhere, however the form names it', async () => {
  const { other, redirects, received } = await twoServers();
  const options = clientOptions(`${redirects}/api/`, slackLogger(silent));
  const messenger = createMessenger(new WebClient('xoxb-hush-hush', options));
  const file = { id: 'F1', name: 'a.csv', size: 3, mimetype: 'text/csv' };
  const reported = { ...file, url_private_download: `${other}/a.csv` };
  await expect(messenger.attachments.describe(reported)).rejects.toThrow(/stored outside Slack/);
  for (const address of [`${other}/a.csv`, `${redirects}/a.csv`]) {
    const attachment = { id: 'F1', name: 'a.csv', size: 3, contentType: 'text/csv', address };
    await expect(messenger.attachments.open(attachment)).rejects.toThrow(/outside Slack|did not deliver/);
  }
  expect(received).toEqual([]);
});

test('a secret of the marketplace follows no redirect', async () => {
  const { redirects, received } = await twoServers();
  const settings = { baseUrl: redirects, keyHeader: 'ServiceApiKey', excludeMark: '-', timeZone: 'UTC' };
  const marketplaces = createMarketplaces({ marketplace: settings }, silent, 2_000);
  await expect(marketplaces.clientFor('hush-hush').listCampaigns()).rejects.toThrow();
  await marketplaces.close();
  expect(received).toEqual([]);
});
