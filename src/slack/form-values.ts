import { z } from 'zod';
import { UserError } from '../errors.ts';

/**
 * Creates the codec of the data in buttons and forms. Decoding throws a UserError when the text does not match the schema,
 * such as that of a button whose meaning has changed.
 * @param advice what to do then, as a sentence
 */
export function codec<Schema extends z.ZodType>(thing: 'button' | 'form', schema: Schema, advice: string) {
  return {
    encode: (value: z.infer<Schema>): string => JSON.stringify(value),
    decode(text: string): z.infer<Schema> {
      const parsed = schema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new UserError(`This ${thing} is out of date. ${advice}`);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mostIds = 100;

/**
 * Returns the ids in a typed text, separated by spaces, commas or lines, each once; or the problem, to show beside the
 * input.
 */
export function parseIds(text: string): { readonly ids: readonly string[] } | { readonly problem: string } {
  // An id copied from a message of the bot may contain the characters that prevent formatting or reordering.
  const written = text.replace(/[\u2060\u2068\u2069]/gu, '');
  const ids = [...new Set(written.split(/[\s,;]+/).filter((id) => id !== ''))];
  if (ids.length === 0) return { problem: 'Enter at least one id.' };
  if (ids.length > mostIds) {
    return { problem: `These are ${ids.length} ids. Enter at most ${mostIds} at once.` };
  }
  // To the marketplace, `all` means every entry of a list.
  if (ids.some((id) => id.toLowerCase() === 'all')) return { problem: '“all” is not an id. Enter each id.' };
  return { ids };
}

/** The inputs of a modal by name (block id), as Slack reports them. */
export type Values = Readonly<Record<string, Readonly<Record<string, ElementState>>>>;

interface ElementState {
  readonly value?: string | null;
  readonly selected_option?: { readonly value?: string } | null;
  readonly selected_options?: readonly { readonly value?: string }[];
  readonly selected_user?: string | null;
  readonly selected_users?: readonly string[];
  readonly selected_conversation?: string | null;
  readonly selected_date?: string | null;
  readonly files?: readonly AttachedFile[];
}

export interface AttachedFile {
  readonly id: string;
  readonly name?: string;
  /** Bytes. */
  readonly size?: number;
  readonly mimetype?: string;
  readonly url_private_download?: string;
}

/** Returns the text typed into an input, trimmed; '' when there is none. */
export function typed(values: Values, name: string): string {
  return stateOf(values, name)?.value?.trim() ?? '';
}

/** Returns the value chosen in a select or radio group, or undefined. */
export function chosen(values: Values, name: string): string | undefined {
  return stateOf(values, name)?.selected_option?.value ?? undefined;
}

/** Returns the day (YYYY-MM-DD), member or channel picked in an input, or undefined. */
export function picked(values: Values, name: string): string | undefined {
  const { selected_date, selected_user, selected_conversation } = stateOf(values, name) ?? {};
  return selected_date ?? selected_user ?? selected_conversation ?? undefined;
}

/** Returns the values chosen in a multi-select or checkboxes. */
export function chosenMany(values: Values, name: string): string[] {
  return (stateOf(values, name)?.selected_options ?? []).flatMap(({ value }) => (value ? [value] : []));
}

export function chosenUsers(values: Values, name: string): readonly string[] {
  return stateOf(values, name)?.selected_users ?? [];
}

export function attached(values: Values, name: string): readonly AttachedFile[] {
  return stateOf(values, name)?.files ?? [];
}

function stateOf(values: Values, name: string): ElementState | undefined {
  return Object.values(values[name] ?? {})[0];
}

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
