/** A deterministic source of pseudo-random numbers: equal seeds give equal sequences. */
export interface Random {
  /** Returns a fraction from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number;
  /** Returns one of the items. The list must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** Returns an opaque id of `length` hexadecimal digits; some look like numbers, even like `12e5…`. */
  id(length?: number): string;
}

/** Creates a mulberry32 generator: small, fast and good enough for made-up people. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  function digits(count: number, alphabet: string): string {
    let text = '';
    for (let at = 0; at < count; at += 1) text += alphabet.charAt(between(0, alphabet.length - 1));
    return text;
  }
  return {
    next,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    id(length = 12) {
      const hex = '0123456789abcdef';
      switch (between(0, 11)) {
        case 0:
          return `12e5${digits(length - 4, '0123456789')}`;
        case 1:
          return `00${digits(length - 2, '0123456789')}`;
        case 2:
          return digits(length, '123456789');
        default:
          return digits(length, hex);
      }
    },
  };
}
