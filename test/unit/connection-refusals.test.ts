import { expect, test } from 'vitest';
import { connectionRefusal } from '../../src/slack/slack-error.ts';

test.each([
  ['link_disabled', /^Socket Mode is turned off for this app \(link_disabled\)\. Turn it on under/],
  [
    'team_added_to_org',
    /^The workspace or its organization does not let the app in \(team_added_to_org\)\. Ask the admins/,
  ],
  ['accesslimited', /^The workspace does not allow requests from this network \(accesslimited\)/],
  ['a_new_one', /^Slack rejected apps\.connections\.open: a_new_one\./],
])('what Slack refuses %s is not blamed on the token', (code, sentence) => {
  const text = connectionRefusal('apps.connections.open', code);
  expect(text).toMatch(sentence);
  expect(text).not.toMatch(/token/i);
});

test.each(['invalid_auth', 'token_revoked', 'missing_scope'])(
  'what Slack refuses %s asks for a new token',
  (code) => {
    const said = connectionRefusal('apps.connections.open', code);
    expect(said).toContain(`Slack does not accept SLACK_APP_TOKEN (${code}). Create an app-level token`);
    expect(connectionRefusal('auth.test', code)).toContain(`(${code}). Reinstall the app`);
  },
);
