import { AccountId } from '../../domain/terms.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { plain } from '../../slack/mrkdwn.ts';

const blockPrefix = 'backlog/';

function encodeSummaryBlock(account: AccountId): string {
  return blockPrefix + account;
}

/** Returns the account whose summary these blocks show; undefined when they are no summary's. */
export function accountOfSummary(blocks: readonly unknown[]): AccountId | undefined {
  for (const block of blocks) {
    const id = (block as { readonly block_id?: unknown }).block_id;
    if (typeof id === 'string' && id.startsWith(blockPrefix))
      return AccountId.parse(id.slice(blockPrefix.length));
  }
  return undefined;
}

/** Tells a channel how many tasks wait without a card. */
export function backlogSummary(account: AccountId, count: number, more: number): Message {
  if (count === 0) {
    const text = 'Every task waiting for review has its card.';
    return { text, blocks: [section(text)] };
  }
  const tasks = count === 1 ? '1 more task waits' : `${count.toLocaleString('en')} more tasks wait`;
  const without = count === 1 ? 'it has no card yet' : 'they have no cards yet';
  const text = `*${tasks} for review*. To keep this channel readable, ${without}. New tasks still get cards.`;
  const label = count <= more ? 'Show the rest' : `Show ${more} more`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions(encodeSummaryBlock(account), [
        button('Start review', 'focus.start', account, { style: 'primary' }),
        button(label, 'backlog.more', account),
      ]),
    ],
  };
}
