import { type Client, Failure, pause } from './client.ts';
import { createLoader } from './loader.ts';
import { type Pictures, picturesOf } from './pictures.ts';
import type { Me, Row, Task } from './protocol.ts';
import type { Store } from './state.ts';

/** How many tasks are read before they are shown, how many of them are leased, and how many of their pictures are loaded. */
const [ahead, leased, mostPictures] = [10, 5, 24];
/** How many tasks stay read behind the shown one; how many are read at once. */
const [behind, tasksAtOnce] = [2, 2];
/** The most rows that are asked for at once, in how large steps they are, and how many of other people's are asked about. */
const [mostRows, rowStep, mostOfOthers] = [200, 100, 20];
const lookMs = 20_000;
/** How long (ms) changes are collected before the queue is read again, or a search, which costs more; and what is typed for one. */
const [newerMs, newerNarrowedMs, filterMs] = [5_000, 60_000, 250];

export type Reading = ReturnType<typeof createReading>;

/** Reads the queue, its rows and tasks, and follows what others do. */
export function createReading(store: Store, client: Client, pictures: Pictures) {
  const tab = crypto.randomUUID();
  /** The part of the queue that is in sight, rows that have changed, and whether rows are being read. */
  let inSight: [from: number, to: number] = [0, rowStep];
  const changedRows = new Set<string>();
  let isReadingRows = false;
  let queueReading = new AbortController();
  let shownAt = 0;
  let lookTimer: ReturnType<typeof setTimeout> | undefined;
  let newerTimer: ReturnType<typeof setTimeout> | undefined;
  let filterTimer: ReturnType<typeof setTimeout> | undefined;

  const hasEnded = () => store.get().ended !== undefined;
  const isFree = (task: string) =>
    store.rating(task) === undefined && !store.rows.get(task)?.heldBy && !store.isGone(task);
  const place = () => store.get().order.indexOf(store.get().current ?? '');
  const upcoming = (most: number) =>
    freeAfter((task) => isFree(task) && !store.get().selected.has(task), most);
  const firstFree = () => store.get().order.find(isFree);

  /** Returns the tasks after the current one that may be worked on, in the order of the queue, and then from its beginning. */
  function freeAfter(may: (task: string) => boolean, most: number): string[] {
    const { order, current } = store.get();
    const [found, from]: [string[], number] = [[], place()];
    for (let step = 1; step <= order.length && found.length < most; step++) {
      const task = order[(from + step) % order.length];
      if (task !== undefined && task !== current && may(task)) found.push(task);
    }
    return found;
  }

  const tasks = createLoader(store.tasks, tasksAtOnce, readTask, () => {
    prepare();
    store.redraw();
  });

  /** Says what is wrong, unless it is only the connection; ends the page with its session. */
  function failed(error: unknown): undefined {
    if (hasEnded() || !(error instanceof Failure) || error.message === '') return;
    const isEnd = error.status === 401;
    store.set(isEnd ? { ended: error.message } : { notice: error.message });
    // Nobody reads on. What was typed and decided stays.
    if (isEnd) tasks.keep(new Map());
    if (isEnd) pictures.keep([]);
  }

  async function readMe(): Promise<void> {
    const me = await client.post<Me>('/desk/api/me');
    client.bind(me.session);
    store.set({ me, clockOffset: me.now - Date.now() });
  }

  /** Reads the queue, as it is narrowed. What was asked before is not wanted any more. */
  function readQueue(): Promise<string[] | undefined> {
    queueReading.abort();
    queueReading = new AbortController();
    const filter = { label: '', ...store.get().filter };
    return client.read<string[]>('/desk/api/queue', filter, queueReading.signal).catch((error: Failure) => {
      if (error.message !== '') store.set({ isLoading: false });
      return failed(error);
    });
  }

  /** Shows a queue, and goes on with the current task if it is still in it. */
  function show(order: readonly string[] | undefined, first?: string): void {
    if (!order) return;
    const { current } = store.get();
    const selected = new Map([...store.get().selected].filter(([task]) => order.includes(task)));
    store.set({ order, isLoading: false, selected });
    void readRows();
    // The task of a link may be in no queue any more.
    open(first ?? (current !== undefined && order.includes(current) ? current : firstFree()));
  }

  /** Reads the rows that are in sight and not known, and those that have changed, until there are none. */
  async function readRows(): Promise<void> {
    if (isReadingRows) return;
    isReadingRows = true;
    for (let isAnswered = true; isAnswered; ) {
      const { order } = store.get();
      const unknown = order.slice(...inSight).filter((task) => !store.rows.has(task));
      const some = [...new Set([...unknown, ...changedRows])].slice(0, mostRows);
      for (const task of some) changedRows.delete(task);
      isAnswered = some.length > 0 && (await take(some, client.read('/desk/api/rows', { tasks: some })));
    }
    isReadingRows = false;
  }

  /** Takes over what is known of tasks. Returns whether it was answered. */
  async function take(some: readonly string[], asked: Promise<readonly Row[]>): Promise<boolean> {
    const rows = await asked.catch(failed);
    const found = new Map(rows?.map((row) => [row.task, row]));
    if (rows) for (const task of some) store.rows.set(task, found.get(task));
    store.redraw();
    return rows !== undefined;
  }

  /** Shows a task; undefined: there is none. What comes after it is read ahead. */
  function open(task: string | undefined): void {
    if (task !== store.get().current) {
      shownAt = performance.now();
      store.set({ current: task, picture: 0, scale: 1, asking: undefined, dialog: undefined });
    }
    prepare();
    clearTimeout(lookTimer);
    lookTimer = setTimeout(look, 100);
  }

  /** Reads the tasks that are shown now and next, with their pictures, and keeps those that were shown last. */
  function prepare(): void {
    const { current, decisions, order } = store.get();
    const last = order.slice(Math.max(0, place() - behind), Math.max(0, place()));
    const wanted = [current ?? [], upcoming(ahead), decisions[0]?.task ?? [], last].flat();
    tasks.keep(new Map(wanted.map((task) => [task, task])));
    const far = wanted.slice(1).flatMap((task) => picturesOf(store.tasks.get(task)));
    pictures.keep([...picturesOf(store.task()), ...far.slice(0, mostPictures)]);
  }

  /** Reads a task. Nothing is known of one that is gone, or may not be read. */
  async function readTask(id: string, wanted: AbortSignal): Promise<Task | undefined> {
    try {
      const task = await client.read<Task>('/desk/api/tasks', { task: id }, wanted);
      store.rows.set(id, task);
      if (id === store.get().current) appears(task);
      return task;
    } catch (error) {
      if (wanted.aborted) throw error;
      failed(error);
      if ((error as Failure).status === 404) store.rows.set(id, undefined);
      if (store.isGone(id) && id === store.get().current) open(firstFree());
      return undefined;
    }
  }

  /** Notes when the current task comes on the screen, for the first time or in another round. */
  function appears({ task, round }: Task): void {
    const before = store.tasks.get(task)?.round;
    if (before === round) return;
    shownAt = performance.now();
    if (before === undefined) return;
    store.set({ asking: undefined });
    store.say('The worker has resubmitted this task. Look at it again.');
  }

  /** Renews the leases of this page, and learns who else has its tasks; then from time to time. */
  function look(): void {
    if (hasEnded()) return;
    clearTimeout(lookTimer);
    lookTimer = setTimeout(() => {
      readMe().catch(failed);
      look();
    }, lookMs);
    const { current } = store.get();
    const next = upcoming(leased);
    // Those of others are asked about as well, so that they are known to be free again.
    const others = [...store.rows.values()].flatMap((row) => (row?.heldBy ? row.task : []));
    const some = [...new Set([current ?? [], next, others.slice(0, mostOfOthers)].flat())];
    const asked = client.post<readonly Row[]>('/desk/api/rows', {
      tasks: some,
      tab,
      task: current,
      ahead: next,
    });
    // Of those that are known only who has them: a rating may have been answered since it was asked.
    const news = asked.then((rows) =>
      rows.map(({ heldBy, lookedAtBy, ...row }) => ({
        ...row,
        ...store.rows.get(row.task),
        heldBy,
        lookedAtBy,
      })),
    );
    void take(some, news);
  }

  /** Reads what has changed elsewhere; without tasks, which are new. Nothing that is shown moves. */
  function changed(some: readonly string[]): void {
    tasks.renew(some);
    for (const task of some) if (store.rows.has(task) && !store.tasks.has(task)) changedRows.add(task);
    void readRows();
    const shown = new Set(store.get().order);
    const isNarrowed = Object.keys(store.get().filter).length > 0;
    if (some.length === 0 || some.some((task) => !shown.has(task)))
      newerTimer ??= setTimeout(() => void readNewer(), isNarrowed ? newerNarrowedMs : newerMs);
  }

  /** Reads which tasks are new. They come last, so that nothing moves. */
  async function readNewer(): Promise<void> {
    clearTimeout(newerTimer);
    newerTimer = undefined;
    // What is being read has them.
    const queue = store.get().isLoading ? undefined : await readQueue();
    show(queue && [...new Set([...store.get().order, ...queue])]);
  }

  /** Follows the events for as long as the session lasts. */
  async function follow(onConnect: () => void): Promise<void> {
    for (let failures = 0; !hasEnded(); failures++) {
      try {
        for await (const some of client.changes()) {
          changed(some);
          if (some.length > 0) continue;
          // What changed while nobody listened.
          changed([...store.rows.keys()]);
          failures = 0;
          store.set({ isConnected: true });
          onConnect();
        }
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
      void readQueue().then((queue) => show(queue, task));
      await readMe();
      void follow(onConnect);
    },
    open,
    changed,
    failed,
    isFree,
    /** Reads the rows of a part of the queue, in large steps, those that are not known. */
    sees(first: number, last: number): void {
      inSight = [
        Math.max(0, Math.floor(first / rowStep)) * rowStep,
        Math.ceil((last + 1) / rowStep) * rowStep,
      ];
      void readRows();
    },
    /** Returns for how long (ms) the current task is shown. */
    shownForMs: () => performance.now() - shownAt,
    next: () => open(freeAfter(isFree, 1)[0] ?? store.get().current),
    previous: () => open(store.get().order[Math.max(0, place() - 1)] ?? store.get().current),
    /** Goes on to a task that is neither rated nor selected; if there is none, to a selected one. */
    goOn(): void {
      const { order, current, selected } = store.get();
      const next = upcoming(1)[0] ?? order.find((task) => selected.has(task));
      open(next ?? (current !== undefined && isFree(current) ? current : undefined));
    },
    filter(filter: Readonly<Record<string, unknown>>): void {
      store.set({ filter, isLoading: true });
      clearTimeout(filterTimer);
      filterTimer = setTimeout(() => void readQueue().then(show), filterMs);
    },
  };
}
