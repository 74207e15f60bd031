import type { QueueContent, QueueMessage } from '../../domain/queue-message.ts';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { actions, type Message, notice } from '../../slack/blocks.ts';
import { channelName, date } from '../../slack/mrkdwn.ts';
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
  if (message.waiting === 0) return notice(`${name}: no more tasks are counted here.`);
  const text = [`${name}: ${waitingText(message)}`, ...dueLine(message)].join('\n');
  const one = isOfMany ? {} : { campaign: message.campaign };
  return notice(
    text,
    actions(encodeQueueBlock(account, message.campaign), [
      reviewButton({ account, ...one }, { style: 'primary' }),
      bulkButton({ account, ...one }),
      ...deskButtons(hasDesk, { account }),
    ]),
  );
}

function othersName({ campaigns = 0, waiting }: QueueContent): string {
  if (waiting === 0) return '*Other campaigns*';
  return campaigns === 1 ? '*1 other campaign*' : `*${number(campaigns)} other campaigns*`;
}

function waitingText({ waiting, cards, oldest }: QueueContent): string {
  const since =
    oldest === undefined ? '' : `${waiting === 1 ? ' since' : ', the oldest since'} ${date(oldest)}`;
  if (cards !== undefined) return `*${counted(waiting, 'task')} waiting*${since}.${cardsWords(cards)}`;
  const next = waiting === 1 ? 'It gets a card once an open one is' : 'They get cards as open ones are';
  return `*${counted(waiting, 'more task')} waiting*${since}. ${next} rated.`;
}

function cardsWords({ count, channel }: NonNullable<QueueContent['cards']>): string {
  if (channel === undefined || count === 0) return '';
  return ` ${count === 1 ? '1 has a card' : `${number(count)} have cards`} in ${channelName(channel)}.`;
}

function dueLine({ waiting, dueAt }: QueueContent): string[] {
  return dueAt === undefined ? [] : [`${waiting === 1 ? 'It' : 'The first'} is due ${date(dueAt)}.`];
}
