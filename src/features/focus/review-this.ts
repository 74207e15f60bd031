import { isOpen } from '../../domain/task.ts';
import type { AccountId, AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOfBlocks } from '../../slack/card-block.ts';
import type { Shortcut } from '../../slack/feature.ts';
import { CardTag, cardTagType } from '../../slack/message-tags.ts';
import { user } from '../../slack/mrkdwn.ts';
import { happenedText } from '../../ui/task.view.ts';

/** The task of a card. */
interface CardTask {
  readonly account: AccountId;
  readonly task: TaskId;
}

/** Creates the lookup of a card's task, and of whether it can be reviewed, for *Review this* in the card's menu. */
export function createReviewThis({ tasks, slack }: Modules) {
  return {
    /** Returns the task of the message a shortcut was used on. Throws a UserError if it is no card. */
    async chosen({ workspace, message }: Shortcut): Promise<CardTask> {
      if (message === undefined) throw new UserError(noCard);
      const shown = cardOfBlocks(message.blocks);
      if (shown !== undefined) return shown;
      // A card of an earlier round has no buttons any more, but still its tag.
      const tag = await slack.messengerOf(workspace).tagAt(message);
      const card = tag?.type === cardTagType ? CardTag.safeParse(tag.payload).data : undefined;
      if (card === undefined) throw new UserError(noCard);
      return card;
    },

    /** Throws a UserError if a task cannot be reviewed, with the reason, such as who has decided what. */
    async requireOpen(ref: AccountRef, id: TaskId, { member }: Pick<Shortcut, 'member'>): Promise<void> {
      const task = await tasks.get(ref, id);
      if (task === undefined) throw new UserError(taskUnknown);
      if (!isOpen(task)) throw new UserError(nothingToReview(happenedText(task, member)));
    },

    /** Throws a UserError that says who is looking at a task that a review could not lease. */
    async throwTaken(ref: AccountRef, task: TaskId, asking: Pick<Shortcut, 'member'>): Promise<never> {
      await this.requireOpen(ref, task, asking);
      const owner = await tasks.leases.ownerOf(ref, task);
      const review = owner === undefined ? undefined : await tasks.focusSessions.get(ref, owner);
      throw new UserError(lookingNow(review?.member));
    },
  };
}

const noCard =
  'This message is not a task card. Choose *Review this* on a card, or start a review with `/review`.';
const taskUnknown = 'This task is not known here at the moment. Try again in a minute.';

/** Returns why a task cannot be reviewed. @param happened what happened to it, in mrkdwn */
function nothingToReview(happened: string): string {
  return `${happened} There is nothing to review.`;
}

/** Returns that somebody is looking at a task in a review. @param member who; absent if unknown */
function lookingNow(member: MemberId | undefined): string {
  const who = member === undefined ? 'A colleague' : user(member);
  return `${who} is looking at this task in a review right now. It is free again once they decide, skip it or end the review.`;
}
