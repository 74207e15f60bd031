import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createPeople } from '../../src/store/people.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const workspace = asId<WorkspaceId>('T1');
const ann = asId<MemberId>('U1');
const facts = {
  at: 1_000,
  teams: [workspace],
  isGuest: false,
  isBot: false,
  isDeactivated: false,
  isAdmin: false,
};

const clients = twoRedisClients();

// Only the clock that says how old something is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('in a rush of decisions, a process reads who makes them once a second', async () => {
  const people = createPeople(clients.first);
  await people.putPerson(workspace, ann, facts);
  const reads = vi.spyOn(clients.first, 'get');
  for (let n = 0; n < 20; n += 1) expect(await people.person(workspace, ann)).toEqual(facts);
  expect(reads).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(await people.person(workspace, ann)).toEqual(facts);
  expect(reads).toHaveBeenCalledTimes(2);
});

test('what was being read while it changed is not used again', async () => {
  const people = createPeople(clients.first);
  await people.putPerson(workspace, ann, facts);
  const reading = people.person(workspace, ann);
  await nextTurn();
  const forgetting = people.forgetPerson(workspace, ann);
  await Promise.all([reading, forgetting]);
  expect(await people.person(workspace, ann)).toBeUndefined();
});

test('what has changed counts at once in the process that hears of it, and within a second in others', async () => {
  const [here, elsewhere] = [createPeople(clients.first), createPeople(clients.second)];
  await here.putPerson(workspace, ann, facts);
  for (const people of [here, elsewhere]) expect(await people.person(workspace, ann)).toEqual(facts);
  await here.putPerson(workspace, ann, { ...facts, isDeactivated: true });
  expect(await here.person(workspace, ann)).toMatchObject({ isDeactivated: true });
  await here.forgetPerson(workspace, ann);
  expect(await here.person(workspace, ann)).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect(await elsewhere.person(workspace, ann)).toBeUndefined();
});
