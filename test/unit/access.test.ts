import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import type { Refused } from '../../src/domain/permissions.ts';
import type { Grant } from '../../src/domain/rights.ts';
import type { ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createSharedChannels, sharedIncident } from '../../src/features/channels/routing.ts';
import { createSenderCheck } from '../../src/features/decide/send.ts';
import { createAccess, createSlackPeople } from '../../src/kit/access.ts';
import { createMembers, type Person, personOf } from '../../src/slack/members.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createPeople, personFreshMs } from '../../src/store/people.ts';
import { createGrants } from '../../src/store/rights.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules, testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const { workspace } = ref;
const review = asId<ChannelId>('C1');
/** A channel whose members Slack does not say. */
const hidden = asId<ChannelId>('C2');
const [ann, ben, dan] = ['U1', 'U2', 'U3'].map((id) => asId<MemberId>(id)) as [MemberId, MemberId, MemberId];

const full: Person = personOf({ team_id: 'T1' });

/** Who changes rights in these tests. */
const byAnn = { by: ann, how: 'click' } as const;

const reviewers = { kind: 'channel', id: asId<ChannelId>('S1') } as const;

const clients = twoRedisClients();

const give = (grants: ReturnType<typeof createGrants>, to: Grant['to'], role: Grant['role']) =>
  grants.change(ref, { type: 'granted', grant: { to, role, by: ann, at: 1 } }, byAnn);

const noAnswer = (method: string) => new SlackError(method, new Error('socket hang up'));

/** Slack as a test wants it, and what it was asked. */
function slack() {
  const people = new Map<MemberId, Person>();
  const channels = new Map<string, readonly MemberId[]>([[review, [ann, ben]]]);
  const asked: string[] = [];
  const state = { isAway: false, isShared: false, now: 1_000_000 };
  const ask = <T>(what: string, answer: () => T) => {
    asked.push(what);
    if (state.isAway) return Promise.reject(noAnswer(what));
    return Promise.resolve(answer());
  };
  const messenger = {
    person: (member: MemberId) => ask(`person ${member}`, () => people.get(member) ?? full),
    channelMembers: (channel: ChannelId) =>
      channel === hidden
        ? Promise.reject(noAnswer('conversations.members'))
        : ask(`channel ${channel}`, () => [...(channels.get(channel) ?? [])]),
    channel: (channel: ChannelId) =>
      ask(`info ${channel}`, () => ({ isMember: true, isArchived: false, isShared: state.isShared })),
  };
  return { people, channels, asked, state, messenger };
}

function accessWith(
  parts: ReturnType<typeof slack>,
  options: { owners?: MemberId[]; held?: 'own' | 'shared' | 'not'; cardsIn?: ChannelId[] } = {},
) {
  const { owners = [], held = 'shared', cardsIn = [review] } = options;
  const grants = createGrants(clients.first);
  const stores = {
    people: createPeople(clients.first),
    messengerOf: () => parts.messenger,
    logger: { warn: () => undefined },
    now: () => parts.state.now,
    accounts: {
      all: async () => [ref],
      of: async () => ref,
      keySourceOf: async () => (held === 'not' ? undefined : held),
      owners: async () => ({ isShared: held === 'shared', members: [] }),
    },
    config: { accountOwners: owners },
    grants,
    subscriptions: { ofAccount: async () => cardsIn.map((channel) => ({ channel })) },
  } as never;
  const slackPeople = createSlackPeople(stores);
  const access = createAccess(stores, slackPeople);
  const roleOf = async (member: MemberId, team = workspace) =>
    access.roleIn({ workspace, team, member }, ref);
  return { access, grants, roleOf, slackPeople };
}

test('admins own the shared account, unless ACCOUNT_OWNERS names others', async () => {
  const parts = slack();
  parts.people.set(ann, personOf({ team_id: 'T1', is_admin: true }));
  expect(await accessWith(parts).roleOf(ann)).toEqual({ role: 'owner' });
  const named = accessWith(parts, { owners: [ben] });
  expect(await named.roleOf(ben)).toEqual({ role: 'owner' });
  expect(await named.roleOf(ann)).toEqual({ role: 'reviewer' });
  expect(await named.roleOf(dan)).toEqual({ role: 'viewer' });
});

