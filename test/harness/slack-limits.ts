import { checkMessage, checkView, isTooLong } from '@proofdesk/slack-sandbox/blockkit';
import type { Drawn } from '../../gallery/entry.ts';

/** Returns why Slack would not take a view or message, in words. */
export function slackProblemsOf(drawn: Drawn): unknown[] {
  if ('type' in drawn) {
    const size = JSON.stringify(drawn).length;
    return [...checkView(drawn, () => true), ...(size > 250_000 ? [`the view has ${size} characters`] : [])];
  }
  const length = [...drawn.text].length;
  return [
    ...checkMessage(drawn.blocks, () => true),
    ...(isTooLong(drawn.blocks) ? ['the blocks show more text than a message may hold'] : []),
    // The text stands alone in notifications, and for screen readers.
    ...(length > 4_000 || drawn.text.trim() === '' ? [`the text has ${length} characters`] : []),
  ];
}
