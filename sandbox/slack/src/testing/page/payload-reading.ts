/** What a person must see of a payload. */
export interface Expected {
  /** Pieces of text in the order in which they stand. */
  readonly texts: string[];
  /** Texts whose place a picture chooses: those of charts. */
  readonly anywhere: string[];
  readonly buttons: string[];
  /** What each field shows: its value, otherwise its placeholder. */
  readonly fields: string[];
  /** Which boxes are ticked, of all of them. */
  readonly ticked: boolean[];
  /** The words of pictures, and of signs that stand for a word: how bad, how far. */
  readonly pictures: string[];
  /** What each field for files takes. */
  readonly uploads: string[];
  /** The options of each select that has its own, by the number of its field. */
  readonly options: Map<number, string[]>;
  /** The entries of each overflow menu. */
  readonly menus: Map<number, string[]>;
  /** What each button that asks first asks, by the button's number. */
  readonly confirmations: Map<number, string[]>;
}

type Part = { readonly [field: string]: unknown };
interface Names {
  readonly users: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, string>>;
  /** Where the reader is (IANA). */
  readonly zone: string;
}

/**
 * Reads what Slack would show of a message, modal or home from the payload alone. It shares nothing with the page that
 * draws it: text that the page leaves out, adds or moves is found by comparing the two.
 */
export function expectedOf(drawn: object, names: Names): Expected {
  const found: Expected = {
    texts: [],
    anywhere: [],
    buttons: [],
    fields: [],
    ticked: [],
    pictures: [],
    uploads: [],
    options: new Map(),
    menus: new Map(),
    confirmations: new Map(),
  };
  const view = drawn as Part;
  if (view.type === 'modal') found.texts.push(...pieces(view.title, names));
  for (const block of parts(view.blocks)) readBlock(block, found, names);
  if (view.type === 'modal') found.texts.push(...pieces(view.close, names), ...pieces(view.submit, names));
  return found;
}

type Reader = (value: unknown, found: Expected, names: Names) => void;

/** Reads one, or each of several. */
const each =
  (read: (part: Part, found: Expected, names: Names) => void): Reader =>
  (value, found, names) => {
    for (const part of parts(Array.isArray(value) ? value : [value])) read(part, found, names);
  };
const say = each((object, { texts }, names) => void texts.push(...pieces(object, names)));
const elements = each(readElement);
const blocks = each(readBlock);
const cells = each((cell, { texts }, names) => void texts.push(...cellText(cell, names)));
const raw: Reader = (value, { texts }) => void texts.push(...lines(typeof value === 'string' ? value : ''));
const picture: Reader = (value, { pictures }) => void pictures.push(String(value));

const table = {
  caption: (text, ...rest) => say({ type: 'plain_text', text }, ...rest),
  rows: each(cells),
} satisfies Record<string, Reader>;

