import type { QueueContent, QueueMessage } from '../../domain/queue-message.ts';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { actions, type Message, notice } from '../../slack/blocks.ts';
import { channelName, date, user } from '../../slack/mrkdwn.ts';
import { campaignName, counted, number } from '../../ui/words.ts';
import { bulkButton } from '../bulk/public.ts';
import { deskButtons } from '../desk/public.ts';
import { reviewButton } from '../focus/public.ts';
import { isShared } from './share.ts';

const blockPrefix = 'queue/';

function encodeQueueBlock(account: AccountId, campaign: CampaignId): string {
  return `${blockPrefix}${account}/${campaign}`;
}

/** Returns the account and campaign whose queue these blocks show; undefined for other messages. */
export function queueOfBlocks(
  blocks: readonly unknown[],
): { readonly account: AccountId; readonly campaign: CampaignId } | undefined {
  for (const block of blocks) {
    const id = (block as { readonly block_id?: unknown }).block_id;
    if (typeof id !== 'string' || !id.startsWith(blockPrefix)) continue;
    const [account = '', ...campaign] = id.slice(blockPrefix.length).split('/');
    return { account: AccountId.parse(account), campaign: CampaignId.parse(campaign.join('/')) };
  }
  return undefined;
}

/** Returns the message about a campaign's waiting tasks. @param title undefined if the campaign is unknown */
export function queueMessage(
  account: AccountId,
  message: QueueMessage,
  title: string | undefined,
  hasDesk = false,
): Message {
  const isOfMany = isShared(message.campaign);
  const name = isOfMany ? othersName(message) : `*${campaignName(title, message.campaign, 80)}*`;
  const lines = [`${name}: ${waitingText(message)}`, ...dueLine(message), ...reviewedLine(message)];
  const text = lines.join('\n');
  const one = isOfMany ? {} : { campaign: message.campaign };
  if (message.state !== 'waiting') return notice(text);
  return notice(
    text,
    actions(encodeQueueBlock(account, message.campaign), [
      reviewButton({ account, ...one }, { style: 'primary' }),
      bulkButton({ account, ...one }),
      ...deskButtons(hasDesk, { account }),
    ]),
  );
}

function othersName({ campaigns = 0, state }: QueueContent): string {
  if (state !== 'waiting') return '*Other campaigns*';
  return campaigns === 1 ? '*1 other campaign*' : `*${number(campaigns)} other campaigns*`;
}

function waitingText({ state, campaigns, waiting, cards, oldest }: QueueContent): string {
  switch (state) {
    case 'elsewhere':
      return 'waiting tasks are no longer counted here.';
    case 'waiting': {
      const since =
        oldest === undefined ? '' : `${waiting === 1 ? ' since' : ', the oldest since'} ${date(oldest)}`;
      if (cards === undefined) {
        const next = waiting === 1 ? 'It gets a card once an open one is' : 'They get cards as open ones are';
        return `*${counted(waiting, 'more task')} waiting*${since}. ${next} rated.`;
      }
      return `*${counted(waiting, 'task')} waiting*${since}.${cardsWords(cards)}`;
    }
    case 'posted':
      return 'all waiting tasks have cards.';
    default:
      return campaigns === undefined
        ? 'no tasks are waiting.'
        : 'waiting tasks are counted in the message of their campaign.';
  }
}

function cardsWords({ count, channel }: NonNullable<QueueContent['cards']>): string {
  if (channel === undefined || count === 0) return '';
  return ` ${count === 1 ? '1 has a card' : `${number(count)} have cards`} in ${channelName(channel)}.`;
}

function dueLine({ state, waiting, soon, dueAt }: QueueContent): string[] {
  if (state !== 'waiting' || dueAt === undefined) return [];
  if (waiting === 1 || soon === 0) return [`${waiting === 1 ? 'It' : 'The first'} is due ${date(dueAt)}.`];
  return [
    soon === 1
      ? `*1* is due within 24 hours, ${date(dueAt)}.`
      : `*${number(soon)}* are due within 24 hours, the first ${date(dueAt)}.`,
  ];
}

function reviewedLine({ state, reviewed, otherReviewers }: QueueContent): string[] {
  if (state === 'elsewhere' || reviewed.length === 0) return [];
  const names = reviewed.map(({ by, count }) => `${user(by)} ${number(count)}`);
  const others = otherReviewers === 0 ? [] : [counted(otherReviewers, 'other')];
  return [`Reviewed today: ${[...names, ...others].join(', ')}.`];
}
