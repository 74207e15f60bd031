/** Normalizes white space, which does not survive every round trip. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}
