/** Normalizes white space, which not every round trip preserves. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

/** Returns a text with its first letter in upper case. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Returns a text with its first letter in lower case. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
