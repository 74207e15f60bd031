/** The text without differences in white space, which does not survive every way there and back. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}
