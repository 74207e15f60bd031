import { type Failure, pause } from './client.ts';
import type { Outcome } from './protocol.ts';

/** An error that is answered as often is one of the act: others must not wait for it. */
const mostErrors = 5;

/** Something that is sent until it is answered, always the same, so that nothing is done twice. */
interface Act {
  /** The decision that it makes. */
  readonly id?: string;
  readonly send: () => Promise<Outcome>;
}

/**
 * Sends acts one after the other, in their order. What gets no answer is sent again, later and later; `wake` does so now.
 *
 * @param onChange called when something was added, answered or failed
 */
export function createOutbox(onChange: () => void) {
  /** The first one is being sent. */
  const acts: (Act & { readonly answered: (outcome: Outcome) => void })[] = [];
  let failures = 0;
  let wake = () => {};

  async function run(): Promise<void> {
    for (let act = acts[0]; act; act = acts[0]) {
      const { send, answered } = act;
      const outcome = await send().catch(({ status, message }: Failure) => {
        // The session has ended: nothing can be sent any more.
        if (status === 401) return new Promise<never>(() => {});
        const isOwn = status === 500 && failures >= mostErrors;
        const sentence = isOwn ? 'Proofdesk couldn’t do this. Try again.' : message;
        return sentence === '' ? undefined : ({ kind: 'missed', sentence } as const);
      });
      failures = outcome ? 0 : failures + 1;
      if (outcome) {
        acts.shift();
        answered(outcome);
      }
      onChange();
      const awake = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!outcome) await Promise.race([awake, pause(Math.min(15_000, 500 * 2 ** (failures - 1)))]);
    }
  }

  return {
    /** Sends an act, and returns what became of it. */
    add: (act: Act): Promise<Outcome> =>
      new Promise((answered) => {
        const isFirst = acts.push({ ...act, answered }) === 1;
        onChange();
        if (isFirst) void run();
      }),
    /** Takes back the act that makes a decision, if it was never sent. Returns whether it could. */
    drop(id: string): boolean {
      const at = acts.findIndex((act, place) => place > 0 && act.id === id);
      if (at !== -1) acts.splice(at, 1);
      onChange();
      return at !== -1;
    },
    wake: () => wake(),
    /** Returns how many are not answered yet, and whether the last attempt got no answer. */
    state: () => ({ unsent: acts.length, isFailing: failures > 0 }),
  };
}
