import { expect, test } from 'vitest';
import { BulkRatingId } from '../../src/domain/bulk-rating.ts';
import { newSelection, tickedItems } from '../../src/domain/bulk-selection.ts';
import { startingReasons } from '../../src/domain/reason.ts';
import { bulkStart } from '../../src/features/bulk/public.ts';
import { asId, ref } from '../harness/ids.ts';
import { modalPerson } from '../harness/modal-person.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { decided } from '../harness/waiting-row.ts';
import { audited } from './audited.ts';

const redis = redisPerFile();

/** A person who selects, and what of it is stored. */
function selecting() {
  const person = modalPerson(redis());
  const stored = () => person.context.tasks.bulkSelections.latest(ref, asId('U1'));
  const opens = (start: object, channel = asId<never>('C9')) =>
    person.presses('bulk.open', { value: bulkStart.encode(start), channel });
  return { ...person, stored, opens };
}
const { account } = ref;
const input = (value: string) => ({ v: { value } });
const boxes = (...tasks: string[]) =>
  Object.fromEntries(tasks.map((task) => [`bulk.row/1/1/${task}`, { v: { selected_options: [{}] } }]));
const finished = '<!date^1^finished {date_short_pretty} at {time}|finished 1970-01-01 00:00 UTC>';
const limit = 'Up to 500 can be rated together.';

