import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createWorkspaceRemovals } from '../../src/features/ops/departures.ts';
import { createLogger } from '../../src/logger.ts';
import { clientOptions, slackLogger } from '../../src/slack/client.ts';
import { createFreshInstallations } from '../../src/slack/install.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createVault } from '../../src/store/encryption.ts';
import { installationsKey } from '../../src/store/format.ts';
import { createInstallations } from '../../src/store/installations.ts';
import { createLeases } from '../../src/store/leases.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { startTeams } from '../harness/teams.ts';

const redis = redisPerFile();
const [former, current] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
const storeWith = (...keys: Buffer[]) => createInstallations(redis(), createVault(keys), { error() {} });
const installation = (token: string) => ({ token, botUser: asId<MemberId>('U0BOT'), botId: 'B0BOT' });
const [one, other] = [asId<WorkspaceId>('T0ONE'), asId<WorkspaceId>('T0OTHER')];

test('a token that was moved to another workspace in Redis is used for none, and a new encryption key seals each anew', async () => {
  const store = storeWith(former);
  await store.put(one, installation('xoxb-one'), false);
  await store.put(other, installation('xoxb-other'), false);
  const sealed = (await redis().hget(installationsKey, one)) ?? '';
  expect(sealed).not.toContain('xoxb');

  await storeWith(current, former).reseal();
  expect((await storeWith(current).of(one))?.token).toBe('xoxb-one');
  expect(await store.of(one)).toBeUndefined();

  await redis().hset(installationsKey, other, (await redis().hget(installationsKey, one)) ?? '');
  expect(await storeWith(current).of(other)).toBeUndefined();
});

test('an organization’s token is for each of its workspaces that sends something, and for no other', async () => {
  const store = storeWith(current);
  await store.put('E0ORG', installation('xoxb-org'), true);
  expect((await store.workspaces()).installed).not.toContain('T0IN');
  expect(await store.of(asId('T0IN'))).toBeUndefined();
  expect((await store.of(asId('T0IN'), 'E0ORG'))?.token).toBe('xoxb-org');
  expect((await store.of(asId('T0IN')))?.token).toBe('xoxb-org');
  expect(await store.of(asId('T0OUT'), 'E0ELSE')).toBeUndefined();
  const found = await store.get('E0ORG');
  if (found) await store.remove(found, 'E0ORG');
  expect((await store.workspaces()).removed).toEqual(['T0IN']);
});

test('a refreshed token is stored only in the place of the one that it replaces', async () => {
  const store = storeWith(current);
  await store.put(one, installation('xoxb-old'), false);
  const found = await store.get(one);
  if (found === undefined) throw new Error('nothing was stored');
  await store.put(one, installation('xoxb-reinstalled'), false);
  await store.replace(found, installation('xoxb-refreshed'));
  expect((await store.of(one))?.token).toBe('xoxb-reinstalled');
  const again = await store.get(one);
  if (again) await store.remove(again, one);
  await store.replace(found, installation('xoxb-refreshed'));
  expect(await store.of(one)).toBeUndefined();
});

/** Handles Slack's event of it; Slack says of these tokens that they were revoked. */
async function removal(workspace: string, revoked: readonly string[], meanwhile = async () => {}) {
  const store = storeWith(current);
  const erased: string[] = [];
  const removals = createWorkspaceRemovals({
    installations: store,
    jobs: { eraseWorkspace: async () => 0 },
    data: { erase: async (of) => erased.push(of) },
    messengerWith: ({ token }) => ({
      async identity() {
        await meanwhile();
        if (revoked.includes(token))
          throw new SlackError('auth.test', new WebAPIPlatformError({ ok: false, error: 'token_revoked' }));
        return { workspace: one, botUserId: asId('U0BOT'), botId: 'B0BOT' };
      },
      teams: async () => [workspace],
    }),
    logger: { info() {}, warn() {} },
  });
  await removals.onAppRemoved([workspace], 'E0GRID');
  return { store, erased };
}

