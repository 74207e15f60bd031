import { type Client, Refused, Unreachable } from './client.ts';
import { type Pictures, picturesOf } from './pictures.ts';
import type { Looked, Me, Queue, Row, Task } from './protocol.ts';
import type { Store } from './state.ts';

/** How many tasks are read, with their pictures, before they are shown; how many are asked for as rows. */
const [ahead, windowSize, mostRows] = [5, 100, 200];
const lookMs = 20_000;
const mostAsked = 20;
/** How long (ms) changes are collected before the queue is read again. */
const queueMs = 3_000;
const retryMs = 2_000;

export type Reading = ReturnType<typeof createReading>;

/** Returns the tasks after one that may be worked on, in the order of the queue, and then from its beginning. */
export function freeAfter(
  order: readonly string[],
  from: number,
  isFree: (task: string) => boolean,
  most: number,
): string[] {
  const found: string[] = [];
  for (let step = 1; step <= order.length && found.length < most; step++) {
    const at = (from + step) % order.length;
    const task = order[at];
    if (at !== from && task !== undefined && isFree(task)) found.push(task);
  }
  return found;
}

/** Reads the queue, its rows and tasks, and follows what others do. */
export function createReading(store: Store, client: Client, pictures: Pictures) {
  const tab = crypto.randomUUID();
  /** Windows of the order whose rows were asked for, and tasks that are being read. */
  const asked = new Set<number>();
  /** `true`: it has changed while it was read. */
  const readingNow = new Map<string, boolean>();
  /** Who else has tasks, and those that they look at now, rather than next. */
  let others: Readonly<Record<string, string>> = {};
  let looking: ReadonlySet<string> = new Set();
  let shownAt = 0;
  let lookTimer: ReturnType<typeof setTimeout> | undefined;
  let isReadingNewer = false;
  let isEnding = false;

  const isFree = (task: string) =>
    store.rating(task) === undefined && !(task in others) && !store.gone.has(task);
  const isUnselected = (task: string) => isFree(task) && !store.get().selected.has(task);
  const place = () => store.get().order.indexOf(store.get().current ?? '');
  const upcoming = () => freeAfter(store.get().order, place(), isUnselected, ahead);

  /** Ends the session, or tries again later: what was asked for is still wanted. */
  function failed(error: unknown, again?: () => void): void {
    if (isEnding) return;
    if (error instanceof Refused && error.status === 401) {
      isEnding = true;
      // Nobody reads on. What was typed and decided stays.
      store.tasks.clear();
      pictures.keep([]);
      store.set({ ended: error.message });
    } else if (error instanceof Unreachable) {
      if (again) setTimeout(again, retryMs);
    } else {
      store.say(error instanceof Error ? error.message : String(error));
    }
  }

  async function readMe(): Promise<void> {
    const me = await client.get<Me>('/desk/api/me');
    client.bind(me.session);
    store.setClock(me.now);
    store.set({ me });
  }

  /** Reads the queue, unless it is narrowed differently meanwhile. */
  async function readQueue(use: (queue: Queue) => void): Promise<void> {
    const { filter } = store.get();
    try {
      const queue = await client.get<Queue>(`/desk/api/queue?${new URLSearchParams(filter)}`);
      if (store.get().filter === filter) use(queue);
    } catch (error) {
      failed(error, () => void readQueue(use));
    }
  }

  /** Shows a queue, and goes on with the current task if it is still in it. */
  function show({ tasks: order, more }: Queue, first?: string): void {
    const { current, selected } = store.get();
    asked.clear();
    store.set({
      order,
      more,
      isLoading: false,
      newer: undefined,
      selected: new Map([...selected].filter(([task]) => order.includes(task))),
    });
    ensureRows(0, 30);
    if (first !== undefined) open(first);
    else if (current === undefined || !order.includes(current)) open(order.find(isFree));
    else prepare();
  }

  /** Reads the rows of a part of the queue, by whole windows, those that were not read yet. */
  function ensureRows(first: number, last: number): void {
    for (let at = Math.floor(Math.max(0, first) / windowSize); at * windowSize <= last; at++) {
      if (asked.has(at)) continue;
      asked.add(at);
      void readRows(store.get().order.slice(at * windowSize, (at + 1) * windowSize));
    }
  }

  async function readRows(tasks: readonly string[]): Promise<void> {
    if (tasks.length === 0) return;
    try {
      const rows = await client.post<Row[]>('/desk/api/rows', { tasks });
      for (const row of rows) store.rows.set(row.task, row);
      const found = new Set(rows.map(({ task }) => task));
      for (const task of tasks) if (!found.has(task)) store.gone.add(task);
      store.redraw();
    } catch (error) {
      failed(error, () => void readRows(tasks));
    }
  }

  /** Shows a task; undefined: there is none. What comes after it is read ahead. */
  function open(task: string | undefined): void {
    if (task !== store.get().current) {
      shownAt = performance.now();
      store.set({ current: task, picture: 0, scale: 1, panel: undefined });
    }
    prepare();
    clearTimeout(lookTimer);
    lookTimer = setTimeout(() => void look(), 100);
  }

  /** Reads the tasks that are shown now and next, and keeps their pictures and those of the last decision. */
  function prepare(): void {
    const { current, decisions } = store.get();
    const wanted = [current ?? [], upcoming()].flat();
    for (const task of wanted) if (!store.tasks.has(task)) void readTask(task);
    const kept = [...wanted, decisions[0]?.task ?? []].flat().flatMap((task) => store.tasks.get(task) ?? []);
    pictures.keep(kept.flatMap(picturesOf));
  }

  async function readTask(id: string): Promise<void> {
    if (readingNow.has(id)) {
      readingNow.set(id, true);
      return;
    }
    readingNow.set(id, false);
    try {
      const task = await client.get<Task>(`/desk/api/tasks/${encodeURIComponent(id)}`);
      if (id === store.get().current) appears(task);
      store.setTask(task);
    } catch (error) {
      const isGone = error instanceof Refused && error.status === 404;
      if (isGone) store.gone.add(id);
      failed(error, () => void ([store.get().current, ...upcoming()].includes(id) && readTask(id)));
      if (isGone && id === store.get().current) open(store.get().order.find(isFree));
    }
    const isOld = readingNow.get(id);
    readingNow.delete(id);
    if (isOld) void readTask(id);
    if (store.tasks.has(id)) prepare();
    store.redraw();
  }

  /** Notes when the current task comes on the screen, for the first time or in another round. */
  function appears({ task, round }: Task): void {
    const before = store.tasks.get(task)?.round;
    if (before === round) return;
    shownAt = performance.now();
    if (before === undefined) return;
    store.set({ panel: undefined });
    store.say('The worker has resubmitted this task. Look at it again.');
  }

  /** Renews the leases of this page, and learns who else looks at its tasks. */
  async function look(): Promise<void> {
    clearTimeout(lookTimer);
    if (isEnding) return;
    lookTimer = setTimeout(() => {
      readMe().catch(failed);
      void look();
    }, lookMs);
    const { current } = store.get();
    try {
      // Those of others are asked about as well, so that they are known to be free again.
      const ask = Object.keys(others).slice(0, mostAsked);
      const body = { tab, ...(current === undefined ? {} : { task: current }), ahead: upcoming(), ask };
      const looked = await client.post<Looked>('/desk/api/look', body);
      others = looked.others;
      looking = new Set(looked.looking);
      store.redraw();
    } catch (error) {
      failed(error);
    }
  }

  /** Reads what has changed elsewhere. Nothing that is shown moves. */
  function changed(tasks: readonly string[]): void {
    const wanted = [store.get().current, ...upcoming()];
    for (const task of tasks) {
      if (wanted.includes(task)) void readTask(task);
      else store.tasks.delete(task);
    }
    const known = tasks.filter((task) => store.rows.has(task) && !wanted.includes(task));
    for (let at = 0; at < known.length; at += mostRows) void readRows(known.slice(at, at + mostRows));
    const shown = new Set(store.get().order);
    if (isReadingNewer || tasks.every((task) => shown.has(task))) return;
    isReadingNewer = true;
    // A search costs the bot more.
    setTimeout(readNewer, Object.keys(store.get().filter).length > 0 ? 20 * queueMs : queueMs);
  }

  function readNewer(): void {
    isReadingNewer = false;
    void readQueue((queue) => {
      const shown = new Set(store.get().order);
      const added = queue.tasks.filter((task) => !shown.has(task)).length;
      // With no task on the screen, nothing could move.
      if (store.get().current === undefined) show(queue);
      else store.set({ newer: added > 0 ? { ...queue, added } : undefined });
    });
  }

  /** Follows the events for as long as the session lasts. */
  async function follow(onConnect: () => void): Promise<void> {
    for (let failures = 0; !isEnding; failures++) {
      try {
        const changes = client.changes(() => {
          // What changed while nobody listened.
          changed([...store.rows.keys()]);
          if (failures > 0) readNewer();
          failures = 0;
          store.set({ isConnected: true });
          onConnect();
        });
        for await (const { tasks } of changes) changed(tasks);
      } catch (error) {
        failed(error);
      }
      if (failures > 0) store.set({ isConnected: false });
      await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 300 * 2 ** failures)));
    }
  }

  return {
    /** Reads everything for the first time. Throws what the first answer throws. */
    async start(task: string | undefined, onConnect: () => void): Promise<void> {
      // Beside each other: the first task is on the screen sooner.
      void readQueue((queue) => show(queue, task));
      await readMe();
      void follow(onConnect);
    },
    open,
    changed,
    ensureRows,
    failed,
    isFree,
    /** Returns who else looks at a task. */
    lookedAtBy: (task: string): string | undefined =>
      (looking.has(task) ? others[task] : undefined) ?? store.rows.get(task)?.lookedAtBy,
    /** Returns for how long (ms) the current task is shown. */
    shownForMs: () => performance.now() - shownAt,
    next: () => open(freeAfter(store.get().order, place(), isFree, 1)[0] ?? store.get().current),
    previous: () => open(store.get().order[Math.max(0, place() - 1)] ?? store.get().current),
    /** Goes on to a task that is neither rated nor selected; if there is none, to a selected one. */
    goOn(): void {
      const { order, current, selected } = store.get();
      const next = upcoming()[0] ?? order.find((task) => selected.has(task));
      open(next ?? (current !== undefined && isFree(current) ? current : undefined));
    },
    filter(filter: Readonly<Record<string, string>>): void {
      store.set({ filter, isLoading: true });
      void readQueue(show);
    },
    showNewer(): void {
      const { newer } = store.get();
      if (newer) show(newer);
    },
  };
}
