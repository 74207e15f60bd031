import { type Client, Refused, Unreachable } from './client.ts';
import type { Pictures } from './pictures.ts';
import type { Looked, Me, ProofFile, Queue, Row, Task } from './protocol.ts';
import { freeAfter, missingRows } from './queue.ts';
import { type Filter, type Store, wholeView } from './state.ts';

/** The most tasks that are asked about at once: who looks at them? */
const mostAsked = 20;
/** How many tasks are read, with their pictures, before they are shown. */
const ahead = 3;
const lookMs = 20_000;
const meMs = 60_000;
/** So often (ms) the queue is read again at most while tasks change. */
const queueMs = 3_000;
const retryMs = 2_000;

export type Reading = ReturnType<typeof createReading>;

/** Reads the queue, its rows and tasks, and follows what others do. */
export function createReading(store: Store, client: Client, pictures: Pictures) {
  const tab = crypto.randomUUID();
  const asked = new Set<string>();
  let others: Readonly<Record<string, string>> = {};
  let shownAt = 0;
  let lookTimer: ReturnType<typeof setTimeout> | undefined;
  let isReadingNewer = false;
  let isEnding = false;

  const isFree = (task: string) =>
    store.rating(task) === undefined && !(task in others) && !store.gone.has(task);
  const isUnselected = (task: string) => isFree(task) && !store.get().selected.has(task);
  const place = () => store.get().order.indexOf(store.get().current ?? '');

  /** Ends the session, or tries again later: what was asked for is still wanted. */
  function failed(error: unknown, again?: () => void): void {
    if (isEnding) return;
    if (error instanceof Refused && error.status === 401) {
      isEnding = true;
      store.set({ ended: error.message });
    } else if (error instanceof Unreachable) {
      if (again) setTimeout(again, retryMs);
    } else {
      store.say(error instanceof Error ? error.message : String(error), true);
    }
  }

  async function readMe(): Promise<void> {
    const me = await client.get<Me>('/desk/api/me');
    store.setClock(me.now);
    store.set({ me });
  }

  async function readMeAgain(): Promise<void> {
    await pause(meMs);
    if (isEnding) return;
    await readMe().catch(failed);
    void readMeAgain();
  }

  async function readQueue(): Promise<Queue> {
    const { campaign, worker, country, text, isMine } = store.get().filter;
    const query = new URLSearchParams({ campaign, worker, country, text, ...(isMine ? { mine: '1' } : {}) });
    for (const [name, value] of [...query]) if (value === '') query.delete(name);
    return client.get<Queue>(`/desk/api/queue?${query}`);
  }

  /** Shows the queue as it is now, and goes on with the current task if it is still in it. */
  async function loadQueue(first?: string): Promise<void> {
    const { filter } = store.get();
    store.set({ isLoading: true, newer: undefined });
    try {
      const { tasks, more } = await readQueue();
      if (store.get().filter !== filter) return;
      show(tasks, more, first);
    } catch (error) {
      failed(error, () => void loadQueue(first));
    }
  }

  function show(order: readonly string[], more: number, first?: string): void {
    const selected = new Set([...store.get().selected].filter((task) => order.includes(task)));
    store.set({ order, more, isLoading: false, newer: undefined, selected });
    ensureRows(0, 30);
    const { current } = store.get();
    if (first !== undefined) open(first);
    else if (current === undefined || !order.includes(current)) open(order.find(isFree));
    else prepare();
  }

  /** Reads the rows of a part of the queue that are not known yet. */
  function ensureRows(first: number, last: number): void {
    const isKnown = (task: string) => store.rows.has(task) || asked.has(task);
    for (const tasks of missingRows(store.get().order, [first, last], isKnown)) void readRows(tasks);
  }

  async function readRows(tasks: readonly string[]): Promise<void> {
    for (const task of tasks) asked.add(task);
    try {
      const rows = await client.post<Row[]>('/desk/api/rows', { tasks });
      for (const task of tasks) store.gone.add(task);
      for (const row of rows) {
        store.gone.delete(row.task);
        store.rows.set(row.task, row);
      }
      store.redraw();
    } catch (error) {
      failed(error, () => void readRows(tasks));
    }
  }

  /** Shows a task; undefined: there is none. What comes after it is read ahead. */
  function open(task: string | undefined): void {
    if (task !== store.get().current) {
      store.set({ current: task, view: wholeView, panel: undefined });
      shownAt = performance.now();
    }
    prepare();
    clearTimeout(lookTimer);
    lookTimer = setTimeout(look, 100);
  }

  const upcoming = () => freeAfter(store.get().order, place(), isUnselected, ahead);

  function prepare(): void {
    const { current } = store.get();
    if (current === undefined) return;
    const wanted = [current, ...upcoming()];
    for (const task of wanted) if (!store.tasks.has(task)) void readTask(task);
    const filesOf = (task: string): readonly ProofFile[] => {
      const known = store.tasks.get(task);
      return known ? [...known.files, ...(known.before?.files ?? [])] : [];
    };
    const previous = store.get().decisions[0]?.task;
    pictures.keep([...wanted, ...(previous === undefined ? [] : [previous])].flatMap(filesOf));
    for (const task of [...store.tasks.keys()].slice(0, -50))
      if (!wanted.includes(task)) store.tasks.delete(task);
  }

  const reading = new Set<string>();
  async function readTask(id: string): Promise<void> {
    if (reading.has(id)) return;
    reading.add(id);
    try {
      const task = await client.get<Task>(`/desk/api/tasks/${encodeURIComponent(id)}`);
      if (id === store.get().current && !store.tasks.has(id)) shownAt = performance.now();
      store.setTask(task);
      store.redraw();
      prepare();
    } catch (error) {
      if (error instanceof Refused && error.status === 404) store.gone.add(id);
      failed(error, () => void (isWanted(id) && readTask(id)));
    } finally {
      reading.delete(id);
    }
  }
  const isWanted = (task: string) => task === store.get().current || upcoming().includes(task);

  async function look(): Promise<void> {
    clearTimeout(lookTimer);
    if (isEnding) return;
    lookTimer = setTimeout(look, lookMs);
    const { current } = store.get();
    try {
      // Those of others are asked about as well, so that they are known to be free again.
      const ahead = [...new Set([...upcoming(), ...Object.keys(others)])].slice(0, mostAsked);
      const body = { tab, ...(current === undefined ? {} : { task: current }), ahead };
      others = (await client.post<Looked>('/desk/api/look', body)).others;
      store.redraw();
    } catch (error) {
      failed(error);
    }
  }

  /** Reads what has changed elsewhere. Nothing that is shown moves. */
  function changed(tasks: readonly string[]): void {
    for (const task of tasks) if (store.tasks.has(task)) void readTask(task);
    const known = tasks.filter((task) => store.rows.has(task));
    for (let at = 0; at < known.length; at += 200) void readRows(known.slice(at, at + 200));
    const shown = new Set(store.get().order);
    if (isReadingNewer || tasks.every((task) => shown.has(task))) return;
    isReadingNewer = true;
    setTimeout(readNewer, queueMs);
  }

  async function readNewer(): Promise<void> {
    isReadingNewer = false;
    const { filter } = store.get();
    try {
      const { tasks, more } = await readQueue();
      if (store.get().filter !== filter) return;
      const shown = new Set(store.get().order);
      const added = tasks.filter((task) => !shown.has(task)).length;
      store.set({ newer: added > 0 ? { tasks, more, added } : undefined });
      // Nothing that is shown could move.
      if (store.get().current === undefined) showNewer();
    } catch (error) {
      failed(error);
    }
  }

  function showNewer(): void {
    const { newer } = store.get();
    if (newer) show(newer.tasks, newer.more);
  }

  /** Follows the events for as long as the session lasts. */
  async function follow(onConnect: () => void): Promise<void> {
    for (let failures = 0; !isEnding; failures++) {
      try {
        const changes = client.changes(() => {
          const wasLost = failures > 0;
          failures = 0;
          store.set({ isConnected: true });
          onConnect();
          if (wasLost) catchUp();
        });
        for await (const { tasks } of changes) changed(tasks);
      } catch (error) {
        failed(error);
      }
      if (failures > 0) store.set({ isConnected: false });
      await pause(Math.min(10_000, 300 * 2 ** failures));
    }
  }

  function catchUp(): void {
    changed([...store.rows.keys()]);
    void readNewer();
    readMe().catch(failed);
  }

  return {
    /** Reads everything for the first time. Throws what the first answer throws. */
    async start(task: string | undefined, onConnect: () => void): Promise<void> {
      await readMe();
      void loadQueue(task);
      void follow(onConnect);
      void readMeAgain();
    },
    open,
    ensureRows,
    failed,
    isFree,
    /** Returns who else looks at a task. */
    lookedAtBy: (task: string): string | undefined => others[task] ?? store.rows.get(task)?.lookedAtBy,
    /** Returns for how long (ms) the current task is shown. */
    shownForMs: () => performance.now() - shownAt,
    next: () => open(freeAfter(store.get().order, place(), isFree, 1)[0] ?? store.get().current),
    /** Goes on to a task that is neither rated nor selected; if there is none, to a selected one. */
    goOn(): void {
      const { order, current, selected } = store.get();
      const next = freeAfter(order, place(), isUnselected, 1)[0] ?? order.find((task) => selected.has(task));
      open(next ?? (current !== undefined && isFree(current) ? current : undefined));
    },
    previous: () => open(store.get().order[Math.max(0, place() - 1)] ?? store.get().current),
    filter(change: Partial<Filter>): void {
      store.set({ filter: { ...store.get().filter, ...change } });
      void loadQueue();
    },
    showNewer,
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
