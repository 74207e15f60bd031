import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, Verdict } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/notice.ts';
import type { FeatureContext } from './context.ts';
import { goneText, oldRound, tooLate, withOwnText } from './lost-race.view.ts';

/** An attempt that came too late. */
export interface LostRace {
  readonly member: MemberId;
  /** The current task; undefined if unknown. */
  readonly task: Task | undefined;
  readonly round: number;
  readonly wanted: Verdict;
  /** The text they wrote, to be returned; '' for none. */
  readonly text: string;
}

/**
 * Creates the answer to anybody who was too late, wherever they decided: the task with a link to its card, who decided
 * what and when, and the person's own text.
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
