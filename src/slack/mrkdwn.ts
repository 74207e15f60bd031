import { type ChannelId, MemberId } from '../domain/terms.ts';

/**
 * Escapes somebody else's text for mrkdwn: `<!channel>` and `<@U…>` in it become plain text, and no control in it changes
 * the direction of text after it.
 */
export function escaped(text: string): string {
  return withDirectionContained(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Slack's formatting: these marks, unless they are inside a word as in `some_name`, and emoji codes. */
const formatting = /`|(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])|:(?=[\w+'-]{1,100}:)/gu;

/**
 * Returns somebody's short text on one line, such as a title or a name: cut, escaped, without line breaks, formatting or
 * emoji codes. Hidden characters are shown as their codes. Right-to-left text is isolated, so that numbers and punctuation
 * after it stay in order.
 * @param max maximum number of characters, counted after escaping
 */
export function inline(text: string, max = 150): string {
  const line = oneLine(text);
  const shown = escaped(cutEscaped(line, max)).replace(formatting, (mark) => `${mark}\u2060`);
  return isolated(shown);
}

function isolated(shown: string): string {
  return runsFromRightToLeft(shown) ? `\u2068${shown}\u2069` : shown;
}

/** Returns a short text on one line, with hidden characters shown as their codes. */
function oneLine(text: string): string {
  return withHiddenShown(text.trim()).replace(/\s+/g, ' ').trim();
}

/** Cuts a text so that, including its `…`, it has at most `max` characters once escaped. */
function cutEscaped(text: string, max: number): string {
  if ([...escaped(text)].length <= max) return text;
  let shown = '';
  let length = 1;
  for (const point of text) {
    length += [...escaped(point)].length;
    if (length > max) break;
    shown += point;
  }
  return `${shown}…`;
}

/**
 * Maximum length of a text alone in a text object, which leaves room for its own formatting and the `…` of a cut one (Slack
 * takes 3000 characters).
 */
const textRoom = 2_900;

/**
 * Returns somebody's text exactly as written, as a preformatted block: nothing in it is formatting, mention or emoji. Runs
 * of backticks, which would end the block, become one.
 * @param max maximum number of characters shown
 * @param room maximum number of characters after escaping
 */
export function preformatted(text: string, max: number, room: number = textRoom): string {
  // What directs is left out first: it would come between backticks.
  const written = withDirectionContained(text)
    .replace(/`{2,}/g, '`')
    .replace(/\r\n?|\u2028|\u2029/g, '\n');
  const shown = cut(written, max);
  // The same limit as for pieces, each of which is shown whole.
  const [first = ''] = inPieces(shown, room);
  return `\`\`\`${escaped(first)}${first.length < shown.length ? '…' : ''}\`\`\``;
}

