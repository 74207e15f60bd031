import { ReplyError } from 'ioredis';

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Called with undefined when the batch failed because of one of its items: each is tried by itself then. */
  readonly resolve: (answer: { readonly result: Result } | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that runs items in batches, one batch of a key at a time (group commit). A batch begins with what has come in
 * one turn of the event loop; what comes while it is under way runs together after it. So nobody waits for a batch to fill
 * up, and the more there is to do, the less each item costs.
 * @param run returns the results in the order of the items; items of a batch have the same key
 * @param most how many items a batch has at most
 * @param collectMs for so long items are collected, where nobody waits for their results
 */
export function createBatches<Item, Result>(
  run: (items: readonly [Item, ...Item[]]) => Promise<readonly Result[]>,
  { most = 100, collectMs }: { readonly most?: number; readonly collectMs?: number } = {},
) {
  /** What waits for its batch, by key: the one that begins soon, or one after that which is under way. */
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
      // Whoever has waited for a Redis that does not answer is not to wait once more.
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
 * Returns the same read, which callers of one moment share: after a poll, a dozen features ask for the same at once. It begins after
 * they have asked, so nobody gets what was read before.
 * @param nameOf names what is read
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
