import { setTimeout as delay } from 'node:timers/promises';

/** A save or a checkout changes several files within this time. */
const batchMs = 100;

/**
 * Watches files and folders below `folder` from now on. Yields the paths that have changed since the last time, relative
 * to the folder, until the signal is aborted.
 */
export async function changedFiles(folder, paths, signal) {
  // Loaded late: the packages may be missing until the set-up is done.
  const { watch } = await import('chokidar');
  const watcher = watch(paths, { cwd: folder, ignoreInitial: true });
  let changed = new Set();
  let wake = () => {};
  watcher.on('all', (_, path) => {
    changed.add(path);
    wake();
  });
  signal.addEventListener('abort', () => {
    wake();
    void watcher.close();
  });
  await new Promise((ready) => watcher.once('ready', ready));

  return (async function* batches() {
    while (!signal.aborted) {
      if (changed.size === 0) {
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
      await delay(batchMs);
      const batch = [...changed];
      changed = new Set();
      yield batch;
    }
  })();
}
