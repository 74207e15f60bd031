import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  byUse,
  fillReason,
  isReasonUsed,
  lengthOf,
  longestFilled,
  maxComment,
  maxReasonName,
  placeholders,
  type SavedReason,
  type StoredReason,
  startingReasons,
  unknownPlaceholders,
  withReason,
} from '../../src/domain/reason.ts';
import type { CampaignId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { withChosenReason } from '../../src/features/decide/comment.view.ts';
import { createAuditWriter } from '../../src/store/audit.ts';
import {
  createTypedTexts,
  newestText,
  type TypedText,
  type TypedTextName,
  typedTextSeconds,
} from '../../src/store/drafts.ts';
import { createReasons, createRefusals } from '../../src/store/reasons.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, undone, waitingRow } from '../harness/waiting-row.ts';
import { audited } from './audited.ts';
import { forAll } from './properties.ts';

const values = { worker: 'Amina', campaign: 'Photo of a shelf', asked: 'A photo' };
const placed = Object.keys(placeholders);
const anyText = fc.string({ unit: 'grapheme', maxLength: 40 });
const placeholder = fc.constantFrom(...placed).map((name) => `{${name}}`);
const anyReason = fc.array(fc.oneof(anyText, placeholder), { maxLength: 6 }).map((parts) => parts.join(' '));

test('the placeholders of a reason are filled in, however they are written', () => {
  expect(fillReason('{worker}: {Campaign}, { ASKED }.', values)).toBe('Amina: Photo of a shelf, A photo.');
});

test('a value is text, whatever it has in braces or dollars', () => {
  forAll({ examples: [['worker', '{asked}']] }, fc.constantFrom(...placed), anyText, (name, text) => {
    const odd = `${text}{worker}$&`;
    const all = { worker: odd, campaign: odd, asked: odd };
    const most = placeholders[name as keyof typeof placeholders];
    fc.pre(lengthOf(odd) <= most);
    expect(fillReason(`a {${name}} b`, all)).toBe(`a ${odd} b`);
  });
});

test('the placeholders of a reason never make a text longer than was said when it was saved', () => {
  const long = 'x'.repeat(5_000);
  const all = { worker: long, campaign: long, asked: long };
  forAll(anyReason, (reason) => {
    expect(lengthOf(fillReason(reason, all))).toBe(longestFilled(reason));
    expect(lengthOf(fillReason(reason, values))).toBeLessThanOrEqual(longestFilled(reason));
  });
});

test('the placeholders of a reason that stand for nothing are named', () => {
  expect(unknownPlaceholders('{worker} {name} { x } {} {a b}')).toEqual(['{name}', '{ x }']);
});

test('choosing a reason loses nothing that was typed, and leaves one reason', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const words = fc.array(word, { maxLength: 5 });
  const choices = fc.array(word, { minLength: 1, maxLength: 4 });
  forAll(words, choices, (typed, picks) => {
    const reasons = picks.map((pick, index) => `REASON ${index} ${pick}.`);
    let [comment, before] = [typed.join(' '), ''];
    for (const reason of reasons) {
      comment = withReason(comment, reasons, reason, before);
      before = reason;
    }
    expect(comment.match(/REASON/g)).toHaveLength(1);
    expect(comment).toContain(before);
    expect(comment.replace(before, '').trim()).toBe(typed.join(' '));
  });
});

test('choosing a reason after an edit of the one before follows it', () => {
  expect(withReason('Too dark, sadly.', ['Too dark.'], 'Too small.', 'Too dark.')).toBe(
    'Too dark, sadly.\n\nToo small.',
  );
});

test('choosing a reason replaces an unedited saved reason that was filled in by another form', () => {
  expect(withReason('Hello.\n\nToo dark.\nBye.', ['Too dark.', 'Too small.'], 'Too small.')).toBe(
    'Hello.\n\nToo small.\nBye.',
  );
  expect(withReason('Too dark.', [' Too dark.\n'], 'Too small.')).toBe('Too small.');
});

test('choosing a reason keeps own words that a saved reason happens to contain', () => {
  expect(withReason('The picture is too dark for me.', ['too dark'], 'Too small.')).toBe(
    'The picture is too dark for me.\n\nToo small.',
  );
});

test('choosing a reason that makes the text too long says so, and leaves what was typed', () => {
  const before = { text: 'x'.repeat(2_990), reason: 'r0' };
  const long = { id: 'r1', name: 'Blurred', text: 'The picture is blurred.' };
  const chosen = withChosenReason(before, 'r1', [long as never], []);
  expect(chosen).toEqual({ ...before, problem: expect.stringMatching(/3,\d+ characters.*shorten it/) });
});

