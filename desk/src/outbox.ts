import { Refused } from './client.ts';

/** Something that is sent until it is answered, always the same, so that nothing is done twice. */
export interface Act {
  readonly send: () => Promise<void>;
  /** Told when the answer is no. */
  readonly refuse: (sentence: string) => void;
  /** How many decisions it carries. */
  readonly decisions: number;
}

const delayMs = (failures: number) => Math.min(15_000, 500 * 2 ** (failures - 1));

/**
 * Sends acts one after the other, in their order. What gets no answer is sent again, later and later; `wake` does so now.
 *
 * @param onChange called when something was added, answered or failed
 * @param wait waits for a time, or until the signal is aborted
 */
export function createOutbox(onChange: () => void, wait = waitFor) {
  const acts: Act[] = [];
  let begun: Act | undefined;
  let failures = 0;
  let isRunning = false;
  let hasEnded = false;
  let woken = new AbortController();

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let act = acts[0]; act && !hasEnded; act = acts[0]) {
      begun = act;
      try {
        await act.send();
        acts.shift();
        failures = 0;
      } catch (error) {
        if (error instanceof Refused && error.status === 401) {
          hasEnded = true;
        } else if (error instanceof Refused) {
          acts.shift();
          failures = 0;
          act.refuse(error.message);
        } else {
          failures += 1;
          onChange();
          woken = new AbortController();
          await wait(delayMs(failures), woken.signal);
        }
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
    /** Takes back what was never sent. Returns whether it could. */
    drop(act: Act): boolean {
      const at = acts.indexOf(act);
      if (at === -1 || act === begun) return false;
      acts.splice(at, 1);
      onChange();
      return true;
    },
    wake: () => woken.abort(),
    /** Returns what is not answered yet, and whether the last attempt got no answer. */
    state: () => ({
      unsent: acts.length,
      decisions: acts.reduce((sum, { decisions }) => sum + decisions, 0),
      isFailing: failures > 0,
      hasEnded,
    }),
  };
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
