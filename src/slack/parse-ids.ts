import { cut } from './limits.ts';
import { escaped } from './mrkdwn.ts';

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
