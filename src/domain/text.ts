/** Normalizes white space, which not every round trip preserves. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}
