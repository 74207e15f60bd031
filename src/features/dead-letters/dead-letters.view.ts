import type { KnownBlock } from '@slack/types';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';

/** Work that was given up, as people are shown it. */
export interface GivenUpLine {
  readonly key: string;
  readonly name: string;
  readonly campaignTitle?: string;
  readonly reason: string;
  readonly at: number;
}

/** More than this is not listed at once. */
const shown = 10;

const words: Readonly<Record<string, string>> = {
  post: 'Posting a card',
  redraw: 'Updating a card',
  announce: 'Announcing a message',
  summarize: 'Telling how many tasks wait',
  send: 'Sending decisions',
  release: 'Sending decisions that were kept',
  'retarget-later': 'Changing countries as planned',
};

/** Lists work that was given up. @param after what has just been done, a sentence */
export function givenUpMessage(lines: readonly GivenUpLine[], after?: string): Message {
  const said = after ? [context(after)] : [];
  if (lines.length === 0) {
    const text = 'No work is given up: everything was done or is still being tried.';
    return { text, blocks: [...said, section(text)] };
  }
  const count = lines.length === 1 ? '1 piece of work was' : `${lines.length} pieces of work were`;
  const text = `*${count} given up* after many tries. No decision is lost: those that wait stay on their cards.`;
  const rest = lines.length > shown ? [context(`The latest ${shown} are shown.`)] : [];
  return {
    text: plain(text),
    blocks: [
      ...said,
      section(text),
      actions('given-up', [button('Try all again', 'given-up.retry-all', 'all', { style: 'primary' })]),
      ...lines.slice(0, shown).flatMap(lineBlocks),
      ...rest,
    ],
  };
}

function lineBlocks({ key, name, campaignTitle, reason, at }: GivenUpLine): KnownBlock[] {
  const where = campaignTitle ? ` of *${inline(campaignTitle)}*` : '';
  return [
    section(`${words[name] ?? inline(name)}${where}, given up ${date(at)}\nLast: ${inline(reason, 300)}`),
    actions(`given-up/${key}`, [
      button('Try again', 'given-up.retry', key),
      button('Discard', 'given-up.discard', key, {
        confirm: {
          title: { type: 'plain_text', text: 'Discard this?' },
          text: {
            type: 'plain_text',
            text: 'It is not tried again. A card stays as it is until something about its task changes.',
          },
          confirm: { type: 'plain_text', text: 'Discard' },
          deny: { type: 'plain_text', text: 'Keep it' },
          style: 'danger',
        },
      }),
    ]),
  ];
}

export const retried = 'It is tried again now.';
export const allRetried = 'All of it is tried again now.';
export const discarded = 'It is discarded.';
export const notThere = 'That one is not there any more: somebody was faster, or it was done.';
