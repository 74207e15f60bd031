import type { Client } from './client.ts';
import { createOutbox } from './outbox.ts';
import type { Members, Outcome, Verdict } from './protocol.ts';
import type { Reading } from './reading.ts';
import type { Asking, Decision, Store } from './state.ts';
import { counted } from './words.ts';

/** An OK that is pressed so soon (ms) after its task appeared was meant for the one before. */
const doublePressMs = 300;
const typedMs = 1_000;

/** Under which name the text is kept that is typed about tasks, until it is sent. It explains a NOK or a REVISE. */
const textName = (tasks: readonly { readonly task: string }[]) => tasks.map(({ task }) => task).join();
/** Names what was decided by one press: "OK for ines_13". */
const named = ([first, ...others]: readonly Decision[]) =>
  `${first?.verdict} for ${others.length > 0 ? counted(others.length + 1, 'task') : first?.worker}`;
const noteName = (task: string) => `note ${task}`;

/** Decides, undoes, assigns and notes. What is pressed is shown at once, and sent until it is answered. */
export function createDeciding(store: Store, client: Client, reading: Reading) {
  const outbox = createOutbox(store.redraw);
  /** What was typed and not sent. */
  const texts = new Map<string, string>();

  const change = (id: string, to: Partial<Decision>) =>
    store.set({ decisions: store.get().decisions.map((one) => (one.id === id ? { ...one, ...to } : one)) });
  const stateOf = (id: string) => store.get().decisions.find((one) => one.id === id)?.state;
  /** Returns the name that a decision of this page has for the bot. */
  const madeId = (id: string) => `desk ${store.get().me?.member} ${id}`;

  /** Sends an act until it is answered, and takes over what its task is then. Returns whether it was done, and what is said. */
  async function act(path: string, body: { readonly task: string } & Record<string, unknown>, id = '') {
    const send = () => client.post<Outcome>(`/desk/api/${path}`, body);
    const { kind, row, sentence } = await outbox.add({ id, send });
    if (row) store.rows.set(row.task, row);
    const isDone = kind === 'done';
    return { isDone, sentence: sentence ?? (isDone ? undefined : 'This couldn’t be done. Look again.') };
  }

  /**
   * Begins a rating: NOK and REVISE of all selected tasks, or of the shown one, with their reason first; OK of the shown task
   * at once, so that it can be paid while others are marked; OK of all selected ones, when that is said, with their number first.
   */
  function rate(verdict: Verdict, isOfSelected = verdict !== 'OK'): void {
    const { order, selected } = store.get();
    const shown = store.task() ?? [];
    const chosen = isOfSelected ? order.flatMap((task) => selected.get(task) ?? []) : [];
    const tasks = chosen.length > 0 ? chosen : [shown].flat();
    const [first] = tasks;
    if (first === undefined) return;
    const rating = tasks.length === 1 ? store.rating(first.task) : undefined;
    if (rating) {
      store.say(store.rows.get(first.task)?.decided?.sentence ?? `You already rated this ${rating}.`);
    } else if (isOfSelected) {
      // Filled in with what was typed before, or with the reason that was used last.
      const opened = { verdict, tasks, text: '' };
      store.set({ asking: opened });
      choose(textsFor(opened)[0] ? 0 : 1);
    } else if (reading.shownForMs() < doublePressMs) {
      store.say('That OK came too soon after the task appeared, and was ignored.');
    } else {
      make({ verdict, tasks, text: '' });
    }
  }

  /**
   * Returns the texts that can be chosen, each at its number: first what was typed, then the saved reasons; of several tasks those
   * that say the same to each worker.
   */
  function textsFor(asking: Asking) {
    const { verdict, tasks } = asking;
    if (verdict === 'OK') return [];
    const kept = tasks.length === 1 ? tasks[0]?.typed?.text : undefined;
    const own = texts.get(textName(tasks)) ?? kept;
    const [first = [], ...rest] = tasks.map(({ reasons }) => reasons[verdict]);
    const fits = (text: string) => rest.every((reasons) => reasons.some((one) => one.text === text));
    return [
      own === undefined ? undefined : { id: undefined, name: 'Your text', text: own },
      ...first.filter(({ text }) => fits(text)).slice(0, 9),
    ];
  }

  function choose(number: number): void {
    const { asking } = store.get();
    const chosen = asking && textsFor(asking)[number];
    if (chosen) store.set({ asking: { ...asking, text: chosen.text, reason: chosen.id } });
  }

  /** Takes over what is typed, and keeps it with the bot, as the forms in Slack do. */
  function typed(text: string): void {
    const { asking } = store.get();
    if (!asking) return;
    const { verdict, tasks } = asking;
    const name = textName(tasks);
    texts.set(name, text);
    store.set({ asking: { ...asking, text } });
    // Unless it is changed, or sent, meanwhile.
    setTimeout(() => {
      const [{ task, round } = {}, ...others] = tasks;
      if (others.length === 0 && texts.get(name) === text)
        client.post('/desk/api/typed', { task, round, verdict, text }).catch(reading.failed);
    }, typedMs);
  }

  /** Makes what is asked, at once on the screen, and goes on. */
  function make({ verdict, tasks, text, reason }: Asking): void {
    const comment = text.trim();
    const { decisions, selected, current } = store.get();
    const press = crypto.randomUUID();
    const made = tasks.map(({ task, round }): Decision => {
      const rating = { id: crypto.randomUUID(), task, round, verdict, comment, reason };
      return { ...rating, press, worker: store.worker(task), state: 'sending' };
    });
    const isMade = (task: string) => tasks.some((one) => one.task === task);
    store.set({
      decisions: [...made, ...decisions],
      selected: new Map([...selected].filter(([task]) => !isMade(task))),
      asking: undefined,
    });
    for (const one of made) void send(one);
    if (current !== undefined && isMade(current)) reading.goOn();
    const next = store.row();
    const goesOn =
      next && reading.isFree(next.task) ? `Next: ${next.worker}, ${next.campaign}.` : 'No more tasks.';
    store.say(`${named(made)}. ${goesOn}`);
  }

  /** Sends a decision, and shows what became of it. Its text stays in reach if it was not made. */
  async function send({ id, task, round, verdict, comment, reason, worker }: Decision): Promise<void> {
    const { isDone, sentence } = await act('rate', { id, task, round, verdict, comment, reason }, id);
    if (isDone) {
      texts.delete(task);
      change(id, { sentence, state: stateOf(id) === 'undoing' ? 'undoing' : 'done' });
    } else {
      if (comment !== '') texts.set(task, comment);
      change(id, { sentence, state: 'missed' });
      store.say(`${worker}: ${sentence}${comment === '' ? '' : ' Your text is kept.'}`);
    }
  }

  /** Returns whether a decision can be undone now: it may have been undone, or followed by another one, elsewhere. */
  function canUndo({ id, state, task }: Decision): boolean {
    const made = store.rows.get(task)?.decided;
    return state === 'sending' || (state === 'done' && made?.id === madeId(id) && store.canUndo(made));
  }

  /** Undoes all of the last press that still can be undone, and shows the first of its tasks again. */
  function undoLast(): void {
    const { decisions } = store.get();
    const press = decisions.find(canUndo)?.press;
    const all = decisions.filter((one) => one.press === press && canUndo(one));
    const [first] = all;
    store.say(first ? `Undoing ${named(all)}…` : 'There is nothing to undo.');
    for (const { id, task, verdict } of all) void undo(task, verdict, madeId(id));
    if (first) reading.open(first.task);
  }

  /** Undoes a decision of this page, or an earlier one. One that is on its way is undone once it is made. */
  async function undo(task: string, verdict: Verdict, decision: string): Promise<void> {
    const { id = '' } = store.get().decisions.find((one) => madeId(one.id) === decision) ?? {};
    const undone = `Undone: ${verdict} for ${store.worker(task)}.`;
    change(id, { state: 'undoing' });
    const isUnsent = id !== '' && outbox.drop(id);
    const { isDone, sentence = undone } = isUnsent ? { isDone: true } : await act('undo', { task, decision });
    // Who was first has been said.
    if (stateOf(id) !== 'missed') store.say(sentence);
    if (stateOf(id) === 'undoing') change(id, { state: isDone ? 'undone' : 'done' });
  }

  /** Changes whose the shown task is, unless it is somebody else's than was shown; `to` undefined: nobody's. */
  async function assign(to: Members[number] | undefined): Promise<void> {
    const { task, assignment: seen } = store.row() ?? {};
    if (!task) return;
    const { sentence } = await act('assign', { task, seen, to: to?.member });
    store.say(sentence ?? (to ? `Assigned to ${to.name}.` : 'Now unassigned.'));
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
    state: outbox.state,
    wake: outbox.wake,
    /** Makes what is asked. */
    send(): void {
      const { asking } = store.get();
      if (asking && asking.verdict !== 'OK' && asking.text.trim() === '')
        store.say('Write the reason first.');
      else if (asking) make(asking);
    },
    /** Takes the shown task, or releases it. */
    take: () => void assign(store.row()?.isMine ? undefined : store.get().me),
    textOf: (task: string): string | undefined => texts.get(task),
    noteOf: (task: string): string => texts.get(noteName(task)) ?? '',
    typedNote(task: string, text: string): void {
      texts.set(noteName(task), text);
      store.redraw();
    },
    /** Leaves a note. One that is refused stands before what is typed since. */
    async note(task: string): Promise<void> {
      const name = noteName(task);
      const text = texts.get(name)?.trim() ?? '';
      if (text === '') return;
      texts.delete(name);
      const { isDone, sentence = 'Note saved.' } = await act('note', { task, id: crypto.randomUUID(), text });
      if (!isDone) texts.set(name, `${text} ${texts.get(name) ?? ''}`.trim());
      store.say(sentence);
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
