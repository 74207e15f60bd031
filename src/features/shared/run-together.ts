/**
 * Runs something for several items at the same time, so that what they read and write in Redis is put together into few commands.
 * Returns the results in the order of the items. Throws the first failure, once all have ended.
 */
export async function runTogether<Item, Result>(
  items: readonly Item[],
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const ended = await Promise.allSettled(items.map(run));
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
