import type { Campaign } from '../../domain/campaign.ts';
import type { ReminderContent } from '../../domain/live-message.ts';
import { AccountId, type CampaignId } from '../../domain/terms.ts';
import { actions, type Message, notice } from '../../slack/blocks.ts';
import { date } from '../../slack/mrkdwn.ts';
import { campaignName, counted, dueLines, number, overdueWords } from '../../ui/words.ts';
import { bulkButton } from '../bulk/public.ts';
import { reviewButton } from '../focus/public.ts';

const blockPrefix = 'reminder/';

/** Returns the account of a reminder's blocks; undefined for other messages. */
export function accountOfReminder(blocks: readonly unknown[]): AccountId | undefined {
  for (const block of blocks) {
    const id = (block as { readonly block_id?: unknown }).block_id;
    if (typeof id === 'string' && id.startsWith(blockPrefix))
      return AccountId.parse(id.slice(blockPrefix.length));
  }
  return undefined;
}

/** Returns the reminder of tasks that are due soon. @param titles of the known campaigns */
export function reminderMessage(
  account: AccountId,
  content: ReminderContent,
  titles: ReadonlyMap<CampaignId, Pick<Campaign, 'title'>>,
): Message {
  const text = textOf(content, titles);
  const control =
    content.state === 'due' ? [reviewButton({ account }, { style: 'primary' }), bulkButton({ account })] : [];
  return notice(text, ...(control.length > 0 ? [actions(blockPrefix + account, control)] : []));
}

function textOf(content: ReminderContent, titles: ReadonlyMap<CampaignId, Pick<Campaign, 'title'>>): string {
  switch (content.state) {
    case 'muted':
      return 'Reminders of tasks that are due soon are muted in this channel. To change that, choose *Settings…* in `/proofdesk subscriptions`.';
    case 'due':
      return dueText(content, titles);
    default:
      return 'No tasks here are due within 48 hours.';
  }
}

function dueText(
  { late, within, campaigns, others }: ReminderContent,
  titles: ReadonlyMap<CampaignId, Pick<Campaign, 'title'>>,
): string {
  const all = Math.max(...within);
  const named = campaigns.map(({ id, tasks, dueAt }) => {
    return `*${campaignName(titles.get(id)?.title, id, 80)}*: ${counted(tasks, 'task')}, the first due ${date(dueAt)}`;
  });
  const rest = others === 0 ? [] : [`And ${number(others)} more ${others === 1 ? 'campaign' : 'campaigns'}.`];
  const tasks = `*${counted(all, 'task')}*`;
  if (late === all) return [`${tasks} ${overdueWords(all)}`, ...named, ...rest].join('\n');
  const due = `${all === 1 ? 'is' : 'are'}${late > 0 ? ' overdue or' : ''} due within 48 hours`;
  return [`${tasks} ${due}`, ...dueLines({ late, within }), ...named, ...rest].join('\n');
}
