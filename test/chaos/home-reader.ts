import type { Evidence } from './evidence.ts';
import type { ChaosWorld } from './world.ts';

/**
 * Creates the people who do what the Home tab asks for, each thing once: their settings since the copy from which Redis was
 * restored are lost, and only they know them.
 */
export function createHomeReader(world: ChaosWorld) {
  const acts = [
    {
      asks: /was deleted, or is hidden from Proofdesk/,
      done: 'a channel is subscribed again, as Home asks for',
      act: () => world.subscribeNextChannel(),
    },
    {
      asks: /no longer accepts the API key/,
      done: 'a key is entered again, as Home asks for',
      act: () => world.connectOwnKey(),
    },
  ];
  const done = new Set<string>();
  return {
    /** Follows the current requests. Returns what was done. */
    async follow({ homes }: Pick<Evidence, 'homes'>): Promise<string[]> {
      const asked = acts.filter(
        (one) => !done.has(one.done) && homes.some(({ text }) => one.asks.test(text)),
      );
      for (const one of asked) {
        done.add(one.done);
        await one.act();
      }
      return asked.map((one) => one.done);
    },
  };
}
