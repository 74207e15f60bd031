import { expect, test } from 'vitest';
import { connectionRefusal } from '../../src/slack/slack-error.ts';

test.each([
  ['link_disabled', /^Socket Mode is turned off for this app \(link_disabled\)\. Turn it on under/],
  ['team_added_to_org', /^The workspace is being moved into an Enterprise organization/],
  ['accesslimited', /^The workspace does not allow requests from this network \(accesslimited\)/],
  ['a_new_one', /^Slack rejected apps\.connections\.open: a_new_one\./],
])('what Slack refuses %s is not blamed on the token', (code, sentence) => {
  const text = connectionRefusal('apps.connections.open', code);
  expect(text).toMatch(sentence);
  expect(text).not.toMatch(/token/i);
});

test.each([
  ['invalid_auth', /^Slack does not accept SLACK_APP_TOKEN/],
  ['token_revoked', /^SLACK_APP_TOKEN was revoked/],
  ['missing_scope', /^SLACK_APP_TOKEN lacks a scope/],
])('what Slack refuses %s asks for a new token', (code, sentence) => {
  const text = connectionRefusal('apps.connections.open', code);
  expect(text).toMatch(sentence);
  expect(text).toContain(`(${code}). Create an app-level token`);
  expect(connectionRefusal('auth.test', code)).toContain(`(${code}). Reinstall the app`);
});
