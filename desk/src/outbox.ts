import { Refused, Unreachable } from './client.ts';

/** An error that is answered as often is one of the act: others must not wait for it. */
const mostErrors = 5;

/** Something that is sent until it is answered, always the same, so that nothing is done twice. */
interface Act {
  readonly send: () => Promise<unknown>;
  /** The decisions that it makes. */
  readonly decisions: readonly string[];
  readonly answered: (answer: unknown) => void;
  readonly refused: (refusal: Refused) => void;
}

/**
 * Sends acts one after the other, in their order. What gets no answer is sent again, later and later; `wake` does so now.
 *
 * @param onChange called when something was added, answered or failed
 */
export function createOutbox(onChange: () => void) {
  const acts: Act[] = [];
  let failures = 0;
  let isRunning = false;
  let wake = () => {};

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let act = acts[0]; act; act = acts[0]) {
      try {
        act.answered(await act.send());
        failures = 0;
      } catch (error) {
        // The session has ended: nothing can be sent any more.
        if (error instanceof Refused && error.status === 401) return onChange();
        const isOwn = error instanceof Unreachable && error.status === 500 && failures >= mostErrors;
        failures = error instanceof Refused || isOwn ? 0 : failures + 1;
        if (failures === 0)
          act.refused(
            isOwn ? new Refused(500, 'Proofdesk couldn’t do this. Try again.') : (error as Refused),
          );
      }
      if (failures === 0) acts.shift();
      onChange();
      const waitMs = Math.min(15_000, 500 * 2 ** (failures - 1));
      if (failures > 0)
        await new Promise<void>((resolve) => {
          setTimeout(resolve, waitMs);
          wake = resolve;
        });
    }
    isRunning = false;
  }

  return {
    /** Sends an act, and returns its answer. Throws Refused if that is no. @param decisions those that it makes */
    add<T>(send: () => Promise<T>, decisions: readonly string[] = []): Promise<T> {
      return new Promise<T>((resolve, refused) => {
        acts.push({ send, decisions, answered: (answer) => resolve(answer as T), refused });
        onChange();
        void run();
      });
    },
    /** Takes back the act that makes exactly these decisions, if it was never sent. Returns whether it could. */
    drop(decisions: readonly string[]): boolean {
      // The first one is being sent, or may have been.
      const at = acts.findIndex((act, place) => place > 0 && act.decisions.join() === decisions.join());
      if (at === -1) return false;
      acts.splice(at, 1);
      onChange();
      return true;
    },
    wake: () => wake(),
    /** Returns what is not answered yet, and whether the last attempt got no answer. */
    state: () => ({
      unsent: acts.length,
      decisions: acts.reduce((sum, { decisions }) => sum + decisions.length, 0),
      isFailing: failures > 0,
    }),
  };
}
