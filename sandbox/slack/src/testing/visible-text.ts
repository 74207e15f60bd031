/** The names of people, groups and channels, by the ids that they replace in a text. */
export type Names = Record<string, string>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const show = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns mrkdwn as people read it: with entities, links, dates and mentions resolved; marks like `*` stay. */
export function readMrkdwn(text: string, names: Names = {}): string {
  return text
    .replace(/<([^<>]+)>/g, (_whole, inside: string) => {
      const [target = '', label] = inside.split('|');
      if (label !== undefined) return label;
      if (target.startsWith('@')) return `@${names[target.slice(1)] ?? target.slice(1)}`;
      if (target.startsWith('#')) return `#${names[target.slice(1)] ?? target.slice(1)}`;
      if (target.startsWith('!subteam^')) return `@${names[target.slice(9)] ?? target.slice(9)}`;
      return target.startsWith('!') ? `@${target.slice(1)}` : target;
    })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function readText(value: unknown, names: Names): string {
  if (typeof value === 'string') return value;
  if (!isObject(value) || typeof value.text !== 'string') return '';
  return value.type === 'mrkdwn' ? readMrkdwn(value.text, names) : value.text;
}

function readRichText(value: unknown, names: Names): string {
  if (!isObject(value)) return '';
  switch (value.type) {
    case 'text':
      return show(value.text);
    case 'link':
      return show(value.text ?? value.url);
    case 'emoji':
      return `:${show(value.name)}:`;
    case 'user':
      return `@${names[show(value.user_id)] ?? show(value.user_id)}`;
    case 'channel':
      return `#${names[show(value.channel_id)] ?? show(value.channel_id)}`;
    case 'date':
      return show(value.fallback ?? value.format);
    default: {
      const parts = list(value.elements).map((part) => readRichText(part, names));
      return parts.join(value.type === 'rich_text' || value.type === 'rich_text_list' ? '\n' : '');
    }
  }
}

function readCell(cell: unknown, names: Names): string {
  if (!isObject(cell)) return '';
  if (cell.type === 'rich_text') return readRichText(cell, names);
  return show(cell.text ?? cell.value);
}

function readChart(block: Record<string, unknown>): string[] {
  const chart = isObject(block.chart) ? block.chart : {};
  const point = (value: unknown) => (isObject(value) ? `${show(value.label)}: ${show(value.value)}` : '');
  return [
    show(block.title),
    ...list(chart.segments).map(point),
    ...list(chart.series).flatMap((series) =>
      isObject(series) ? [show(series.name), ...list(series.data).map(point)] : [],
    ),
  ];
}

function readBlock(block: unknown, names: Names): string[] {
  if (!isObject(block)) return [];
  const accessory = isObject(block.accessory) ? block.accessory : {};
  switch (block.type) {
    case 'rich_text':
      return [readRichText(block, names)];
    case 'table':
    case 'data_table':
      return [
        show(block.caption),
        ...list(block.rows).map((row) =>
          list(row)
            .map((cell) => readCell(cell, names))
            .join(' | '),
        ),
      ];
    case 'data_visualization':
      return readChart(block);
    case 'input':
      return [readText(block.label, names), readText(block.hint, names)];
    case 'image':
      return [readText(block.title, names), show(block.alt_text)];
    case 'context':
      return list(block.elements).map((part) =>
        isObject(part) && part.type === 'image' ? show(part.alt_text) : readText(part, names),
      );
    case 'actions':
    case 'divider':
      return [];
    default:
      return [
        readText(block.title, names),
        readText(block.subtitle, names),
        block.type === 'markdown' ? show(block.text) : readText(block.text, names),
        readText(block.body, names),
        ...list(block.fields).map((field) => readText(field, names)),
        accessory.type === 'image' ? show(accessory.alt_text) : '',
        ...list(block.child_blocks).flatMap((child) => readBlock(child, names)),
        ...(block.type === 'carousel' ? list(block.elements).flatMap((card) => readBlock(card, names)) : []),
      ];
  }
}

/** Returns the text that a person reads in these blocks, one line per part, without buttons and menus. */
export function visibleText(blocks: unknown, names: Names = {}): string {
  return list(blocks)
    .flatMap((block) => readBlock(block, names))
    .filter((line) => line !== '')
    .join('\n');
}