/** Of each block, what is seen of its fields, in the order in which a person sees them. */
const seenOf: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  section: { text: say, fields: say, accessory: elements },
  context: { elements },
  actions: { elements },
  context_actions: { elements },
  header: { text: say },
  divider: {},
  image: { title: say, alt_text: picture },
  input: { label: say, element: elements, hint: say },
  table,
  data_table: table,
  rich_text: { elements: cells },
  data_visualization: {},
  markdown: { text: (text, ...rest) => raw(String(text).replace(/[#*`_-]+/g, '\n'), ...rest) },
  alert: {
    level: (level, ...rest) => picture(level && level !== 'default' ? level : 'Note', ...rest),
    text: say,
  },
  card: { hero_image: elements, icon: elements, title: say, subtitle: say, body: say, actions: elements },
  carousel: { elements: blocks },
  container: { icon: elements, title: say, rich_text_title: blocks, subtitle: say, child_blocks: blocks },
  file: { external_id: raw, source: (_, ...rest) => raw('Remote file', ...rest) },
  plan: { title: raw, tasks: blocks },
  task_card: {
    status: (status, ...rest) => {
      const words = String(status).replace('_', ' ');
      picture(words.charAt(0).toUpperCase() + words.slice(1), ...rest);
    },
    ...{ title: raw, details: blocks, output: blocks },
    sources: each(({ text }, ...rest) => raw(text, ...rest)),
  },
  video: {
    provider_icon_url: (url, ...rest) => (url === undefined ? undefined : picture('', ...rest)),
    ...{ alt_text: picture, author_name: raw, provider_name: raw, title: say, description: say },
  },
};

function readBlock(block: Part, found: Expected, names: Names): void {
  const fields = seenOf[String(block.type)];
  // Whatever it is, it is named.
  if (fields === undefined) found.texts.push(String(block.type));
  for (const [field, read] of Object.entries(fields ?? {})) read(block[field], found, names);
  if (block.type === 'data_visualization') found.anywhere.push(...chartTexts(block));
}

function readElement(element: Part, found: Expected, names: Names): void {
  const { type } = element;
  const label = (object: unknown) => pieces(object, names).join(' ');
  if (type === 'mrkdwn' || type === 'plain_text') found.texts.push(...pieces(element, names));
  else if (type === 'image') found.pictures.push(String(element.alt_text));
  else if (type === 'feedback_buttons') {
    for (const button of parts([element.positive_button, element.negative_button]))
      readElement({ ...button, type: 'button' }, found, names);
  } else if (type === 'button' || type === 'icon_button' || type === 'workflow_button') {
    if (element.confirm) {
      const { title, text, confirm, deny } = element.confirm as Part;
      const asked = [title, text, deny, confirm].flatMap((object) => pieces(object, names));
      found.confirmations.set(found.buttons.length, asked);
    }
    found.buttons.push(label(element.text));
    found.texts.push(...pieces(element.text, names));
  } else if (type === 'overflow') {
    found.menus.set(
      found.menus.size,
      parts(element.options).map(({ text }) => label(text)),
    );
  } else if (type === 'checkboxes' || type === 'radio_buttons') {
    const initial = [...parts(element.initial_options), ...parts([element.initial_option])].map(
      ({ value }) => value,
    );
    for (const option of parts(element.options)) {
      found.texts.push(...pieces(option.text, names), ...pieces(option.description, names));
      found.ticked.push(initial.includes(option.value));
    }
  } else readField(element, found, names);
}

/** Reads selects, text fields and pickers: what they hold is no text of the page. */
function readField(element: Part, found: Expected, names: Names): void {
  const type = String(element.type);
  const label = (object: unknown) => pieces(object, names).join(' ');
  if (type === 'file_input') {
    const types = (element.filetypes ?? []) as string[];
    const count = element.max_files === 1 ? 'one' : 'several';
    found.uploads.push(`${count} of ${types.map((name) => `.${name}`).join(',') || 'any'}`);
    return;
  }
  const chosen = [...parts(element.initial_options), ...parts([element.initial_option])].map(({ text }) =>
    label(text),
  );
  const ids = [
    element.initial_users,
    element.initial_user,
    element.initial_conversation,
    element.initial_conversations,
    element.initial_channel,
    element.initial_channels,
  ];
  const named = ids.flat().flatMap((id) => {
    const channel = names.channels[String(id)];
    return names.users[String(id)] ?? (channel === undefined ? [] : `#${channel}`);
  });
  const isMany = type.startsWith('multi_');
  const chips = isMany ? [...chosen, ...named] : [];
  found.texts.push(...chips);
  const written = typeof element.initial_value === 'string' ? [element.initial_value] : [];
  const rich = parts([element.initial_value]).map((text) => cellText(text, names).join(''));
  const moment =
    typeof element.initial_date_time === 'number' ? [wallTime(element.initial_date_time, names)] : [];
  const typed = [...written, ...rich, element.initial_date, element.initial_time, ...moment]
    .filter(Boolean)
    .map(String);
  const held = [...(isMany ? [] : [...chosen, ...named]), ...typed];
  const placeholder = label(element.placeholder);
  // A picker has a form of its own for what is empty: its placeholder stands before it.
  const isPicker = type.endsWith('picker');
  if (isPicker && held.length === 0 && placeholder !== '') found.texts.push(placeholder);
  found.fields.push(held[0] ?? (isPicker || chips.length > 0 ? '' : placeholder));
  if (type.endsWith('static_select')) {
    const groups = element.option_groups ? parts(element.option_groups) : [element];
    const options = groups.flatMap(({ options: own }) => parts(own).map(({ text }) => label(text)));
    found.options.set(found.fields.length - 1, options);
  }
}

/** Returns a moment as the reader's clock has it. */
function wallTime(seconds: number, { zone }: Names): string {
  const text = new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone: zone });
  return text.replace(' ', 'T').slice(0, 16);
}

/** Returns the text of a table's cell, or of rich text, in pieces. */
function cellText(cell: Part, names: Names): string[] {
  if (cell.type === 'user') return [`@${names.users[String(cell.user_id)] ?? String(cell.user_id)}`];
  if (cell.type === 'raw_number' && cell.text === undefined) return [String(cell.value)];
  if (typeof cell.text === 'string') return lines(cell.text);
  return parts(cell.elements).flatMap((element) => cellText(element, names));
}

function chartTexts(block: Part): string[] {
  const { segments, series, axis_config: axis } = block.chart as Part;
  const labels = [...parts(segments).map(({ label }) => label), ...parts(series).map(({ name }) => name)];
  const categories = ((axis as Part | undefined)?.categories as unknown[] | undefined) ?? [];
  return [block.title, ...labels, ...categories].map(String);
}

/** Returns the texts of a text object between its markup, as they are shown. */
function pieces(object: unknown, names: Names): string[] {
  if (typeof object !== 'object' || object === null) return [];
  const { type, text = '', emoji } = object as Part;
  const source = String(text);
  if (type !== 'mrkdwn')
    return lines(emoji === false ? unescaped(source) : source.replace(emojiName, '\n'), true);
  const named = source
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${names.users[id] ?? id}`)
    .replace(/<!(?:date|subteam)[^>]*>|<#[^>]*>/g, '\n')
    .replace(/<!(\w+)>/g, '@$1')
    .replace(/<[^|<>]+\|([^<>]*)>/g, '\n$1\n')
    .replace(/<([^<>]+)>/g, '\n$1\n')
    .replace(emojiName, '\n');
  return lines(named.replace(/^(?:&gt;|>) ?/gm, '').replace(/[*_~`]/g, '\n'), true);
}

const emojiName = /:[a-z0-9_+'-]+:/g;

function lines(text: string, isEscaped = false): string[] {
  return text
    .split('\n')
    .map((line) => squeezed(isEscaped ? unescaped(line) : line))
    .filter((line) => line !== '');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Returns a text without what a field may change of it: a single line has no line breaks. */
export function withoutSpaces(text: string): string {
  return text.replace(/[\s\u00a0\0]+/g, '');
}

/** Returns a text with its spaces as a browser draws them. */
export function squeezed(text: string): string {
  return text.replace(/[\s\u00a0]+/g, ' ').trim();
}

function parts(value: unknown): Part[] {
  return (Array.isArray(value) ? value : []).filter(
    (item): item is Part => typeof item === 'object' && item !== null,
  );
}