test('the removal of the app leaves the workspace that has installed it again meanwhile', async () => {
  const again = asId<WorkspaceId>('T0AGAIN');
  await storeWith(current).put(again, installation('xoxb-first'), false);
  const reinstall = () => storeWith(current).put(again, installation('xoxb-second'), false);
  const { store, erased } = await removal(again, ['xoxb-first'], reinstall);
  expect((await store.of(again))?.token).toBe('xoxb-second');
  await store.forget(again);
  expect((await store.workspaces()).installed).toContain(again);
  expect(erased).not.toContain(again);
});

test('the removal of the app from a workspace leaves it to its organization, and that from the organization leaves it to the workspace', async () => {
  const [own, both] = [asId<WorkspaceId>('T0OWN'), asId<WorkspaceId>('T0BOTH')];
  for (const each of [own, both]) await storeWith(current).put(each, installation(`xoxb-${each}`), false);
  await storeWith(current).put('E0GRID', installation('xoxb-grid'), true);
  const first = await removal(own, [`xoxb-${own}`]);
  expect((await first.store.of(own))?.token).toBe('xoxb-grid');
  expect(first.erased).not.toContain(own);

  const { store, erased } = await removal(both, ['xoxb-grid']);
  expect(await store.get('E0GRID')).toBeUndefined();
  expect((await store.of(both))?.token).toBe(`xoxb-${both}`);
  expect(erased).toContain(own);
  expect(erased).not.toContain(both);
});

const late = asId<WorkspaceId>('T0LATE');
const lines: string[] = [];
const logger = createLogger('error', [], { write: (line: string) => void lines.push(line) });

/** Returns what reads the installation of a workspace, whose token lasts that long, in a process. */
async function readerAt(apiUrl: string, refreshToken: string, lastsMs = 0, leases = createLeases(redis())) {
  const expired = { ...installation('xoxb-late'), refreshToken, expiresAt: Date.now() + lastsMs };
  await storeWith(current).put(late, expired, false);
  return createFreshInstallations({
    app: { clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' },
    options: clientOptions(apiUrl, slackLogger(logger)),
    installations: storeWith(current),
    logger,
    leases,
    now: Date.now,
  });
}

test.each([
  ['has expired', 0, ['xoxb-late-1']],
  ['is about to expire', 300_000, ['xoxb-late', 'xoxb-late-1']],
])(
  'a token that %s is refreshed once by two processes that use it 100 times at once',
  async (_, ms, used) => {
    const teams = await startTeams();
    teams.add({ id: late, name: 'Late', domain: 'late' }, 'http://127.0.0.1:1');
    teams.tokensLast(43_200);
    const reader = () => readerAt(teams.apiUrl, teams.refreshTokenOf('late'), ms);
    const readers = [await reader(), await reader()];
    const all = await Promise.all(Array.from({ length: 50 }, () => readers.map((read) => read(late))).flat());
    expect(new Set(all.map((found) => found?.token))).toEqual(new Set(used));
    expect(all).toHaveLength(100);
    expect(teams.refreshes()).toHaveLength(1);
    await teams.close();
  },
);

test('a token that is about to expire is used at once while another process refreshes it', async () => {
  const acquire = async () => undefined;
  const read = await readerAt('http://127.0.0.1:1', '', 300_000, { ...createLeases(redis()), acquire });
  const began = performance.now();
  expect((await read(late))?.token).toBe('xoxb-late');
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a token that has expired is used as it is, and the log says so, where nobody can say who refreshes it', async () => {
  const acquire = () => Promise.reject(new Error('Command timed out'));
  const read = await readerAt('http://127.0.0.1:1', '', 0, { ...createLeases(redis()), acquire });
  expect((await read(late))?.token).toBe('xoxb-late');
  expect(lines.join('\n')).toMatch(/could not be refreshed/);
});
