import sharp from 'sharp';
import { hashText } from '../../src/domain/evidence/texts.ts';
import { type SeededRandom, seededRandom } from './text-corpus.ts';

/*
 * Screenshots as workers submit them: of a few apps, each with its own layout and colors, whose screens differ in texts,
 * numbers, portraits and lists. Letters are drawn as small patterns, so that the machine's fonts do not matter.
 */

/** How an app looks on all of its screens. */
type Look = ReturnType<typeof lookOf>;

/** The SVG paths and shapes of one screen. */
interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly shapes: string[];
}

const accents = ['#1a73e8', '#0f9d58', '#d93025', '#6a1b9a', '#ef6c00', '#00838f', '#37474f'];
const devices = [
  [360, 780],
  [393, 852],
  [412, 892],
] as const;

function lookOf(app: number, seed: number) {
  const random = seededRandom(seed * 1_000 + app * 31 + 7);
  const isDark = random.next() < 0.25;
  return {
    ground: isDark ? '#121417' : random.pick(['#ffffff', '#ffffff', '#f4f5f7', '#faf7f2']),
    ink: isDark ? '#e6e8ea' : '#202124',
    faint: isDark ? '#7d8590' : '#80868b',
    accent: random.pick(accents),
    header: 44 + random.below(40),
    row: 52 + random.below(36),
    letter: 1.6 + random.next() * 0.8,
    isRound: random.next() < 0.6,
    hasTabs: random.next() < 0.7,
  };
}

const rect = (x: number, y: number, width: number, height: number, fill: string, radius = 0) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}" rx="${radius}"/>`;

/** Draws a line of text. Letters are 4 by 6 dots of the given size, each with its own pattern. */
function write(sheet: Sheet, text: string, x: number, y: number, dot: number, fill: string): void {
  let path = '';
  let left = x;
  for (const letter of text) {
    if (left > sheet.width - 8) break;
    if (letter !== ' ') {
      const bits = hashText(letter, 77);
      for (let at = 0; at < 24; at += 1) {
        if (((bits >>> at) & 1) === 0 && at % 4 !== 0) continue;
        path += `M${(left + (at % 4) * dot).toFixed(1)} ${(y + Math.floor(at / 4) * dot).toFixed(1)}h${dot.toFixed(2)}v${dot.toFixed(2)}h-${dot.toFixed(2)}z`;
      }
    }
    left += dot * 5;
  }
  if (path !== '') sheet.shapes.push(`<path d="${path}" fill="${fill}"/>`);
}

const vocabulary =
  'order paid from coffee market yesterday delivery gift refund Anna Brian Clara Deepa transfer card number total please open update level score photo street hotel water bus ticket list music settings member bonus new review walk city lake garden bread phone help team north'.split(
    ' ',
  );

function words(random: SeededRandom, least: number, most: number): string {
  const count = least + random.below(most - least + 1);
  return Array.from({ length: count }, () => random.pick(vocabulary)).join(' ');
}

const amount = (random: SeededRandom) => `${random.below(900) + 1}.${random.below(90) + 10}`;
const color = (random: SeededRandom) =>
  `hsl(${random.below(360)},${30 + random.below(50)}%,${35 + random.below(40)}%)`;

/** Draws a portrait or another picture: a few shapes on a background. */
function portrait(
  sheet: Sheet,
  random: SeededRandom,
  x: number,
  y: number,
  size: number,
  radius: number,
): void {
  sheet.shapes.push(rect(x, y, size, size, color(random), radius));
  const head = size * (0.2 + random.next() * 0.1);
  const middle = x + size * (0.4 + random.next() * 0.2);
  sheet.shapes.push(
    `<circle cx="${middle.toFixed(1)}" cy="${(y + size * 0.42).toFixed(1)}" r="${head.toFixed(1)}" fill="${color(random)}"/>`,
    rect(middle - head, y + size * 0.66, head * 2, size * 0.3, color(random), head / 2),
  );
}

/** Draws the status bar: time, signal, battery. */
function statusBar(sheet: Sheet, random: SeededRandom, ground: string, ink: string): void {
  const height = Math.round(sheet.height * 0.034);
  sheet.shapes.push(rect(0, 0, sheet.width, height, ground));
  write(sheet, `${random.below(24)}:${random.below(50) + 10}`, 14, height * 0.3, 1.9, ink);
  for (let icon = 0, x = sheet.width - 18; icon < 2 + random.below(5); icon += 1, x -= 17)
    sheet.shapes.push(rect(x, height * 0.3, 6 + random.below(7), height * 0.45, ink, random.below(3)));
}

