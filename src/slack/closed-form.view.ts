import { actions, button, type Message, section } from './blocks.ts';
import { cut, limits } from './limits.ts';
import { plain } from './mrkdwn.ts';

/** All text of a message together has a limit. */
const sentencesShown = 10;
const sentenceShown = 1_000;

/**
 * What is said privately of a form whose modal was closed before its end.
 * @param sentences in mrkdwn
 * @param wayBack the action id and value of the button that opens the form as it was left
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
