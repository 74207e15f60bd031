import type { ProofFile } from '../domain/task.ts';
import { inline } from './mrkdwn.ts';

/** A proof file in a few words of mrkdwn: name, type and size. */
export function describeFile({ filename, contentType, size }: ProofFile): string {
  return `${inline(filename, 80)} (${inline(contentType, 40)}, ${formatSize(size)})`;
}

/** A file's size for people. @param bytes how large */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
