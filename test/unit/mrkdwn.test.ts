import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mrkdwn, plainText } from '../../src/slack/blocks.ts';
import {
  code,
  cut,
  date,
  dateAtStart,
  escaped,
  inline,
  inPieces,
  isCut,
  link,
  piecesWithin,
  plain,
  preformatted,
} from '../../src/slack/mrkdwn.ts';
import { forAll } from './properties.ts';

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const length = (text: string) => [...text].length;
const upTo = (max: number, min = 1) => fc.integer({ min, max });
/** Text with what is special in mrkdwn, and points that take two code units. */
const nasty = fc.string({
  unit: fc.constantFrom('<', '>', '&', '`', '*', '_', '~', '\n', ' ', 'a', '𝔘', '👩‍👩‍👧', '!', '@'),
});

test('text that somebody else wrote never holds a mention, a link or a date once escaped', () => {
  forAll(nasty, (text) => {
    expect(escaped(text)).not.toMatch(/[<>]/);
    expect(unescaped(escaped(text))).toBe(text);
  });
});

test('text that somebody else wrote is short on one line, and formats nothing', () => {
  forAll(nasty, upTo(40), (text, max) => {
    const shown = inline(text, max);
    expect(shown).not.toMatch(/[<>\n]/);
    // A mark inside a word, as in some_name, formats nothing; every other one is followed by a word joiner.
    expect(shown).not.toMatch(/`(?!\u2060)|(?<![\p{L}\p{N}])[*_~](?!\u2060)|[*_~](?![\p{L}\p{N}\u2060])/u);
    expect(length(unescaped(shown).replaceAll('\u2060', ''))).toBeLessThanOrEqual(max);
  });
  expect(inline('  two\r\n lines\t here ')).toBe('two lines here');
});

test('text that somebody else wrote takes no more room once escaped than it may, unless it formats', () => {
  expect(inline('&'.repeat(30), 21)).toBe(`${'&amp;'.repeat(4)}…`);
  expect(inline('A & B', 9)).toBe('A &amp; B');
  expect(inline('A & B', 8)).toBe('A &amp;…');
  expect(preformatted('<'.repeat(100), 100, 40)).toBe(`\`\`\`${'&lt;'.repeat(10)}…\`\`\``);
  forAll(nasty, upTo(40), (text, max) => {
    expect(length(inline(text, max).replaceAll('\u2060', ''))).toBeLessThanOrEqual(max);
  });
});

test('text that somebody else wrote cannot turn around what is written after it', () => {
  const reversed = 'a\u202eb\u2066c\0d';
  // A name shows what is hidden in it.
  expect(inline(reversed)).toBe('a[U+202E]b[U+2066]c[U+0000]d');
  expect(plainText(reversed).text).toBe('a[U+202E]b[U+2066]c[U+0000]d');
  expect(code('photo\u202egpj.exe')).toBe('`photo[U+202E]gpj.exe`');
  // In longer texts, nothing directs what follows.
  expect(preformatted('a`\u202a`\u202a`\n*b*', 100)).toBe('```a`\n*b*```');
  expect(preformatted(`${reversed}\ne\u2069`, 100)).toBe('```a[U+202E]bc[U+0000]d\ne```');
  expect(escaped('\u202ba\u2067b\u202cc\u2069d')).toBe('abcd');
  const england = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
  expect(escaped(`${england}\u{e0067}`)).toBe(`${england}[U+E0067]`);
  expect(inline(' \u202e ')).toBe('[U+202E]');
  // What runs from right to left is isolated, and marks of direction inside it stay.
  expect(inline('רשת\u200f 3 *x*')).toBe('\u2068רשת\u200f 3 *\u2060x*\u2060\u2069');
  expect(inline('مطعم')).toBe('\u2068مطعم\u2069');
  expect(inline('Zürich 東京')).toBe('Zürich 東京');
});

test('text that somebody else wrote shows what is hidden in names, and leaves what belongs to visible characters', () => {
  expect(inline('ad\u200bmin')).toBe('ad[U+200B]min');
  expect(inline('pay\u3164\u{e0041}pal')).toBe('pay[U+3164][U+E0041]pal');
  const flag = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
  for (const name of [`👩‍👩‍👧 ☺️ ${flag}`, '葛\u{e0100}城', 'क्\u200dष']) expect(inline(name)).toBe(name);
  expect(inline('می\u200cخواهم')).toBe('\u2068می\u200cخواهم\u2069');
  expect(inline('a\u200f1')).toBe('a[U+200F]1');
});

test('text that somebody else wrote brings no emoji of its own into a name', () => {
  expect(inline(':white_check_mark: OK')).toBe(':\u2060white_check_mark: OK');
  expect(inline('2001:100:1')).not.toContain(':100:');
});

test('text that somebody else wrote keeps numbers beside it in order, where nothing can be formatted', () => {
  expect(plainText('رف צילום: 3 of 5').text).toBe('\u2068رف צילום\u2069: 3 of 5');
  expect(plainText('Status of רשת 12').text).toBe('Status of \u2068רשת\u2069 12');
  expect(plainText('אa'.repeat(60), 75).text).toMatch(/^\u2068[^\u2068\u2069]{73}\u2069$/u);
  const mixed = fc.string({ unit: fc.constantFrom('א', 'a', ' ', '1', '𞤀') });
  forAll(mixed, upTo(40, 3), (text, max) => {
    const { text: shown } = plainText(text, max);
    expect(length(shown)).toBeLessThanOrEqual(max);
    const outside = shown.replace(/\u2068[^\u2068\u2069]*\u2069/gu, '');
    expect(outside).not.toMatch(/[א𞤀\u2068\u2069]/u);
  });
});

test('text that somebody else wrote as a block ends where we end it, whatever its length', () => {
  forAll(nasty, upTo(3_000), upTo(300), (text, max, times) => {
    const shown = preformatted(text.repeat(times), max);
    expect(shown.startsWith('```')).toBe(true);
    expect(shown.endsWith('```')).toBe(true);
    expect(shown.slice(3, -3)).not.toContain('``');
    expect(shown).not.toMatch(/[<>]/);
    expect(shown.length).toBeLessThanOrEqual(3_000);
  });
});

test('text that somebody else wrote in pieces loses nothing, and every piece fits', () => {
  forAll(nasty, upTo(60, 16), (text, room) => {
    const pieces = inPieces(text, room);
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(escaped(piece).length).toBeLessThanOrEqual(room);
    expect(pieces).not.toContain('');
  });
});

test('text that somebody else wrote is cut between code points, and says so', () => {
  expect(cut('𝔘𝔘𝔘', 3)).toBe('𝔘𝔘𝔘');
  expect(cut('𝔘𝔘𝔘𝔘', 3)).toBe('𝔘𝔘…');
  expect(cut('by <@U01ANN> at last', 9)).toBe('by …');
  for (let max = 5; max < 22; max += 1) expect(cut('see <https://a.example|b> now', max)).toBe('see …');
  expect(isCut('𝔘𝔘𝔘', 3)).toBe(false);
  expect(isCut('𝔘𝔘𝔘𝔘', 3)).toBe(true);
});

test('text that somebody else wrote fills a modal by its weight in bytes', () => {
  const { pieces, isCut: isShortened } = piecesWithin('漢'.repeat(100_000), 60_000);
  expect(isShortened).toBe(true);
  expect(Buffer.byteLength(pieces.join(''))).toBeLessThanOrEqual(60_000);
  expect(piecesWithin('short', 60_000)).toEqual({ pieces: ['short'], isCut: false });
});

test('a link survives whatever its address and text hold', () => {
  expect(link('https://x.y/a b?c=<d>|e', 'A & B | <C>')).toBe(
    '<https://x.y/a%20b?c=%3Cd%3E%7Ce|A &amp; B / &lt;C&gt;>',
  );
});

test('a date is in the reader’s zone, and readable without, with its words', () => {
  expect(date(Date.UTC(2026, 10, 1, 9, 5))).toBe(
    '<!date^1793523900^\u200b{date_short_pretty} at {time}|2026-11-01 09:05 UTC>',
  );
  expect(date(0, 'Finished {date_short_pretty} at {time}')).toBe(
    '<!date^0^Finished {date_short_pretty} at {time}|Finished 1970-01-01 00:00 UTC>',
  );
});

test('code is one line that ends where it should', () => {
  expect(code(' a`b\n<c> ')).toBe("`a'b &lt;c&gt;`");
  expect(code('x'.repeat(300))).toBe(`\`${'x'.repeat(199)}…\``);
});

test('a date begins with a capital only at the beginning of a line', () => {
  expect(dateAtStart(0)).toBe('<!date^0^{date_short_pretty} at {time}|1970-01-01 00:00 UTC>');
});

test('our own formatting is verbatim, so that Slack makes no links of bare addresses', () => {
  expect(mrkdwn('x')).toEqual({ type: 'mrkdwn', text: 'x', verbatim: true });
});

test('our own formatting is plain in a notification', () => {
  expect(plain(`*Bold title*, ${date(0)}, ${link('https://x.y', 'a link')}, 5 * 3 * 2`)).toBe(
    'Bold title, 1970-01-01 00:00 UTC, a link, 5 * 3 * 2',
  );
  expect(plain(`Type \`/campaign list\`, not \`it\` for ${inline('`a`')}.`)).toBe(
    'Type /campaign list, not it for `a`.',
  );
});
