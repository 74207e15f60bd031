import { UserError } from '../errors.ts';
import { context, type Message, section } from './blocks.ts';
import type { CommandRoute, Feature } from './feature.ts';
import { escaped, inline } from './mrkdwn.ts';

/** Returns the table of all commands, with the help commands that list it. */
export function commandTable(features: readonly Feature[]): CommandRoute[] {
  const routes = features.flatMap((feature) => feature.commands ?? []);
  const helps = [...new Set(routes.map(({ command }) => command))].flatMap((command): CommandRoute[] => {
    const all = command === '/proofdesk';
    const first = {
      command,
      word: 'help',
      usage: '',
      help: all ? 'Lists every command.' : '',
      needs: 'anyone',
      run: ({ answer }) => answer(help(commandTable(features), all ? undefined : command)),
    } satisfies CommandRoute;
    const isBareKnown = routes.some((route) => route.command === command && route.word === '');
    return isBareKnown ? [first] : [first, { ...first, word: '', help: '' }];
  });
  return [...routes, ...helps];
}

/**
 * Finds the route of a command: the first word selects it, the rest is its text. The command alone runs the route without
 * a word. Throws a UserError that names the nearest command when the word is unknown.
 */
export function route(
  routes: readonly CommandRoute[],
  command: string,
  typed: string,
): { readonly route: CommandRoute; readonly text: string } {
  const own = routes.filter((candidate) => candidate.command === command);
  const [word = '', ...rest] = typed.trim().split(/\s+/);
  const exact = own.find((candidate) => candidate.word === word.toLowerCase());
  if (exact) return { route: exact, text: rest.join(' ') };
  const free = own.find((candidate) => candidate.word === '' && candidate.usage !== '');
  if (free) return { route: free, text: typed.trim() };
  const near = nearest(
    word.toLowerCase(),
    own.map((candidate) => candidate.word).filter((known) => known !== ''),
  );
  throw new UserError(
    `There is no \`${command} ${inline(word, 40)}\`. ${near ? `Did you mean \`${command} ${near}\`? ` : ''}All commands: \`${command} help\`.`,
  );
}

/** Returns the known word with the fewest changes, or undefined when none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, changes: distance(word, candidate) }))
    .sort((a, b) => a.changes - b.changes);
  const [best] = ranked;
  return best && best.changes <= Math.max(2, Math.ceil(best.candidate.length / 2))
    ? best.candidate
    : undefined;
}

/** Counts the letters that must be inserted, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The sections of help, in order. */
const titles: Readonly<Record<CommandRoute['command'], string>> = {
  '/review': 'Review',
  '/campaign': 'Campaigns',
  '/inbox': 'Inbox',
  '/proofdesk': 'Your account and this channel',
};

/** How many commands fit in a section. */
const perSection = 8;

/** Help for replies in threads. */
const repliesHelp = [
  '*In the thread of a card*, in channels whose settings allow it (`/proofdesk subscriptions`)',
  '`note text`  Leaves a note for colleagues on the card. The worker does not see it.',
].join('\n');

/** Returns help, from the routing table: all commands, or those of one. */
export function help(routes: readonly CommandRoute[], only?: CommandRoute['command']): Message {
  const shown = routes.filter((candidate) => candidate.help !== '' && (!only || candidate.command === only));
  const blocks = Object.entries(titles).flatMap(([command, title]) => {
    const lines = shown.filter((candidate) => candidate.command === command).map(helpLine);
    const sections = [];
    for (let start = 0; start < lines.length; start += perSection) {
      const heading = start === 0 ? `*${title}*\n` : '';
      sections.push(section(heading + lines.slice(start, start + perSection).join('\n')));
    }
    return sections;
  });
  if (!only) blocks.push(section(repliesHelp));
  const note = 'Answers to commands are only visible to you, unless they say otherwise.';
  const more = only && only !== '/proofdesk' ? `${note} All commands: \`/proofdesk help\`.` : note;
  return {
    text: `Commands: ${shown.map(({ command, word }) => `${command} ${word}`.trim()).join(', ')}`,
    blocks: [...blocks, context(more)],
  };
}

function helpLine({ command, word, usage, help: text }: CommandRoute): string {
  const call = [command, word, usage].filter((part) => part !== '').join(' ');
  return `\`${escaped(call)}\`  ${text}`;
}