test('whoever has connected the key owns its account, others have no role in it', async () => {
  const parts = slack();
  expect(await accessWith(parts, { held: 'own' }).roleOf(ben)).toEqual({ role: 'owner' });
  expect(await accessWith(parts, { held: 'not' }).roleOf(ben)).toEqual({ role: undefined });
});

test('people of other workspaces, bots and deactivated members have none, in an organization its members have', async () => {
  const parts = slack();
  const { roleOf } = accessWith(parts, { owners: [ann] });
  const people = {
    stranger: personOf({ team_id: 'T2' }),
    bot: personOf({ team_id: 'T1', is_bot: true }),
    deactivated: personOf({ team_id: 'T1', deleted: true }),
    guest: personOf({ team_id: 'T1', is_ultra_restricted: true }),
  };
  for (const [refusal, person] of Object.entries(people)) {
    parts.people.set(ann, person);
    parts.state.now += personFreshMs;
    expect(await roleOf(ann), refusal).toEqual({ role: undefined, refusal });
  }
  parts.state.now += personFreshMs;
  parts.people.set(ann, personOf({ team_id: 'T2', enterprise_user: { teams: ['T1', 'T2'] } }));
  expect(await roleOf(ann, asId('T2'))).toEqual({ role: 'owner' });
});

test('guests have what an owner gives them by name, not by a key or a channel', async () => {
  const parts = slack();
  parts.people.set(ben, personOf({ team_id: 'T1', is_restricted: true }));
  parts.people.set(dan, personOf({ team_id: 'T1', is_restricted: true }));
  const { grants, roleOf } = accessWith(parts, { held: 'own' });
  await give(grants, { kind: 'channel', id: review }, 'reviewer');
  await give(grants, { kind: 'member', id: dan }, 'manager');
  expect(await roleOf(ben)).toEqual({ role: undefined, refusal: 'guest' });
  expect(await roleOf(dan)).toEqual({ role: 'manager' });
});

test('what Slack says is remembered for 5 minutes, dropped when it changes, and asked afresh for money', async () => {
  const parts = slack();
  const { access, roleOf, slackPeople } = accessWith(parts, { owners: [ann] });
  const persons = () => parts.asked.filter((what) => what === `person ${ann}`).length;
  await roleOf(ann);
  await roleOf(ann);
  expect(persons()).toBe(1);
  parts.state.now += personFreshMs - 1;
  await roleOf(ann);
  expect(persons()).toBe(1);
  parts.state.now += 1;
  await roleOf(ann);
  expect(persons()).toBe(2);
  await slackPeople.forgetPerson(workspace, ann);
  await roleOf(ann);
  expect(persons()).toBe(3);
  const someone = { workspace, team: workspace, member: ann };
  for (const _ of ['once', 'again']) await access.authorize(someone, ['restart'], {});
  expect(persons()).toBe(5);
  // A form may open without.
  await access.authorize(someone, ['restart'], { isPreparing: true });
  expect(persons()).toBe(5);
  await access.has(someone, ref, 'restart');
  expect(persons()).toBe(6);
});

test('a role that one channel gives is not in doubt because Slack says nothing of another one', async () => {
  const { roleOf } = accessWith(slack(), { cardsIn: [hidden, review] });
  expect(await roleOf(ben)).toEqual({ role: 'reviewer' });
  expect(await roleOf(dan)).toEqual({ role: 'viewer', refusal: 'unchecked' });
});

test('that somebody is in no channel is never said from memory', async () => {
  const parts = slack();
  const { roleOf } = accessWith(parts);
  expect(await roleOf(dan)).toEqual({ role: 'viewer' });
  parts.channels.set(review, [ann, ben, dan]);
  expect(await roleOf(dan)).toEqual({ role: 'reviewer' });
});

