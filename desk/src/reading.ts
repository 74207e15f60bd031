import { type Client, Refused, Unreachable } from './client.ts';
import { createLoader, pause } from './loader.ts';
import { type Pictures, picturesOf } from './pictures.ts';
import type { Looked, Me, Queue, Row, Task } from './protocol.ts';
import type { Store } from './state.ts';

/** How many tasks are read before they are shown, how many of them are leased, and how many of their pictures are loaded. */
const [ahead, leased, mostPictures] = [10, 5, 24];
/** How many tasks stay read behind the shown one; how many are read at once. */
const [behind, tasksAtOnce] = [2, 2];
/** The most rows that are asked for at once, and in how large steps they are. */
const [mostRows, rowStep] = [200, 100];
const mostAsked = 20;
const lookMs = 20_000;
/** How long (ms) changes are collected before the queue is read again; a search costs the bot more. */
const [queueMs, searchMs] = [3_000, 60_000];
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
  /** Tasks whose rows were asked for, and those that are asked for next, the last first. */
  const asked = new Set<string>();
  const wantedRows = new Set<string>();
  let isReadingRows = false;
  /** Who else has tasks, and those that they look at now, rather than next. */
  let { others, looking }: Looked = { others: {}, looking: [] };
  let shownAt = 0;
  let lookTimer: ReturnType<typeof setTimeout> | undefined;
  let isReadingNewer = false;
  let isEnding = false;

  const isFree = (task: string) =>
    store.rating(task) === undefined && !(task in others) && !store.gone.has(task);
  const isUnselected = (task: string) => isFree(task) && !store.get().selected.has(task);
  const place = () => store.get().order.indexOf(store.get().current ?? '');
  const upcoming = (most: number) => freeAfter(store.get().order, place(), isUnselected, most);
  const firstFree = () => store.get().order.find(isFree);

  const tasks = createLoader({
    mostAtOnce: tasksAtOnce,
    known: store.tasks,
    load: readTask,
    loaded() {
      prepare();
      store.redraw();
    },
  });

  /** Ends the session, or says what is wrong, if it is not only the connection. */
  function failed(error: unknown): void {
    if (isEnding || error instanceof Unreachable) return;
    if (error instanceof Refused && error.status === 401) {
      isEnding = true;
      // Nobody reads on. What was typed and decided stays.
      tasks.keep(new Map());
      pictures.keep([]);
      store.set({ ended: error.message });
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

  /** Returns an answer that may have to wait for the connection; undefined if it is no, or not wanted any more. */
  async function patiently<T>(ask: () => Promise<T>, isWanted = () => true): Promise<T | undefined> {
    while (isWanted() && !isEnding)
      try {
        const answer = await ask();
        return isWanted() ? answer : undefined;
      } catch (error) {
        failed(error);
        if (!(error instanceof Unreachable)) return undefined;
        await pause(retryMs);
      }
    return undefined;
  }

  /** Reads the queue, unless it is narrowed differently meanwhile. */
  function readQueue(): Promise<Queue | undefined> {
    const { filter } = store.get();
    const ask = () => client.get<Queue>(`/desk/api/queue?${new URLSearchParams(filter)}`);
    return patiently(ask, () => store.get().filter === filter);
  }

  /** Shows a queue, and goes on with the current task if it is still in it. */
  function show({ tasks: order, more }: Queue, first?: string): void {
    const { current } = store.get();
    const selected = new Map([...store.get().selected].filter(([task]) => order.includes(task)));
    store.set({ order, more, isLoading: false, selected });
    ensureRows(0, 30);
    // The task of a link may be in no queue any more.
    open(first ?? (current !== undefined && order.includes(current) ? current : firstFree()));
  }

  /** Reads the rows of a part of the queue, in large steps, those that were not read yet. */
  function ensureRows(first: number, last: number): void {
    const from = Math.max(0, Math.floor(first / rowStep)) * rowStep;
    const part = store.get().order.slice(from, Math.ceil((last + 1) / rowStep) * rowStep);
    void readRows(part.filter((task) => !asked.has(task)));
  }

  /** Reads rows, one request after the other. */
  async function readRows(some: readonly string[]): Promise<void> {
    for (const task of some) {
      asked.add(task);
      wantedRows.add(task);
    }
    if (isReadingRows) return;
    isReadingRows = true;
    while (wantedRows.size > 0) {
      const next = [...wantedRows].slice(-mostRows);
      for (const task of next) wantedRows.delete(task);
      const rows = await patiently(() => client.post<Row[]>('/desk/api/rows', { tasks: next }));
      if (rows) for (const task of next) store.gone.add(task);
      for (const row of rows ?? []) {
        store.gone.delete(row.task);
        store.rows.set(row.task, row);
      }
      store.redraw();
    }
    isReadingRows = false;
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

  /** Reads the tasks that are shown now and next, with their pictures, and keeps those that were shown last. */
  function prepare(): void {
    const { current, decisions, order } = store.get();
    const shown = current ?? [];
    const next = upcoming(ahead);
    const last = [decisions[0]?.task ?? [], order.slice(Math.max(0, place() - behind), Math.max(0, place()))];
    const wanted = [shown, next, last.flat()].flat();
    tasks.keep(new Map(wanted.map((task) => [task, task])));
    const filesOf = (task: string) => picturesOf(store.tasks.get(task));
    const far = [next, last.flat()].flat().flatMap(filesOf).slice(0, mostPictures);
    pictures.keep([[shown].flat().flatMap(filesOf), far].flat());
  }

  /** Reads a task. Nothing is known of one that is gone, or may not be read. */
  async function readTask(id: string, signal: AbortSignal): Promise<Task | undefined> {
    try {
      const task = await client.get<Task>(`/desk/api/tasks/${encodeURIComponent(id)}`, { signal });
      store.rows.set(id, task);
      if (id === store.get().current) appears(task);
      return task;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 404) store.gone.add(id);
      failed(error);
      if (store.gone.has(id) && id === store.get().current) open(firstFree());
      return undefined;
    }
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
      const body = { tab, ...(current === undefined ? {} : { task: current }), ahead: upcoming(leased), ask };
      ({ others, looking } = await client.post<Looked>('/desk/api/look', body));
      store.redraw();
    } catch (error) {
      failed(error);
    }
  }

  /** Reads what has changed elsewhere. Nothing that is shown moves. */
  function changed(some: readonly string[]): void {
    tasks.renew(some);
    void readRows(some.filter((task) => store.rows.has(task) && !store.tasks.has(task)));
    const shown = new Set(store.get().order);
    if (isReadingNewer || some.every((task) => shown.has(task))) return;
    isReadingNewer = true;
    setTimeout(() => void readNewer(), Object.keys(store.get().filter).length > 0 ? searchMs : queueMs);
  }

  /** Reads which tasks are new. They come last, so that nothing moves. */
  async function readNewer(): Promise<void> {
    isReadingNewer = false;
    const queue = await readQueue();
    const shown = new Set(store.get().order);
    const added = queue?.tasks.filter((task) => !shown.has(task)) ?? [];
    if (queue) show({ tasks: [...shown, ...added], more: queue.more });
  }

  /** Follows the events for as long as the session lasts. */
  async function follow(onConnect: () => void): Promise<void> {
    for (let failures = 0; !isEnding; failures++) {
      try {
        const changes = client.changes(() => {
          // What changed while nobody listened.
          changed([...store.rows.keys()]);
          if (failures > 0) void readNewer();
          failures = 0;
          store.set({ isConnected: true });
          onConnect();
        });
        for await (const { tasks: some } of changes) changed(some);
      } catch (error) {
        failed(error);
      }
      if (failures > 0) store.set({ isConnected: false });
      await pause(Math.min(10_000, 300 * 2 ** failures));
    }
  }

  return {
    /** Reads everything for the first time. Throws what the first answer throws. */
    async start(task: string | undefined, onConnect: () => void): Promise<void> {
      // Beside each other: the first task is on the screen sooner.
      void readQueue().then((queue) => queue && show(queue, task));
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
      (looking.includes(task) ? others[task] : undefined) ?? store.rows.get(task)?.lookedAtBy,
    /** Returns for how long (ms) the current task is shown. */
    shownForMs: () => performance.now() - shownAt,
    next: () => open(freeAfter(store.get().order, place(), isFree, 1)[0] ?? store.get().current),
    previous: () => open(store.get().order[Math.max(0, place() - 1)] ?? store.get().current),
    /** Goes on to a task that is neither rated nor selected; if there is none, to a selected one. */
    goOn(): void {
      const { order, current, selected } = store.get();
      const next = upcoming(1)[0] ?? order.find((task) => selected.has(task));
      open(next ?? (current !== undefined && isFree(current) ? current : undefined));
    },
    filter(filter: Readonly<Record<string, string>>): void {
      store.set({ filter, isLoading: true });
      void readQueue().then((queue) => queue && show(queue));
    },
  };
}
