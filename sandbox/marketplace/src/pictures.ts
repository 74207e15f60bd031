import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './random.ts';

type Color = readonly [red: number, green: number, blue: number];

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Returns a PNG of the given size; the function colors each pixel. */
function png(width: number, height: number, colorAt: (x: number, y: number) => Color): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      const [red, green, blue] = colorAt(x, y);
      rows[at] = red;
      rows[at + 1] = green;
      rows[at + 2] = blue;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // eight bits, red green blue, the standard methods, not interlaced
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a 320 × 200 picture disguised as a different file: each copy is a little smaller. */
function disguisedAs(copy: number, colorAt: (x: number, y: number) => Color): Buffer {
  const width = Math.max(160, 320 - 16 * copy);
  const scale = 320 / width;
  return png(width, Math.round(200 / scale), (x, y) => colorAt(Math.floor(x * scale), Math.floor(y * scale)));
}

const palette: readonly Color[] = [
  [42, 111, 151],
  [214, 96, 77],
  [90, 160, 90],
  [236, 178, 46],
  [120, 94, 168],
];
const paper: Color = [248, 247, 243];

/** Draws a bar chart, 320 × 200, that stands for a worker's screenshot. @param copy how it is disguised; 0: the original */
export function chartPicture(random: Random, copy = 0): Buffer {
  const bars = Array.from({ length: random.between(4, 8) }, () => ({
    height: random.between(30, 160),
    color: random.pick(palette),
  }));
  const slot = 280 / bars.length;
  return disguisedAs(copy, (x, y) => {
    if (y === 180 && x >= 18 && x < 302) return [60, 60, 60];
    const bar = bars[Math.floor((x - 20) / slot)];
    const inBar = (x - 20) % slot < slot * 0.7;
    return bar && x >= 20 && inBar && y < 180 && y >= 180 - bar.height ? bar.color : paper;
  });
}

/** Draws packets on a shelf, 320 × 200, that stand for a worker's photo. @param copy how it is disguised; 0: the original */
export function shelfPicture(random: Random, copy = 0): Buffer {
  const packets = Array.from({ length: 48 }, () => ({
    color: random.pick(palette),
    height: random.between(28, 52),
  }));
  return disguisedAs(copy, (x, y) => {
    const board = Math.floor(y / 66);
    const above = 65 - (y % 66);
    if (above < 6) return [128, 92, 60];
    const packet = packets[(board * 16 + Math.floor(x / 20)) % packets.length];
    const shade = 235 - Math.floor(y / 4);
    return packet && x % 20 > 1 && above - 6 < packet.height ? packet.color : [shade, shade, shade - 12];
  });
}
