import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../../src/page/share.ts';
import { formatDate } from '../../src/page/text/date.ts';
import { escapeText, type Inline, parseMrkdwn } from '../../src/page/text/mrkdwn.ts';

const inline = (source: string): Inline[] =>
  parseMrkdwn(source).flatMap((part) => ('children' in part ? part.children : []));

/** What a reader sees of a text, without its styles. */
function shown(nodes: Inline[]): string {
  return nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if ('children' in node) return shown(node.children);
      return node.type === 'emoji' ? `:${node.name}:` : '\n';
    })
    .join('');
}

describe('mrkdwn', () => {
  it('reads styles at the edges of words', () => {
    expect(inline('*bold* _it_ ~no~ `x*y*`')).toEqual([
      { type: 'bold', children: [{ type: 'text', text: 'bold' }] },
      { type: 'text', text: ' ' },
      { type: 'italic', children: [{ type: 'text', text: 'it' }] },
      { type: 'text', text: ' ' },
      { type: 'strike', children: [{ type: 'text', text: 'no' }] },
      { type: 'text', text: ' ' },
      { type: 'code', text: 'x*y*' },
    ]);
    expect(inline('snake_case_name 2*3*4 * open')).toEqual([
      { type: 'text', text: 'snake_case_name 2*3*4 * open' },
    ]);
    expect(inline('*a\nb*').map(({ type }) => type)).toEqual(['text', 'break', 'text']);
  });

  it('reads links, mentions and dates', () => {
    expect(inline('<https://a.b/?x=1&amp;y=2|a &lt;b&gt;>')).toEqual([
      { type: 'link', url: 'https://a.b/?x=1&y=2', text: 'a <b>' },
    ]);
    expect(inline('<@U02BEN> <#C01REVIEW|review> <!here>').filter(({ type }) => type !== 'text')).toEqual([
      { type: 'user', id: 'U02BEN', label: undefined },
      { type: 'channel', id: 'C01REVIEW', label: 'review' },
      { type: 'broadcast', range: 'here' },
    ]);
    expect(inline('<!date^1392734382^{date} at {time}^https://a.b/|then>')).toEqual([
      {
        type: 'date',
        seconds: 1392734382,
        format: '{date} at {time}',
        link: 'https://a.b/',
        fallback: 'then',
      },
    ]);
    expect(parseMrkdwn('see https://a.b/c. <https://a.b/|d> *https://a.b*', true)).toEqual([
      {
        type: 'plain',
        children: [
          { type: 'text', text: 'see https://a.b/c. ' },
          { type: 'link', url: 'https://a.b/', text: 'd' },
          { type: 'text', text: ' ' },
          { type: 'bold', children: [{ type: 'text', text: 'https://a.b' }] },
        ],
      },
    ]);
    expect(inline('see https://a.b/c.')).toEqual([
      { type: 'text', text: 'see ' },
      { type: 'link', url: 'https://a.b/c', text: 'https://a.b/c' },
      { type: 'text', text: '.' },
    ]);
  });

  it('leaves what is no mention and no web link as text', () => {
    for (const source of ['<javascript:alert(1)|x>', '<!nobody>', '<@somebody>', 'a < b > c']) {
      expect(inline(source)).toEqual([{ type: 'text', text: source }]);
    }
  });

  it('reads quotes and preformatted parts', () => {
    expect(parseMrkdwn('a\n&gt; b\n&gt;c\n```\n&lt;x&gt;\n```\nd').map(({ type }) => type)).toEqual([
      'plain',
      'quote',
      'preformatted',
      'plain',
    ]);
    expect(parseMrkdwn('```\n&lt;x&gt;\n```')).toEqual([{ type: 'preformatted', text: '<x>' }]);
  });

  it('makes no mention of escaped text and loses none of it', () => {
    const markup = fc.constantFrom(
      '<',
      '>',
      '&',
      '&lt;',
      '<!channel>',
      '<@U01ANN>',
      '|',
      'a',
      ' ',
      '://',
      '1',
    );
    fc.assert(
      fc.property(fc.array(markup), (parts) => {
        const written = parts.join('');
        const paragraphs = parseMrkdwn(escapeText(written));
        const nodes = paragraphs.flatMap((part) => ('children' in part ? part.children : []));
        expect(nodes.every(({ type }) => type === 'text')).toBe(true);
        const text = shown(nodes);
        expect(paragraphs[0]?.type === 'quote' ? written.replace(/^(>>>|>) ?/, '') : written).toBe(text);
      }),
    );
  });
});

describe('dates', () => {
  const seconds = Date.parse('2026-11-20T23:30:00Z') / 1000;
  const now = new Date('2026-11-21T10:30:00Z');
  const format = (text: string, zone: string) => formatDate(text, seconds, zone, now);

  it('are in the zone of the reader', () => {
    expect(format('{date_num} {time}', 'America/New_York')).toBe('2026-11-20 6:30 PM');
    expect(format('{date_num} {time_secs}', 'Europe/Paris')).toBe('2026-11-21 12:30:00 AM');
    expect(format('{date_short_pretty}', 'America/New_York')).toBe('Yesterday');
    expect(format('{date_pretty}', 'Europe/Paris')).toBe('Today');
    expect(format('\u200b{date_pretty}', 'Europe/Paris')).toBe('\u200btoday');
  });

  it('know the tokens of Slack and leave others', () => {
    expect(format('{date} · {date_short} · {date_long} · {ago} · {nonsense}', 'UTC')).toBe(
      'November 20th, 2026 · Nov 20, 2026 · Friday, November 20th, 2026 · 11 hours ago · {nonsense}',
    );
  });
});

describe('sharing of unchanged parts', () => {
  it('keeps the identity of what is equal and shows what is new', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        expect(share(before, after)).toEqual(after);
        expect(share(before, structuredClone(before))).toBe(before);
      }),
    );
    const before = { list: [{ a: 1 }, { a: 2 }], other: { b: 1 } };
    const merged = share(before, { list: [{ a: 1 }, { a: 3 }], other: { b: 1 } });
    expect(merged.list[0]).toBe(before.list[0]);
    expect(merged.other).toBe(before.other);
    expect(merged.list[1]).toEqual({ a: 3 });
  });
});
