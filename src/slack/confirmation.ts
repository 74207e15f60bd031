import type { Button } from '@slack/types';
import { plainText } from './blocks.ts';

/** Slack's limits of a confirmation. */
const most = { title: 100, text: 300, button: 30 } as const;

/**
 * What Slack asks before it tells of a click. All of it is plain text, so names in it are not escaped.
 * @param question.text who is meant, and what follows
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
    title: plainText(title, most.title),
    text: plainText(text, most.text),
    confirm: plainText(confirm, most.button),
    deny: plainText(deny, most.button),
    ...(isDanger ? { style: 'danger' } : {}),
  };
}
