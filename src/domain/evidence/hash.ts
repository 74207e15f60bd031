/** Mixes the bits of a number, so that each of them depends on all: the end of MurmurHash3. Returns 32 bits without a sign. */
export function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Returns a hash of a text, or of its part from one character to before another: 32 bits without a sign. For indexes, where what
 * is found is compared; it protects nothing.
 */
export function hashText(text: string, seed = 0, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ mix(seed);
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash ^ (to - from));
}

/** Returns the hash of the lowest bits of a number, so many of them, as `hashText` has it for the text of their digits. */
export function hashBits(bits: number, count: number, seed: number): number {
  let hash = 0x811c9dc5 ^ mix(seed);
  for (let at = 0; at < count; at += 1) hash = Math.imul(hash ^ (48 + ((bits >>> at) & 1)), 0x01000193);
  return mix(hash ^ count);
}
