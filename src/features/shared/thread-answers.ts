import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { hasDecisionOfReply, standingOf } from '../../domain/thread-answer.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import type { FeatureContext } from './context.ts';
import { isFinalAnswer, threadAnswer } from './thread-answer.view.ts';

/**
 * Creates the updates that keep answers to replies in sync with their decisions. They run with each card update, which
 * follows every change of a decision, and once when an answer was posted.
 */
export function createThreadAnswerUpdates({
  messengerOf,
  threadAnswers,
}: Pick<FeatureContext, 'messengerOf' | 'threadAnswers'>) {
  async function update(ref: AccountRef, id: TaskId, task: Task | undefined, callSlack: CallSlack) {
    for (const answer of await threadAnswers.of(ref, id)) {
      const data = { account: ref.account, id, task, answer };
      const shown = standingOf(task, answer.decision);
      if (shown !== answer.shown) {
        const { channel } = answer;
        try {
          await callSlack({ method: 'chat.update', channel }, () =>
            messengerOf(ref.workspace).update(answer, threadAnswer(data)),
          );
        } catch (error) {
          // The answer was deleted, or the channel is unreachable; the card shows the same.
          if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
          await threadAnswers.remove(ref, id, answer);
          continue;
        }
      }
      if (isFinalAnswer(data)) await threadAnswers.remove(ref, id, answer);
      else if (shown !== answer.shown) await threadAnswers.put(ref, id, { ...answer, shown });
    }
  }

  return {
    update,

    /** Does the same after a card was rendered; reads nothing for a task without rating replies. */
    async afterRender(ref: AccountRef, task: Task, callSlack: CallSlack): Promise<void> {
      if (hasDecisionOfReply(task)) await update(ref, task.id, task, callSlack);
    },
  };
}
