import { expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { createIncidents } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();

const archived = [asId<WorkspaceId>('T1'), 'channel C1', 'is_archived'] as const;
const [workspace, name] = archived;

test('people are told once, until it works again', async () => {
  const troubles = createIncidents(redis());
  expect(await troubles.record(...archived)).toBe(true);
  expect(await troubles.record(...archived)).toBe(false);
  expect(await troubles.clear(workspace, name)).toMatchObject({ code: 'is_archived' });
  expect(await troubles.record(...archived)).toBe(true);
});

test('what was begun before the trouble and ends after it does not clear it', async () => {
  const troubles = createIncidents(redis());
  const began = Date.now() - 1;
  await troubles.record(...archived);
  expect(await troubles.clear(workspace, name, began)).toBeUndefined();
  expect(await troubles.record(...archived)).toBe(false);
});

test('what was begun before the trouble was cleared and fails after it is no new trouble', async () => {
  const troubles = createIncidents(redis());
  const began = Date.now() - 1;
  await troubles.record(...archived);
  await troubles.clear(workspace, name);
  expect(await troubles.record(...archived, began)).toBe(false);
  expect(await troubles.get(workspace, name)).toBeUndefined();
  expect(await troubles.record(...archived)).toBe(true);
});
