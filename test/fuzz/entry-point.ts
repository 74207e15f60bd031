import type { Arbitrary } from 'fast-check';

/** What an entry point runs its cases against: opened once, for many cases. */
export interface Session<Case = unknown> {
  readonly cases: Arbitrary<Case>;
  /**
   * Sends one case and resolves to everything that came back, once it is answered. Rejects when the answer is wrong: then
   * the message says how.
   */
  run(one: Case): Promise<string>;
  /** Returns what was emitted elsewhere since the last call, such as log lines and calls of Slack's Web API. */
  emitted?(): Promise<readonly string[]>;
  /** Returns how the session is now that this many cases have run; rejects when it serves no longer. */
  afterBatch?(ran: number): Promise<void>;
  /** Ends it and returns what was emitted until the end. Rejects when it does not end. */
  close(): Promise<readonly string[]>;
}

/** A place at which something from outside enters, with the generator of what may arrive there. */
export interface EntryPoint<Case = unknown> {
  readonly name: string;
  open(): Promise<Session<Case>>;
}

/** Fixes the type of the cases, which differs between entry points. */
export function entryPoint<Case>(name: string, open: () => Promise<Session<Case>>): EntryPoint {
  return { name, open: open as unknown as EntryPoint['open'] };
}
