import type { SlashCommand } from '../model.ts';
import { emojiLike, emojiNamed } from './text/emoji.ts';
import { escapeText } from './text/mrkdwn.ts';
import type { Viewer } from './viewer.ts';

/** The maximum number of suggestions shown. */
const mostSuggestions = 8;

/** A suggestion that can replace the typed text. */
export interface Suggestion {
  readonly key: string;
  readonly name: string;
  readonly note: string;
  /** Shown beside the name of a command. */
  readonly usage?: string;
  /** The text that replaces the typed text. */
  readonly text: string;
  /** The text sent instead, if it differs: `<@U02BEN>` for `@Ben Okafor`. */
  readonly sent?: string;
}

export interface Completion {
  /** The name of the list. */
  readonly label: 'Commands' | 'People' | 'Channels' | 'Emoji';
  /** The index at which the typed text begins. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const broadcasts = [
  { name: '@channel', note: 'Notifies everyone in this channel' },
  { name: '@here', note: 'Notifies every online member of this channel' },
] as const;

/**
 * Returns the completions for the text before the cursor: a command at the beginning, a person after `@`, a channel
 * after `#`, an emoji after `:` and two characters.
 */
export function completionAt(
  before: string,
  viewer: Viewer,
  commands: SlashCommand[],
): Completion | undefined {
  const found = commandsFor(before, commands) ?? wordFor(before, viewer);
  return found && found.suggestions.length > 0
    ? { ...found, suggestions: found.suggestions.slice(0, mostSuggestions) }
    : undefined;
}

/** Returns the commands that begin with the typed text; none once arguments follow. */
function commandsFor(before: string, commands: SlashCommand[]): Completion | undefined {
  if (!/^\/\S*$/.test(before)) return undefined;
  const suggestions = commands
    .filter(({ command }) => command.startsWith(before.toLowerCase()))
    .map(({ command, description, usage_hint: usage }) => ({
      key: command,
      name: command,
      note: description,
      usage,
      text: command,
    }));
  return { label: 'Commands', from: 0, suggestions };
}

function wordFor(before: string, viewer: Viewer): Completion | undefined {
  // Names may have two words. Text that is not a name soon stops matching.
  const match = /(?:^|[\s(])(?<sign>[@#:])(?<typed>[^\s@#:]*(?: [^\s@#:]*)?)$/.exec(before);
  const { sign, typed = '' } = match?.groups ?? {};
  const from = before.length - typed.length - 1;
  // In commands, Slack passes names on as written.
  const sendsNames = before.startsWith('/');
  if (sign === '@') return { label: 'People', from, suggestions: people(typed, viewer, sendsNames) };
  if (sign === '#') return { label: 'Channels', from, suggestions: channels(typed, viewer, sendsNames) };
  if (sign === ':' && /^[a-z0-9_+-]{2,}$/i.test(typed))
    return { label: 'Emoji', from, suggestions: emoji(typed) };
  return undefined;
}

function people(typed: string, viewer: Viewer, sendsNames: boolean): Suggestion[] {
  const persons = viewer.users
    .filter(({ id }) => id !== viewer.as)
    .map(({ id, real_name: name }) => ({
      key: id,
      name,
      note: id === viewer.app.bot_user_id ? 'App' : '',
      text: `@${name}`,
      ...(sendsNames ? {} : { sent: `<@${id}>` }),
    }))
    .filter(({ name }) => name.split(' ').some((_, at, words) => begins(words.slice(at).join(' '), typed)));
  const everybody = broadcasts
    .filter(({ name }) => begins(name.slice(1), typed))
    .map(({ name, note }) => ({
      key: name,
      name,
      note,
      text: name,
      ...(sendsNames ? {} : { sent: `<!${name.slice(1)}>` }),
    }));
  return [...persons, ...everybody];
}

function channels(typed: string, viewer: Viewer, sendsNames: boolean): Suggestion[] {
  return viewer.channels
    .filter((channel) => !channel.is_im && !channel.is_archived && begins(channel.name, typed))
    .map(({ id, name }) => ({
      key: id,
      name: `#${name}`,
      note: '',
      text: `#${name}`,
      ...(sendsNames ? {} : { sent: `<#${id}|${name}>` }),
    }));
}

function emoji(typed: string): Suggestion[] {
  return emojiLike(typed, mostSuggestions).map((name) => ({
    key: name,
    name: `${emojiNamed(name) ?? ''} :${name}:`,
    note: '',
    text: `:${name}:`,
  }));
}

function begins(name: string, typed: string): boolean {
  return name.toLowerCase().startsWith(typed.toLowerCase());
}

/** Returns the text to send: chosen suggestions become mentions, everything else stays as written. */
export function sentText(written: string, chosen: readonly Suggestion[]): string {
  return chosen.reduce(
    (text, { text: shown, sent }) => (sent === undefined ? text : text.replaceAll(escapeText(shown), sent)),
    escapeText(written),
  );
}
