import { expect, test } from 'vitest';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createVault } from '../../src/store/encryption.ts';
import { createInstallations } from '../../src/store/installations.ts';
import { installationsKey } from '../../src/store/keys.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

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
  await store.remove('E0ORG');
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
  await store.remove(one);
  await store.replace(found, installation('xoxb-refreshed'));
  expect(await store.of(one)).toBeUndefined();
});
