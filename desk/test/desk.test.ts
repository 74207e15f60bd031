import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../src/client.ts';
import { createDesk } from '../src/desk.ts';
import type { Made, Outcome, Rate, Row, Task } from '../src/protocol.ts';

const later = () => new Promise((resolve) => setTimeout(resolve));

/** A bot in memory, which answers the page's calls; `down` makes it unreachable. */
function fakeBot(amount = 5) {
  const ids = Array.from({ length: amount }, (_, at) => `t${at}`);
  const made = new Map<string, Made>();
  const calls: { path: string; body: unknown }[] = [];
  const bot = {
    ids,
    made,
    calls,
    isDown: false,
    hasEnded: false,
    /** Loses the answer of the next rating, which is made. */
    losesAnswer: false,
    others: new Map<string, string>(),
    missed: new Set<string>(),
    refusesNotes: false,
    rounds: new Map<string, number>(),
    of: (path: string) => calls.filter((call) => call.path === path).map(({ body }) => body as Rate),
  };
  const row = (task: string): Row => ({
    task,
    round: bot.rounds.get(task) ?? 1,
    worker: `worker ${task}`,
    country: 'Greece',
    campaign: 'Shelf',
    hasEvidence: false,
    isMine: false,
    assignment: '',
    heldBy: bot.others.get(task),
    lookedAtBy: bot.others.get(task),
    ...(made.has(task) ? { decided: made.get(task) as Made } : {}),
  });
  const task = (id: string): Task => ({
    ...row(id),
    slots: [],
    files: [],
    evidence: [],
    record: [],
    notes: [],
    reasons: {
      NOK: [
        { id: 'n1', name: 'Shop', text: 'Another shop.' },
        { id: 'n2', name: 'Sharp', text: 'Not sharp.' },
      ],
      REVISE: [
        { id: 'r1', name: 'Hi', text: `Hi worker ${id}, try again.` },
        { id: 'r2', name: 'Whole', text: 'Show the whole shelf.' },
      ],
    },
  });
  function rate({ id, task, verdict }: Rate): Outcome {
    if (bot.missed.has(task))
      return { kind: 'missed', sentence: 'Ben rated this NOK at 10:04.', row: row(task) };
    const [sentence, undoUntil] = [`Ann rated this ${verdict}.`, Date.now() + 10_000];
    if (!made.has(task)) made.set(task, { id: `desk ann ${id}`, verdict, sentence, undoUntil });
    return { kind: 'done', row: row(task) };
  }
  function answer(path: string, body: never): unknown {
    if (path === '/desk/api/me')
      return { session: 's', member: 'ann', name: 'Ann', now: Date.now(), campaigns: [], warnings: [] };
    if (path === '/desk/api/queue') return ids.filter((id) => !made.has(id));
    if (path === '/desk/api/rows') return (body as { tasks: string[] }).tasks.map(row);
    if (path === '/desk/api/tasks') return task((body as { task: string }).task);
    if (path === '/desk/api/rate') return rate(body);
    if (path === '/desk/api/note' && bot.refusesNotes)
      return { kind: 'missed', sentence: 'This task has 50 notes already.' };
    if (path === '/desk/api/undo') {
      const { task: undone } = body as { task: string };
      made.delete(undone);
      return { task: undone, kind: 'done', row: row(undone) };
    }
    return {};
  }
  const client = createClient(async (address, init) => {
    const path = address as string;
    await later();
    if (bot.hasEnded) return Response.json({ error: 'The session has ended.' }, { status: 401 });
    if (bot.isDown || path === '/desk/api/events') throw new TypeError('failed to fetch');
    const body = init?.body ? JSON.parse(init.body as string) : undefined;
    calls.push({ path, body });
    const value = answer(path, body as never);
    if (path === '/desk/api/rate' && bot.losesAnswer) {
      bot.losesAnswer = false;
      throw new TypeError('failed to fetch');
    }
    return Response.json(value);
  });
  return { bot, client };
}

