import { expect, test } from 'vitest';
import { isSlackAddress } from '../../src/slack/slack-hosts.ts';

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