test('choosing a reason counts as used as long as half of its words are left', () => {
  expect(isReasonUsed('The picture is too dark.', 'The picture is too dark.')).toBe(true);
  expect(isReasonUsed('The picture is too dark.', 'Sorry, the PICTURE is really dark')).toBe(true);
  expect(isReasonUsed('The picture is too dark.', 'Wrong shop')).toBe(false);
  expect(isReasonUsed('', 'Wrong shop')).toBe(false);
});

test('the starting set has reasons for NOK and REVISE that fit every form', () => {
  for (const verdict of ['NOK', 'REVISE'])
    expect(startingReasons.filter((one) => one.verdict === verdict).length).toBeGreaterThanOrEqual(6);
  expect(new Set(startingReasons.map(({ id }) => id)).size).toBe(startingReasons.length);
  for (const { name, text } of startingReasons) {
    expect(lengthOf(name)).toBeLessThanOrEqual(maxReasonName);
    expect(longestFilled(text)).toBeLessThanOrEqual(maxComment);
    expect(unknownPlaceholders(text)).toEqual([]);
  }
});

test('the starting set keeps the house voice', () => {
  for (const { text } of startingReasons) expect(text).not.toMatch(/!|\bsorry\b|\bu\b/i);
});

test('the reasons used most come first, then those of the campaign, then members’ own, the oldest first', () => {
  const reason = (id: string, uses: number, more: Partial<SavedReason> = {}): SavedReason => ({
    ...{ id, verdict: 'NOK', name: id, text: id, uses, ...more },
  });
  const own = { by: asId<MemberId>('U1') };
  const inOrder = [
    reason('used', 3),
    reason('of the campaign', 1, { ...own, campaign: asId('c1'), at: 9 }),
    reason('own', 1, { ...own, at: 7 }),
    reason('newer', 1, { ...own, at: 8 }),
    reason('start', 1),
  ];
  forAll(fc.shuffledSubarray(inOrder, { minLength: inOrder.length }), (all) => {
    expect([...all].sort(byUse)).toEqual(inOrder);
  });
});

const campaign = asId<CampaignId>('c1');
const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const clients = twoRedisClients();
const writer = createAuditWriter();
const step = (what: 'add reason' | 'change reason' | 'remove reason') =>
  writer(ref, { what, by: ann, how: 'form' });
const own = (text: string, at: number, extra: Partial<StoredReason> = {}): StoredReason => ({
  ...{ verdict: 'REVISE', name: text, text, by: ann, at },
  ...extra,
});

const acts = async () => (await audited(clients.first, ref)).map(({ what }) => what);

const names = async (verdict: 'NOK' | 'REVISE' = 'REVISE', of = campaign) =>
  (await createReasons(clients.first).offered(ref, { campaign: of, verdict })).map(({ name }) => name);

test('saved reasons are changed and removed, also those of the starting set, by one of two at once', async () => {
  const [one, two] = [createReasons(clients.first), createReasons(clients.second)];
  const [start] = await one.offered(ref, { campaign, verdict: 'REVISE' });
  if (start === undefined) throw new Error('no reasons');
  const results = await Promise.all([
    one.change(ref, start, own('Ann’s', 5), step('change reason')),
    two.change(ref, start, own('Ben’s', 6, { by: ben }), step('change reason')),
  ]);
  expect(results.filter((isChanged) => isChanged)).toHaveLength(1);
  const changed = await one.get(ref, start.id);
  if (changed === undefined) throw new Error('gone');
  expect(await one.remove(ref, start, { by: ann, at: 7 }, step('remove reason'))).toBe(false);
  expect(await one.remove(ref, changed, { by: ann, at: 7 }, step('remove reason'))).toBe(true);
  expect(await one.get(ref, start.id)).toBeUndefined();
  expect(await one.change(ref, changed, own('Back', 8), step('change reason'))).toBe(false);
  expect(await acts()).toEqual(['change reason', 'remove reason']);
});

test('saved reasons are added once however often that is delivered, and only so many', async () => {
  const reasons = createReasons(clients.first);
  const add = (id: string) => reasons.add(ref, id, own(id, 1), step('add reason'));
  expect(await Promise.all([add('r1'), add('r1')])).toEqual([true, true]);
  const many = await Promise.all(Array.from({ length: 105 }, (_, index) => add(`x${index}`)));
  expect(many.filter((isAdded) => isAdded)).toHaveLength(79);
  expect(await acts()).toHaveLength(80);
});

