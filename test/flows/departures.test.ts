import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createLogger } from '../../src/logger.ts';
import { accountIdOf, createAccounts } from '../../src/store/accounts.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createExpiringTexts } from '../../src/store/expiring-texts.ts';
import { setAside } from '../../src/store/unreadable.ts';
import { eventually } from '../harness/eventually.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { asId } from '../harness/ids.ts';
import { contentOf } from '../harness/redis-content.ts';
import { createWorld, startWorld, type World } from '../harness/world.ts';

const place = 'C01REVIEW';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const account = accountIdOf(workspace, 'employer-demo-key');
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const scenario = { campaigns: [{ ...shelf, available_positions: 50 }] };

/** What may still name the workspace after the app was removed from it, and why. */
const exceptions: readonly (readonly [RegExp, string])[] = [
  [/^proofdesk:\{T0SANDBOX\}:app-removed$/, 'tells other processes, for a day; has only the time'],
];

let world: World;
afterEach(() => world?.close());

/** The keys whose name or content speaks of the workspace or its account, but for the exceptions. */
async function left(): Promise<string[]> {
  const all = [...(await contentOf(world.redis.url))];
  const its = all.filter(([key, value]) =>
    [workspace, account].some((id) => key.includes(id) || value.includes(id)),
  );
  return its.map(([key]) => key).filter((key) => !exceptions.some(([pattern]) => pattern.test(key)));
}

/** Stores an unfinished form of a member, as a form does that was left. */
async function addDraft(member: MemberId): Promise<void> {
  const redis = new Redis(world.redis.url);
  const texts = createExpiringTexts(redis);
  await texts.put(workspace, `campaign of ${member}`, `draft-${member.slice(-3)}`, 3_600);
  await texts.put(
    workspace,
    `campaign draft-${member.slice(-3)}`,
    JSON.stringify({ member, values: {} }),
    3_600,
  );
  redis.disconnect();
}

const revoked = { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } };

/** A workspace with a bit of everything: cards, decisions, a key of Ann, an unfinished form, messages. */
async function fill(): Promise<void> {
  const { ann, marketplace } = world;
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 3 });
  await marketplace.write({ subject: 'Hello' });
  const card = await ann.sees(place, /Photo of a shelf/);
  await ann.clicks(card, 'OK');
  await ann.opensHome();
  await ann.types(place, '/proofdesk subscriptions');
  const redis = new Redis(world.redis.url);
  await setAside(redis, undefined, {
    kind: 'x',
    key: `proofdesk:{${workspace}}:x`,
    reason: 'r',
    text: account,
  });
  await setAside(redis, undefined, {
    kind: 'x',
    key: 'proofdesk:{T0OTHER}:x',
    reason: 'r',
    text: 'of others',
  });
  await redis.set('proofdesk:{T0SAND}:x', 'of others');
  await redis.hset('proofdesk:{T0OTHER/0123456789abcdef}:audit', 'x', 'of others');
  redis.disconnect();
  expect((await left()).length).toBeGreaterThan(20);
}

