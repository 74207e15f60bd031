/**
 * Runs an action on several items concurrently, so that their Redis commands are pipelined. Returns the results in item
 * order. A failure does not prevent the others: the first is thrown after all have settled.
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
