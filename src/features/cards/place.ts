import type { Faults } from '../../domain/fault-points.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { Logger } from '../../logger.ts';
import type { Message } from '../../slack/blocks.ts';
import { cardTag } from '../../slack/card-block.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Timeouts } from '../../store/timeouts.ts';

/** Clocks of ours and Slack's may differ by this much when a post is looked for. */
const searchMarginMs = 60_000;

export interface PlaceDeps {
  readonly tasks: Tasks;
  readonly messengerOf: (workspace: string) => Messenger;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Where the end of an earlier post is not known, looks for it in the channel and takes it for the task's card.
 * Gives whether it was there. Throws {@link Reschedule} while it may still arrive.
 */
export async function adoptCard(
  deps: PlaceDeps,
  ref: AccountRef,
  task: Task,
  inTurn: CallSlack,
): Promise<boolean> {
  const attempt = task.card.state === 'wanted' ? task.card.attempt : undefined;
  if (attempt === undefined) return false;
  const wait = attempt.at + deps.timeouts.lateArrivalMs - deps.now();
  if (wait > 0) throw new Reschedule(wait);
  const tag = cardTag(ref.account, task.id, attempt.round ?? task.round);
  const messenger = deps.messengerOf(ref.workspace);
  const { channel } = attempt;
  const place = await inTurn({ method: 'conversations.history', channel }, () =>
    search({ ...deps, messenger }, channel, attempt.at - searchMarginMs, tag),
  );
  if (place === undefined) return false;
  await deps.tasks.apply(ref, task.id, { type: 'posted', place });
  return true;
}

/**
 * Posts a task's card so that there is exactly one: the attempt is written down first, so that a post whose end is not
 * known is looked for before another is made. Only for who holds the task's drawer.
 * Gives the task as it is then. Throws the SlackFailure of a post that did not succeed.
 */
export async function postCard(
  { tasks, messengerOf, faults, now }: PlaceDeps,
  ref: AccountRef,
  task: Task,
  channel: ChannelId,
  card: Message,
): Promise<Task> {
  const begun = await tasks.apply(ref, task.id, { type: 'posting', channel, at: now() });
  // Its card has turned up meanwhile: somebody clicked on it.
  if (begun.kind === 'rejected') throw new Reschedule(1);
  await faults('post attempt stored, not posted');
  try {
    const tag = cardTag(ref.account, task.id, task.round);
    const place = await messengerOf(ref.workspace).post(channel, card, { tag });
    await faults('posted, not recorded');
    const outcome = await tasks.apply(ref, task.id, { type: 'posted', place });
    await faults('post recorded');
    return outcome.task ?? task;
  } catch (error) {
    const certain = error instanceof SlackError && error.kind !== 'unreachable';
    if (certain) await tasks.apply(ref, task.id, { type: 'not-posted' });
    throw error;
  }
}

async function search(
  { messenger, logger }: { messenger: Messenger; logger: Logger },
  channel: ChannelId,
  since: number,
  tag: ReturnType<typeof cardTag>,
) {
  try {
    return await messenger.findTagged(channel, since, tag);
  } catch (error) {
    if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
    // No right to read the channel: better a second card than none; both lead to the same task.
    logger.warn({ channel, code: error.code }, 'cannot look for a card in the channel, posting it');
    return undefined;
  }
}