const opened: ReturnType<typeof fakeBot>['bot'][] = [];

async function openDesk(amount?: number) {
  const { bot, client } = fakeBot(amount);
  opened.push(bot);
  const desk = createDesk(client);
  await desk.reading.start(undefined, () => {});
  const shows = (task: string | undefined) => expect.poll(() => desk.store.task()?.task).toBe(task);
  await shows('t0');
  return {
    bot,
    ...desk,
    shows,
    /** Presses OK, as somebody who has looked at the task. */
    async ok() {
      await expect.poll(desk.store.task).toBeDefined();
      vi.advanceTimersByTime(400);
      desk.deciding.rate('OK');
    },
    isSent: () => expect.poll(() => desk.deciding.state().unsent).toBe(0),
    states: () => desk.store.get().decisions.map(({ task, verdict, state }) => `${task} ${verdict} ${state}`),
  };
}

beforeEach(() => {
  // Only the clock is fake: what waits, waits really.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  // No desk goes on after its test.
  for (const bot of opened.splice(0)) bot.hasEnded = true;
});

describe('the queue', () => {
  test('goes on to the next free task, and from the end to the beginning', async () => {
    const { bot, reading, store, shows } = await openDesk(4);
    bot.others.set('t2', 'Ben');
    reading.changed(['t2']);
    await expect.poll(() => store.rows.get('t2')?.heldBy).toBe('Ben');
    for (const task of ['t1', 't3', 't0']) {
      // It is read ahead.
      await expect.poll(() => store.tasks.has(task)).toBe(true);
      reading.next();
      await shows(task);
    }
    for (const task of ['t1', 't2', 't3']) bot.others.set(task, 'Ben');
    reading.changed(['t1', 't2', 't3']);
    await expect.poll(() => ['t1', 't3'].map((task) => store.rows.get(task)?.heldBy)).toEqual(['Ben', 'Ben']);
    reading.next();
    await shows('t0');
  });

  test('reads the rows of a part once', async () => {
    const { bot, reading } = await openDesk(250);
    reading.sees(150, 210);
    reading.sees(180, 240);
    const asked = () =>
      bot.calls
        .filter(({ path, body }) => path === '/desk/api/rows' && !('tab' in (body as object)))
        .map(({ body }) => (body as { tasks: string[] }).tasks);
    await expect.poll(asked).toHaveLength(2);
    expect(asked().map((tasks) => [tasks[0], tasks.length])).toEqual([
      ['t0', 100],
      ['t100', 150],
    ]);
  });

  test('has new tasks at its end by themselves, so that nothing moves', async () => {
    const { bot, reading, store } = await openDesk(2);
    bot.ids.unshift('t2');
    reading.changed(['t2']);
    await expect.poll(() => store.get().order).toEqual(['t0', 't1', 't2']);
    expect(store.get().current).toBe('t0');
  });

  test('passes over what others look at, and what is rated', async () => {
    const { bot, reading, store, shows } = await openDesk();
    bot.others.set('t1', 'Ben');
    reading.changed(['t1']);
    store.rows.set('t2', {
      ...(store.rows.get('t2') as Row),
      decided: { id: '', verdict: 'OK', sentence: 'Ben rated this OK.' },
    });
    await expect.poll(() => store.rows.get('t1')?.lookedAtBy).toBe('Ben');
    reading.next();
    await shows('t3');
    reading.previous();
    await shows('t2');
  });
});