describe('who leaves', () => {
  const transport = 'http';
  test('a removed app leaves nothing of its workspace in Redis, in whichever processes it runs', async () => {
    world = await startWorld({ transport, scenario });
    const { slack } = world;
    await fill();
    // A second process, which Slack does not tell.
    const other = await startApp(readConfig({ ...world.environment, PORT: '0' }), {
      logger: createLogger('info', [], { write: (line) => void world.log.push(line) }),
    });
    try {
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
    } finally {
      await other.stop();
    }
    await world.stopBots();
    expect(await left()).toEqual([]);
    const others = [...(await contentOf(world.redis.url))].filter(([, value]) => value.includes('of others'));
    expect(others.map(([key]) => key).toSorted()).toEqual([
      'proofdesk:unreadable',
      'proofdesk:{T0OTHER/0123456789abcdef}:audit',
      'proofdesk:{T0SAND}:x',
    ]);
    // It works again when it is installed again.
    await slack.settings({ tokenRevoked: false });
    await world.startBot();
    await eventually('the bot to be ready', () => isReady(world));
    expect((await left()).length).toBeGreaterThan(5);
  });

  test('an event alone deletes nothing: the token must be refused as that of a removed app', async () => {
    world = await startWorld({ transport, scenario });
    const { slack } = world;
    await fill();
    const auth = async () => (await slack.requests({ method: 'auth.test' })).length;
    const before = await auth();
    await slack.event({ type: 'tokens_revoked', tokens: { oauth: ['U01ANN'] } });
    await slack.event(revoked);
    await eventually('Slack to be asked', async () => (await auth()) > before);
    // Slack is away for a while, and then says that all is well.
    await slack.fault({
      match: { method: 'auth.test' },
      kind: 'error',
      error: 'invalid_auth',
      times: 1,
    } as never);
    await slack.event({ type: 'app_uninstalled' });
    await eventually('Slack to be asked again', async () => (await auth()) > before + 1);
    await world.settled();
    await eventually('the bot to be ready', () => isReady(world));
    expect((await left()).length).toBeGreaterThan(20);
  });

  test('of a deactivated member nothing is left but what they have done; of others everything stays', async () => {
    world = await createWorld({ transport, scenario });
    const redis = new Redis(world.redis.url);
    const accounts = createAccounts(redis, createVault([Buffer.alloc(32, 7)]));
    const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];
    for (const member of [ann, ben]) {
      await accounts.connect(workspace, member, 'employer-demo-key');
      await accounts.pendingKeys.put(workspace, member, { key: 'another', account, action: '' });
    }
    await world.startBot();
    for (const person of [world.ann, world.ben]) {
      await person.opensHome();
      await person.home(/Photo of a shelf|Nothing|review/i);
      await addDraft(asId(person.id));
    }
    const keysOf = async (member: MemberId) =>
      [...(await contentOf(world.redis.url))]
        .filter(([key, value]) => key.includes(member) || value.includes(member))
        .map(([key]) => key.replace(/[A-Z0-9]{10,}|V\w+/g, '…'))
        .toSorted();
    expect(await keysOf(ann)).not.toEqual([]);
    const ofBen = await keysOf(ben);
    for (const deleted of [false, true, true])
      await world.slack.event({ type: 'user_change', user: { id: ann, team_id: workspace, deleted } });
    await eventually('the key to be deleted', async () => !(await accounts.hasOwnKey(workspace, ann)));
    await eventually('nothing to be left', async () =>
      (await keysOf(ann)).every((key) => /:revision:home |:events$|:audit$/.test(key)),
    );
    expect(await keysOf(ben)).toEqual(expect.arrayContaining(ofBen));
    const removed: AuditEntry[] = [];
    for await (const entry of createAudit(redis).lines({ workspace }))
      if (entry.what === 'disconnect') removed.push(entry);
    expect(removed).toMatchObject([{ how: 'job', member: ann, account }]);
    expect(removed[0]).not.toHaveProperty('by');
    expect(await accounts.hasOwnKey(workspace, ben)).toBe(true);
    expect(await accounts.pendingKeys.take(workspace, ben)).toBeDefined();
    expect(world.log.join('\n')).toMatch(/"member-erased".*"U01ANN".*"hadKey":true,"drafts":1/);
    redis.disconnect();
  });
});

test('who disconnects is told what was deleted, and finds what they typed when they connect again', async () => {
  world = await startWorld({ scenario });
  const { ben } = world;
  await ben.types(place, '/proofdesk connect');
  const connect = await ben.modal(/Connect your account/);
  await connect.fill('API key', 'employer-demo-key');
  await connect.submit();
  await ben.modal(/You are connected/);
  await addDraft(asId('U02BEN'));
  await ben.types(place, '/proofdesk disconnect');
  const said = await ben.sees(place, /Your API key .*deleted/);
  expect(said.text).toContain('Your API key is deleted.');
  expect(said.text).toContain('What you typed into unfinished forms stays for a day');
  expect(said.text).toContain('Your decisions stay in the account’s history.');
  const redis = new Redis(world.redis.url);
  const accounts = createAccounts(redis, createVault([Buffer.alloc(32, 7)]));
  expect(await accounts.hasOwnKey(workspace, asId('U02BEN'))).toBe(false);
  expect(await createExpiringTexts(redis).get(workspace, 'campaign of U02BEN')).toBe('draft-BEN');
  redis.disconnect();
});
