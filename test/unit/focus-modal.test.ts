import { expect, test } from 'vitest';
import { asId, ref } from '../harness/ids.ts';
import { modalPerson } from '../harness/modal-person.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();

test('a review goes from task to task in one modal: decided, skipped, undone, each once, and summed up at its end', async () => {
  const clock = { at: 100_000 };
  const { presses, submits, reads, stores, context, views } = modalPerson(redis(), () => clock.at);
  const stored = () => context.tasks.focusSessions.latest(ref, asId('U1'));
  const finished = '<!date^1^Finished {date_short_pretty} at {time}|Finished 1970-01-01 00:00 UTC>';
  const shows = (at: number, buttons: string, place: string, ...said: string[]) =>
    expect(reads()).toEqual([
      `OK | REVISE | NOK | Skip${buttons}`,
      ...said,
      `*Shelf c1* · Pays 0.45\nWorker w${at % 3} · ${finished}`,
      place,
      ...['*Proof*', `\`\`\`proof ${at}\`\`\``],
    ]);
  const until = (verdict: string, at: string) =>
    expect.stringMatching(`${verdict} can be undone until <!date.${at}.`);
  await stores({ c1: 4, c2: 1 });
  await presses('focus.start', { value: 'a1 c1' });
  const first = views.at(-1);
  shows(0, '', 'Task 1 · 3 left · Shelf c1');
  await submits();
  const afterOk = [' | Undo OK for w0', until('Task 2 · 2 left · OK', '110')] as const;
  shows(1, ...afterOk);
  const twice =
    'That OK came right after the previous one, so it was taken for a double click. This task is not rated yet.';
  for (const again of [submits, () => presses('focus.ok')]) {
    await again();
    shows(1, ...afterOk, twice);
  }
  clock.at += 60_000;
  await presses('focus.skip');
  // What is pressed in a view that is outdated does nothing but show the current one.
  for (const action of ['focus.skip', 'focus.ok', 'focus.nok', 'focus.undo']) {
    await presses(action, { view: first });
    shows(2, ' | Undo OK for w0', until('Task 2 · 1 left · OK', '110'));
  }
  await presses('focus.nok');
  expect(reads().slice(-2)).toEqual(['The worker is not paid and reads this reason.', 'Back to the task']);
  await presses('focus.back');
  shows(2, ' | Undo OK for w0', until('Task 2 · 1 left · OK', '110'));
  await presses('focus.nok');
  expect(Object.keys((await submits({ 'comment.0': { v: { value: '' } } })) ?? {})).toEqual(['comment.0']);
  await submits({ 'comment.0': { v: { value: 'Blurred' } } });
  await presses('focus.revise');
  await submits({ 'comment.0': { v: { value: 'Sharper' } } });
  expect(reads()).toEqual([
    'No other waiting tasks match: Shelf c1. To see all waiting tasks, type `/review`.',
    'You rated *3 tasks*: 1 OK, 1 REVISE, 1 NOK. You skipped 1.',
    until('^REVISE', '170'),
    'Undo REVISE for w0 | Review skipped tasks | Check for new tasks',
  ]);
  const { id, ...done } = (await stored()) ?? { id: '' };
  const decided = [
    { task: 'c1-0', decision: `focus-${id}-2-OK`, verdict: 'OK' },
    { task: 'c1-2', decision: `focus-${id}-6-NOK`, verdict: 'NOK' },
  ];
  const kept = {
    member: 'U1',
    filter: { campaigns: ['c1'], label: 'Shelf c1' },
    ahead: [],
    skipped: ['c1-1'],
  };
  const times = { movedAt: 160_000, queuedAt: 160_000, unqueued: 0 };
  const revised = { task: 'c1-3', decision: `focus-${id}-8-REVISE`, verdict: 'REVISE' };
  const counts = { OK: 1, REVISE: 1, NOK: 1 };
  expect(done).toEqual({ ...kept, ...times, step: 9, counts, decided: [...decided, revised], ended: true });
  await presses('focus.undo');
  const undone = 'Your *REVISE* for this task was undone. Rate it again or skip it.';
  shows(3, ' | Undo NOK for w2', until('Task 3 · the last one · NOK', '170'), undone);
  const open = { step: 10, current: 'c1-3', counts: { ...counts, REVISE: 0 }, decided };
  expect(await stored()).toEqual({ id, ...kept, ...times, ...open });
  clock.at += 60_000;
  await presses('focus.ok');
  await presses('focus.skipped');
  shows(1, ' | Undo OK for w0', until('Task 4 · the last one · OK', '230'));
});

test.each([
  [1, 5_000],
  [4, 60_000],
])(
  'what arrives while %i tasks wait follows in a review that goes on, not before %i ms',
  async (count, ms) => {
    const clock = { at: 100_000 };
    const { presses, reads, stores } = modalPerson(redis(), () => clock.at);
    await stores({ c1: count });
    await presses('focus.start', { value: 'a1 c1' });
    await stores({ c1: count + 2 });
    const places = [];
    for (const later of [ms, 1]) {
      clock.at += later;
      await presses('focus.back');
      await presses('focus.back');
      places.push(reads()[2]);
    }
    const before = count === 1 ? 'the last one' : `${count - 1} left`;
    expect(places).toEqual([`Task 1 · ${before} · Shelf c1`, `Task 1 · ${count + 1} left · Shelf c1`]);
  },
);

test('what is due within six hours comes first in a review, also if a colleague has it', async () => {
  const clock = { at: 100_000 };
  const { presses, reads, stores, context } = modalPerson(redis(), () => clock.at);
  await stores({ c1: 1, c2: 1 });
  const id = asId<never>('c2-0');
  const given = { type: 'assigned', to: asId<never>('U2'), by: asId<never>('U2') } as const;
  await context.tasks.apply(ref, id, { ...given, how: 'click', at: 1, seen: '' });
  await context.tasks.timesToRate.put(ref, asId('c2'), 1);
  const first = [];
  for (const at of [64_800_000, 64_802_000]) {
    clock.at = at;
    await presses('focus.start', { value: 'a1' });
    first.push(reads().join().includes('*Shelf c2*'));
  }
  expect(first).toEqual([false, true]);
});
