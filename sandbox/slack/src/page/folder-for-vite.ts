import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns a path of the folder that Vite can read. Vite takes `#` and `?` in a path for parts of an address, so there the
 * path is that of a link to the folder, which is removed when the process ends. Vite must keep links as they are
 * (`preserveSymlinks`).
 */
export function folderForVite(folder: string): string {
  if (!/[#?]/.test(folder)) return folder;
  const parent = mkdtempSync(join(tmpdir(), 'proofdesk-vite-'));
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  const link = join(parent, 'project');
  symlinkSync(folder, link);
  return link;
}
