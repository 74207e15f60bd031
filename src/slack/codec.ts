import type { z } from 'zod';
import { UserError } from '../errors.ts';
import { cut, escaped } from './mrkdwn.ts';

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

/** Most ids accepted at once. */
const mostIds = 100;
const longestId = 100;

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
  const odd = ids.find((id) => id.length > longestId);
  if (odd !== undefined) {
    return {
      problem: `“${escaped(cut(odd, 20))}” is too long to be an id. Put spaces or commas between ids.`,
    };
  }
  // To the marketplace, `all` means every entry of a list.
  if (ids.some((id) => id.toLowerCase() === 'all')) return { problem: '“all” is not an id. Enter each id.' };
  return { ids };
}
