import { placeOf } from '../../domain/queue-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** A decision counts as overdue this long after its due time (ms): its own job would have sent it by then. */
const overdueMs = 2_000;

/** Creates the requeuing of work left unfinished by lost jobs. */
export function createRequeue({
  slack,
  jobs,
  clock,
  tasks,
  requeueMessages,
}: Modules & {
  /** Queues the live messages that have been out of date since a time (ms). */
  readonly requeueMessages: (ref: AccountRef, until: number) => Promise<void>;
}) {
  return {
    /**
     * Queues jobs for messages that have been out of date for a while, and for overdue decisions.
     * @param mayPost whether new messages may be posted: a channel is subscribed, and every card has a record
     */
    async requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void> {
      const before = clock.now() - jobs.timeouts.requeueAfterMs;
      const outdated = { until: before };
      // Requested together, in one round trip.
      const [stale, lateAnnouncements, queues, notices, summaries, lateReminders, assigned, due] =
        await Promise.all([
          tasks.find(ref, 'needs-render', outdated),
          slack.announcements.find(ref, 'needs-render', outdated),
          slack.queueMessages.find(ref, 'needs-render', outdated),
          slack.campaignNotices.find(ref, 'needs-render', outdated),
          slack.dailySummaries.find(ref, 'needs-render', outdated),
          slack.reminders.find(ref, 'needs-render', outdated),
          slack.assignedNotices.find(ref, 'needs-render', outdated),
          tasks.lowest(ref, 'due'),
          jobs.deadLetterActs.finish(ref),
          requeueMessages(ref, before),
        ]);
      await jobs.reviveDeadLetters(ref);
      const isAnyLate = stale.length > 0 || lateAnnouncements.length > 0;
      const letters = isAnyLate ? await jobs.deadLetters(ref) : [];
      const deadLetters = new Set(letters.map(({ payload }) => payload.task ?? payload.message));
      const cards = await tasks.getMany(
        ref,
        stale.filter((id) => !deadLetters.has(id)),
      );
      await slack.cards.changed(
        ref,
        cards.filter(({ card }) => mayPost || card.state === 'posted'),
      );
      if (mayPost) {
        for (const message of lateAnnouncements) {
          if (!deadLetters.has(message))
            await jobs.add('announce', { ...ref, message }, { uniqueKey: `${ref.account} ${message}` });
        }
        for (const id of queues) {
          const { channel, campaign } = placeOf(id);
          await jobs.add('show-queue', { ...ref, channel, campaign }, { uniqueKey: `${ref.account} ${id}` });
        }
        for (const channel of notices) {
          await jobs.add('campaign-notice', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
        }
        for (const channel of summaries) {
          await jobs.add('daily', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
        }
        for (const channel of lateReminders) {
          await jobs.add('remind', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
        }
      }
      for (const member of assigned)
        await jobs.add('tell-assigned', { ...ref, member }, { uniqueKey: `${ref.account} ${member}` });
      if (due !== undefined && due < clock.now() - overdueMs)
        await jobs.add('send', ref, { uniqueKey: `${ref.account} mend` });
    },

    /** Returns whether work is left: a task to decide on, a decision to send, or an outdated card. */
    async isAnythingUnfinished(ref: AccountRef): Promise<boolean> {
      if ((await tasks.count(ref, 'open')) > 0 || (await tasks.count(ref, 'due')) > 0) return true;
      return (await tasks.find(ref, 'needs-render', { limit: 1 })).length > 0;
    },
  };
}
