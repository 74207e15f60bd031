/** Slack's limits that the bot's messages may reach. Characters are Unicode code points. */
export const limits = {
  messageBlocks: 50,
  viewBlocks: 100,
  sectionText: 3_000,
  buttonText: 75,
  optionText: 75,
  optionValue: 150,
  options: 100,
  placeholder: 150,
  fallbackText: 3_000,
  privateMetadata: 3_000,
  modalTitle: 24,
  inputText: 3_000,
  altText: 2_000,
} as const;

/** Text that begins a mention, date or link in mrkdwn, and does not end it. */
const unfinishedToken = /<(?:[@#!]|https?:)[^<>]*$/;

/** Cuts a text at a code-point boundary, so that including its `…` it has at most `max` characters, and no half mention. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text];
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .replace(unfinishedToken, '')}…`;
}

/** Returns whether {@link cut} would shorten a text. */
export function isCut(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}
