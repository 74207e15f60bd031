import type { Made, Me, Rate, Row, Task, Verdict } from './protocol.ts';

/** A decision that was made on this page. */
export interface Decision extends Rate {
  /** The same for all that were decided by one press. */
  readonly press: string;
  readonly worker: string;
  readonly state: 'sending' | 'done' | 'missed' | 'undoing' | 'undone';
  /** What became of it, if something needs to be said. */
  readonly sentence?: string | undefined;
}

/** What is asked before ratings are made: the reason, or whether that many are OK. */
export interface Asking {
  readonly verdict: Verdict;
  /** As they were read: one that was resubmitted meanwhile is not rated by it. */
  readonly tasks: readonly Task[];
  readonly text: string;
  /** The saved reason that the text is, or began as. */
  readonly reason?: string | undefined;
}

const initial = {
  me: undefined as Me | undefined,
  /** How far the bot's clock is ahead (ms). */
  clockOffset: 0,
  /** What the queue is narrowed to, as it is asked for. */
  filter: {} as Readonly<Record<string, unknown>>,
  order: [] as readonly string[],
  isLoading: true,
  current: undefined as string | undefined,
  selected: new Map() as ReadonlyMap<string, Task>,
  /** The latest first. */
  decisions: [] as readonly Decision[],
  asking: undefined as Asking | undefined,
  dialog: undefined as 'assign' | 'keys' | undefined,
  /** The picture that is looked at, and how large. */
  picture: 0,
  scale: 1,
  /** What was said last, also by screen readers. */
  notice: '',
  isConnected: true,
  /** The sentence with which the session ended. */
  ended: undefined as string | undefined,
};

export type DeskState = Readonly<typeof initial>;
export type Store = ReturnType<typeof createStore>;

/** Keeps the state of the page, and what is known of tasks. */
export function createStore() {
  let state: DeskState = initial;
  const listeners = new Set<() => void>();
  const rows = new Map<string, Row | undefined>();
  const tasks = new Map<string, Task | undefined>();

  function set(change: Partial<DeskState>): void {
    state = { ...state, ...change };
    for (const tell of listeners) tell();
  }
  const now = () => Date.now() + state.clockOffset;

  return {
    /** Rows as they are now, tasks as they were read; undefined: those that are gone. Who changes them calls `redraw`. */
    rows,
    tasks,
    get: () => state,
    set,
    redraw: () => set({}),
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    say: (notice: string) => set({ notice }),
    now,
    /** Returns the task that is shown, if it is read. */
    task: () => tasks.get(state.current ?? ''),
    row: () => rows.get(state.current ?? ''),
    worker: (task: string): string => rows.get(task)?.worker ?? task,
    isGone: (task: string): boolean => rows.has(task) && rows.get(task) === undefined,
    /** Returns the rating that a task has or is about to have: unless a decision is on its way, it is as the bot says. */
    rating: (task: string): Verdict | undefined =>
      state.decisions.find((one) => one.task === task && /^(?:sending|undoing)$/.test(one.state))?.verdict ??
      rows.get(task)?.decided?.verdict,
    /** Returns whether what was made can be undone now. */
    canUndo: (made: Made | undefined): boolean => (made?.undoUntil ?? 0) > now(),
  };
}
