import { get } from 'node-emoji';

/** Names that Slack has and the list we use lacks. */
const slackNames: Readonly<Record<string, string>> = { envelope: '✉️', double_vertical_bar: '⏸️' };

/** The emoji that Slack draws for a `:name:`, or undefined. */
export function emojiNamed(name: string): string | undefined {
  return slackNames[name] ?? get(name);
}
