import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { openCardsLimit } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';

export type Window = ReturnType<typeof createWindow>;

/** Creates the filling of card windows: waiting tasks get cards up to their channels' limits. */
export function createWindow(deps: Modules) {
  const { slack, channels, tasks } = deps;

  /** Returns where campaigns' cards go, except campaigns whose first import is still in progress. */
  async function routesOf(
    ref: AccountRef,
    campaigns: Iterable<CampaignId>,
  ): Promise<Map<CampaignId, ChannelId>> {
    const own = await channels.subscriptions.ofAccount(ref);
    const isStarted = (id: CampaignId) =>
      (own.find(({ campaign }) => campaign === id) ?? own.find(({ campaign }) => campaign === undefined))
        ?.started === true;
    return channels.routing.forCampaigns(ref, [...campaigns].filter(isStarted));
  }

  /** Gives tasks cards while the channel's window has room. Other processes may do the same concurrently. */
  async function fillOne(
    ref: AccountRef,
    channel: ChannelId,
    campaigns: readonly CampaignId[],
  ): Promise<void> {
    const limit = await openCardsLimit(deps, ref, channel);
    for (;;) {
      const next = await channels.windows.next(ref, channel, campaigns, limit);
      const given: Task[] = [];
      for (const id of next) {
        const { kind, task } = await tasks.giveCard(ref, id, channel, limit);
        if (kind === 'done' && task?.card.state === 'wanted') given.push(task);
        // The window is full: another process was faster.
        if (kind === 'rejected') break;
      }
      await slack.cards.changed(ref, given);
      if (given.length === 0) return;
    }
  }

  return {
    routesOf,

    /** Fills the windows of all channels of an account. Cards are never taken back. */
    async fill(ref: AccountRef): Promise<void> {
      if (!(await channels.windows.isAnyQueued(ref))) return;
      const byChannel = new Map<ChannelId, CampaignId[]>();
      for (const [campaign, channel] of await routesOf(ref, (await channels.windows.queues(ref)).keys()))
        byChannel.set(channel, [...(byChannel.get(channel) ?? []), campaign]);
      for (const [channel, campaigns] of byChannel) {
        // Its tasks wait until it is back, or another one stands in for it.
        if ((await channels.lost.get(ref.workspace, channel)) === undefined)
          await fillOne(ref, channel, campaigns);
      }
    },
  };
}
