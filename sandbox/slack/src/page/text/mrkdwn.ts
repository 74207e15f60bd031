/**
 * Parses Slack's mrkdwn. slack-blocks-to-jsx has a parser too, but it unescapes `&lt;` first, which turns text escaped by
 * an app into a mention. This parser unescapes last, and only text.
 */

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'break' }
  | { type: 'emoji'; name: string }
  | { type: 'code'; text: string }
  | { type: 'bold' | 'italic' | 'strike'; children: Inline[] }
  | { type: 'link'; url: string; text: string }
  | { type: 'user' | 'channel' | 'group'; id: string; label: string | undefined }
  | { type: 'broadcast'; range: string }
  | { type: 'date'; seconds: number; format: string; link: string | undefined; fallback: string };

export type Paragraph =
  | { type: 'plain'; children: Inline[] }
  | { type: 'quote'; children: Inline[] }
  | { type: 'preformatted'; text: string };

/**
 * Parses a mrkdwn text into paragraphs, quotes and preformatted parts, in order.
 * @param verbatim whether bare addresses stay text instead of becoming links
 */
export function parseMrkdwn(source: string, verbatim = false): Paragraph[] {
  const parts = source.split(/```([\s\S]+?)```/);
  return parts.flatMap((part, index): Paragraph[] => {
    if (index % 2 === 1) return [{ type: 'preformatted', text: unescapeText(part.replace(/^\n|\n$/g, '')) }];
    // The line break beside a preformatted part belongs to that part.
    const text = part
      .replace(index > 0 ? /^\n/ : /^$/, '')
      .replace(index < parts.length - 1 ? /\n$/ : /$^/, '');
    return text === '' ? [] : parseLines(text.split('\n'), verbatim);
  });
}

/** Undoes Slack's three escapes. */
export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Escapes text as Slack's client does with people's messages. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function parseLines(lines: string[], verbatim: boolean): Paragraph[] {
  const found: Paragraph[] = [];
  for (const [index, line] of lines.entries()) {
    if (/^(&gt;|>){3}/.test(line)) {
      const rest = [line.replace(/^(&gt;|>){3} ?/, ''), ...lines.slice(index + 1)];
      found.push({ type: 'quote', children: parseInline(rest.join('\n'), verbatim) });
      break;
    }
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    const type = quoted ? 'quote' : 'plain';
    const children = parseInline(quoted?.[1] ?? line, verbatim);
    const last = found.at(-1);
    if (last?.type === type) last.children.push({ type: 'break' }, ...children);
    else found.push({ type, children });
  }
  return found;
}

const styles = { '*': 'bold', _: 'italic', '~': 'strike' } as const;
type Marker = keyof typeof styles;

function parseInline(source: string, verbatim: boolean): Inline[] {
  const found: Inline[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain) found.push({ type: 'text', text: unescapeText(plain) });
    plain = '';
  };
  let at = 0;
  while (at < source.length) {
    const taken = takeAt(source, at, verbatim);
    if (taken) {
      flush();
      found.push(taken.node);
      at += taken.length;
    } else {
      plain += source[at];
      at += 1;
    }
  }
  flush();
  return found;
}

type Taken = { node: Inline; length: number };

/** Returns the node that begins at this position, if any. */
function takeAt(source: string, at: number, verbatim: boolean): Taken | undefined {
  const char = source[at];
  if (char === '\n') return { node: { type: 'break' }, length: 1 };
  if (char === '`') {
    const code = matchAt(/`([^`\n]+)`/y, source, at);
    return code && { node: { type: 'code', text: unescapeText(code[1] ?? '') }, length: code[0].length };
  }
  if (char === '<') {
    const angle = matchAt(/<([^<>\n]+)>/y, source, at);
    const node = angle && readAngle(angle[1] ?? '');
    return node && { node, length: angle[0].length };
  }
  if (char === ':') {
    const emoji = matchAt(/:([a-z0-9_+'-]+):/y, source, at);
    return emoji && { node: { type: 'emoji', name: emoji[1] ?? '' }, length: emoji[0].length };
  }
  if (char === 'h' && !verbatim && !isWord(source[at - 1])) {
    const url = matchAt(/https?:\/\/[^\s<>|*`]+[^\s<>|*`.,;:!?)\]}'"]/y, source, at)?.[0];
    if (url === undefined) return undefined;
    return { node: { type: 'link', url: unescapeText(url), text: unescapeText(url) }, length: url.length };
  }
  if (char === '*' || char === '_' || char === '~') return takeStyled(source, at, char, verbatim);
  return undefined;
}

/** Parses `*bold*` and similar styles. The markers must be at word boundaries on the same line. */
function takeStyled(source: string, at: number, marker: Marker, verbatim: boolean): Taken | undefined {
  const next = source[at + 1];
  if (isWord(source[at - 1]) || source[at - 1] === marker) return undefined;
  if (next === undefined || next === marker || /\s/.test(next)) return undefined;
  for (let end = at + 2; end < source.length && source[end] !== '\n'; end += 1) {
    const skipped = matchAt(/`[^`\n]+`|<[^<>\n]+>/y, source, end);
    if (skipped) {
      end += skipped[0].length - 1;
    } else if (source[end] === marker && !/\s/.test(source[end - 1] ?? ' ') && !isWord(source[end + 1])) {
      const children = parseInline(source.slice(at + 1, end), verbatim);
      return { node: { type: styles[marker], children }, length: end - at + 1 };
    }
  }
  return undefined;
}

/** Parses the text between `<` and `>`. Returns undefined if Slack does not recognize it. */
function readAngle(inside: string): Inline | undefined {
  const [target = '', ...rest] = inside.split('|');
  const label = rest.length > 0 ? unescapeText(rest.join('|')) : undefined;
  const id = target.slice(1);
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { type: 'user', id, label };
  if (/^#[CDG][A-Z0-9]+$/.test(target)) return { type: 'channel', id, label };
  if (/^!(here|channel|everyone)$/.test(target)) return { type: 'broadcast', range: id };
  if (target.startsWith('!subteam^')) return { type: 'group', id: target.slice('!subteam^'.length), label };
  const date = /^!date\^(\d+)\^([^^]+)(?:\^(.+))?$/.exec(target);
  if (date) {
    const [, seconds, format = '', link] = date;
    return {
      type: 'date',
      seconds: Number(seconds),
      format,
      link: link && unescapeText(link),
      fallback: label ?? '',
    };
  }
  if (/^(https?:\/\/|mailto:|tel:)/i.test(target)) {
    const url = unescapeText(target);
    return { type: 'link', url, text: label ?? url.replace(/^mailto:/i, '') };
  }
  return undefined;
}

function matchAt(sticky: RegExp, source: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(source) ?? undefined;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}
