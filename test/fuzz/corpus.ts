import { entries } from '../../gallery/entries/index.ts';
import { account as sampleAccount } from '../../gallery/samples/people.ts';
import { channelEvents, type Feature } from '../../src/slack/feature.ts';
import { commandTable } from '../../src/slack/listeners.ts';

type Json = Record<string, unknown>;

/** An element that can be pressed or chosen from, as it stands in a block. */
export interface Clickable {
  readonly blockId: string;
  readonly element: Json;
  /** The message or view that it was found in. */
  readonly within: Json;
}

/** Everything that people can do with the bot, with samples of what they do it to. */
export interface Corpus {
  readonly commands: readonly { readonly command: string; readonly word: string }[];
  /** By the id of the feature's entry. An entry that no sample shows has none. */
  readonly clicks: Readonly<Record<string, readonly Clickable[]>>;
  /** By callback id. */
  readonly submissions: Readonly<Record<string, readonly Json[]>>;
  /** By action id. */
  readonly typings: Readonly<Record<string, readonly Clickable[]>>;
  readonly shortcuts: readonly string[];
  readonly events: readonly string[];
}

/** The events that are connected besides those of channels. */
const otherEvents = ['message', 'app_home_opened', 'user_change'];

/**
 * Collects the features' tables, and a sample for every entry from what the gallery draws: its samples have every state.
 * @param account replaces the account of the samples, so that values lead to something that exists
 */
export function corpusOf(features: readonly Feature[], account: string = sampleAccount): Corpus {
  const drawn = entries.map(({ make }) => withAccount(make(), account)).filter(isSmall);
  const clickable = drawn.flatMap((within) => clickableIn(within, within));
  const views = drawn.filter(({ type }) => type === 'modal');
  const ids = (of: 'clicks' | 'submissions' | 'typings' | 'shortcuts') =>
    features.flatMap((feature) => Object.keys(feature[of] ?? {}));
  const samplesOf = (id: string) => clickable.filter(({ element }) => entryIds(element).includes(id));
  return {
    commands: commandTable(features).map(({ command, word }) => ({ command, word })),
    clicks: Object.fromEntries(ids('clicks').map((id) => [id, samplesOf(id)])),
    submissions: Object.fromEntries(
      ids('submissions').map((id) => [id, views.filter(({ callback_id }) => callback_id === id)]),
    ),
    typings: Object.fromEntries(ids('typings').map((id) => [id, samplesOf(id)])),
    shortcuts: ids('shortcuts'),
    events: [...Object.keys(channelEvents), ...otherEvents],
  };
}

/** What is as large as it comes takes long to send and shows nothing new. */
function isSmall(drawn: Json): boolean {
  return JSON.stringify(drawn).length < 20_000;
}

function withAccount(drawn: object, account: string): Json {
  return JSON.parse(JSON.stringify(drawn).replaceAll(sampleAccount, account)) as Json;
}

/** Returns the entries that an element may lead to: in an overflow menu, the first word of an option's value picks one. */
function entryIds(element: Json): string[] {
  const id = String(element.action_id);
  const words = optionsOf(element).flatMap(({ value }) => /^([a-z]+) /.exec(String(value))?.[1] ?? []);
  return [id, ...words.map((word) => `${id}.${word}`)];
}

/** Returns the options of an element. */
export function optionsOf(element: Json): Json[] {
  const groups = Array.isArray(element.option_groups) ? (element.option_groups as Json[]) : [];
  return [element.options, ...groups.map(({ options }) => options)].flatMap((options) =>
    Array.isArray(options) ? (options as Json[]) : [],
  );
}

/** Returns every element with an action id below a value, with the id of the block around it. */
export function clickableIn(value: unknown, within: Json, blockId = ''): Clickable[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((inner) => clickableIn(inner, within, blockId));
  const own = value as Json;
  const block = typeof own.block_id === 'string' ? own.block_id : blockId;
  return [
    ...(typeof own.action_id === 'string' ? [{ blockId: block, element: own, within }] : []),
    ...Object.values(own).flatMap((inner) => clickableIn(inner, within, block)),
  ];
}
