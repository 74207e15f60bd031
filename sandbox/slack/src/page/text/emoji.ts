import { get, search } from 'node-emoji';

/** Slack's names that are missing from our list. */
const slackNames: Readonly<Record<string, string>> = { envelope: '✉️', double_vertical_bar: '⏸️' };

/** Returns the emoji that Slack shows for a `:name:`, or undefined. */
export function emojiNamed(name: string): string | undefined {
  return slackNames[name] ?? get(name);
}

/** Returns names of emoji that contain the text; those that begin with it come first. */
export function emojiLike(typed: string, most: number): string[] {
  const wanted = typed.trim().toLowerCase().replaceAll(' ', '_').replaceAll(':', '');
  if (wanted === '') return [];
  const names = search(wanted).map(({ name }) => name);
  return names
    .sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)) || a.length - b.length)
    .slice(0, most);
}
