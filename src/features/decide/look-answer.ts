import type { NewDecision } from '../../domain/events.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Actor } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { nowDiffers, nowWaits } from '../shared/second-look.view.ts';
import { queueTelling } from '../shared/second-look-news.ts';

/**
 * Notifies the decider of the second-look state: the decision waits for one, or differs from the first. Reviewers who
 * differ are notified again after the tie-break.
 */
export async function tellOfLook(
  { jobs, logger }: Pick<FeatureContext, 'jobs' | 'logger'>,
  actor: Pick<Actor, 'answer' | 'member'>,
  ref: AccountRef,
  { id: task, look, decision }: Task,
  { id }: NewDecision,
): Promise<void> {
  const isThird = decision?.look?.third?.id === id;
  if (isThird || look?.second?.id === id) await queueTelling(jobs, ref, task, id);
  if (look === undefined) return;
  const told = look.first.id === id ? nowWaits(look) : nowDiffers(look, actor.member);
  await actor.answer(told).catch((error: unknown) => {
    // The card says it too, as far as everybody may know it.
    if (!(error instanceof SlackError)) throw error;
    logger.info({ task, code: error.code }, 'not told of the second look');
  });
}