type Screen = (sheet: Sheet, look: Look, random: SeededRandom, top: number) => void;

const list: Screen = (sheet, look, random, top) => {
  const rows = 4 + random.below(12);
  for (let row = 0, y = top + 6; row < rows && y < sheet.height - 60; row += 1, y += look.row) {
    portrait(sheet, random, 14, y + 6, look.row - 16, look.isRound ? (look.row - 16) / 2 : 6);
    write(sheet, words(random, 1, 4), look.row + 12, y + 10, look.letter, look.ink);
    write(sheet, words(random, 2, 6), look.row + 12, y + 12 + look.letter * 9, look.letter * 0.8, look.faint);
    write(sheet, amount(random), sheet.width - 62, y + 10, look.letter, look.accent);
  }
};

const balance: Screen = (sheet, look, random, top) => {
  sheet.shapes.push(rect(16, top + 14, sheet.width - 32, 130, look.accent, 12));
  write(sheet, words(random, 1, 3), 34, top + 34, look.letter, '#ffffff');
  write(sheet, amount(random), 34, top + 70, look.letter * 2.4, '#ffffff');
  for (let row = 0, y = top + 170; row < 3 + random.below(8) && y < sheet.height - 60; row += 1, y += 46) {
    write(sheet, words(random, 1, 4), 20, y, look.letter, look.ink);
    const spent = `-${amount(random)}`;
    const ink = random.next() < 0.3 ? '#0f9d58' : look.ink;
    write(sheet, spent, sheet.width - 76, y, look.letter, ink);
    sheet.shapes.push(rect(16, y + 28, sheet.width - 32, 1, look.faint));
  }
};

const chat: Screen = (sheet, look, random, top) => {
  for (let y = top + 12; y < sheet.height - 110; ) {
    const lines = 1 + random.below(4);
    const width = sheet.width * (0.35 + random.next() * 0.4);
    const isOwn = random.next() < 0.5;
    const x = isOwn ? sheet.width - width - 12 : 12;
    const height = lines * look.letter * 11 + 16;
    sheet.shapes.push(rect(x, y, width, height, isOwn ? look.accent : '#dfe3e8', 12));
    for (let line = 0; line < lines; line += 1) {
      const text = words(random, 2, 4).slice(0, Math.floor((width - 20) / (look.letter * 5)));
      write(sheet, text, x + 10, y + 9 + line * look.letter * 11, look.letter, isOwn ? '#ffffff' : '#202124');
    }
    y += height + 8 + random.below(18);
  }
};

const article: Screen = (sheet, look, random, top) => {
  write(sheet, words(random, 3, 5), 18, top + 14, look.letter * 1.5, look.ink);
  const size = 120 + random.below(90);
  sheet.shapes.push(rect(18, top + 42, sheet.width - 36, size, color(random), 4));
  for (let shape = 0; shape < 5; shape += 1) {
    const [x, y] = [18 + random.below(sheet.width - 120), top + 42 + random.below(size - 40)];
    const [width, height] = [20 + random.below(80), 10 + random.below(40)];
    sheet.shapes.push(rect(x, y, width, height, color(random), random.below(20)));
  }
  for (let y = top + size + 60; y < sheet.height - 70; y += look.letter * 10) {
    if (random.next() < 0.12) y += look.letter * 9;
    write(sheet, words(random, 3, 9), 18, y, look.letter * 0.9, look.ink);
  }
};

const grid: Screen = (sheet, look, random, top) => {
  const size = (sheet.width - 36) / 2;
  for (let y = top + 12; y + size < sheet.height - 40; y += size + 36) {
    for (const x of [12, 24 + size]) {
      portrait(sheet, random, x, y, size, 8);
      write(sheet, words(random, 1, 2), x + 2, y + size + 8, look.letter, look.ink);
    }
  }
};

const form: Screen = (sheet, look, random, top) => {
  for (let field = 0, y = top + 20; field < 5 + random.below(3); field += 1, y += 68) {
    write(sheet, words(random, 1, 2), 20, y, look.letter * 0.8, look.faint);
    sheet.shapes.push(rect(18, y + 18, sheet.width - 36, 36, look.faint, 6));
    sheet.shapes.push(rect(19, y + 19, sheet.width - 38, 34, look.ground, 5));
    write(sheet, words(random, 1, 5), 28, y + 30, look.letter, look.ink);
  }
  sheet.shapes.push(rect(18, sheet.height - 130, sheet.width - 36, 44, look.accent, 22));
};

