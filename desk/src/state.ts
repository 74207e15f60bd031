import type { Made, Me, Row, Task, Verdict } from './protocol.ts';

/** What the queue is narrowed to; empty texts are no filter. */
export interface Filter {
  readonly campaign: string;
  readonly worker: string;
  readonly country: string;
  readonly text: string;
  readonly isMine: boolean;
}

/** A decision that was made on this page. */
export interface Decision {
  readonly id: string;
  /** The same for all that were decided by one press. */
  readonly press: string;
  readonly task: string;
  readonly worker: string;
  readonly verdict: Verdict;
  readonly comment: string;
  readonly state: 'sending' | 'done' | 'missed' | 'undoing' | 'undone';
  /** What became of it, if something needs to be said. */
  readonly sentence?: string | undefined;
  readonly made?: Made | undefined;
}

/** The reason of a NOK or REVISE, while it is chosen and written. */
export interface ReasonForm {
  readonly kind: 'reason';
  readonly verdict: 'NOK' | 'REVISE';
  readonly tasks: readonly string[];
  readonly text: string;
  /** The saved reason that the text is, or began as. */
  readonly reason?: string | undefined;
  /** What was typed, kept while saved reasons are tried. */
  readonly own?: string | undefined;
}

export type Panel =
  | ReasonForm
  | { readonly kind: 'confirm'; readonly tasks: readonly string[] }
  | { readonly kind: 'assign' | 'keys' };

/** Where the pictures are looked at: which one, how large, and moved by how much of the stage. */
export interface View {
  readonly picture: number;
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface DeskState {
  readonly me?: Me;
  readonly filter: Filter;
  readonly order: readonly string[];
  /** How many tasks wait beyond the order. */
  readonly more: number;
  readonly isLoading: boolean;
  /** The order as it is by now, if it has tasks that the shown one lacks. */
  readonly newer?:
    | { readonly tasks: readonly string[]; readonly more: number; readonly added: number }
    | undefined;
  /** Counted up whenever a row, a task or a picture changes. */
  readonly version: number;
  readonly current?: string | undefined;
  readonly selected: ReadonlySet<string>;
  readonly decisions: readonly Decision[];
  readonly panel?: Panel | undefined;
  readonly view: View;
  /** What is beside the task on a narrow screen. */
  readonly sheet?: 'queue' | 'facts' | undefined;
  /** Said by screen readers, and shown if `isShown`. */
  readonly notice: { readonly text: string; readonly isShown: boolean };
  readonly isConnected: boolean;
  /** The sentence with which the session ended. */
  readonly ended?: string;
}

export const wholeView: View = { picture: 0, scale: 1, x: 0, y: 0 };
export const noFilter: Filter = { campaign: '', worker: '', country: '', text: '', isMine: false };

export type Store = ReturnType<typeof createStore>;

/** Keeps the state of the page, and what is known of tasks. */
export function createStore() {
  let state: DeskState = {
    filter: noFilter,
    order: [],
    more: 0,
    isLoading: true,
    version: 0,
    selected: new Set(),
    decisions: [],
    view: wholeView,
    notice: { text: '', isShown: false },
    isConnected: true,
  };
  const listeners = new Set<() => void>();
  const rows = new Map<string, Row>();
  const tasks = new Map<string, Task>();
  let clockOffset = 0;

  function set(change: Partial<DeskState>): void {
    state = { ...state, ...change };
    for (const tell of listeners) tell();
  }

  const store = {
    /** Rows as they are now, and tasks as they were read, by id. Whoever changes them calls `redraw`. */
    rows,
    tasks,
    /** Tasks that are no longer stored. */
    gone: new Set<string>(),
    get: () => state,
    set,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    redraw: () => set({ version: state.version + 1 }),
    /** Says it to screen readers; `show` shows it as well. */
    say: (text: string, show = false) => set({ notice: { text, isShown: show } }),
    /** Takes over the bot's clock. */
    setClock(now: number) {
      clockOffset = now - Date.now();
    },
    now: () => Date.now() + clockOffset,
    /** Takes over a task with all that is shown of it. */
    setTask(task: Task): void {
      rows.set(task.task, task);
      tasks.set(task.task, task);
    },
    worker: (task: string): string => rows.get(task)?.worker ?? task,
    /** Returns the decision on its way, or made here, that stands about a task. */
    ownDecision: (task: string): Decision | undefined =>
      state.decisions.find((one) => one.task === task && /sending|done|undoing/.test(one.state)),
    /** Returns the rating that a task has or is about to have. */
    rating: (task: string): Verdict | undefined =>
      store.ownDecision(task)?.verdict ?? rows.get(task)?.decided?.verdict,
  };
  return store;
}
