import { chunksOf } from '../../domain/collections.ts';
import { namesChannel, type PostEvent } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { AccountCards } from './move.ts';

/** Batch size for loading records. */
const recordsAtOnce = 200;

type IdChange = Extract<PostEvent, { type: 'channel-id-changed' }>;

/** Creates the job that follows a channel to the id that Slack has given it: what is posted there, and the messages there. */
export function createFollow(deps: Modules & { readonly cards: AccountCards }) {
  const { slack, jobs, tasks, cards } = deps;

  /** Updates the places of needed cards, and of the other messages. */
  async function followMessages(ref: AccountRef, event: IdChange): Promise<void> {
    for await (const task of cards.needed(ref))
      if (namesChannel(task, event.from)) await tasks.apply(ref, task.id, event);
    for (const message of (await slack.announcements.known(ref)).keys())
      await slack.announcements.apply(ref, message, event);
    // Their records are per channel: those of the former id end like those of any channel without a subscription.
    for (const message of await slack.queueMessages.shown(ref))
      await slack.queueMessages.apply(ref, queueMessageId(message), event);
    for (const channel of await slack.reminders.shown(ref)) await slack.reminders.apply(ref, channel, event);
  }

  async function followSettledCards(ref: AccountRef, event: IdChange): Promise<void> {
    for (const { id } of await deps.campaigns.all(ref)) {
      const known = await tasks.knownRatings(ref, id);
      for (const some of chunksOf([...known.keys()], recordsAtOnce))
        for (const task of await tasks.getMany(ref, some))
          if (namesChannel(task, event.from)) await tasks.apply(ref, task.id, event);
    }
  }

  // Cards come first: while new tasks are already posted under the new id, a card of the former one would count as lost
  // and be posted again.
  return async ({ workspace, channel: from, to }: Payload<'follow-channel'>): Promise<void> => {
    const event = { type: 'channel-id-changed', from, to } as const;
    const refs = await cards.accountsOf(workspace);
    await deps.channels.lost.remove(workspace, from);
    for (const ref of refs) await followMessages(ref, event);
    for (const store of [
      deps.channels.subscriptions,
      deps.channels.inbox,
      deps.channels.digests,
      deps.channels.settings,
    ])
      await store.followChannel(workspace, from, to);
    await deps.channels.health.reportSuccess(workspace, from);
    for (const ref of refs) {
      await deps.people.grants.change(ref, event, { how: 'job' });
      // Posts that began before the subscriptions changed.
      await followMessages(ref, event);
      await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
      await jobs.add('count-queues', ref, { uniqueKey: ref.account });
    }
    for (const ref of refs) await followSettledCards(ref, event);
    await deps.slack.homes.all(workspace);
    deps.log.info({ workspace, from, to }, 'channel followed to its new id');
  };
}
