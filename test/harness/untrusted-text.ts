import { runsFromRightToLeft } from '../../src/slack/mrkdwn.ts';

/** The bot's own tokens in angle brackets: members and channels of the samples, dates, links. */
const ownTokens =
  /<(?:@[UW][A-Z0-9]+|#[CG][A-Z0-9]+|!date\^\d+\^[^<>|]*\|[^<>]*|https?:\/\/(?!evil\.example)[^<>|\s]*\|[^<>|]*)>/g;
const codeBlock = /```[\s\S]*?```|`[^`\n]*`/g;
/** Direction characters and joiners that the bot itself writes. */
const own = /[\u200b\u2060\u2068\u2069]/gu;

/**
 * Returns the harm that untrusted text could do in a message or view: ping, link, show an emoji, hide something or reorder
 * the text beside it.
 */
export function harmsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(harmsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...('blocks' in value && 'text' in value ? harmsOfNotification(String(value.text)) : []),
    ...harmsOfTextObject(value),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const isWords = ['alt_text', 'accessibility_label', 'title'].includes(name);
      return isWords && typeof inner === 'string' ? harmsOfOrder(inner) : harmsIn(inner);
    }),
  ];
}

function harmsOfTextObject(value: object): string[] {
  if (!('type' in value && 'text' in value && typeof value.text === 'string')) return [];
  const { type, text } = value;
  if (type === 'plain_text') return harmsOfOrder(text);
  if (type === 'raw_text') return harmsOfHidden(text);
  if (type !== 'mrkdwn') return [];
  const isVerbatim = 'verbatim' in value && value.verbatim === true;
  return [...(isVerbatim ? [] : [`not verbatim: ${shown(text)}`]), ...harmsOfMrkdwn(text)];
}

function harmsOfNotification(text: string): string[] {
  return [...pingsIn(text), ...harmsOfOrder(text.replace(ownTokens, ''))];
}

function pingsIn(text: string): string[] {
  return (/<[^>]*>?/.exec(text.replace(ownTokens, '')) ?? []).map(
    (token) => `pings or links: ${shown(token)}`,
  );
}

function harmsOfMrkdwn(text: string): string[] {
  // A backtick followed by a joiner does not format.
  const rest = text.replace(ownTokens, '').replace(/(?<!`)`\u2060/gu, "'");
  const outside = rest.replace(codeBlock, '');
  return [
    ...pingsIn(text),
    ...(/:evil_emoji:/.test(outside) ? [`an emoji: ${shown(outside)}`] : []),
    ...harmsOfOrder(outside),
    ...[...rest.matchAll(codeBlock)].flatMap(([block]) =>
      block.startsWith('```') ? harmsOfLines(block) : harmsOfOrder(block),
    ),
  ];
}

/** Returns the harm outside code: right-to-left text that is not isolated, and hidden text. */
function harmsOfOrder(text: string): string[] {
  // The end of a truncated text also ends its isolates.
  const isolated = text.replace(/\u2068[^\u2068\u2069]*(?:\u2069|…$)/gu, '');
  return [
    ...(runsFromRightToLeft(isolated) ? [`reorders: ${shown(isolated)}`] : []),
    ...(/[\u2068\u2069]/u.test(isolated) ? [`isolates unbalanced: ${shown(isolated)}`] : []),
    ...harmsOfHidden(text),
  ];
}

function harmsOfHidden(text: string): string[] {
  // The letters that the marks belong to may have been cut off.
  const marks = runsFromRightToLeft(text) || text.includes('…') ? /[\u200e\u200f\u061c]/gu : /(?!)/u;
  const rest = text
    .replace(own, '')
    .replace(marks, '')
    .replace(/[\ufe00-\ufe0f]|(?<=\p{Extended_Pictographic}|\p{M}|\p{L})[\u200c\u200d]/gu, '');
  const found = /(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Cc}]/u.exec(rest);
  return found ? [`hidden: ${shown(rest)}`] : [];
}

/** Returns the harm in code, where texts are shown as written: what directs the text after it, or hides. */
function harmsOfLines(block: string): string[] {
  const isHarmful = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(block);
  return isHarmful ? [`directs or hides: ${shown(block)}`] : [];
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 300)).replace(
    /[\u0080-\u{10ffff}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
