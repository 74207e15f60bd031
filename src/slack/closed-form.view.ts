import { actions, button, type Message, section } from './blocks.ts';
import { cut, limits } from './limits.ts';
import { plain } from './mrkdwn.ts';

/** Slack limits the text of a message as a whole. */
const sentencesShown = 10;
const sentenceShown = 1_000;

/**
 * Returns the private message about a form whose modal was closed before the result was ready.
 * @param sentences in mrkdwn
 * @param wayBack the action id and value of the button that reopens the form as it was left
 */
export function closedFormMessage(
  sentences: readonly string[],
  wayBack?: { readonly actionId: string; readonly value: string },
): Message {
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(wayBack ? [actions('open', [button('Open the form', wayBack.actionId, wayBack.value)])] : []),
    ],
  };
}
