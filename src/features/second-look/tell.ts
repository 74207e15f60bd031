import { type LookNews, lookNews } from '../../domain/second-look/transition.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { Message } from '../../slack/blocks.ts';
import type { MessageTag } from '../../slack/messenger.ts';
import { isWorkspaceError, mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { bySlack } from '../shared/slack-time.ts';
import { decidedMessage, differenceMessage } from './difference.view.ts';

/** Without the scope to read direct messages, a notice may be repeated after a crash. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || isWorkspaceError(error)) throw error;
}

/** Tag type by which a notice about a verdict is found again. */
const tagType = 'proofdesk_second_look';
/** How long before the verdict the search for it starts (ms), because Slack's clock may have been set since. */
const searchMarginMs = 3_600_000;

/**
 * Creates the notices to two reviewers that they differ, and of the tie-break. Each is sent once, however often a
 * process dies.
 */
export function createTellDifference(
  context: Pick<
    FeatureContext,
    | 'campaigns'
    | 'faults'
    | 'leases'
    | 'logger'
    | 'messengerOf'
    | 'now'
    | 'secondLooks'
    | 'slackAheadOf'
    | 'tasks'
    | 'timeouts'
  >,
) {
  const { campaigns, faults, leases, logger, messengerOf, secondLooks, tasks, timeouts } = context;

  /** Sends a task's pending notices, and removes outdated ones. */
  async function tell({ task: id, ...ref }: Payload<'tell-difference'>): Promise<void> {
    const lease = await leases.acquire(ref, `tell-difference ${id}`, timeouts.leaseMs);
    if (lease === undefined) throw new Reschedule(timeouts.leaseMs / 2);
    try {
      const { untold } = await secondLooks.waiting(ref);
      const own = untold.filter(({ task }) => task === id);
      if (own.length === 0) return;
      const task = await tasks.get(ref, id);
      const news = lookNews(task);
      for (const { verdict } of own) {
        if (task && news?.id === verdict) await tellAll(ref, task, news);
        else await secondLooks.setUntold(ref, id, verdict, []);
      }
    } catch (error) {
      if (!mayArriveLate(error)) throw error;
      // Until then, a job for another verdict on this task could not find a message that may have been posted.
      await lease.releaseAfter(timeouts.lateArrivalMs);
      throw new Reschedule(timeouts.lateArrivalMs);
    } finally {
      await lease.release();
    }
  }

  async function tellAll(ref: AccountRef, task: Task, news: LookNews): Promise<void> {
    const messageTo = await messagesOf(ref, task);
    const left = await secondLooks.untoldOf(ref, task.id, news.id);
    while (left.length > 0) {
      const [member] = left;
      if (member !== undefined) await tellOne(ref, task, news, member, messageTo(member));
      await faults('second look: told, not recorded');
      left.shift();
      await secondLooks.setUntold(ref, task.id, news.id, left);
    }
  }

  /** Returns a function that builds the message to one of the two reviewers. */
  async function messagesOf(ref: AccountRef, task: Task): Promise<(member: MemberId) => Message | undefined> {
    const [campaign, card] = await Promise.all([
      campaigns.get(ref, task.campaign),
      task.card.state === 'posted' ? messengerOf(ref.workspace).permalink(task.card) : undefined,
    ]);
    const about = { task, title: campaign?.title ?? 'A campaign', card };
    const { look, decision } = task;
    return (member) =>
      look
        ? differenceMessage(about, look, member)
        : decision?.look && decidedMessage(about, decision.look, member);
  }

  async function tellOne(
    { workspace }: AccountRef,
    { id: task }: Task,
    { id: verdict, at }: LookNews,
    member: MemberId,
    message: Message | undefined,
  ): Promise<void> {
    if (message === undefined) return;
    const messenger = messengerOf(workspace);
    const tag: MessageTag = { type: tagType, payload: { task, verdict } };
    try {
      const channel = await messenger.directChannel(member);
      // A process may have died after its post, and Redis may have lost the record of it.
      const found = await messenger
        .findTagged(channel, bySlack(at, context) - searchMarginMs, tag)
        .catch(unlessUnreadable);
      if (found !== undefined) return;
      await messenger.post(channel, message, { tag });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind !== 'refused' || isWorkspaceError(error)) throw error;
      // The card says it too.
      logger.info({ member, code: error.code }, 'not told of a difference');
    }
  }

  return { tell };
}
