import type { Client } from './client.ts';
import { createOutbox } from './outbox.ts';
import type { Made, Outcome, Rate, Rated, SavedReason, Verdict } from './protocol.ts';
import type { Reading } from './reading.ts';
import type { Asking, Decision, Store, Subject } from './state.ts';
import { counted, said } from './words.ts';

/** An OK that is pressed so soon (ms) after its task appeared was meant for the one before. */
const doublePressMs = 300;
const mostAtOnce = 100;
const typedMs = 1_000;
const lost = 'This couldn’t be rated. Open it and look again.';

/** What an act says of its task. */
type About = { readonly task: string; readonly [more: string]: string };

/** Decides, undoes, assigns and notes. What is pressed is shown at once, and sent until it is answered. */
export function createDeciding(store: Store, client: Client, reading: Reading) {
  const outbox = createOutbox(store.redraw);
  /** What was typed and not sent, by the task or tasks that it is about. */
  const drafts = new Map<string, { readonly verdict: Verdict; readonly text: string }>();
  const notes = new Map<string, string>();
  const typedTimers = new Map<string, ReturnType<typeof setTimeout>>();

  const change = (id: string, to: Partial<Decision>) =>
    store.set({ decisions: store.get().decisions.map((one) => (one.id === id ? { ...one, ...to } : one)) });

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
    const draft = draftOf(panel);
    const [last] = reasonsFor(panel);
    if (draft?.verdict === verdict) store.set({ panel: { ...panel, text: draft.text } });
    else store.set({ panel: last ? { ...panel, text: last.text, reason: last.id } : panel });
  }

  /** Returns the saved reasons that can be chosen: of several tasks those that say the same to each worker. */
  function reasonsFor({ verdict, tasks }: Asking): readonly SavedReason[] {
    if (verdict === 'OK') return [];
    const [first = [], ...rest] = tasks.map(({ reasons }) => reasons[verdict]);
    return first.filter(({ text }) => rest.every((reasons) => reasons.some((one) => one.text === text)));
  }

  const keyOf = (tasks: readonly { readonly task: string }[]) => tasks.map(({ task }) => task).join();
  const draftOf = ({ tasks }: Asking) => drafts.get(keyOf(tasks)) ?? store.tasks.get(keyOf(tasks))?.typed;

  function withAsking(use: (asking: Asking) => void): void {
    const { panel } = store.get();
    if (panel?.kind === 'rate') use(panel);
  }

  /** Takes over what is typed, and keeps it with the bot, as the forms in Slack do. */
  const typed = (text: string) =>
    withAsking((asking) => {
      const { tasks, verdict } = asking;
      const [first] = tasks;
      store.set({ panel: { ...asking, text } });
      if (!first) return;
      drafts.set(keyOf(tasks), { verdict, text });
      if (tasks.length > 1) return;
      clearTimeout(typedTimers.get(first.task));
      const body = { task: first.task, round: first.round, verdict, text };
      const keep = () => void client.post('/desk/api/typed', body).catch(reading.failed);
      typedTimers.set(first.task, setTimeout(keep, typedMs));
    });

  /** Makes what is asked, at once on the screen, and goes on. */
  function make({ verdict, tasks, text, reason }: Asking): void {
    const comment = text.trim();
    for (const { task } of tasks) clearTimeout(typedTimers.get(task));
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
    for (let at = 0; at < made.length; at += mostAtOnce) post(made.slice(at, at + mostAtOnce), reason);
    if (current !== undefined && isMade(current)) reading.goOn();
    const next = store.rows.get(store.get().current ?? '');
    const goesOn =
      next && reading.isFree(next.task) ? `Next: ${next.worker}, ${next.campaign}.` : 'No more tasks.';
    store.say(`${said(verdict, made)} ${goesOn}`, false);
  }

  function post(made: readonly Decision[], reason: string | undefined): void {
    const { verdict = 'OK', comment = '' } = made[0] ?? {};
    const tasks = made.map(({ id, task, round }) => ({ id, task, round }));
    const body: Rate = { verdict, comment, ...(reason === undefined ? {} : { reason }), tasks };
    outbox.add({
      decisions: made.map(({ id }) => id),
      send: async () => {
        const rated = await client.post<Rated>('/desk/api/rate', body);
        for (const [at, one] of made.entries()) settle(one, rated[at]);
      },
      refuse: (sentence) => {
        for (const one of made) settle(one, { task: one.task, kind: 'refused', sentence });
      },
    });
  }

  /** Shows what became of a decision. Its text stays in reach if it was not made. */
  function settle({ id, task, worker, verdict, comment }: Decision, outcome: Outcome | undefined): void {
    if (outcome?.row) store.rows.set(task, outcome.row);
    if (outcome?.kind === 'done') {
      drafts.delete(task);
      const made = outcome.row?.decided;
      const isUndoing = store.ownDecision(task)?.state === 'undoing';
      change(id, { state: 'done', sentence: outcome.sentence, made });
      if (isUndoing && made) undoMade(task, made);
    } else {
      const sentence = outcome?.sentence ?? lost;
      if (comment !== '') drafts.set(task, { verdict, text: comment });
      change(id, { state: 'missed', sentence });
      store.say(`${worker}: ${sentence}${comment === '' ? '' : ' Your text is kept.'}`);
    }
  }

  /** Sends an act about a task, and says what became of it: its own sentence, or `done`. */
  function act(path: string, body: About, done: string, then?: (isMade: boolean) => void): void {
    outbox.add({
      send: async () => {
        const { kind, row, sentence } = await client.post<Outcome>(`/desk/api/${path}`, body);
        if (row) store.rows.set(body.task, row);
        then?.(kind === 'done');
        const text = sentence ?? (kind === 'done' ? done : lost);
        if (text !== '') store.say(text);
      },
      refuse: (sentence) => {
        then?.(false);
        store.say(sentence);
      },
    });
  }

  /** Returns whether a decision can be undone now: it may have been undone, or followed by another one, elsewhere. */
  const canUndo = ({ state, task, made }: Decision) =>
    state === 'sending' ||
    (state === 'done' && store.canUndo(made) && store.rows.get(task)?.decided?.id === made?.id);

  /** Undoes decisions of one press, and shows the first of their tasks again. */
  function undo(decisions: readonly Decision[]): void {
    const [first] = decisions;
    if (!first) {
      store.say('There is nothing to undo.');
      return;
    }
    const isUnsent = outbox.drop(decisions.map(({ id }) => id));
    for (const { id, task, made } of decisions) {
      change(id, { state: isUnsent ? 'undone' : 'undoing' });
      // One that is on its way is undone once it is known to be made.
      if (made) undoMade(task, made);
    }
    const [{ verdict, worker }, count] = [first, decisions.length];
    const what = count === 1 ? `${verdict} for ${worker}` : `${count} decisions`;
    store.say(isUnsent ? `Undone: ${what}.` : `Undoing ${what}…`);
    reading.open(first.task);
  }

  /** Undoes the decision that a task has: one of this page, or an earlier one. */
  function undoMade(task: string, made: Made): void {
    const id = store.get().decisions.find((one) => one.made?.id === made.id)?.id ?? '';
    change(id, { state: 'undoing' });
    const undone = `Undone: ${made.verdict} for ${store.worker(task)}.`;
    act('undo', { task, decision: made.id }, undone, (isUndone) =>
      change(id, { state: isUndone ? 'undone' : 'done' }),
    );
  }

  const withTask = (use: (task: string) => void) => {
    const task = store.task();
    if (task) use(task.task);
  };

  return {
    rate,
    typed,
    reasonsFor,
    draftOf,
    canUndo,
    unsent: outbox.state,
    wake: outbox.wake,
    /** Makes what the panel asks. */
    send: () =>
      withAsking((asking) => {
        if (asking.verdict !== 'OK' && asking.text.trim() === '') store.say('Write the reason first.');
        else make(asking);
      }),
    /** Chooses a saved reason by its number; 0 is what was typed. */
    choose: (number: number) =>
      withAsking((asking) => {
        const saved = reasonsFor(asking)[number - 1];
        const text = number === 0 ? draftOf(asking)?.text : saved?.text;
        if (text !== undefined) store.set({ panel: { ...asking, text, reason: saved?.id } });
      }),
    undo: (decision: Decision) => undo([decision]),
    /** Undoes all of the last press that still can be undone. */
    undoLast(): void {
      const { decisions } = store.get();
      const last = decisions.find(canUndo);
      undo(decisions.filter((one) => one.press === last?.press && canUndo(one)));
    },
    undoMade,
    /** Opens the reason again that was written for a task that could not be rated. */
    showText({ task, round, verdict }: Decision): void {
      reading.open(task);
      ask(verdict, [store.tasks.get(task) ?? { task, round, reasons: { NOK: [], REVISE: [] } }]);
    },
    /** Takes the current task, or releases it. */
    take: () =>
      withTask((task) => {
        const { isMine = false, assignedTo: seen = '' } = store.rows.get(task) ?? {};
        const body = { task, seen };
        if (isMine) act('assign', body, 'Now unassigned.');
        else act('take', body, 'Assigned to you.');
      }),
    assign: (to: { readonly member: string; readonly name: string } | undefined) =>
      withTask((task) => {
        const { assignedTo: seen = '' } = store.rows.get(task) ?? {};
        store.set({ panel: undefined });
        const body = { task, seen, ...(to ? { to: to.member } : {}) };
        act('assign', body, to ? `Assigned to ${to.name}.` : 'Now unassigned.');
      }),
    /** What was typed as notes and not stored, by task. */
    notes,
    note: (text: string) =>
      withTask((task) => {
        const body = { task, id: crypto.randomUUID(), text };
        notes.delete(task);
        act('note', body, 'Note saved.', (isSaved) => {
          if (!isSaved) notes.set(task, text);
        });
      }),
    /** Selects the current task and goes on, or unselects it. */
    select: (isKept: boolean) =>
      withTask((task) => {
        const selected = new Map(store.get().selected);
        const wasSelected = selected.delete(task);
        const shown = store.task();
        if (wasSelected || !isKept || !shown || !reading.isFree(task)) return store.set({ selected });
        store.set({ selected: selected.set(task, shown) });
        store.say(`${counted(selected.size, 'task')} selected.`, false);
        reading.goOn();
      }),
    clearSelection: () => store.set({ selected: new Map() }),
  };
}
