import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mrkdwn, plainText } from '../../src/slack/blocks.ts';
import { cut, isCut } from '../../src/slack/limits.ts';
import {
  code,
  date,
  dateAtStart,
  escaped,
  inline,
  inPieces,
  link,
  piecesWithin,
  plain,
  preformatted,
  withoutControls,
} from '../../src/slack/mrkdwn.ts';

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const length = (text: string) => [...text].length;
/** Text with what is special in mrkdwn, and points that take two code units. */
const nasty = fc.string({
  unit: fc.constantFrom('<', '>', '&', '`', '*', '_', '~', '\n', ' ', 'a', '𝔘', '👩‍👩‍👧', '!', '@'),
});

describe('text that somebody else wrote', () => {
  test('never holds a mention, a link or a date once escaped', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(escaped(text)).not.toMatch(/[<>]/);
        expect(unescaped(escaped(text))).toBe(text);
      }),
    );
  });

  test('on one line it is short, and formats nothing', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const shown = inline(text, max);
        expect(shown).not.toMatch(/[<>\n]/);
        // A mark inside a word, as in some_name, formats nothing; every other one is followed by a word joiner.
        expect(shown).not.toMatch(
          /`(?!\u2060)|(?<![\p{L}\p{N}])[*_~](?!\u2060)|[*_~](?![\p{L}\p{N}\u2060])/u,
        );
        expect(length(unescaped(shown).replaceAll('\u2060', ''))).toBeLessThanOrEqual(max);
      }),
    );
    expect(inline('  two\r\n lines\t here ')).toBe('two lines here');
  });

  test('takes no more room once escaped than it may, unless it formats', () => {
    expect(inline('&'.repeat(30), 21)).toBe(`${'&amp;'.repeat(4)}…`);
    expect(inline('A & B', 9)).toBe('A &amp; B');
    expect(inline('A & B', 8)).toBe('A &amp;…');
    expect(preformatted('<'.repeat(100), 100, 40)).toBe(`\`\`\`${'&lt;'.repeat(10)}…\`\`\``);
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 40 }), (text, max) => {
        expect(length(inline(text, max).replaceAll('\u2060', ''))).toBeLessThanOrEqual(max);
      }),
    );
  });

  test('cannot turn around what is written after it', () => {
    const reversed = 'a\u202eb\u2066c\0d';
    for (const shown of [inline(reversed), escaped(reversed), plainText(reversed).text]) {
      expect(shown).toBe('abcd');
    }
    expect(preformatted(reversed, 100)).toBe('```abcd```');
    expect(inline(' \u202e ')).toBe('');
    // What runs from right to left is isolated, and marks of direction inside it stay.
    expect(inline('רשת\u200f 3 *x*')).toBe('\u2068רשת\u200f 3 *\u2060x*\u2060\u2069');
    expect(inline('مطعم')).toBe('\u2068مطعم\u2069');
    expect(inline('Zürich 東京')).toBe('Zürich 東京');
  });

  test('as a block it ends where we end it, whatever its length', () => {
    fc.assert(
      fc.property(
        nasty,
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 1, max: 300 }),
        (text, max, times) => {
          const shown = preformatted(text.repeat(times), max);
          expect(shown.startsWith('```')).toBe(true);
          expect(shown.endsWith('```')).toBe(true);
          expect(shown.slice(3, -3)).not.toContain('``');
          expect(shown).not.toMatch(/[<>]/);
          expect(shown.length).toBeLessThanOrEqual(3_000);
        },
      ),
    );
  });

  test('in pieces it loses nothing, and every piece fits', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 16, max: 60 }), (text, room) => {
        const pieces = inPieces(text, room);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(escaped(piece).length).toBeLessThanOrEqual(room);
        expect(pieces).not.toContain('');
      }),
    );
  });

  test('shown whole in blocks it loses nothing either, at whatever place they meet', () => {
    const joined = (text: string) =>
      piecesWithin(text, 180_000)
        .pieces.map((piece) => unescaped(preformatted(piece, piece.length).slice(3, -3)))
        .join('');
    const plainBody = Array.from({ length: 600 }, (_, index) => `line ${String(index).padStart(4, '0')}`)
      .join('\n')
      .slice(0, 6_000);
    expect(plainBody).toHaveLength(5_999);
    expect(joined(plainBody)).toBe(plainBody);
    expect(joined('x'.repeat(6_000))).toBe('x'.repeat(6_000));

    const any = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(nasty, any), fc.integer({ min: 1, max: 400 }), (unit, times) => {
        // Runs of backticks and the ways to end a line are folded, and controls left out, which is no loss.
        const text = withoutControls(unit.replace(/[`\r]/g, '.')).repeat(times).slice(0, 9_000);
        expect(joined(text)).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  test('is cut between code points, and says so', () => {
    expect(cut('𝔘𝔘𝔘', 3)).toBe('𝔘𝔘𝔘');
    expect(cut('𝔘𝔘𝔘𝔘', 3)).toBe('𝔘𝔘…');
    expect(isCut('𝔘𝔘𝔘', 3)).toBe(false);
    expect(isCut('𝔘𝔘𝔘𝔘', 3)).toBe(true);
  });

  test('fills a modal by its weight in bytes', () => {
    const { pieces, isCut: isShortened } = piecesWithin('漢'.repeat(100_000), 60_000);
    expect(isShortened).toBe(true);
    expect(Buffer.byteLength(pieces.join(''))).toBeLessThanOrEqual(60_000);
    expect(piecesWithin('short', 60_000)).toEqual({ pieces: ['short'], isCut: false });
  });
});

describe('our own formatting', () => {
  test('a link survives whatever its address and text hold', () => {
    expect(link('https://x.y/a b?c=<d>|e', 'A & B | <C>')).toBe(
      '<https://x.y/a%20b?c=%3Cd%3E%7Ce|A &amp; B / &lt;C&gt;>',
    );
  });

  test('a date is in the reader’s zone, and readable without', () => {
    expect(date(Date.UTC(2026, 10, 1, 9, 5))).toBe(
      '<!date^1793523900^\u200b{date_short_pretty} at {time}|2026-11-01 09:05 UTC>',
    );
  });

  test('a date has its words for readers without a zone, too', () => {
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

  test('is verbatim, so that Slack makes no links of bare addresses', () => {
    expect(mrkdwn('x')).toEqual({ type: 'mrkdwn', text: 'x', verbatim: true });
  });

  test('in a notification it is plain', () => {
    expect(plain(`*Bold title*, ${date(0)}, ${link('https://x.y', 'a link')}, 5 * 3 * 2`)).toBe(
      'Bold title, 1970-01-01 00:00 UTC, a link, 5 * 3 * 2',
    );
  });
});
