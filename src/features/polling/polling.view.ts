import { context, type Message, section } from '../../slack/blocks.ts';
import { date, escaped, plain } from '../../slack/mrkdwn.ts';

/** Tells a subscribed channel that polls have failed for a while. @param why a sentence that says what to do */
export function pollingStopped(why: string): Message {
  const text = `:warning: New tasks and messages cannot be fetched right now. ${escaped(why)}`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      context('Decisions you make meanwhile are stored and sent once it works again. You will be told here.'),
    ],
  };
}

export const noAnswer =
  'The marketplace does not answer. Proofdesk keeps trying; if this goes on, ask your administrator to check its address (MARKETPLACE_BASE_URL).';

export const noKey =
  'No readable API key of this account is left. Whoever has the key can connect it again with `/proofdesk connect`.';

/** Tells a subscribed channel that polls work again. @param since when they began to fail (ms) */
export function pollingResumed(since: number): Message {
  const text = `:white_check_mark: New tasks and messages are fetched again. They could not be fetched since ${date(since)}. What arrived meanwhile follows.`;
  return { text: plain(text), blocks: [section(text)] };
}
