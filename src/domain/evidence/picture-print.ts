/*
 * The print of a picture: a difference hash of 256 bits. A copy that was saved again or resized has nearly the same one; one
 * that was cropped, or has a border, does not.
 */

/** Each cell of a row is compared with the next one. */
const columns = 17;
const rows = 16;
/** Width and height of a cell in pixels: its mean depends less on how a picture is scaled than one pixel would. */
const cell = 8;
/** The size to which a picture is scaled for its print. */
export const scaledSize = { width: columns * cell, height: rows * cell } as const;
/** A cell is lighter than the one before it when it differs by more shades than compression explains. */
const leastLighter = 2;
/** Pictures with fewer bits are nearly empty, so their prints say nothing. */
const leastBits = 16;
/** Maximum number of bits in which the prints of copies differ. */
const mostDifferent = 12;
/** Copies rarely differ in so many parts. Each is long enough to hardly be found in other pictures. */
const bands = 10;

/** Returns the print of a scaled picture, by the shades of its pixels; undefined if it shows too little. */
export function printOf(shades: Uint8Array): string | undefined {
  const means = new Float64Array(columns * rows);
  for (const [at, shade] of shades.entries()) {
    const [x, y] = [at % scaledSize.width, Math.floor(at / scaledSize.width)];
    const index = Math.floor(y / cell) * columns + Math.floor(x / cell);
    means[index] = (means[index] ?? 0) + shade / cell ** 2;
  }
  const print = Buffer.alloc(((columns - 1) * rows) / 8);
  let bit = 0;
  for (const [at, mean] of means.entries()) {
    if (at % columns === 0) continue;
    if (mean - (means[at - 1] ?? 0) > leastLighter)
      print[bit >> 3] = (print[bit >> 3] ?? 0) | (1 << (bit & 7));
    bit += 1;
  }
  return bitsOf(print) < leastBits ? undefined : print.toString('base64url');
}

/** Returns parts of a print, one of which a copy very likely has too. */
export function bandsOfPrint(print: string): string[] {
  const found = Array.from({ length: bands }, (_, band) => `${band}: `);
  for (const [at, byte] of Buffer.from(print, 'base64url').entries()) {
    for (let bit = 0; bit < 8; bit += 1) found[(8 * at + bit) % bands] += String((byte >> bit) & 1);
  }
  return found;
}

/** Returns whether two pictures look the same, by their prints. */
export function arePrintsAlike(one: string, other: string): boolean {
  const [bytes, against] = [Buffer.from(one, 'base64url'), Buffer.from(other, 'base64url')];
  return bitsOf(bytes.map((byte, at) => byte ^ (against[at] ?? 0))) <= mostDifferent;
}

function bitsOf(bytes: Uint8Array): number {
  let count = 0;
  for (let left of bytes) for (; left > 0; left &= left - 1) count += 1;
  return count;
}
