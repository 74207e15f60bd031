import { type BacklogSummary, unknownCount } from '../../domain/backlog-summary.ts';
import type { Task } from '../../domain/task.ts';
import { AccountId, type AccountRef, type ChannelId } from '../../domain/terms.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { summaryTag } from '../../slack/message-tags.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createLiveMessages, type LiveMessageKind } from '../shared/live-message.ts';
import { accountOfSummary, backlogSummary } from './backlog.view.ts';

/** How many cards one click posts. */
const cardsPerClick = 20;

/** Creates the backlog: tasks without a card, counted in one message per channel and posted a portion at a time. */
export function createBacklog(context: FeatureContext) {
  const { backlogSummaries, claimOnce, jobs, routing, tasks } = context;
  const summaries = createLiveMessages(context, summaryMessage(context));

  /** Returns the tasks without a card whose cards would go to the channel, newest first. */
  async function backlogOf(ref: AccountRef, channel: ChannelId): Promise<Task[]> {
    const waiting = await tasks.getMany(
      ref,
      await tasks.find(ref, 'backlog', { limit: 100_000, newest: true }),
    );
    const channels = new Map<string, ChannelId | undefined>();
    const own: Task[] = [];
    for (const task of waiting) {
      if (!channels.has(task.campaign)) {
        channels.set(task.campaign, await routing.forCampaign(ref, task.campaign));
      }
      if (channels.get(task.campaign) === channel) own.push(task);
    }
    return own;
  }

  const summarize = (ref: AccountRef, channel: ChannelId) =>
    jobs.add('summarize', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });

  const feature: Feature = {
    /** Posts a deleted summary again: without it, nobody can reach the tasks without a card. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const account = accountOfSummary(blocks);
      if (account === undefined) return;
      const ref = { workspace, account };
      const deleted = { type: 'card-gone', messageRef: { channel, ts } } as const;
      if ((await backlogSummaries.apply(ref, channel, deleted)).changed) await summarize(ref, channel);
    },
    clicks: {
      'backlog.more': { needs: 'rate', run: showMore },
    },
  };

  async function showMore(click: Click): Promise<void> {
    const { channel } = click;
    if (channel === undefined) return;
    const ref = await click.authorize({ account: AccountId.parse(click.value) });
    if (!(await claimOnce(click.workspace, `backlog ${click.id}`))) return;
    const next = (await backlogOf(ref, channel)).slice(0, cardsPerClick).reverse();
    for (const task of next) await tasks.apply(ref, task.id, { type: 'card-wanted' });
    await jobs.addAll(
      'post',
      next.map(({ id }) => ({ ...ref, task: id })),
      cardJobKey,
    );
    await summarize(ref, channel);
  }

  return {
    feature,
    jobs: {
      async summarize({ channel, ...ref }: Payload<'summarize'>, job: JobContext): Promise<void> {
        // Read before the tasks are counted: a change in between leaves a different total, so they are counted again.
        const total = await tasks.count(ref, 'backlog');
        const { length: count } = await backlogOf(ref, channel);
        await backlogSummaries.apply(ref, channel, { type: 'counted', channel, count, total });
        await summaries.render(ref, channel, job, true);
      },
    },
  };
}

/** Returns how the summary of a channel's backlog is rendered as a message that mirrors its record. */
function summaryMessage({
  backlogSummaries,
}: Pick<FeatureContext, 'backlogSummaries'>): LiveMessageKind<BacklogSummary, ChannelId> {
  return {
    name: 'summary',
    records: backlogSummaries,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, _, { at }) => summaryTag(account, at),
    render({ account }, { count }) {
      // It was found since the tasks were counted: the job counts them again.
      if (count === unknownCount) throw new Reschedule(1);
      return backlogSummary(account, count, cardsPerClick);
    },
    // A summary that counts nothing is done: later tasks without a card get a new one.
    async afterRender(ref, { card, channel, count }) {
      if (count !== 0 || card.state !== 'posted') return;
      await backlogSummaries.apply(ref, channel, { type: 'card-gone', messageRef: card });
    },
  };
}
