import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { neededScopes, optionalScopes } from '../../src/app/doctor-checks.ts';
import { channelEvents } from '../../src/slack/feature.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../harness/features.ts';

interface Manifest {
  features: {
    slash_commands: { command: string; description: string; usage_hint: string }[];
    shortcuts?: { name: string; type: string; callback_id: string }[];
  };
  oauth_config: { scopes: { bot: string[]; bot_optional: string[] } };
  settings: { event_subscriptions: { bot_events: string[] } };
  display_information: { name: string; description: string; long_description: string };
}

/** What each Web API method that the bot calls asks for (Slack's reference). Methods without scopes have none. */
const scopesOf: Readonly<Record<string, readonly string[]>> = {
  'auth.teams.list': [],
  'auth.test': [],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.getPermalink': [],
  'conversations.open': ['im:write'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.members': ['channels:read', 'groups:read'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'entity.presentDetails': [],
  'conversations.replies': ['channels:history', 'groups:history'],
  'files.info': ['files:read'],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.push': [],
  'views.update': [],
};

const manifest = parse(await readFile('manifest.yml', 'utf8')) as Manifest;

const { features } = idleFeatures();

test('manifest.yml has the commands of the table that routes them', () => {
  const routed = new Set(commandTable(features).map(({ command }) => command));
  expect(manifest.features.slash_commands.map(({ command }) => command).sort()).toEqual([...routed].sort());
});

test.each(manifest.features.slash_commands)(
  'manifest.yml names every word of $command in its hint, and no others',
  ({ command, usage_hint }) => {
    const routes = commandTable(features).filter((route) => route.command === command);
    const named = usage_hint.split(' | ').map((word) => word.replace(/^\[unread\]$/, 'unread'));
    const known = routes.map(({ word, usage }) => word || usage);
    expect(named.filter((word) => !known.includes(word))).toEqual([]);
    // Help does not list itself everywhere, nor what a command does without a word.
    const listed = routes.filter(({ help, word, usage }) => help !== '' && (word || usage) !== '');
    const wanted = listed.map(({ word, usage }) => word || usage);
    expect(wanted.filter((word) => !named.includes(word))).toEqual([]);
    expect(usage_hint.length).toBeLessThanOrEqual(1_000);
  },
);

test('manifest.yml has the shortcuts that features answer', () => {
  const answered = features.flatMap(({ shortcuts }) => Object.keys(shortcuts ?? {}));
  const named = (manifest.features.shortcuts ?? []).map(({ callback_id }) => callback_id);
  expect(named.sort()).toEqual(answered.sort());
});

test('manifest.yml subscribes to the events that are listened to', () => {
  const ofApp = ['app_home_opened', 'app_uninstalled', 'team_access_revoked', 'tokens_revoked'];
  const ofPeople = ['message.channels', 'message.groups', 'user_change'];
  const others = ['entity_details_requested'];
  const events = [...Object.keys(channelEvents), ...ofApp, ...ofPeople, ...others];
  expect(manifest.settings.event_subscriptions.bot_events).toEqual(events.sort());
});

test('manifest.yml asks for the scopes that the methods called need, and no others', async () => {
  const files = (await readdir('src/slack')).filter((file) => file !== 'receiver.ts');
  const sources = await Promise.all(files.map((file) => readFile(`src/slack/${file}`, 'utf8')));
  const calls = sources.join('\n').matchAll(/\bclient\.((?:[a-z]+\.)*[a-zA-Z0-9]+)\(/g);
  const called = [...calls].map(([, method = '']) => method);
  expect(called.length).toBeGreaterThan(5);
  expect(called.filter((method) => scopesOf[method] === undefined)).toEqual([]);
  // file_input asks for files:read by itself.
  const needed = new Set(['commands', 'files:read', ...called.flatMap((method) => scopesOf[method] ?? [])]);
  expect(manifest.oauth_config.scopes.bot).toEqual([...needed].sort());
  // The doctor looks for the same.
  expect(Object.keys(neededScopes).sort()).toEqual(manifest.oauth_config.scopes.bot);
  expect(optionalScopes).toEqual(manifest.oauth_config.scopes.bot_optional);
  // Slack wants an optional scope in both lists.
  expect(manifest.oauth_config.scopes.bot).toEqual(expect.arrayContaining([...optionalScopes]));
});

test('manifest.yml keeps to the lengths that Slack takes', () => {
  const { name, description, long_description } = manifest.display_information;
  expect(name.length).toBeLessThanOrEqual(35);
  expect(description.length).toBeLessThanOrEqual(140);
  expect(long_description.length).toBeGreaterThanOrEqual(175);
  expect(long_description.length).toBeLessThanOrEqual(4_000);
  for (const shortcut of manifest.features.shortcuts ?? [])
    expect(shortcut.name.length).toBeLessThanOrEqual(24);
});
