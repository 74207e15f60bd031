/**
 * Loads what is wanted, in its order and a few at a time, and lets go of everything else: its downloads are aborted.
 *
 * @param known what is loaded
 * @param load fails only when it is aborted
 */
export function createLoader<Item, Value>(
  known: Map<string, Value>,
  mostAtOnce: number,
  load: (item: Item, signal: AbortSignal) => Promise<Value>,
  loaded: () => void,
) {
  const running = new Map<string, AbortController>();
  const stale = new Set<string>();
  let wanted: ReadonlyMap<string, Item> = new Map();

  function run(): void {
    const [nearest] = wanted.keys();
    const isDue = ([key]: [string, Item]) => !running.has(key) && (!known.has(key) || stale.has(key));
    // What is looked at counts most, then what is not known at all.
    const isLate = ([key]: [string, Item]) => Number(known.has(key) && key !== nearest);
    const todo = [...wanted].filter(isDue).sort((a, b) => isLate(a) - isLate(b));
    for (const [key, item] of todo.slice(0, mostAtOnce - running.size)) start(key, item);
  }

  function start(key: string, item: Item): void {
    const ending = new AbortController();
    running.set(key, ending);
    stale.delete(key);
    load(item, ending.signal).then(
      (value) => {
        if (ending.signal.aborted) return;
        running.delete(key);
        known.set(key, value);
        loaded();
        run();
      },
      () => {},
    );
  }

  return {
    /** Wants these, by their keys. */
    keep(items: ReadonlyMap<string, Item>): void {
      wanted = items;
      for (const key of known.keys()) if (!wanted.has(key)) known.delete(key);
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
