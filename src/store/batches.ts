import { ReplyError } from 'ioredis';

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Called with undefined when the batch failed because of one of its items: each is tried by itself then. */
  readonly resolve: (answer: { readonly result: Result } | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that runs items in batches, one batch of a key at a time (group commit). An item that comes while nothing
 * is under way runs at once, alone; those that come meanwhile run together after it. So nobody waits for a batch to fill up, and
 * the more there is to do, the less each item costs.
 * @param run returns the results in the order of the items; items of a batch have the same key
 */
export function createBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
) {
  /** What waits for the batch that is under way, by key. */
  const queues = new Map<string, Waiting<Item, Result>[]>();

  function runNext(key: string, queue: Waiting<Item, Result>[]): void {
    const batch = queue.splice(0, most);
    if (batch.length === 0) queues.delete(key);
    else void runBatch(batch).finally(() => runNext(key, queue));
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve({ result: results[index] as Result });
    } catch (error) {
      const isOfOne = batch.length > 1 && error instanceof ReplyError;
      for (const { resolve, reject } of batch) {
        if (isOfOne) resolve(undefined);
        else reject(error);
      }
    }
  }

  return async (key: string, item: Item): Promise<Result> => {
    const answer = await new Promise<{ readonly result: Result } | undefined>((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue !== undefined) queue.push(waiting);
      else {
        const first = [waiting];
        queues.set(key, first);
        runNext(key, first);
      }
    });
    return answer === undefined ? ((await run([item]))[0] as Result) : answer.result;
  };
}
