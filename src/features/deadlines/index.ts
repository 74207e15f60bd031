import {
  namedCampaigns,
  noContent,
  type Reminder,
  type ReminderContent,
  reminderTimes,
} from '../../domain/live-message.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { accountOfReminder, reminderMessage } from './reminder.view.ts';

/** A campaign with tasks that are due soon, or overdue: counts per reminder threshold. */
interface DueCampaign {
  readonly id: CampaignId;
  readonly counts: readonly number[];
  /** All of them. */
  readonly tasks: number;
  readonly dueAt: number;
}

/** Creates the reminders: one live message per channel about its tasks that are due soon. */
export function createDeadlinesFeature(context: Modules & { readonly reminderPaceMs: number }) {
  const { channels, clock, tasks, slack } = context;

  /** Returns the campaigns with tasks that are due soon, earliest deadline first. */
  async function dueCampaigns(ref: AccountRef): Promise<DueCampaign[]> {
    const times = reminderTimes(clock.now());
    const ids = await tasks.open.campaigns(ref, { until: Math.max(...times) });
    if (ids.length === 0) return [];
    const counts = await tasks.open.countsIn(ref, await context.tasks.timesToRate.getMany(ref, ids), times);
    const first = new Map((await tasks.open.waitingIn(ref, ids)).map((one) => [one.campaign, one.dueAt]));
    return ids.flatMap((id) => {
      const [found = [], dueAt] = [counts.get(id), first.get(id)];
      const tasks = Math.max(0, ...found);
      return tasks === 0 || dueAt === undefined ? [] : [{ id, counts: found, tasks, dueAt }];
    });
  }

  /** Returns the content for each channel: those with tasks that are due, and those with an existing reminder. */
  async function contents(ref: AccountRef): Promise<Map<ChannelId, ReminderContent>> {
    const [campaigns, reminders] = await Promise.all([dueCampaigns(ref), slack.reminders.shown(ref)]);
    const shown = reminders.map(({ channel }) => channel);
    if (campaigns.length === 0 && shown.length === 0) return new Map();
    const due = new Map<ChannelId, DueCampaign[]>();
    const routes = await channels.routing.forCampaigns(
      ref,
      campaigns.map(({ id }) => id),
    );
    for (const campaign of campaigns) {
      const channel = routes.get(campaign.id);
      if (channel !== undefined) due.set(channel, [...(due.get(channel) ?? []), campaign]);
    }
    const all = [...new Set([...due.keys(), ...shown])];
    const settings = await channels.settings.getMany(ref.workspace, all);
    const isMuted = (channel: ChannelId) => settings.get(channel)?.muted.includes('reminders') === true;
    return new Map(
      all.map((channel) => {
        const found = due.get(channel);
        if (isMuted(channel)) return [channel, { ...noContent, state: 'muted' }];
        return [channel, found ? contentOf(found) : noContent];
      }),
    );
  }

  const feature: Feature = {
    /** Posts a deleted reminder again while tasks are due. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const account = accountOfReminder(blocks);
      if (account === undefined) return;
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      await slack.reminders.apply({ workspace, account }, channel, gone);
    },
  };

  return {
    feature,
    message: reminderMessageKind(context),
    async afterPoll(ref: AccountRef): Promise<void> {
      const counted = { type: 'counted', at: clock.now(), paceMs: context.reminderPaceMs } as const;
      for (const [channel, content] of await contents(ref))
        await slack.reminders.apply(ref, channel, { ...counted, channel, content });
    },
  };
}

function contentOf(found: readonly DueCampaign[]): ReminderContent {
  const sums = reminderTimes(0).map((_, index) =>
    found.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
  );
  const [late = 0, ...within] = sums;
  return {
    state: 'due',
    late,
    within,
    campaigns: found.slice(0, namedCampaigns).map(({ id, tasks, dueAt }) => ({ id, tasks, dueAt })),
    others: Math.max(0, found.length - namedCampaigns),
  };
}

/** Returns the message kind that mirrors a channel's reminder. */
function reminderMessageKind({ campaigns, slack }: Modules): LiveMessageKind<Reminder, ChannelId> {
  return {
    records: slack.reminders,
    isForChannel: true,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, _, { at }) => messageTag('reminder', account, { begun: at }),
    async render(ref, reminder) {
      const titles = await campaigns.getMany(
        ref,
        reminder.campaigns.map(({ id }) => id),
      );
      return reminderMessage(ref.account, reminder, titles);
    },
    // A reminder that nothing is due is final; the next one is posted anew, where people see it.
    async afterRender(ref, { card, channel, state }) {
      if (card.state === 'posted' && state === 'none')
        await slack.reminders.apply(ref, channel, { type: 'card-gone', messageRef: card });
      return undefined;
    },
  };
}