test('who is in a channel is known for 5 minutes, and asked afresh where it has to be current', async () => {
  const parts = slack();
  const { slackPeople } = accessWith(parts);
  const members = (isFresh: boolean) => slackPeople.members(workspace, review, { isFresh });
  expect(await members(false)).toEqual([ann, ben]);
  parts.channels.set(review, [dan]);
  expect(await members(false)).toHaveLength(2);
  expect(await members(true)).toEqual([dan]);
});

test('admins are looked for a page at a time; a cursor that Slack refuses is given up, and no answer is waited for', async () => {
  const parts = slack();
  const expired = new WebAPIPlatformError({ ok: false, error: 'invalid_cursor' } as never);
  const answers: unknown[] = [
    { admins: [ann], next: 'next' },
    expired,
    new Error('hang up'),
    { admins: [ben] },
  ];
  const asked: unknown[] = [];
  const adminsOnPage = async (from?: string) => {
    asked.push(from);
    const answer = answers.shift();
    if (answer instanceof Error) throw new SlackError('users.list', answer);
    return answer;
  };
  Object.assign(parts.messenger, { adminsOnPage });
  const { slackPeople } = accessWith(parts);
  const found = () => slackPeople.admins(workspace);
  expect(await found()).toEqual({ members: undefined, waitMs: 3_000 });
  expect(await found()).toEqual({ members: undefined, waitMs: 15_000 });
  expect(await found()).toEqual({ members: undefined, waitMs: 15_000 });
  expect(await found()).toEqual({ members: [ben] });
  expect(await found()).toEqual({ members: [ben] });
  expect(asked).toEqual([undefined, 'next', undefined, undefined]);
});

test('while Slack cannot be asked, its last answer counts, but not for money', async () => {
  const parts = slack();
  const { access, roleOf } = accessWith(parts, { owners: [ann] });
  await roleOf(ann);
  await roleOf(ben);
  parts.state.isAway = true;
  parts.state.now += 2 * personFreshMs;
  expect(await roleOf(ann)).toEqual({ role: 'owner' });
  expect((await roleOf(ben)).role).toBe('reviewer');
  const someone = { workspace, team: workspace, member: ann };
  const refused: Partial<Refused> = { refusal: 'unchecked', capability: 'restart' };
  await expect(access.authorize(someone, ['restart'], {})).rejects.toMatchObject({ refused });
  expect(await roleOf(dan)).toEqual({ role: undefined, refusal: 'unchecked' });
  expect(await roleOf(dan, asId('T2'))).toEqual({ role: undefined, refusal: 'stranger' });
});

test('roles are given to members and channels; a refusal names who can grant one', async () => {
  const parts = slack();
  parts.channels.set('S1', [ben]);
  const { access, grants, roleOf } = accessWith(parts, { held: 'not' });
  await give(grants, { kind: 'member', id: ann }, 'owner');
  await give(grants, reviewers, 'manager');
  await give(grants, { kind: 'channel', id: review }, 'viewer');
  expect(await roleOf(ann)).toEqual({ role: 'owner' });
  expect(await roleOf(ben)).toEqual({ role: 'manager' });
  expect(await roleOf(dan)).toEqual({ role: undefined });
  const someone = { workspace, team: workspace, member: ben };
  const refused = { role: 'manager', capability: 'settings', owners: [ann] };
  await expect(access.authorize(someone, ['settings'], {})).rejects.toMatchObject({ refused });
  await grants.change(ref, { type: 'withdrawn', from: { kind: 'member', id: ann } }, byAnn);
  expect((await roleOf(ann)).role).toBe('viewer');
});

test('the members of a channel are those of all its pages', async () => {
  const first = { members: [ann], response_metadata: { next_cursor: 'next' } };
  const members = async ({ cursor }: { cursor?: string }) => (cursor ? { members: [ben] } : first);
  const { channelMembers } = createMembers({ conversations: { members } } as never, (_, run) => run());
  expect(await channelMembers(review)).toEqual([ann, ben]);
});

test('two changes of rights at once are both made', async () => {
  const grants = createGrants(clients.first);
  await Promise.all([ann, ben, dan].map((id) => give(grants, { kind: 'member', id }, 'reviewer')));
  expect((await grants.of(ref)).grants).toHaveLength(3);
});

