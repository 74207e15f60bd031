import { readFile, writeFile } from 'node:fs/promises';

/** Starts measuring another process's memory. Returns a function that returns by how many bytes its peak has grown since. */
export async function watchMemory(pid: number): Promise<() => Promise<number>> {
  // 5 resets the peak.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await peak(pid);
  return async () => (await peak(pid)) - before;
}

async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/mu.exec(status)?.[1]) * 1024;
}