const screens: readonly Screen[] = [list, list, balance, chat, article, grid, form];

/** A confirmation with one large symbol and a code. These are the hardest to tell apart, because only one line differs. */
const confirmation: Screen = (sheet, look, random, top) => {
  const middle = sheet.width / 2;
  sheet.shapes.push(`<circle cx="${middle}" cy="${top + 150}" r="52" fill="${look.accent}"/>`);
  write(sheet, 'well done', middle - 60, top + 240, look.letter * 1.6, look.ink);
  const code = `${random.below(9)}${random.below(9000) + 1000}-${amount(random)}`;
  write(sheet, code, middle - 70, top + 290, look.letter * 1.4, look.ink);
  sheet.shapes.push(rect(18, sheet.height - 130, sheet.width - 36, 44, look.accent, 22));
};

/** What a screenshot shows. The status bar has its own seed, so that it can be changed independently. */
export interface Shot {
  readonly app: number;
  /** The number of the app's screen. */
  readonly number: number;
  readonly seed: number;
  readonly status?: number;
  readonly isConfirmation?: boolean;
}

let lastShot = '';
let lastPicture: Promise<Buffer> = Promise.resolve(Buffer.alloc(0));

/** Returns a screen as PNG. The last one is cached, because it is altered in several ways and drawing takes the longest. */
export async function screenshot(shot: Shot): Promise<Buffer> {
  const wanted = JSON.stringify(shot);
  if (wanted !== lastShot && shot.status === undefined) {
    lastShot = wanted;
    lastPicture = draw(shot);
  }
  return wanted === lastShot ? lastPicture : draw(shot);
}

async function draw({ app, number, seed, status = 0, isConfirmation = false }: Shot): Promise<Buffer> {
  const look = lookOf(app, seed);
  const random = seededRandom(seed * 100_003 + app * 1_009 + number * 17 + 3);
  const [width, height] = devices[app % devices.length] ?? devices[0];
  const sheet: Sheet = { width, height, shapes: [rect(0, 0, width, height, look.ground)] };
  const bar = Math.round(height * 0.034);
  const own = seededRandom(hashText(`${seed} ${app} ${number} ${status}`));
  const isLight = status === 0 || own.next() < 0.5;
  statusBar(sheet, own, isLight ? look.accent : '#000000', '#ffffff');
  sheet.shapes.push(rect(0, bar, width, look.header, look.accent));
  write(sheet, words(random, 1, 2), 52, bar + look.header / 2 - 6, look.letter * 1.2, '#ffffff');
  const screen = isConfirmation ? confirmation : random.pick(screens);
  screen(sheet, look, random, bar + look.header);
  if (look.hasTabs) {
    sheet.shapes.push(rect(0, height - 54, width, 54, look.ground));
    sheet.shapes.push(rect(0, height - 55, width, 1, look.faint));
    for (let tab = 0; tab < 4; tab += 1) {
      const x = (width / 4) * tab + width / 8 - 10;
      const fill = tab === number % 4 ? look.accent : look.faint;
      sheet.shapes.push(rect(x, height - 42, 20, 20, fill, 5));
    }
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${sheet.shapes.join('')}</svg>`;
  return sharp(Buffer.from(svg)).png({ compressionLevel: 1 }).toBuffer();
}

/** The alterations of copies, which change the bytes, and more. */
export const alterations = {
  're-encoded': async (shot: Shot, random: SeededRandom) => {
    const picture = sharp(await screenshot(shot));
    const quality = 35 + random.below(50);
    return random.next() < 0.7 ? picture.jpeg({ quality }).toBuffer() : picture.webp({ quality }).toBuffer();
  },
  resized: async (shot: Shot, random: SeededRandom) => {
    const picture = sharp(await screenshot(shot));
    const { width } = await picture.metadata();
    const to = Math.round(width * (0.45 + random.next() * 1.2));
    return picture.resize({ width: to }).jpeg({ quality: 75 }).toBuffer();
  },
  'with another status bar': async (shot: Shot, random: SeededRandom) =>
    sharp(await screenshot({ ...shot, status: 1 + random.below(1_000) }))
      .jpeg({ quality: 85 })
      .toBuffer(),
} as const;
export type Alteration = keyof typeof alterations;