test('a shared channel waits until it is confirmed; one of which nothing is known waits too', async () => {
  const parts = slack();
  const grants = createGrants(clients.first);
  const waiting: ChannelId[] = [];
  const jobs = { add: async (_: string, { channel }: { channel: ChannelId }) => void waiting.push(channel) };
  const { incidents } = testModules(clients.first).jobs;
  const stores = { grants, jobs, messengerOf: () => parts.messenger, now: () => parts.state.now } as never;
  const shared = createSharedChannels(stores, incidents);
  parts.state.isAway = true;
  expect(await shared.mayPost(ref, review)).toBe(false);
  expect(waiting).toEqual([]);
  parts.state.isAway = false;
  expect(await shared.look(workspace, review)).toMatchObject({ isShared: false });
  // What a command has looked at is known when it answers, though Slack limits the second question.
  parts.state.isAway = true;
  expect(await shared.mustWait(ref, review)).toBe(false);
  parts.state.isAway = false;
  expect(await shared.mayPost(ref, review)).toBe(true);
  parts.state.isShared = true;
  shared.forget(workspace, review);
  expect(await shared.mayPost(ref, review)).toBe(false);
  expect(waiting).toEqual([review]);
  // Owners who were told are not told again.
  await incidents.record(workspace, sharedIncident(ref, review), 'shared');
  expect(await shared.mayPost(ref, review)).toBe(false);
  expect(waiting).toEqual([review]);
  await grants.change(ref, { type: 'channel-confirmed', channel: review }, byAnn);
  expect(await shared.mayPost(ref, review)).toBe(true);
});

/** Whether a decision of Ben's may still be sent, in an account whose key another member has. */
async function begin() {
  const parts = { ...slack(), key: 'a key' as string | undefined };
  parts.channels.set('S1', [ben]);
  const { access, grants } = accessWith(parts, { held: 'not' });
  await give(grants, reviewers, 'reviewer');
  const accounts = {
    keyOf: async () => parts.key,
    owners: async () => ({ isShared: false, members: [ann] }),
  } as never;
  const check = createSenderCheck(onlyModules({ people: { access, accounts, grants } }));
  const maySend = async (decision: { ownKey?: boolean; bonus?: string }) => {
    const { allowed, barred } = await check(ref, [{ decision: { by: ben, ...decision } } as never]);
    expect(allowed.length + barred.length).toBe(1);
    return allowed.length === 1;
  };
  return { parts, check, maySend };
}

test('a decision that waits to be sent is held when its maker has left the channel that let them make it, within 5 minutes, money at once', async () => {
  const { parts, check, maySend } = await begin();
  expect(await maySend({ ownKey: false })).toBe(true);
  parts.channels.set('S1', []);
  const both = [{}, { bonus: '0.05' }].map((more) => ({ decision: { by: ben, ownKey: false, ...more } }));
  const { allowed, barred } = await check(ref, both as never);
  expect([...allowed, ...barred]).toEqual(both);
  expect(barred).toHaveLength(1);
  parts.state.now += personFreshMs;
  expect(await maySend({ ownKey: false })).toBe(false);
});

test('a decision that waits to be sent is not said to be barred while the account has no key: that is what it waits for', async () => {
  const { parts, maySend } = await begin();
  parts.channels.set('S1', []);
  parts.key = undefined;
  expect(await maySend({ ownKey: false })).toBe(true);
  parts.key = 'another key';
  expect(await maySend({ ownKey: false })).toBe(false);
});

test('a decision that waits to be sent is sent while Slack cannot be asked, also one with a bonus', async () => {
  const { parts, maySend } = await begin();
  expect(await maySend({ ownKey: false })).toBe(true);
  parts.state.isAway = true;
  parts.state.now += personFreshMs;
  expect(await maySend({ ownKey: false })).toBe(true);
  expect(await maySend({ ownKey: false, bonus: '0.05' })).toBe(true);
});

test('a decision that waits to be sent is sent when its maker has given back the key of their own', async () => {
  const { parts, maySend } = await begin();
  parts.channels.set('S1', []);
  expect(await maySend({ ownKey: true })).toBe(true);
});
