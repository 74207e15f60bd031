import { linksIn } from '../proof-links.ts';
import { normalizeText } from './normalize.ts';

/** Only so much of the texts, and so many words with digits, are searched for codes: no texts take long. */
const [mostCharacters, mostWords] = [8_000, 200];
/** Maximum number of codes, and of links, compared per task. */
const most = 3;
const candidates = /[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu;
const digits = /(?:\p{N}\P{N}*){3}/u;
/** Matches every text that may contain an address. */
const maybeLink = /:\/\/|www\./iu;
const months = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/u;

/**
 * Returns the normalized codes in texts: words that mix letters and at least three digits, and numbers of at least six
 * digits. Dates are excluded.
 */
export function codesIn(texts: readonly string[]): string[] {
  const codes = new Set<string>();
  for (const word of wordsOf(texts.join('\n'))) {
    if (isCode(word)) codes.add(word);
    if (codes.size >= most) break;
  }
  return [...codes];
}

/** Returns the codes that are not in the instructions; codes given there identify nobody. */
export function codesNotGiven(codes: readonly string[], instructions: string): string[] {
  if (codes.length === 0) return [];
  const given = new Set(wordsOf(instructions));
  return codes.filter((code) => !given.has(code));
}

/** Returns the normalized words of a text that have three digits. */
function* wordsOf(text: string): Generator<string, void, undefined> {
  if (!digits.test(text)) return;
  let left = mostWords;
  const withoutLinks = text.slice(0, mostCharacters).replace(/(?:https?:\/\/|www\.)\S+/giu, ' ');
  for (const [word] of withoutLinks.matchAll(candidates)) {
    if (!digits.test(word)) continue;
    yield normalizeText(word).replaceAll(' ', '');
    left -= 1;
    if (left === 0) return;
  }
}

function isCode(word: string): boolean {
  const count = word.replace(/\D/gu, '').length;
  if (word.length < 6 || word.length > 64) return false;
  if (/^(?:19|20)\d{6}$|^\d{2}\d{2}(?:19|20)\d{2}$/u.test(word)) return false;
  if (count === word.length) return count >= 6;
  return count >= 3 && !months.test(word.replace(/\d/gu, ''));
}

/** Returns the addresses in texts for comparison, without parts that only track a visit. They are never fetched. */
export function linksToCompare(texts: readonly string[]): string[] {
  return [
    ...new Set(
      linksIn(texts.filter((text) => maybeLink.test(text))).map(({ address }) => normalizedLink(address)),
    ),
  ].slice(0, most);
}

function normalizedLink(address: string): string {
  const url = new URL(address);
  const kept = [...url.searchParams].filter(([name]) => !/^(?:utm_|fbclid$|gclid$|si$)/u.test(name));
  const query = kept
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('&');
  const path = url.pathname.replace(/\/+$/u, '');
  return `${url.host.replace(/^www\./u, '')}${path}${query === '' ? '' : `?${query}`}`;
}
