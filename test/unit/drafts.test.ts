import { expect, test } from 'vitest';
import { type CampaignDraft, emptyFields } from '../../src/features/campaigns/create-fields.ts';
import { createDrafts } from '../../src/features/campaigns/draft.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();

const draft: CampaignDraft = {
  ...{ id: 'd1', member: asId('U01ANN'), account: asId('a1'), step: 'work', version: 1 },
  ...{ values: emptyFields, files: {}, problems: [], sentences: [] },
};

/** Drafts of which none is ever sent. */
const create = () => createDrafts(testModules(redis(), {}), {} as never);

test('a draft and which one was the latest expire an hour after a day', async () => {
  await create().replace(ref, draft, draft);
  // On its first page there is nothing to resume.
  const first = { ...draft, id: 'd0', member: asId<never>('U02BEN'), version: 0 };
  await create().replace(ref, first, first);
  const keys = await redis().keys('*');
  const seconds = await Promise.all(keys.map((key) => redis().ttl(key)));
  expect(seconds).toHaveLength(3);
  for (const left of seconds) expect(Math.abs(left - 90_000)).toBeLessThan(60);
});

test('of two processes that go on with a version of a draft, one does, and the other gets what that stored', async () => {
  const drafts = create();
  await drafts.replace(ref, draft, draft);
  const taken = { ...draft, version: 2, sentences: ['taken back'] };
  const sent = { ...draft, version: 2, step: 'unknown' as const };
  const [first, second] = await Promise.all([
    drafts.replace(ref, draft, sent),
    drafts.replace(ref, draft, taken),
  ]);
  expect([first.isMine, second.isMine].filter(Boolean)).toHaveLength(1);
  expect(first.draft).toEqual(second.draft);
  expect(await drafts.load(ref.workspace, draft.id)).toEqual(first.draft);
});
