/** docs/retention.md, row by row: a value is planted behind each, and looked for when its time is over. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setAside } from '../../src/store/unreadable.ts';
import { createWorkspaceData } from '../../src/store/workspace-data.ts';
import { contentOf } from '../harness/redis-content.ts';
import { ref, workspace } from '../harness/retention-process.ts';
import { createRetentionWorld, retentionDays } from '../harness/retention-world.ts';
import { accountRows } from './retention-account-rows.ts';
import { workspaceRows } from './retention-workspace-rows.ts';

const world = createRetentionWorld();
const rows = { ...accountRows(world), ...workspaceRows(world) };

/** Rows whose values stay until the app is removed, or until the next poll or summary replaces them. */
const stays =
  /until the app is removed|until they are (done|solved|approved)|until the next|AUDIT_DAYS|seconds|while that/;
/** Rows without anything of a workspace. */
const ofNobody = ['polled-accounts', 'failing-jobs', 'probe', '{proofdesk:…}'];
/** Rows of features that are about to be removed. */
const goes = [
  '{account}:cards-found',
  '{account}:announcements-found',
  '{account}:backlog-message',
  '{account}:backlog-messages',
  '{account}:backlog-notices',
  '{workspace}:pending-key',
];

/** The rows of the page: their keys, and how long their values stay. */
const described = readFileSync(join(import.meta.dirname, '../../docs/retention.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [keys = '', , , time = ''] = line.slice(2).split(' | ');
    return { keys: [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key), time };
  });

function prefixOf(row: string): string {
  const key = row
    .replace('{account}', `{${workspace}/${ref.account}}`)
    .replace('{workspace}', `{${workspace}}`);
  return `proofdesk:${key}`;
}

/** Returns the keys of a row that have a value with the mark. */
async function found(row: string, mark: RegExp): Promise<string[]> {
  const prefix = prefixOf(row);
  return [...(await contentOf(world.url()))]
    .filter(([key]) => key === prefix || key.startsWith(`${prefix}:`))
    .filter(([key, value]) => mark.test(`${key} ${value}`))
    .map(([key]) => key);
}

const cases = Object.entries(rows).flatMap(([row, planted]) =>
  planted.flatMap(({ plant, mark, ends }) =>
    Object.entries(ends).map(([when, end]) => ({ row, mark, when, plant, end })),
  ),
);

describe('a value is gone when its time is over', () => {
  test.each(cases)('$row, $mark: $when', async ({ row, mark, plant, end }) => {
    await plant();
    const planted = await found(row, mark);
    expect(planted).not.toEqual([]);
    if (end === world.afterRetention) {
      await world.pass(retentionDays - 1);
      expect(await found(row, mark)).toEqual(planted);
    }
    await end(planted);
    expect(await found(row, mark)).toEqual([]);
  });
});

test('nothing of a workspace is left when the app is removed', async () => {
  const keys = described.flatMap(({ keys: named }) => named).filter((key) => !ofNobody.includes(key));
  // That the app was removed is remembered for a day.
  const removed = keys.filter((key) => key !== 'unreadable' && key !== '{workspace}:app-removed');
  for (const key of removed) await world.redis().set(prefixOf(key), 'planted');
  const unreadable = { kind: 'task', reason: 'not JSON', text: 'planted' };
  await setAside(world.redis(), undefined, { ...unreadable, key: prefixOf('{account}:task') });
  const ofOthers = { ...unreadable, key: 'proofdesk:{T0OTHER}:x', text: 'of others' };
  await setAside(world.redis(), undefined, ofOthers);
  await createWorkspaceData(world.redis()).erase(workspace);
  const left = await Promise.all([...removed, 'unreadable'].map((key) => found(key, /planted/)));
  expect(left.flat()).toEqual([]);
  expect(await found('unreadable', /of others/)).not.toEqual([]);
});

test('a value is planted behind every row that promises a time', () => {
  const without = described.filter(
    ({ keys, time }) =>
      !stays.test(time) && !keys.some((key) => [...ofNobody, ...goes].includes(key) || key in rows),
  );
  expect(without).toEqual([]);
});
