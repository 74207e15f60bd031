import type { Person } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { beginsCampaign, connects, place, shelf } from '../harness/acts.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const workspace = 'T0SANDBOX';
const scenario = { campaigns: [{ ...shelf, available_positions: 50 }] };
/** What Redis may still keep of a workspace from which the app was removed: for a day, since when. */
const removed = `proofdesk:{${workspace}}:app-removed`;

/** Keys of other workspaces. */
const others = ['proofdesk:{T0OTHER/0123456789abcdef}:x', 'proofdesk:{T0SAND}:x'];

/** The ids of the workspace's accounts, once it is filled. */
let accounts: string[] = [];
const { world, begin } = worldPerTest({ scenario });

/** What Redis keeps of the workspace and of its accounts. */
async function left(): Promise<string[]> {
  const its = await Promise.all([workspace, ...accounts].map((id) => world.redis.mentions(id)));
  return [...new Set(its.flat())].filter((key) => key !== removed);
}

/** A person begins a campaign, and closes the form. */
async function leavesADraft(person: Person): Promise<void> {
  await (await beginsCampaign(person, { title: `Draft of ${person.id}` })).close({ all: true });
}

async function findsTheDraft(person: Person): Promise<void> {
  const work = await person.enters('/campaign new', /unfinished draft.*What the worker does/s);
  expect((await work.opens('Back', /Positions per worker/)).fields).toContain(`Draft of ${person.id}`);
}

const revoked = { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } };

/** A workspace with a bit of everything: cards, decisions, an unfinished form, messages; and others beside it. */
async function fill(): Promise<void> {
  const { ann, marketplace, redis } = world;
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 3 });
  await marketplace.write({ subject: 'Hello' });
  const card = await ann.sees(place, /Photo of a shelf/);
  await ann.clicks(card, 'OK');
  await ann.opensHome();
  await ann.types(place, '/proofdesk subscriptions');
  await leavesADraft(ann);
  for (const other of others) await redis.alsoHas(other, 'of others');
  const names = (await redis.mentions(workspace)).flatMap(
    (key) => /\{T0SANDBOX\/(\w+)\}/.exec(key)?.[1] ?? [],
  );
  accounts = [...new Set(names)];
  expect(accounts).not.toEqual([]);
  expect((await left()).length).toBeGreaterThan(20);
}

test('a removed app leaves nothing of its workspace in Redis, in whichever processes it runs', async () => {
  const { slack } = await begin({ transport: 'http', intervals: { schedulersMs: 1_000 } });
  await fill();
  // A second process, which Slack does not tell.
  const other = await world.startBot({ PORT: '0' });
  await slack.settings({ tokenRevoked: true });
  await slack.event({ type: 'app_uninstalled' });
  await slack.event(revoked);
  await eventually('the bot to say so', () => notReady(world, /The app was removed from the workspace/));
  await eventually('the other to say so', async () =>
    /The app was removed/.test((await ask(other.port, '/readyz'))?.text ?? ''),
  );
  // What one had under way when the other deleted is deleted by the one itself.
  const erased = () => world.log.filter((line) => line.includes('"workspace-erased"')).length;
  await eventually('both to have deleted', () => erased() >= 2);
  await eventually('nothing to be left', async () => (await left()).length === 0);
  expect(world.log.join('\n')).toMatch(/"workspace-erased".*"keys":\d\d/);
  // Nobody writes anything again: both processes still run.
  await slack.event(revoked);
  await ask(world.port, '/readyz');
  await ask(other.port, '/readyz');
  await world.stopBots();
  expect(await left()).toEqual([]);
  expect((await world.redis.mentions('of others')).toSorted()).toEqual(others);
  // It works again when it is installed again.
  await slack.settings({ tokenRevoked: false });
  await world.startBot();
  await eventually('the bot to be ready', () => isReady(world));
  expect((await left()).length).toBeGreaterThan(5);
});

test('an event alone deletes nothing: the token must be refused as that of a removed app', async () => {
  const { slack } = await begin({ transport: 'http' });
  await fill();
  const auth = async () => (await slack.requests({ method: 'auth.test' })).length;
  const before = await auth();
  await slack.event({ type: 'tokens_revoked', tokens: { oauth: ['U01ANN'] } });
  await slack.event(revoked);
  await eventually('Slack to be asked', async () => (await auth()) > before);
  // Slack is away for a while, and then says that all is well.
  await slack.refuses('auth.test', 'invalid_auth');
  await slack.event({ type: 'app_uninstalled' });
  await eventually('Slack to be asked again', async () => (await auth()) > before + 1);
  await world.settled();
  await eventually('the bot to be ready', () => isReady(world));
  expect((await left()).length).toBeGreaterThan(20);
});

test('of a deactivated member nothing is left but what they have done; of others everything stays', async () => {
  const { ann, ben, redis } = await begin({ transport: 'http' });
  for (const person of [ann, ben]) {
    await (await connects(person, 'employer-demo-key')).untilText(/You are connected/);
    await person.looksAtHome(/Photo of a shelf|Nothing|review/i);
    await leavesADraft(person);
  }
  // What an open form last showed goes by itself within a minute.
  const keysOf = async ({ id }: Person) =>
    (await redis.mentions(id)).filter((key) => !key.includes(':texts:drawn '));
  const ofBen = await keysOf(ben);
  const stays = (key: string) => /:revision:home |:events$|:audit$/.test(key);
  expect((await keysOf(ann)).filter((key) => !stays(key)).length).toBeGreaterThan(4);
  for (const deleted of [false, true, true])
    await world.slack.event({ type: 'user_change', user: { id: ann.id, team_id: workspace, deleted } });
  await eventually('nothing to be left', async () => (await keysOf(ann)).every(stays));
  expect(await keysOf(ben)).toEqual(expect.arrayContaining(ofBen));
  expect(world.log.join('\n')).toMatch(/"member-erased".*"U01ANN".*"hadKey":true,"drafts":1/);

  const audit = await ben.asks('/proofdesk audit', /removed an API key/);
  expect(audit.text.match(/\*.* removed an API key.*/g)).toEqual([
    '*Proofdesk* removed an API key of @Ann Reyes',
  ]);
  await findsTheDraft(ben);
  await ben.asks('/proofdesk disconnect', /Your API key was deleted/);
});

test('who disconnects is told what was deleted, and finds what they typed when they connect again', async () => {
  const { ben } = await begin();
  await (await connects(ben, 'employer-demo-key')).untilText(/You are connected/);
  await leavesADraft(ben);
  const said = await ben.asks('/proofdesk disconnect', /Your API key .*deleted/);
  expect(said.text).toContain('Your API key was deleted.');
  expect(said.text).toContain('Unfinished forms are kept for a day');
  expect(said.text).toContain('Your decisions stay in the account’s history.');
  await ben.asks('/proofdesk disconnect', /You’re not connected with a key of your own/);
  await (await connects(ben, 'employer-demo-key')).untilText(/You are connected/);
  await findsTheDraft(ben);
});
