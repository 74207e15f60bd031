import { context, type Message, section } from '../../slack/blocks.ts';
import { date, escaped, plain } from '../../slack/mrkdwn.ts';

/** To a subscribed channel: looks have failed for a while. @param why a sentence that says what to do */
export function cannotLook(why: string): Message {
  const text = `:warning: New tasks and messages cannot be seen at present. ${escaped(why)}`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      context('Decisions made here meanwhile are kept and sent when it works again. You will be told here.'),
    ],
  };
}

export const noAnswer =
  'The marketplace does not answer. It is asked again all the time; if it stays so, let your administrator check its address (MARKETPLACE_BASE_URL).';

export const noKey =
  'Nobody here holds an API key of this account that can be read. Whoever has it connects with it: /proofdesk connect.';

/** To a subscribed channel: looks work again. @param since when they began to fail (ms) */
export function looksAgain(since: number): Message {
  const text = `:white_check_mark: New tasks and messages can be seen again. They could not since ${date(since)}; what came in meanwhile follows.`;
  return { text: plain(text), blocks: [section(text)] };
}
