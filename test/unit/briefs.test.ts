import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { askedOf, templateRow } from '../../src/domain/campaign.ts';
import { filledSlots, slotNumber } from '../../src/domain/task.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { askedOfTask } from '../../src/kit/brief.ts';
import { type Briefs, createBriefs } from '../../src/store/campaigns.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { forAll } from './properties.ts';

const shelf = asId<CampaignId>('c1');
const listed = { id: shelf, work: 'Photograph the shelf.', proof: 'A photo\nThe street' };

const redis = redisPerFile();
let briefs: Briefs;
beforeEach(() => {
  briefs = createBriefs(redis());
});

/** What was asked of a task of the campaign. */
const asked = (csvRow: string) =>
  askedOfTask(onlyModules({ campaigns: { briefs } }), ref, { campaign: shelf, csvRow });

/** How many commands of each kind Redis has run so far. */
async function commands(): Promise<Map<string, number>> {
  const stats = await redis().info('commandstats');
  const found = [...stats.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)];
  return new Map(found.map(([, name = '', calls]) => [name, Number(calls)]));
}

test('what campaigns ask is stored from the list, and an unchanged list costs one read and no write', async () => {
  await briefs.store(ref, [listed, { id: asId('c2'), work: 'Call us.', proof: 'The code' }]);
  expect(await briefs.get(ref, shelf)).toEqual({ listed: { work: listed.work, proof: listed.proof } });
  const before = await commands();
  await briefs.store(ref, [listed, { id: asId('c2'), work: 'Call us.', proof: 'The code' }]);
  const after = await commands();
  const run = [...after].filter(([name, calls]) => name !== 'info' && calls !== (before.get(name) ?? 0));
  expect(run).toEqual([['hgetall', (before.get('hgetall') ?? 0) + 1]]);
});

test('of a campaign listed with one of its two texts, that one is what is asked', () => {
  const work = { work: 'Call us.', proofs: [], isPerSlot: false };
  expect(askedOf({ listed: { work: 'Call us.', proof: ' ' } }, '0')).toEqual(work);
  expect(askedOf({ listed: { work: '', proof: 'The code' } }, '0')?.proofs).toEqual(['The code']);
});

test('what campaigns ask changes with the list; what was sent at the creation no longer counts then', async () => {
  const proofs = ['A photo of {{shop}}', 'The street'];
  const brief = { work: 'Visit {{shop}}.', proofs, columns: ['shop'] };
  await briefs.storeDraftRows(ref, 'd1', new Map(Object.entries({ 1: ['Corner shop'], 2: ['Main shop'] })));
  await briefs.storeCreated(ref, shelf, brief, 'd1');
  // The first list that has the campaign is no change.
  await briefs.store(ref, [listed]);
  const filled = { work: 'Visit Main shop.', proofs: ['A photo of Main shop', 'The street'] };
  expect(await asked('2')).toEqual({ ...filled, isPerSlot: true });
  expect(await redis().ttl((await redis().keys('*rows:c1'))[0] ?? '')).toBe(-1);

  await briefs.store(ref, [{ ...listed, work: 'Photograph two shelves.' }]);
  const found = { work: 'Photograph two shelves.', proofs: [listed.proof] };
  expect(await asked('2')).toEqual({ ...found, isPerSlot: false, row: '2' });
  expect(await redis().keys('*rows*')).toEqual([]);
});

test('what is asked of a row that is not known is said with its number, and rows expire when nothing is created', async () => {
  await briefs.storeDraftRows(ref, 'd1', new Map([['1', ['Corner shop']]]));
  const [waiting = ''] = await redis().keys('*rows*');
  expect(await redis().ttl(waiting)).toBeGreaterThan(86_400);
  const brief = { work: 'Visit {{shop}}.', proofs: ['A photo'], columns: ['shop'] };
  await briefs.storeCreated(ref, shelf, brief, 'd2');
  const unfilled = { work: 'Visit {{shop}}.', proofs: ['A photo'] };
  expect(await asked('1')).toEqual({ ...unfilled, isPerSlot: true, row: '1' });
  await briefs.storeCreated(ref, shelf, brief, 'd1');
  await briefs.removeRows(ref, shelf);
  expect(await redis().keys('*rows*')).toEqual([]);
});

test('what is asked of a campaign that is not known is nothing', async () => {
  expect(await asked('0')).toBeUndefined();
  await briefs.store(ref, [{ ...listed, work: ' ', proof: '' }]);
  expect(await asked('0')).toBeUndefined();
});

test('what was asked for a task is one text for all slots, or one for each when the campaign was created here', () => {
  expect(askedOf({ listed }, '0')).toEqual({ work: listed.work, proofs: [listed.proof], isPerSlot: false });
  expect(askedOf({ listed }, '17')?.row).toBe('17');
  const created = { work: 'Same for all', proofs: ['A photo', 'The street'] };
  // The texts have no values, so the row says nothing.
  expect(askedOf({ listed, created }, '17')).toEqual({ ...created, isPerSlot: true });
  expect(['', ' ', '0', '12'].map(templateRow)).toEqual([undefined, undefined, undefined, '12']);
});

test('slots keep their numbers when empty ones are left out', () => {
  const slots = fc.array(fc.constantFrom('', ' ', 'a', 'b'), { maxLength: 4 });
  forAll({ examples: [[['a', '', 'b']], [['', 'a']], [['a', 'b', '']]] }, slots, (texts) => {
    const proof = filledSlots(texts);
    for (const [index, text] of proof.slots.entries()) {
      expect(texts[slotNumber(proof, index) - 1]).toBe(text);
    }
    expect(proof.slots).toEqual(texts.filter((text) => text.trim() !== ''));
    const hasNoGap = texts.slice(0, proof.slots.length).every((text) => text.trim() !== '');
    expect(proof.slotNumbers === undefined).toBe(hasNoGap);
  });
});