describe('a decision', () => {
  test('shows the next task before it is sent, and has an id of its own', async () => {
    const { bot, ok, shows, isSent, states, store } = await openDesk();
    await expect.poll(() => store.tasks.has('t4')).toBe(true);
    await ok();
    expect(store.get().current).toBe('t1');
    expect(states()).toEqual(['t0 OK sending']);
    expect(store.get().notice).toBe('OK for worker t0. Next: worker t1, Shelf.');
    await isSent();
    expect(states()).toEqual(['t0 OK done']);
    await ok();
    await shows('t2');
    await isSent();
    const [first, second] = bot.of('/desk/api/rate').map(({ id }) => id);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  test('is sent again with the same id when its answer is lost, and made once', async () => {
    const { bot, ok, isSent, states } = await openDesk();
    bot.losesAnswer = true;
    await ok();
    await isSent();
    const ids = bot.of('/desk/api/rate').map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(states()).toEqual(['t0 OK done']);
  });

  test('waits while the bot is away, can be taken back, and is sent when it is back', async () => {
    const { bot, ok, shows, isSent, deciding, states } = await openDesk();
    await shows('t0');
    bot.isDown = true;
    await ok();
    await shows('t1');
    await ok();
    await expect.poll(() => deciding.state()).toEqual({ unsent: 2, isFailing: true });
    deciding.undoLast();
    await shows('t1');
    expect(deciding.state().unsent).toBe(1);
    bot.isDown = false;
    deciding.wake();
    await isSent();
    expect(states()).toEqual(['t1 OK undone', 't0 OK done']);
    expect([...bot.made.keys()]).toEqual(['t0']);
  });

  test('is undone also while it is on its way', async () => {
    const { bot, ok, deciding, states } = await openDesk();
    await ok();
    deciding.undoLast();
    expect(states()).toEqual(['t0 OK undoing']);
    await expect.poll(states).toEqual(['t0 OK undone']);
    expect([...bot.made.keys()]).toEqual([]);
  });

  test('that is pressed twice is made once', async () => {
    const { ok, deciding, store, isSent, states } = await openDesk();
    await expect.poll(() => store.tasks.has('t1')).toBe(true);
    await ok();
    deciding.rate('OK');
    expect(store.get().notice).toBe('That OK came too soon after the task appeared, and was ignored.');
    await isSent();
    expect(states()).toEqual(['t0 OK done']);
  });

  test('NOK shows the last reason first, and sends what was chosen and written', async () => {
    const { bot, deciding, store, isSent, shows } = await openDesk();
    deciding.rate('NOK');
    expect(store.get().asking).toMatchObject({ text: 'Another shop.', reason: 'n1' });
    expect(bot.of('/desk/api/rate')).toEqual([]);
    deciding.choose(2);
    deciding.typed('Not sharp at all.');
    deciding.send();
    await shows('t1');
    await isSent();
    expect(bot.of('/desk/api/rate')).toMatchObject([
      { verdict: 'NOK', comment: 'Not sharp at all.', reason: 'n2', task: 't0', round: 1 },
    ]);
  });

  test('keeps what was typed when the reason is closed or another one is tried', async () => {
    const { deciding, store } = await openDesk();
    deciding.rate('NOK');
    deciding.typed('My own words.');
    deciding.choose(1);
    expect(store.get().asking).toMatchObject({ text: 'Another shop.' });
    deciding.choose(0);
    expect(store.get().asking).toMatchObject({ text: 'My own words.' });
    store.set({ asking: undefined });
    deciding.rate('NOK');
    expect(store.get().asking).toMatchObject({ text: 'My own words.' });
  });

  test('that came too late says who was first, and keeps its text', async () => {
    const { bot, deciding, reading, store, isSent } = await openDesk();
    bot.missed.add('t0');
    deciding.rate('NOK');
    deciding.typed('My own words.');
    deciding.send();
    await isSent();
    expect(store.get().notice).toBe('worker t0: Ben rated this NOK at 10:04. Your text is kept.');
    expect(store.get().decisions[0]?.state).toBe('missed');
    expect(store.get().decisions[0]?.comment).toBe('My own words.');
    bot.missed.clear();
    reading.open('t0');
    deciding.rate('NOK');
    expect(store.get().asking).toMatchObject({ text: 'My own words.' });
  });

  test('about several selected tasks shows its number first, and each result', async () => {
    const { bot, deciding, store, reading, isSent, states } = await openDesk();
    for (const task of ['t0', 't1', 't2']) {
      await expect.poll(() => store.tasks.has(task)).toBe(true);
      reading.open(task);
      deciding.select();
    }
    expect(store.get().current).toBe('t3');
    deciding.rate('OK', true);
    expect(store.get().asking).toMatchObject({
      verdict: 'OK',
      tasks: [{ task: 't0' }, { task: 't1' }, { task: 't2' }],
    });
    bot.missed.add('t1');
    deciding.send();
    await isSent();
    expect(bot.of('/desk/api/rate').map(({ task }) => task)).toEqual(['t0', 't1', 't2']);
    expect(states()).toEqual(['t0 OK done', 't1 OK missed', 't2 OK done']);
    expect(store.get().current).toBe('t3');
    deciding.undoLast();
    await isSent();
    expect(states()).toEqual(['t0 OK undone', 't1 OK missed', 't2 OK undone']);
  });

  test('is over once the bot says so: the task can be rated again', async () => {
    const { bot, deciding, reading, store, ok, isSent } = await openDesk();
    await ok();
    await isSent();
    expect(deciding.canUndo(store.get().decisions[0] as never)).toBe(true);
    bot.made.clear();
    bot.rounds.set('t0', 2);
    reading.open('t0');
    reading.changed(['t0']);
    await expect.poll(() => store.task()?.round).toBe(2);
    expect(reading.isFree('t0')).toBe(true);
    expect(deciding.canUndo(store.get().decisions[0] as never)).toBe(false);
    await ok();
    await isSent();
    expect(bot.of('/desk/api/rate')).toMatchObject([
      { task: 't0', round: 1 },
      { task: 't0', round: 2 },
    ]);
  });

  test('about a task that is resubmitted meanwhile is asked anew, and rates nothing unread', async () => {
    const { bot, deciding, reading, store } = await openDesk();
    deciding.rate('NOK');
    deciding.typed('My own words.');
    bot.rounds.set('t0', 2);
    reading.changed(['t0']);
    await expect.poll(() => store.task()?.round).toBe(2);
    expect(store.get().asking).toBeUndefined();
    expect(store.get().notice).toBe('The worker has resubmitted this task. Look at it again.');
    deciding.rate('OK');
    expect(store.get().notice).toMatch(/^That OK came too soon/);
    deciding.rate('NOK');
    expect(store.get().asking).toMatchObject({ text: 'My own words.', tasks: [{ task: 't0', round: 2 }] });
    expect(bot.of('/desk/api/rate')).toEqual([]);
  });

  test('about selected tasks is about the rounds that were read, with reasons that fit all of them', async () => {
    const { bot, deciding, reading, store, isSent, shows } = await openDesk();
    deciding.select();
    await shows('t1');
    deciding.rate('REVISE');
    expect(store.get().asking).toMatchObject({ text: 'Hi worker t0, try again.' });
    store.set({ asking: undefined });
    deciding.select();
    await shows('t2');
    bot.rounds.set('t0', 2);
    reading.open('t0');
    reading.changed(['t0', 't1']);
    await expect.poll(() => store.task()?.round).toBe(2);
    deciding.rate('REVISE');
    expect(store.get().asking).toMatchObject({ text: 'Show the whole shelf.' });
    deciding.send();
    await isSent();
    expect(bot.of('/desk/api/rate').map(({ round }) => round)).toEqual([1, 1]);
  });
});

test('a note that is refused stands before what is typed since', async () => {
  const { bot, deciding, store, isSent } = await openDesk();
  bot.refusesNotes = true;
  deciding.typedNote('t0', 'Call the shop.');
  const leaving = deciding.note('t0');
  expect(deciding.noteOf('t0')).toBe('');
  deciding.typedNote('t0', 'Ask Ben.');
  await leaving;
  await isSent();
  expect(deciding.noteOf('t0')).toBe('Call the shop. Ask Ben.');
  expect(store.get().notice).toBe('This task has 50 notes already.');
});
