import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { ProofFile } from '../domain/task.ts';
import { button, input, section } from './blocks.ts';
import { inline } from './mrkdwn.ts';

/** A file that somebody attached in a form, without its bytes. */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  contentType: z.string(),
  /** Where Slack serves it, with the bot's token. */
  address: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

/**
 * Returns an input for one file, below the previously attached file. Slack cannot prefill a file input, so that file is
 * shown as text with a button that removes it.
 * @param field.name the input's block id: a new one each time a file was stored, so that the input starts empty
 * @param field.remove the button's action id and value
 */
export function fileField(field: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly attached: Attachment | undefined;
  readonly remove: { readonly actionId: string; readonly value: string };
  readonly filetypes?: readonly string[];
}): KnownBlock[] {
  const { name, label, hint, attached, remove, filetypes } = field;
  return [
    ...(attached
      ? [
          section(`${label}: *${inline(attached.name)}* (${formatSize(attached.size)})`, {
            accessory: button('Remove', remove.actionId, remove.value),
          }),
        ]
      : []),
    input(
      name,
      attached ? `${label}: replace it` : label,
      { type: 'file_input', max_files: 1, ...(filetypes ? { filetypes: [...filetypes] } : {}) },
      // A missing file is reported in our own words.
      { hint, isOptional: true },
    ),
  ];
}

/** Describes a proof file in mrkdwn: name and size. */
export function describeFile({ filename, size }: ProofFile): string {
  return `${inline(filename, 80)} (${formatSize(size)})`;
}

/** Formats a file's size for people. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
