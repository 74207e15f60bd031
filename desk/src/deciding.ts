import type { Client } from './client.ts';
import { createOutbox } from './outbox.ts';
import type { Made, Members, Outcome, Rate, Rated, Verdict } from './protocol.ts';
import type { Reading } from './reading.ts';
import type { Asking, Decision, Store, Subject } from './state.ts';
import { counted, said } from './words.ts';

/** An OK that is pressed so soon (ms) after its task appeared was meant for the one before. */
const doublePressMs = 300;
const mostAtOnce = 100;
const typedMs = 1_000;
const lost = 'This couldn’t be rated. Open it and look again.';

/** What an act says of its task. */
type About = { readonly task: string; readonly [more: string]: string | undefined };

const refusalOf = (task: string, { message: sentence }: Error): Outcome => ({
  task,
  kind: 'refused',
  sentence,
});

/** Decides, undoes, assigns and notes. What is pressed is shown at once, and sent until it is answered. */
export function createDeciding(store: Store, client: Client, reading: Reading) {
  const outbox = createOutbox(store.redraw);
  /** What was typed and not sent, by the task or tasks that it is about. */
  const drafts = new Map<string, { readonly verdict: Verdict; readonly text: string }>();
  /** What was typed as notes and not stored, by task. */
  const notes = new Map<string, string>();

  const change = (id: string, to: Partial<Decision>) =>
    store.set({ decisions: store.get().decisions.map((one) => (one.id === id ? { ...one, ...to } : one)) });
  const decision = (id: string) => store.get().decisions.find((one) => one.id === id);

  /**
   * Begins a rating: NOK and REVISE of all selected tasks, or of the shown one, with their reason first; OK of the shown task
   * at once, so that it can be paid while others are marked; OK of all selected ones, when that is said, with their number first.
   */
  function rate(verdict: Verdict, isOfSelected = verdict !== 'OK'): void {
    const { order, selected, panel } = store.get();
    const shown = store.task();
    const chosen = order.flatMap((task) => selected.get(task) ?? []);
    const tasks = isOfSelected && selected.size > 0 ? chosen : shown ? [shown] : [];
    const [first] = tasks;
    if (first === undefined) return;
    const rating = tasks.length === 1 ? store.rating(first.task) : undefined;
    if (rating) {
      store.say(store.rows.get(first.task)?.decided?.sentence ?? `You already rated this ${rating}.`);
    } else if (verdict === 'OK' && panel) {
      store.set({ panel: undefined });
      store.say('Closed. Press O again for OK.');
    } else if (isOfSelected) {
      ask(verdict, tasks);
    } else if (reading.shownForMs() < doublePressMs) {
      store.say('That OK came too soon after the task appeared, and was ignored.');
    } else {
      make({ kind: 'rate', verdict, tasks, text: '' });
    }
  }

  /** Opens the reason, filled in with what was typed before, or with the reason that was used last. */
  function ask(verdict: Verdict, tasks: readonly Subject[]): void {
    const panel: Asking = { kind: 'rate', verdict, tasks, text: '' };
    const draft = draftOf(tasks);
    store.set({ panel });
    if (draft?.verdict === verdict) store.set({ panel: { ...panel, text: draft.text } });
    else choose(1);
  }

  /**
   * Returns the texts that can be chosen, each at its number: first what was typed, then the saved reasons; of several tasks those
   * that say the same to each worker.
   */
  function textsFor({ verdict, tasks }: Asking) {
    if (verdict === 'OK') return [];
    const own = draftOf(tasks);
    const [first = [], ...rest] = tasks.map(({ reasons }) => reasons[verdict]);
    const fits = (text: string) => rest.every((reasons) => reasons.some((one) => one.text === text));
    return [
      own && { id: undefined, name: 'Your text', text: own.text },
      ...first.filter(({ text }) => fits(text)).slice(0, 9),
    ];
  }

  const keyOf = (tasks: readonly Subject[]) => tasks.map(({ task }) => task).join();
  const draftOf = (tasks: readonly Subject[]) =>
    drafts.get(keyOf(tasks)) ?? store.tasks.get(keyOf(tasks))?.typed;

  function withAsking(use: (asking: Asking) => void): void {
    const { panel } = store.get();
    if (panel?.kind === 'rate') use(panel);
  }

  const choose = (number: number) =>
    withAsking((asking) => {
      const chosen = textsFor(asking)[number];
      if (chosen) store.set({ panel: { ...asking, text: chosen.text, reason: chosen.id } });
    });

  /** Takes over what is typed, and keeps it with the bot, as the forms in Slack do. */
  const typed = (text: string) =>
    withAsking((asking) => {
      const { tasks, verdict } = asking;
      const key = keyOf(tasks);
      const draft = { verdict, text };
      drafts.set(key, draft);
      store.set({ panel: { ...asking, text } });
      const body = { task: key, round: tasks[0]?.round, ...draft };
      if (tasks.length > 1) return;
      // Unless it is changed, or sent, meanwhile.
      setTimeout(() => {
        if (drafts.get(key) === draft) client.post('/desk/api/typed', body).catch(reading.failed);
      }, typedMs);
    });

  /** Makes what is asked, at once on the screen, and goes on. */
  function make({ verdict, tasks, text, reason }: Asking): void {
    const comment = text.trim();
    if (comment !== '') drafts.set(keyOf(tasks), { verdict, text: comment });
    const { decisions, selected, current } = store.get();
    const press = crypto.randomUUID();
    const made = tasks.map(({ task, round }): Decision => {
      const worker = store.worker(task);
      return { id: crypto.randomUUID(), press, task, round, worker, verdict, comment, state: 'sending' };
    });
    const isMade = (task: string) => made.some((one) => one.task === task);
    store.set({
      decisions: [...made, ...decisions],
      selected: new Map([...selected].filter(([task]) => !isMade(task))),
      panel: undefined,
    });
    for (let at = 0; at < made.length; at += mostAtOnce) void post(made.slice(at, at + mostAtOnce), reason);
    if (current !== undefined && isMade(current)) reading.goOn();
    const next = store.row();
    const goesOn =
      next && reading.isFree(next.task) ? `Next: ${next.worker}, ${next.campaign}.` : 'No more tasks.';
    store.say(`${said(verdict, made)} ${goesOn}`);
  }

  async function post(made: readonly Decision[], reason: string | undefined): Promise<void> {
    const { verdict = 'OK', comment = '' } = made[0] ?? {};
    const tasks = made.map(({ id, task, round }) => ({ id, task, round }));
    const body: Rate = { verdict, comment, ...(reason === undefined ? {} : { reason }), tasks };
    const ids = made.map(({ id }) => id);
    const rated = await outbox
      .add(() => client.post<Rated>('/desk/api/rate', body), ids)
      .catch((error: Error) => made.map(({ task }) => refusalOf(task, error)));
    for (const [at, one] of made.entries()) settle(one, rated[at]);
  }

  /** Shows what became of a decision. Its text stays in reach if it was not made. */
  function settle({ id, task, worker, verdict, comment }: Decision, outcome: Outcome | undefined): void {
    const { kind, row, sentence = lost } = outcome ?? {};
    if (row) store.rows.set(task, row);
    if (kind === 'done') {
      drafts.delete(task);
      const made = row?.decided;
      const isUndoing = decision(id)?.state === 'undoing';
      change(id, { state: 'done', sentence: outcome?.sentence, made });
      if (isUndoing && made) void undo(task, made);
    } else {
      if (comment !== '') drafts.set(task, { verdict, text: comment });
      change(id, { state: 'missed', sentence });
      store.say(`${worker}: ${sentence}${comment === '' ? '' : ' Your text is kept.'}`);
    }
  }

  /** Sends an act about a task, and says what became of it: its own sentence, or `done`. Returns whether it was done. */
  async function act(path: string, body: About, done: string): Promise<boolean> {
    const { kind, row, sentence } = await outbox
      .add(() => client.post<Outcome>(`/desk/api/${path}`, body))
      .catch((error: Error) => refusalOf(body.task, error));
    if (row) store.rows.set(body.task, row);
    store.say(sentence ?? (kind === 'done' ? done : lost));
    return kind === 'done';
  }

  /** Returns whether a decision can be undone now: it may have been undone, or followed by another one, elsewhere. */
  const canUndo = ({ state, task, made }: Decision) =>
    state === 'sending' ||
    (state === 'done' && store.canUndo(made) && store.rows.get(task)?.decided?.id === made?.id);

  /** Undoes all of the last press that still can be undone, and shows the first of its tasks again. */
  function undoLast(): void {
    const { decisions } = store.get();
    const first = decisions.find(canUndo);
    if (!first) {
      store.say('There is nothing to undo.');
      return;
    }
    const all = decisions.filter((one) => one.press === first.press && canUndo(one));
    const isUnsent = outbox.drop(all.map(({ id }) => id));
    const what = all.length === 1 ? `${first.verdict} for ${first.worker}` : counted(all.length, 'decision');
    store.say(isUnsent ? `Undone: ${what}.` : `Undoing ${what}…`);
    for (const { id, task, made } of all) {
      change(id, { state: isUnsent ? 'undone' : 'undoing' });
      // One that is on its way is undone once it is known to be made.
      if (made) void undo(task, made);
    }
    reading.open(first.task);
  }

  /** Undoes the decision that a task has: one of this page, or an earlier one. */
  async function undo(task: string, made: Made): Promise<void> {
    const id = store.get().decisions.find((one) => one.made?.id === made.id)?.id ?? '';
    change(id, { state: 'undoing' });
    const undone = `Undone: ${made.verdict} for ${store.worker(task)}.`;
    const isUndone = await act('undo', { task, decision: made.id }, undone);
    change(id, { state: isUndone ? 'undone' : 'done' });
  }

  /** Changes whose the shown task is, unless it is somebody else's than was shown; `to` undefined: nobody's. */
  function assign(to: Members[number] | undefined): void {
    const { task, assignment: seen } = store.row() ?? {};
    store.set({ panel: undefined });
    const done = to ? `Assigned to ${to.name}.` : 'Now unassigned.';
    if (task) void act('assign', { task, seen, to: to?.member }, done);
  }

  return {
    rate,
    typed,
    textsFor,
    canUndo,
    undo,
    undoLast,
    choose,
    assign,
    notes,
    /** Returns what was written for a task that could not be rated. */
    keptText: (task: string) => drafts.get(task)?.text,
    unsent: outbox.state,
    wake: outbox.wake,
    /** Makes what the panel asks. */
    send: () =>
      withAsking((asking) => {
        if (asking.verdict !== 'OK' && asking.text.trim() === '') store.say('Write the reason first.');
        else make(asking);
      }),
    /** Takes the shown task, or releases it. */
    take: () => assign(store.row()?.isMine ? undefined : store.get().me),
    /** Leaves a note. It stays typed until it is stored. */
    async note(task: string): Promise<void> {
      const text = (notes.get(task) ?? '').trim();
      if (text === '') return;
      notes.delete(task);
      const isSaved = await act('note', { task, id: crypto.randomUUID(), text }, 'Note saved.');
      if (!isSaved) notes.set(task, text);
    },
    /** Selects the shown task and goes on, or unselects it. */
    select(): void {
      const selected = new Map(store.get().selected);
      const task = store.task();
      if (!task) return;
      const wasSelected = selected.delete(task.task);
      if (!wasSelected && reading.isFree(task.task)) selected.set(task.task, task);
      store.set({ selected });
      store.say(`${counted(selected.size, 'task')} selected.`);
      if (selected.has(task.task)) reading.goOn();
    },
    clearSelection: () => store.set({ selected: new Map() }),
  };
}
