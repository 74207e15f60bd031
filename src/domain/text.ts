/** Normalizes white space, which not every round trip preserves. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

/** Returns `12 of 18 accepted`; more than all are `18 of 18 accepted, and 1 more`. */
export function partOf(part: number, all: number, words: string): string {
  const number = (value: number) => value.toLocaleString('en');
  const more = part > all ? `, and ${number(part - all)} more` : '';
  return `${number(Math.min(part, all))} of ${number(all)} ${words}${more}`;
}

/** Returns a text with its first letter in upper case. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns a text with its first letter in lower case. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
