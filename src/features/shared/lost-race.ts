import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, Verdict } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/notice.ts';
import type { FeatureContext } from './context.ts';
import { goneText, oldRound, tooLate, withOwnText } from './lost-race.view.ts';

/** What somebody tried who was too late. */
export interface LostRace {
  readonly member: MemberId;
  /** As it is now; undefined when nobody knows it. */
  readonly task: Task | undefined;
  readonly round: number;
  readonly wanted: Verdict;
  /** What they have written, to be given back; '' for nothing. */
  readonly text: string;
}

/**
 * Creates the one answer to whoever was too late, wherever they decided: which task it was, with a link to its card, who
 * decided what and when, and their own text.
 */
export function createLostRace({
  campaigns,
  messengerOf,
}: Pick<FeatureContext, 'campaigns' | 'messengerOf'>) {
  return async (ref: AccountRef, { member, task, round, wanted, text }: LostRace): Promise<Message> => {
    if (task === undefined) return withOwnText(notice(goneText), text);
    const [campaign, card] = await Promise.all([
      campaigns.get(ref, task.campaign),
      task.card.state === 'posted' ? messengerOf(ref.workspace).permalink(task.card) : undefined,
    ]);
    const lost = { task, title: campaign?.title ?? 'A campaign', card };
    return withOwnText(task.round === round ? tooLate(lost, member, wanted) : oldRound(lost), text);
  };
}
