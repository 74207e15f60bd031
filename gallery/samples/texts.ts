/** Text that would ping, format, reorder or break things if it were not neutralized. */
export const hostile =
  '<!channel> <@U02BEN> <https://evil.example|click> *bold* _it_ `code` ```pre``` & "quotes" \u202e\u0000\r\n=cmd|calc' +
  ' :evil_emoji: \u2067\u202b\u2069\u2069 evil.example/x #general @here \u{e0041}\u200b צילום 12';

/** Arabic and Hebrew, with digits and Latin letters between them. */
export const rightToLeft = 'صورة الرف رقم 3 في متجر Corner Shop — תמונה של המדף';

/** Returns text of the given length, by default a maximal one: hostile text first, then four-byte characters. */
export function longest(characters = 3_000): string {
  return `${hostile} ${'𝔘<&> '.repeat(characters)}`.slice(0, characters);
}

/** Returns text of the given length, by default a maximal one, in ordinary words. */
export function wordy(characters = 3_000): string {
  return paragraph.repeat(Math.ceil(characters / paragraph.length)).slice(0, characters);
}

/** A sentence without spaces, which no line can break. */
export const unbroken = `https://photos.example/${'0123456789abcdef'.repeat(12)}.jpg`;

export const paragraph =
  'I visited the corner shop at the station shortly before noon. The shelf with the coffee is the second on the left, ' +
  'opposite the till. All four varieties were there; the decaffeinated one had three packs left. The price label of ' +
  'the dark roast was missing, so I asked the clerk, who told me that it costs 4.49.';
