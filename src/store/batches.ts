import { ReplyError } from 'ioredis';

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Called with undefined when the batch failed because of one of its items: each is then tried separately. */
  readonly resolve: (answer: { readonly result: Result } | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that runs items in batches, one batch of a key at a time (group commit). A batch begins with the items
 * that arrive in one turn of the event loop; items that arrive while it runs form the next one. So nothing waits for a batch
 * to fill up, and the higher the load, the less each item costs.
 * @param run returns the results in the order of the items; items of a batch have the same key
 * @param most maximum number of items in a batch
 * @param collectMs how long items are collected, where nobody waits for their results
 */
export function createBatches<Item, Result>(
  run: (items: readonly [Item, ...Item[]]) => Promise<readonly Result[]>,
  { most = 100, collectMs }: { readonly most?: number; readonly collectMs?: number } = {},
) {
  /** Items waiting for a batch, by key: the one that begins soon, or the one after the running batch. */
  const queues = new Map<string, Waiting<Item, Result>[]>();

  function begin(key: string, queue: Waiting<Item, Result>[]): void {
    if (queue.length === 0) queues.delete(key);
    else if (collectMs === undefined) setImmediate(runNext, key, queue);
    else setTimeout(runNext, collectMs, key, queue);
  }

  function runNext(key: string, queue: Waiting<Item, Result>[]): void {
    void runBatch(queue.splice(0, most), queue).finally(() => begin(key, queue));
  }

  async function runBatch(
    batch: readonly Waiting<Item, Result>[],
    queue: Waiting<Item, Result>[],
  ): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item) as [Item, ...Item[]]);
      for (const [index, { resolve }] of batch.entries()) resolve({ result: results[index] as Result });
    } catch (error) {
      const isAnswer = error instanceof ReplyError;
      for (const { resolve, reject } of batch) {
        if (isAnswer && batch.length > 1) resolve(undefined);
        else reject(error);
      }
      // Items that have already waited for an unresponsive Redis must not wait again.
      if (!isAnswer) for (const { reject } of queue.splice(0)) reject(error);
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
        begin(key, first);
      }
    });
    return answer === undefined ? ((await run([item]))[0] as Result) : answer.result;
  };
}

/**
 * Returns the same read, shared by simultaneous callers: after a poll, a dozen features read the same at once. It begins
 * after they have asked, so nobody gets an older result.
 * @param nameOf names the read
 */
export function sharedReads<Arg, T>(
  read: (arg: Arg) => Promise<T>,
  nameOf: (arg: Arg) => string,
): (arg: Arg) => Promise<T> {
  const inBatches = createBatches(async (asked: readonly [Arg, ...Arg[]]) => {
    const found = await read(asked[0]);
    return asked.map(() => found);
  });
  return (arg) => inBatches(nameOf(arg), arg);
}
