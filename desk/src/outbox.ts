import { Refused, Unreachable } from './client.ts';

/** An error that is answered as often is one of the act: others must not wait for it. */
const mostErrors = 5;

/** Something that is sent until it is answered, always the same, so that nothing is done twice. */
export interface Act {
  readonly send: () => Promise<void>;
  /** Told when the answer is no. */
  readonly refuse: (sentence: string) => void;
  /** The decisions that it makes. */
  readonly decisions?: readonly string[];
}

/**
 * Sends acts one after the other, in their order. What gets no answer is sent again, later and later; `wake` does so now.
 *
 * @param onChange called when something was added, answered or failed
 * @param wait waits for a time, or until the signal is aborted
 */
export function createOutbox(onChange: () => void, wait = waitFor) {
  const acts: Act[] = [];
  let failures = 0;
  let isRunning = false;
  let hasEnded = false;
  let waiting = new AbortController();

  const isOwnError = (error: unknown) =>
    error instanceof Unreachable && error.status === 500 && failures >= mostErrors;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let act = acts[0]; act && !hasEnded; act = acts[0]) {
      const error: unknown = await act.send().then(
        () => undefined,
        (problem: unknown) => problem ?? new Error(),
      );
      if (error instanceof Refused && error.status === 401) {
        hasEnded = true;
      } else if (error === undefined || error instanceof Refused || isOwnError(error)) {
        acts.shift();
        failures = 0;
        if (error instanceof Refused) act.refuse(error.message);
        else if (error) act.refuse('Proofdesk couldn’t do this. Try again.');
      } else {
        failures += 1;
        onChange();
        waiting = new AbortController();
        await wait(Math.min(15_000, 500 * 2 ** (failures - 1)), waiting.signal);
      }
      onChange();
    }
    isRunning = false;
  }

  return {
    add(act: Act): void {
      acts.push(act);
      onChange();
      void run();
    },
    /** Takes back the act that makes exactly these decisions, if it was never sent. Returns whether it could. */
    drop(decisions: readonly string[]): boolean {
      // The first one is being sent, or may have been.
      const at = acts.findIndex((act, place) => place > 0 && act.decisions?.join() === decisions.join());
      if (at === -1) return false;
      acts.splice(at, 1);
      onChange();
      return true;
    },
    wake: () => waiting.abort(),
    /** Returns what is not answered yet, and whether the last attempt got no answer. */
    state: () => ({
      unsent: acts.length,
      decisions: acts.reduce((sum, { decisions = [] }) => sum + decisions.length, 0),
      isFailing: failures > 0,
    }),
  };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve());
  });
}