test('what is ticked, by itself, as a part or as a page, stays ticked whatever is shown, until all is deselected', async () => {
  const { presses, submits, reads, stores, opens, stored, views } = selecting();
  const ticked = async () =>
    tickedItems((await stored()) ?? newSelection({} as never)).map(({ task }) => task);
  await stores({ c1: 27, c2: 1 });
  await opens({ account, campaign: 'c1' });
  const first = views.at(-1);
  await presses('bulk.tick-part', { value: '11', values: boxes('c1-2') });
  expect(await ticked()).toEqual([2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((at) => `c1-${at}`));
  await presses('bulk.next');
  const row = (at: number) => `*${at}.* Worker w${at - 25} · ${finished}\n\`\`\`proof ${at - 1}\`\`\``;
  const last = [
    '*Shelf c1* · Shelf c1\nTasks 26–27 of 27 waiting.',
    `None selected on this page · *11* on other pages. ${limit}`,
    ...['Filter… | Deselect all', row(26), 'See all…', row(27), 'See all…', 'Select these 2 | Previous'],
    'OK… | REVISE… | NOK…',
  ];
  expect(reads()).toEqual(last);
  // A tick in an outdated view counts; everything else in it only shows the current one.
  await presses('bulk.tick', { view: first, blockId: 'bulk.row/1/1/c1-0', values: boxes('c1-0', 'c1-1') });
  for (const action of ['bulk.next', 'bulk.tick-page']) await presses(action, { view: first });
  expect(reads()).toEqual(last.map((line) => line.replace('11', '12')));
  await presses('bulk.tick-page');
  expect(reads()[0]).toContain('Tasks 26–27');
  await presses('bulk.previous');
  await presses('bulk.tick-next');
  expect(reads()[0]).toContain('Tasks 26–27');
  await presses('bulk.filter');
  expect((await submits({ filter: input('waiting:soon') }))?.filter).toContain('such as `waiting:2d`');
  await submits({ filter: input('worker:w1') });
  expect(reads()[0]).toBe('*Shelf c1* · worker:w1\nTasks 1–9 of 9 waiting.');
  await presses('bulk.filter');
  await submits({ filter: input(' ') });
  expect(reads()[0]).toBe('Tasks 1–25 of 28 waiting.');
  await presses('bulk.filter');
  await submits({ filter: input('c2') });
  expect(reads()[1]).toBe(`None selected on this page · *27* outside of this filter. ${limit}`);
  await presses('bulk.clear');
  expect([await ticked(), reads()[2]]).toEqual([[], 'Filter…']);
});

test('a selection goes on where it was left if it is opened for the same tasks, with something ticked', async () => {
  const { presses, reads, stores, opens, stored, context, views } = selecting();
  await stores({ c1: 1, c2: 1, c3: 0 });
  for (const [channel, campaign] of [
    ['C9', 'c2'],
    ['C9', 'c3'],
    ['C8', 'c1'],
  ] as const) {
    await context.channels.digests.put(ref.workspace, {
      account,
      channel,
      campaign,
      by: 'U1',
      at: 0,
    } as never);
  }
  const filters = [];
  for (const start of [{ account, campaign: 'c1' }, { account, alike: 'c1-0' }, { account }, {}, {}]) {
    await opens(start);
    filters.push((await stored())?.filter);
  }
  const ofChannel = { campaigns: ['c2'], label: '' };
  const alike = { tasks: ['c1-0'], label: 'similar tasks' };
  const ofCampaign = { campaigns: ['c1'], label: 'Shelf c1' };
  expect(filters).toEqual([ofCampaign, alike, ofChannel, { label: '' }, { label: '' }]);
  expect(reads()[1]).toMatch(/^None selected/);
  await presses('bulk.tick-page');
  await opens({ account, campaign: 'c1' });
  expect(reads()[1]).toMatch(/^None selected/);
  await presses('bulk.tick-page');
  await opens({ account, campaign: 'c1' });
  expect(reads()[0]).toMatch(/^Your selection of .* is still here: \*1 task\* selected\. Press \*Deselect/);
  await presses('bulk.whole');
  expect(views.slice(-2).map(({ title }) => title.text)).toEqual(['Full task', 'Full task']);
  expect(reads()).toContain('```proof 0```');
  await presses('bulk.rate.OK', { view: views.at(-3) });
  await presses('bulk.confirm');
  const rating = await context.tasks.bulkRatings.get(ref, BulkRatingId.parse((await stored())?.rating));
  expect(rating).toMatchObject({ verdict: 'OK', text: '', items: [{ task: 'c1-0', round: 1 }] });
});

test('exactly what the preview shows is rated, with what was written for all or for each, and taken back again', async () => {
  const { presses, submits, reads, stores, opens, stored, context, views, said } = selecting();
  await stores({ c1: 2, c2: 2 });
  await opens({});
  await presses('bulk.rate.OK');
  expect(reads()[0]).toBe('Nothing is selected yet. Select single tasks, or all of a page.');
  await presses('bulk.tick-page');
  await context.tasks.apply(ref, asId('c2-1'), decided('d', { by: asId('U2') }));
  await presses('bulk.rate.OK');
  const ends = [
    ':warning: *1 selected task left out:*\n• c2-1: already rated *OK* by <@U2>',
    'You can undo all of them for at least 10 seconds, before they’re sent.',
  ];
  const counts = 'Shelf c1 (2), Shelf c2 (1)';
  const paid = '*Rate 3 tasks OK?*\n*1.35* is paid to 2 workers, fees not included.';
  expect(reads()).toEqual([paid, counts, ...ends, 'Rate 3 OK for 1.35 | Back to the tasks']);
  await presses('bulk.back');
  await presses('bulk.rate.REVISE');
  expect(reads()[0]).toBe('Rating *4 tasks* *REVISE*: Shelf c1 (2), Shelf c2 (2)');
  const missing = 'Enter a reason, or choose a saved one. The worker reads it.';
  expect(await submits({ 'comment.0': input('') })).toEqual({ 'comment.0': missing });
  await submits({ 'comment.0': input('Sharper, {worker}') });
  const comment = 'Comment for w0:\n```Sharper, w0```';
  expect(reads().slice(1)).toEqual([counts, comment, comment, ...ends, 'Rate 3 REVISE | Back to the tasks']);
  await presses('bulk.back');
  await presses('bulk.rate.NOK');
  await presses('bulk.each', { values: { 'comment.0': input('For all') } });
  const each = (...texts: string[]) =>
    Object.fromEntries(texts.map((text, at) => [`bulk.item/1/c${1 + (at % 2)}-${at >> 1}`, input(text)]));
  const some = each('One', '  ', 'Three', 'Four');
  expect(await submits(some)).toEqual({ 'bulk.item/1/c2-0': 'Write a comment for this worker.' });
  await presses('bulk.item.typed', { values: some });
  await presses('bulk.all', { values: some });
  expect((await stored())?.texts).toEqual({ 'c1-0': 'One', 'c2-0': '', 'c1-1': 'Three', 'c2-1': 'Four' });
  await presses('bulk.comment.typed', { values: { 'comment.0': input('For everybody') } });
  expect((await stored())?.decision).toMatchObject({ verdict: 'NOK', isEach: false, text: 'For everybody' });
  await presses('bulk.each', { values: { 'comment.0': input('For everybody') } });
  await submits(each('One', 'Two ', 'Three', 'Four'));
  expect(reads().slice(2, 4)).toEqual(['Comment for w0:\n```One```', 'Comment for w0:\n```Two```']);
  await Promise.all([presses('bulk.confirm'), presses('bulk.confirm')]);
  const rating = await context.tasks.bulkRatings.get(ref, BulkRatingId.parse((await stored())?.rating));
  expect(rating).toMatchObject({ verdict: 'NOK', state: 'sending', member: 'U1', at: 100_000 });
  const items = rating?.items.map(({ task, round, comment }) => [task, round, comment].join());
  expect(items).toEqual(['c1-0,1,One', 'c2-0,1,Two', 'c1-1,1,Three']);
  const made = await context.tasks.getMany(ref, rating?.items.map(({ task }) => task) ?? []);
  expect(made.map(({ decision }) => decision?.comment)).toEqual(['One', 'Two', 'Three']);
  const confirmed = views.at(-1);
  await presses('bulk.undo');
  await presses('bulk.undo', { view: confirmed });
  expect([reads(), said]).toEqual([[':white_check_mark: 3 undone.'], []]);
  // Only who undoes the decisions of somebody else is named beside them.
  const undone = (await audited(redis(), ref)).filter(({ what }) => what === 'undo bulk');
  expect(undone.map(({ by, member }) => [by, member])).toEqual([['U1', undefined]]);
});

const [blurred] = startingReasons.filter(({ verdict }) => verdict === 'NOK');
const reason = blurred?.id;

test.each([
  ['NOK with it', 'NOK', ' Try again', false, { text: `${blurred?.text} Try again`, reason }],
  ['NOK with other words', 'NOK', undefined, false, { text: 'Something else' }],
  ['NOK with a comment for each', 'NOK', '', true, { text: blurred?.text }],
  ['OK after all', 'OK', '', false, { text: '' }],
] as const)('a saved reason in a bulk rating: %s', async (_, verdict, more, isEach, expected) => {
  const { presses, submits, stores, opens, stored, context } = selecting();
  await stores({ c1: 2 });
  await opens({});
  await presses('bulk.tick-page');
  await presses('bulk.rate.NOK');
  // Its text is deleted, and it is chosen again.
  for (const filled of [0, 1])
    await presses('bulk.comment.reason', {
      value: `${reason}`,
      values: { [`comment.${filled}`]: input('') },
    });
  const text = more === undefined ? 'Something else' : `${blurred?.text}${more}`;
  expect((await stored())?.decision).toMatchObject({ text: blurred?.text, filled: 2 });
  if (isEach) await presses('bulk.each', { values: { 'comment.2': input(text) } });
  await submits(isEach ? {} : { 'comment.2': input(text) });
  if (verdict === 'OK') {
    await presses('bulk.back');
    await presses('bulk.rate.OK');
  }
  await presses('bulk.confirm');
  const rating = await context.tasks.bulkRatings.get(ref, BulkRatingId.parse((await stored())?.rating));
  const { id, items, text: sent, reason: used } = rating ?? {};
  expect({ text: sent, reason: used, tasks: items?.length }).toEqual({
    reason: undefined,
    ...expected,
    tasks: 2,
  });
  const entries = (await audited(redis(), ref)).filter(({ what }) => what === 'rate in bulk');
  expect(entries).toMatchObject([{ verdict, by: 'U1', act: id, after: '2 tasks', money: '0.9' }]);
});
