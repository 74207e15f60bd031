/**
 * Mixes the bits of a number, so that each depends on all others (the last step of MurmurHash3). Returns an unsigned
 * 32-bit number.
 */
export function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Returns an unsigned 32-bit hash of a text, or of its part between two positions (end exclusive). For indexes whose
 * matches are verified; not for security.
 */
export function hashText(text: string, seed = 0, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ mix(seed);
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash ^ (to - from));
}
