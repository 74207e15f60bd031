import { setTimeout as delay } from 'node:timers/promises';

/** Changes within this time are one batch, as for a save or a checkout. */
const batchMs = 100;

/**
 * Watches files and folders below `folder`. Yields batches of changed paths, relative to the folder, until the signal is
 * aborted.
 */
export async function changedFiles(folder, paths, signal) {
  // Imported late: the packages may be missing until the setup is done.
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