/** Splits a long text into pieces of at most `room` characters once escaped, between code points. */
export function inPieces(text: string, room: number = textRoom): string[] {
  const pieces: string[] = [];
  let piece = '';
  let length = 0;
  for (const point of text) {
    const size = escaped(point).length;
    if (length + size > room) {
      pieces.push(piece);
      piece = '';
      length = 0;
    }
    piece += point;
    length += size;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/**
 * Returns the first {@link inPieces} that together take at most `mostBytes` (a modal may have 250 KB), and whether that is
 * all.
 */
export function piecesWithin(
  text: string,
  mostBytes: number,
): { readonly pieces: readonly string[]; readonly isCut: boolean } {
  // Every character takes at least one byte, so the rest need not be looked at.
  const all = inPieces(text.slice(0, mostBytes));
  let bytes = 0;
  const end = all.findIndex((piece) => {
    bytes += new TextEncoder().encode(JSON.stringify(escaped(piece))).length;
    return bytes > mostBytes;
  });
  return end === -1 ? { pieces: all, isCut: false } : { pieces: all.slice(0, end), isCut: true };
}

const maxCode = 200;

/** Returns somebody's short text as code that can be copied. */
export function code(text: string, max = maxCode): string {
  const line = oneLine(text).replaceAll('`', "'");
  return `\`${isolated(escaped(cut(line, max)))}\``;
}

/**
 * Formats a time in the reader's own time zone, for the middle of a sentence: Slack capitalizes `Today` at the beginning of
 * a format, so a zero-width space precedes it.
 * @param at milliseconds since 1970
 * @param format text around tokens, which the fallback for readers without a time zone also contains
 */
export function date(at: number, format = '\u200b{date_short_pretty} at {time}'): string {
  const moment = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const fallback = format.replace('\u200b', '').replace(/\{.*\}/u, moment);
  return `<!date^${Math.floor(at / 1000)}^${format}|${fallback}>`;
}

/** Formats a time for the beginning of a line or sentence: `Today at 6:39 AM`. */
export function dateAtStart(at: number): string {
  return date(at, '{date_short_pretty} at {time}');
}

export function user(member: MemberId): string {
  return `<@${member}>`;
}

export function channelName(channel: ChannelId): string {
  return `<#${channel}>`;
}

export function link(address: string, text: string): string {
  return `<${address.replace(/[<>|\s]/g, encodeURIComponent)}|${escaped(text).replaceAll('|', '/')}>`;
}

/** Returns the plain text of mrkdwn, as in a notification: without formatting, with the text of links and dates. */
export function plain(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<(?:https?:|mailto:)[^|>]*\|([^>]*)>/g, '$1')
    .replace(/(^|[\s(])\*(?=\S)([^*\n]*\S)\*/g, '$1$2')
    .replace(/`(?!\u2060)/g, '')
    .replaceAll('\u2060', '');
}

/** Text that begins a mention, date or link in mrkdwn, and does not end it. */
const unfinishedToken = /<(?:[@#!]|https?:)[^<>]*$|<h?t{0,2}p?s?$/;

/** Cuts a text at a code-point boundary, so that including its `…` it has at most `max` characters, and no half mention. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text];
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .replace(unfinishedToken, '')}…`;
}

/** Returns whether {@link cut} would shorten a text. */
export function isCut(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

/**
 * Invisible characters that change the visible text: direction controls, joiners, fillers. In short texts, such as a name or
 * a file name, they are shown as their codes (`[U+202E]`), so that `photo[U+202E]gpj.exe` cannot pass for a picture. In long
 * texts, joiners and marks stay, which right-to-left writers need; controls that direct other text do not.
 */

/** The flags of England, Scotland and Wales, whose codes are written in invisible letters. */
const flag =
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}';
/** Invisible characters that belong to visible ones. */
const legitimate = [
  flag,
  // Emoji joined into one, such as a family.
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
  // Letters of scripts in which joining matters.
  '(?<=[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Myanmar}\\p{Script=Khmer}])[\\u200C\\u200D]',
  // Variation selectors: as an emoji or not, and of Chinese characters.
  '(?<![\\uFE00-\\uFE0F])[\\uFE00-\\uFE0F]',
  '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
];
/** White space, which does not count as hidden. */
const whiteSpace = '\\t\\n\\v\\f\\r';
const invisible = `(?![${whiteSpace}])[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\uFFF9-\\uFFFB]`;
const hidden = new RegExp(`${legitimate.join('|')}|(${invisible})`, 'gu');

/** Letters of right-to-left scripts: Hebrew, Arabic and their neighbors. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Direction marks, which right-to-left texts need beside digits and punctuation. */
const directionMark = /[\u200e\u200f\u061c]/u;

export function runsFromRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** Returns a short text with every hidden character shown as its code, unless it belongs to a visible one. */
export function withHiddenShown(text: string): string {
  const hasRightToLeft = runsFromRightToLeft(text);
  return text.replace(hidden, (found: string, character: string | undefined) =>
    character === undefined || (hasRightToLeft && directionMark.test(character)) ? found : codeOf(character),
  );
}

function codeOf(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** Controls that direct the text after them: they could reverse letters, or turn around what follows. */
const controls = '(?![\\t\\n\\r])[\\p{Cc}\\u202d\\u202e\\u{E0000}-\\u{E007F}]';
const directing = new RegExp(`${flag}|(${controls})|[\\u202a-\\u202c\\u2066-\\u2069]`, 'gu');

/**
 * Returns a long text without the characters by which it could direct what follows it. Those that nobody needs, which could
 * only mislead, are shown as their codes.
 */
export function withDirectionContained(text: string): string {
  return text.replace(directing, (found: string, control: string | undefined) => {
    if (control !== undefined) return codeOf(control);
    return found.length > 1 ? found : '';
  });
}

/** From one right-to-left letter to the last one before any other letter, with the spaces between them. */
const run = `${rightToLeft.source}[\\p{M}\\u200c-\\u200f\\u061c]*`;
const runs = new RegExp(`${run}(?:\\s*${run})*`, 'gu');

/** Isolates the right-to-left words of a text, so that numbers and punctuation after them stay in order. */
export function withRightToLeftIsolated(text: string): string {
  return text.replace(runs, '\u2068$&\u2069');
}

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' } as const;

/** Returns mrkdwn without Slack's escapes. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity as keyof typeof entities]);

const notation = /<([^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * Returns a person's text as others read it: links as their addresses, channels and groups by name, `&`, `<` and `>`
 * unescaped, and each member whom it mentions, in `mentioned` too, as `@U…`.
 */
export function writtenText(source: string) {
  const mentioned: MemberId[] = [];
  const text = source.replace(notation, (_, target: string, label: string | undefined) => {
    if (/^@[UW]/.test(target)) {
      mentioned.push(MemberId.parse(target.slice(1)));
      return target;
    }
    if (target.startsWith('!')) {
      const [name = ''] = target.slice(1).split('^');
      return label ?? `@${name}`;
    }
    if (target.startsWith('#')) return `#${label || target.slice(1)}`;
    const address = target.replace(/^(?:mailto|tel):/, '');
    return label === undefined || address.endsWith(label) ? address : `${label} (${address})`;
  });
  return { text: unescaped(text), mentioned: [...new Set(mentioned)] };
}
