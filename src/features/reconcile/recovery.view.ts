import { type Message, section } from '../../slack/blocks.ts';
import { lostDecisionsText } from '../shared/lost-decisions.view.ts';

/** Returns the notice of how many decisions were lost. */
export function decisionsLost(count: number): Message {
  const text = lostDecisionsText(count);
  return { text, blocks: [section(`:warning: ${text}`)] };
}

/** Returns the notice that Redis was emptied: messages in the channel are adopted, the rest is lost. */
export function databaseEmptied(): Message {
  const text =
    'Proofdesk’s database was emptied. The cards in this channel work again. These were lost: API keys that members had connected (connect again: `/proofdesk connect`), subscriptions of other channels, drafts, and the record of earlier decisions. If a card does not show your rating, rate the task again.';
  return {
    text,
    blocks: [
      section(
        `:warning: *Proofdesk’s database was emptied*\n${text.slice('Proofdesk’s database was emptied. '.length)}`,
      ),
    ],
  };
}
