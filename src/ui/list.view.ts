import type { ActionsBlock, Button, InputBlock, KnownBlock, StaticSelect } from '@slack/types';
import { z } from 'zod';
import {
  button,
  context,
  dayPicker,
  input,
  limits,
  type Message,
  option,
  plainText,
  section,
} from '../slack/blocks.ts';
import { cut, inline, plain } from '../slack/mrkdwn.ts';

/** Day range (YYYY-MM-DD) of a list filter, inclusive. */
interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Returns the message of a list: the outcome of the last action (if any), an introduction, then the list.
 * @param list.rows the rows in mrkdwn, for the fallback text
 */
export function listMessage(list: {
  readonly outcome?: string | undefined;
  readonly intro: string;
  readonly blocks: readonly KnownBlock[];
  readonly rows: readonly string[];
}): Message {
  const head = list.outcome === undefined ? [list.intro] : [list.outcome, list.intro];
  return {
    text: cut(plain([...head, ...list.rows].join('\n')), limits.fallbackText),
    blocks: [...head.map((text) => section(text)), ...list.blocks],
  };
}

/** Returns the date pickers of a list filter, and a button that clears them. @param ids action ids */
export function dayFilter(
  ids: { readonly from: string; readonly to: string; readonly clear: string },
  { from, to }: Days,
): ActionsBlock['elements'] {
  return [
    dayPicker(ids.from, 'From day', from),
    dayPicker(ids.to, 'To day', to),
    ...(from || to ? [button('Any day', ids.clear, 'any')] : []),
  ];
}

/** Returns a list's date filter in words; '' without one. */
export function daysText({ from, to }: Days): string {
  return [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])].join(' ');
}

/** Returns a note on the zone (IANA) of a list's date filter; nothing without one. */
export function zoneNote({ from, to }: Days, zone: string): KnownBlock[] {
  return from || to ? [context(`Days are in the marketplace’s time zone, ${inline(zone, 60)}.`)] : [];
}

/** Returns the select of a list filter. @param words the choices by value */
export function choice<T extends string>(
  actionId: string,
  placeholder: string,
  words: Readonly<Record<T, string>>,
  chosen: T,
): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: plainText(placeholder),
    options: Object.entries<string>(words).map(([value, text]) => option(text, value)),
    initial_option: option(words[chosen], chosen),
  };
}

/** Returns the input of a form for ids. @param hint how they are found */
export function idsInput(label: string): InputBlock {
  return input(
    'ids',
    label,
    { type: 'plain_text_input', multiline: true, max_length: limits.inputText, focus_on_load: true },
    { hint: 'Separate ids with spaces, commas or new lines.' },
  );
}

/** Maximum number of earlier pages that a button remembers. */
const mostPagesBack = 40;

/**
 * Returns the buttons to the adjacent pages of a list whose pages begin after an entry. Clicks: `<actionId>.previous` and
 * `<actionId>.next`.
 * @param starts where each page up to the current one begins, without the first
 * @param next where the next page begins; absent: there is none
 * @param value the value of a button to the last of these pages
 */
export function adjacentPages<Start>(
  actionId: string,
  starts: readonly Start[],
  next: Start | undefined,
  value: (starts: readonly Start[]) => string,
): Button[] {
  return [
    ...(starts.length > 0 ? [button('Previous', `${actionId}.previous`, value(starts.slice(0, -1)))] : []),
    ...(next === undefined
      ? []
      : [button('Next', `${actionId}.next`, value([...starts, next].slice(-mostPagesBack)))]),
  ];
}

/** A page of a list, from 0; an invalid value counts as the first page. */
export const pageField = z.coerce.number().int().min(0).max(999_999).catch(0);

/** A day (YYYY-MM-DD); an invalid value counts as none. */
export const dayField = z.iso.date().optional().catch(undefined);

type Field = z.ZodType<string | number | undefined>;

export interface BlockStateCodec<State> {
  /** Returns a block id. @param part distinguishes the block from others in its message */
  encode(part: string, state: State): string;
  /** Returns the state in a block id, or undefined for a block of another kind. */
  decode(blockId: string): State | undefined;
  /** Returns the state with a choice applied; the list returns to its first page unless a page was chosen. */
  update(state: State, change: Partial<Record<keyof State, string>>): State;
}

/**
 * Returns the codec for state that a message carries in its block ids, as `<part>/<field>/<field>…` in schema order. A
 * click re-renders the list from it, so no list state is stored.
 */
export function blockStateCodec<Schema extends z.ZodObject<Readonly<Record<string, Field>>>>(
  schema: Schema,
): BlockStateCodec<z.infer<Schema>> {
  const names = Object.keys(schema.shape);
  const parse = (value: unknown) => schema.safeParse(value).data;
  return {
    encode: (part, state) => [part, ...names.map((name) => state[name] ?? '')].join('/'),
    decode(blockId) {
      const [, ...texts] = blockId.split('/');
      return parse(Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ''])));
    },
    update: (state, change) => parse({ ...state, page: 0, ...change }) ?? state,
  };
}
