import type { Verdict } from './terms.ts';

/**
 * The command in a reply to a card's thread. `no reason`, `no text`: the word alone · `question`: it reads like one, so
 * nothing is sent to a worker.
 */
export type Reply =
  | { readonly kind: 'rating'; readonly verdict: Verdict; readonly reason: string }
  | { readonly kind: 'no reason' | 'question'; readonly verdict: Exclude<Verdict, 'OK'> }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'no text' };

/** ASCII letters only: with the flag `u`, the Kelvin sign would be a K. */
const shape = /^(ok|revise|nok|note)(?=$|[\s:,])\s*([:,]?)\s*([\s\S]*)$/i;
const saysSomething = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/**
 * Parses a reply; undefined if it is only conversation. The word comes first, in any case, optionally followed by a
 * colon or comma.
 *
 * - `ok` rates only if nothing follows: “ok?”, “ok thanks, but …” pay nobody.
 * - `revise` and `nok` take the rest as the reason. If it ends with a question mark, the colon is required, because
 *   “nok, really?” is a question among colleagues.
 * - `note` takes the rest as the note.
 */
export function parseReply(text: string): Reply | undefined {
  const [, typed = '', mark = '', rest = ''] = shape.exec(text.trim()) ?? [];
  const word = typed.toLowerCase();
  const isEmpty = !saysSomething.test(rest);
  switch (word) {
    case 'ok':
      return mark === '' && rest === '' ? { kind: 'rating', verdict: 'OK', reason: '' } : undefined;
    case 'revise':
    case 'nok': {
      const verdict = word === 'nok' ? 'NOK' : 'REVISE';
      if (isEmpty) return /[?!]/.test(rest) ? undefined : { kind: 'no reason', verdict };
      if (mark !== ':' && /[?？]["'”’)\]\s]*$/u.test(rest)) return { kind: 'question', verdict };
      return { kind: 'rating', verdict, reason: rest };
    }
    case 'note':
      return isEmpty ? { kind: 'no text' } : { kind: 'note', text: rest };
    default:
      return undefined;
  }
}