test('saved reasons are counted once, by the step that makes the decision a rating; an undone one is not', async () => {
  const reasons = createReasons(clients.first);
  const stores = [createTasks(clients.first), createTasks(clients.second)] as const;
  const [tasks] = stores;
  const used = startingReasons.find(({ verdict }) => verdict === 'NOK')?.id ?? '';
  const uses = async () => (await reasons.get(ref, used))?.uses;
  const id = asId<TaskId>('t1');
  await tasks.apply(ref, id, waitingRow(id, campaign));
  const decide = (decision: string) =>
    tasks.apply(ref, id, decided(decision, { verdict: 'NOK', comment: 'No', reason: used }, 1));
  await decide('d1');
  await tasks.apply(ref, id, undone('d1'));
  await decide('d2');
  await tasks.apply(ref, id, { type: 'sending', decision: 'd2', at: 2, leaseUntil: 9, attempt: 1 });
  expect(await uses()).toBe(0);
  const applied = { type: 'applied', decision: 'd2', at: 3, answered: true } as const;
  await Promise.all([...stores, ...stores].map((one) => one.apply(ref, id, applied)));
  expect(await uses()).toBe(1);
  expect((await names('NOK'))[0]).toBe(startingReasons.find((one) => one.id === used)?.name);

  const [refusals, task] = [createRefusals(clients.first), await tasks.get(ref, id)];
  if (task === undefined) throw new Error('gone');
  const refused = () => refusals.tasks(ref, { campaign, reason: used });
  await refusals.forget(ref, { ...task, id: asId('another') });
  expect(await refused()).toEqual([id]);
  const [kept = ''] = await clients.first.keys('*:refusals:*');
  expect(await clients.first.ttl(kept)).toBeGreaterThan(13 * 86_400);
  await refusals.forget(ref, task);
  expect(await refused()).toEqual([]);
});

const task = asId<TaskId>('t1');
const name: TypedTextName = { task, round: 1, member: ann, slot: 'reason' };
const typed = (text: string, form: number, ts: string, extra: Partial<TypedText> = {}): TypedText => ({
  ...{ text, verdict: 'NOK', form, order: ts, at: 1_000 },
  ...extra,
});
const texts = (now = () => 1_000) => createTypedTexts(clients.first, undefined, now);

const arrivals = fc.uniqueArray(
  fc.record({ form: fc.integer({ min: 1, max: 3 }), micros: fc.nat(1_000_000), isSent: fc.boolean() }),
  { selector: ({ form, micros, isSent }) => `${form} ${isSent || micros}`, minLength: 1, maxLength: 8 },
);

const typedAndSent = [2, 1].map((micros) => ({ form: 1, micros, isSent: micros === 1 }));

test('what was typed ends as the newest, in whichever order it arrives', () => {
  const orders = arrivals.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  forAll({ examples: [[[typedAndSent, typedAndSent.toReversed()]]] }, orders, ([all, shuffled]) => {
    const event = ({ form, micros, isSent }: (typeof all)[number]) =>
      typed(`${form} ${micros}`, form, `9.${String(micros).padStart(6, '0')}`, isSent ? { isSent } : {});
    const end = (events: typeof all) =>
      events.map(event).reduce<TypedText | undefined>(newestText, undefined);
    expect(end(shuffled)).toEqual(end(all));
  });
});

test('what was typed is stored by two processes at once as it was typed, never as an earlier state', async () => {
  const stores = [texts(), createTypedTexts(clients.second, undefined, () => 1_000)] as const;
  const letters = Array.from({ length: 30 }, (_, index) => index);
  await Promise.all(
    letters
      .toReversed()
      .map(async (index) =>
        stores[index % 2]?.put(ref, name, typed('x'.repeat(index + 1), 1, `1764000000.${100_000 + index}`)),
      ),
  );
  expect((await texts().get(ref, name))?.text).toHaveLength(30);
  expect(await clients.first.ttl('proofdesk:{T1/a1}:typed-text:t1')).toBeGreaterThan(typedTextSeconds - 60);
});

test('what was typed is of one member, round and kind of comment, and is over after a day', async () => {
  let now = 1_000;
  const store = texts(() => now);
  await store.put(ref, name, typed('Mine', 1, '1.1'));
  expect(await store.get(ref, { ...name, member: ben })).toBeUndefined();
  expect(await store.get(ref, { ...name, round: 2 })).toBeUndefined();
  expect(await store.get(ref, { ...name, slot: 'comment' })).toBeUndefined();
  expect((await store.get(ref, name))?.text).toBe('Mine');
  now += typedTextSeconds * 1_000;
  // The text of a colleague does not keep it.
  await store.put(ref, { ...name, member: ben }, typed('Ben’s', 1, '1.1', { at: now }));
  expect(await store.get(ref, name)).toBeUndefined();
});
