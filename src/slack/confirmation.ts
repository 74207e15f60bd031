import type { Button } from '@slack/types';
import { plainText } from './blocks.ts';

/** Slack's limits of a confirmation, in characters. */
const maxLengths = { title: 100, text: 300, button: 30 } as const;

/**
 * Returns the confirmation that Slack requests before it reports a click. It is plain text, so names in it are not escaped.
 * @param question.text what is done, and to whom
 */
export function confirmation(question: {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly deny: string;
  readonly isDanger?: boolean;
}): NonNullable<Button['confirm']> {
  const { title, text, confirm, deny, isDanger = false } = question;
  return {
    title: plainText(title, maxLengths.title),
    text: plainText(text, maxLengths.text),
    confirm: plainText(confirm, maxLengths.button),
    deny: plainText(deny, maxLengths.button),
    ...(isDanger ? { style: 'danger' } : {}),
  };
}
