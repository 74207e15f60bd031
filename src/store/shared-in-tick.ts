/**
 * Returns the same read, which callers within one tick share: after a poll, a dozen features ask for the same at once. A caller
 * of a later tick reads anew, so nobody gets what was read before they asked.
 * @param nameOf names what is read
 */
export function sharedInTick<Arg, T>(
  read: (arg: Arg) => Promise<T>,
  nameOf: (arg: Arg) => string,
): (arg: Arg) => Promise<T> {
  const reads = new Map<string, Promise<T>>();
  return (arg) => {
    const name = nameOf(arg);
    const shared = reads.get(name);
    if (shared !== undefined) return shared;
    const started = read(arg);
    reads.set(name, started);
    process.nextTick(() => reads.delete(name));
    return started;
  };
}
