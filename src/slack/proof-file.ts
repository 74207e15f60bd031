import type { ProofFile } from '../domain/task.ts';
import { inline } from './mrkdwn.ts';

/** Describes a proof file in mrkdwn: name, type and size. */
export function describeFile({ filename, contentType, size }: ProofFile): string {
  return `${inline(filename, 80)} (${inline(contentType, 40)}, ${formatSize(size)})`;
}

/** Formats a file's size for people. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
