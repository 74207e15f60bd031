const retryMs = 2_000;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Loads what is wanted, in its order and a few at a time, and lets go of everything else: its downloads are aborted. What the
 * server is unreachable for is tried again.
 *
 * @param known what is loaded
 * @param release called with what is let go
 */
export function createLoader<Item, Value>(options: {
  readonly mostAtOnce: number;
  readonly known: Map<string, Value>;
  readonly load: (item: Item, signal: AbortSignal) => Promise<Value>;
  readonly loaded: () => void;
  readonly release?: (value: Value) => void;
}) {
  const { mostAtOnce, known, load, loaded, release = () => undefined } = options;
  const running = new Map<string, AbortController>();
  const stale = new Set<string>();
  let wanted: ReadonlyMap<string, Item> = new Map();

  function run(): void {
    const [nearest] = wanted.keys();
    const isDue = ([key]: [string, Item]) => !running.has(key) && (!known.has(key) || stale.has(key));
    // What is looked at counts most, then what is not known at all.
    const isLate = ([key]: [string, Item]) => Number(known.has(key) && key !== nearest);
    const todo = [...wanted].filter(isDue).sort((a, b) => isLate(a) - isLate(b));
    for (const [key, item] of todo.slice(0, mostAtOnce - running.size)) void start(key, item);
  }

  async function start(key: string, item: Item): Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    running.set(key, ending);
    stale.delete(key);
    try {
      const value = await load(item, signal);
      if (signal.aborted) return release(value);
      const before = known.get(key);
      if (before !== undefined) release(before);
      known.set(key, value);
    } catch {
      if (signal.aborted) return;
      stale.add(key);
      await pause(retryMs);
      if (signal.aborted) return;
    }
    running.delete(key);
    loaded();
    run();
  }

  return {
    /** Wants these, by their keys. */
    keep(items: ReadonlyMap<string, Item>): void {
      wanted = items;
      for (const [key, value] of known)
        if (!wanted.has(key)) {
          known.delete(key);
          release(value);
        }
      for (const [key, ending] of running)
        if (!wanted.has(key)) {
          running.delete(key);
          ending.abort();
        }
      run();
    },
    /** Loads these anew, as far as they are wanted. */
    renew(keys: readonly string[]): void {
      for (const key of keys) if (wanted.has(key)) stale.add(key);
      run();
    },
  };
}
