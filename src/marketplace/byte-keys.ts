/**
 * Numbers the distinct keys of a long file in order of appearance. Exact, like a Map of texts, with a tenth of its memory:
 * the bytes of all keys are in one buffer.
 *
 * The functions of a reader take its state as an argument instead of closing over it: V8 drops a closure's compiled code as
 * soon as the last instance is collected, and a file is read several times a second.
 */
export interface ByteKeys {
  /** Number of distinct keys. */
  size: number;
  arena: Buffer;
  /** The end of each key in the arena, where the next one begins, and its hash. */
  ends: Uint32Array<ArrayBuffer>;
  hashes: Uint32Array<ArrayBuffer>;
  /** Open addressing: the number of a key plus one, 0 for a free slot. */
  slots: Uint32Array<ArrayBuffer>;
}

export function createByteKeys(): ByteKeys {
  return {
    size: 0,
    arena: Buffer.allocUnsafe(4096),
    ends: new Uint32Array(256),
    hashes: new Uint32Array(256),
    slots: new Uint32Array(512),
  };
}

/** Returns the number of a key, which is the previous `size` when the key is new. */
export function addKey(keys: ByteKeys, bytes: Uint8Array, start: number, end: number): number {
  const { hashes, slots } = keys;
  const hash = hashOf(bytes, start, end);
  const mask = slots.length - 1;
  let slot = hash & mask;
  for (let known = slots[slot] as number; known !== 0; known = slots[slot] as number) {
    if (hashes[known - 1] === hash && isSame(keys, known - 1, bytes, start, end)) return known - 1;
    slot = (slot + 1) & mask;
  }
  const key = keys.size;
  slots[slot] = key + 1;
  hashes[key] = hash;
  keys.ends[key] = append(keys, bytes, start, end);
  keys.size += 1;
  if (keys.size === hashes.length) grow(keys);
  return key;
}

/** Returns the text of a key by its number. */
export function keyText(keys: ByteKeys, key: number): string {
  return keys.arena.toString('utf8', startOf(keys, key), keys.ends[key]);
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

function startOf({ ends }: ByteKeys, key: number): number {
  return key === 0 ? 0 : (ends[key - 1] as number);
}

function isSame(keys: ByteKeys, key: number, bytes: Uint8Array, start: number, end: number): boolean {
  const { arena, ends } = keys;
  const from = startOf(keys, key);
  if ((ends[key] as number) - from !== end - start) return false;
  for (let at = start, other = from; at < end; at += 1, other += 1)
    if (arena[other] !== bytes[at]) return false;
  return true;
}

/** Appends the bytes of the next key. Returns their end in the arena. */
function append(keys: ByteKeys, bytes: Uint8Array, start: number, end: number): number {
  const from = startOf(keys, keys.size);
  const to = from + end - start;
  if (to > keys.arena.length) {
    const larger = Buffer.allocUnsafe(Math.max(keys.arena.length * 2, to));
    keys.arena.copy(larger, 0, 0, from);
    keys.arena = larger;
  }
  keys.arena.set(bytes.subarray(start, end), from);
  return to;
}

function grow(keys: ByteKeys): void {
  keys.ends = copied(keys.ends, new Uint32Array(keys.ends.length * 2));
  keys.hashes = copied(keys.hashes, new Uint32Array(keys.hashes.length * 2));
  keys.slots = new Uint32Array(keys.slots.length * 2);
  const { hashes, size, slots } = keys;
  const mask = slots.length - 1;
  for (let key = 0; key < size; key += 1) {
    let slot = (hashes[key] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = key + 1;
  }
}

function copied(from: Uint32Array<ArrayBuffer>, to: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  to.set(from);
  return to;
}
