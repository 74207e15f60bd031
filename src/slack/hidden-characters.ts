import { MemberId } from '../domain/terms.ts';

/**
 * Invisible characters that change the visible text: direction controls, joiners, fillers. In short texts, such as a name or
 * a file name, they are shown as their codes (`[U+202E]`), so that `photo[U+202E]gpj.exe` cannot pass for a picture. In long
 * texts, where right-to-left writers may need them, they stay and end where the text does.
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

/** Returns whether a text has right-to-left letters. */
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

const embeddings = new Set(['\u202a', '\u202b']);
const isolates = new Set(['\u2066', '\u2067', '\u2068']);
const popEmbedding = '\u202c';
const popIsolate = '\u2069';
/** Controls that reverse letters are never needed in people's texts; the others could only be part of an attack. */
const neverNeeded = /(?![\t\n\r])[\p{Cc}\u202d\u202e\u{e0000}-\u{e007f}]/u;
const ofInterest = /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const flags = new RegExp(flag, 'gu');

/**
 * Returns a long text in which direction changes only within its own lines: controls opened in a line are closed at its end,
 * and unmatched closers are removed. Characters that could only mislead are shown as their codes.
 */
export function withDirectionContained(text: string): string {
  if (!ofInterest.test(text)) return text;
  const inFlags = new Set<number>();
  for (const { 0: found, index } of text.matchAll(flags))
    for (let at = index; at < index + found.length; at += 1) inFlags.add(at);
  const open: string[] = [];
  let shown = '';
  let at = 0;
  const closeAll = () => {
    for (const closer of open.splice(0).reverse()) shown += closer;
  };
  for (const character of text) {
    if (character === '\n') closeAll();
    if (embeddings.has(character)) open.push(popEmbedding);
    if (isolates.has(character)) open.push(popIsolate);
    if (character === popEmbedding || character === popIsolate) shown += close(open, character);
    else if (neverNeeded.test(character) && !inFlags.has(at)) shown += codeOf(character);
    else shown += character;
    at += character.length;
  }
  closeAll();
  return shown;
}

/** Removes from `open` what a closer closes, and returns the text to write for it. */
function close(open: string[], closer: string): string {
  // The end of an isolate also ends embeddings in it; that of an embedding does nothing in an isolate.
  const index = closer === popIsolate ? open.lastIndexOf(popIsolate) : open.length - 1;
  if (index < 0 || open[index] !== closer) return '';
  open.length = index;
  return closer;
}

/** Matches from one right-to-left letter to the last one before any other letter. */
const run =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}][\p{M}\u200c-\u200f\u061c]*/gu;

/** Isolates the right-to-left words of a text, so that numbers and punctuation after them stay in order. */
export function withRightToLeftIsolated(text: string): string {
  if (!runsFromRightToLeft(text)) return text;
  let shown = '';
  let from = 0;
  let begin = -1;
  let end = -1;
  const isolate = () => {
    if (begin >= 0) shown += `${text.slice(from, begin)}\u2068${text.slice(begin, end)}\u2069`;
    if (begin >= 0) from = end;
  };
  for (const { 0: letter, index } of text.matchAll(run)) {
    // Spaces between words belong to the run: separately isolated words would be in the wrong order.
    if (begin >= 0 && /^\s*$/u.test(text.slice(end, index))) end = index + letter.length;
    else {
      isolate();
      begin = index;
      end = index + letter.length;
    }
  }
  isolate();
  return shown + text.slice(from);
}

/** A person's text in Slack, without Slack's own notation. */
export interface WrittenText {
  readonly text: string;
  /** The members it mentions; in `text`, each appears as `@U…`. */
  readonly mentioned: readonly MemberId[];
}

const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' } as const;
const notation = /<([^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * Returns a person's text as others read it: links as their addresses, channels and groups by name, `&`, `<` and `>`
 * unescaped.
 */
export function writtenText(source: string): WrittenText {
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
  return {
    text: text.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity as keyof typeof entities]),
    mentioned: [...new Set(mentioned)],
  };
}
