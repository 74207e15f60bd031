import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { button, input, section } from './blocks.ts';
import { inline } from './mrkdwn.ts';
import { formatSize } from './proof-file.ts';

/** A file that somebody attached, before its bytes are asked for: what a form keeps of it. */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  contentType: z.string(),
  /** Where Slack hands it out, to whoever has the bot's token. */
  address: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

/**
 * An input for one file, and above it the file attached before: Slack cannot put that into the input again, so it stands
 * as text with a button that takes it away.
 * @param field.name the input's name: another one each time a file was taken over, so that it starts empty
 * @param field.drop the button's action id and value
 */
export function fileField(field: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly attached: Attachment | undefined;
  readonly drop: { readonly actionId: string; readonly value: string };
  readonly filetypes?: readonly string[];
}): KnownBlock[] {
  const { name, label, hint, attached, drop, filetypes } = field;
  return [
    ...(attached
      ? [
          section(`${label}: *${inline(attached.name)}* (${formatSize(attached.size)})`, {
            accessory: button('Take it away', drop.actionId, drop.value),
          }),
        ]
      : []),
    input(
      name,
      attached ? `${label}: another in its place` : label,
      { type: 'file_input', max_files: 1, ...(filetypes ? { filetypes: [...filetypes] } : {}) },
      // What is missing is said in our own words.
      { hint, isOptional: true },
    ),
  ];
}
