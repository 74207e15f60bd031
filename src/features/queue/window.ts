import type { AccountRef, CampaignId, ChannelId, TaskId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';
import { openCardsLimit } from '../shared/open-cards.ts';

type Deps = Pick<
  FeatureContext,
  | 'campaigns'
  | 'cardWindows'
  | 'channelSettings'
  | 'faults'
  | 'jobs'
  | 'lostChannels'
  | 'now'
  | 'openCards'
  | 'recovery'
  | 'routing'
  | 'subscriptions'
  | 'tasks'
  | 'timeouts'
>;

export type Window = ReturnType<typeof createWindow>;

/** Creates what gives waiting tasks their cards: as many as the windows of their channels have room for. */
export function createWindow(deps: Deps) {
  const { cardWindows, jobs, lostChannels, routing, subscriptions, tasks } = deps;

  /** Returns where the cards of campaigns go. Those whose first import is still under way are left out. */
  async function routesOf(
    ref: AccountRef,
    campaigns: Iterable<CampaignId>,
  ): Promise<Map<CampaignId, ChannelId>> {
    const own = await subscriptions.ofAccount(ref);
    const whole = own.find(({ campaign }) => campaign === undefined);
    const found = new Map<CampaignId, ChannelId>();
    let others: ChannelId | undefined;
    for (const campaign of campaigns) {
      const subscription = own.find((one) => one.campaign === campaign) ?? whole;
      if (!subscription?.started) continue;
      // All campaigns without a channel of their own go to the same one.
      const channel =
        subscription === whole
          ? (others ?? (await routing.forCampaign(ref, campaign)))
          : await routing.forCampaign(ref, campaign);
      if (subscription === whole) others = channel;
      if (channel !== undefined) found.set(campaign, channel);
    }
    return found;
  }

  /** Returns how many open cards stand in each channel that were found there and have no record yet, after a loss of data. */
  async function foundIn(ref: AccountRef, { lostAt }: DataEpoch): Promise<Map<ChannelId, number>> {
    const counts = new Map<ChannelId, number>();
    if (lostAt === undefined || deps.now() - lostAt > deps.timeouts.lostDecisionsMs) return counts;
    for (const { channel, decision } of (await deps.campaigns.foundCards(ref)).values())
      if (decision === undefined) counts.set(channel, (counts.get(channel) ?? 0) + 1);
    return counts;
  }

  /**
   * Gives cards to tasks while the window of a channel has room. Another process may do the same at the same time.
   * @param found how many open cards stand there without a record
   */
  async function fillOne(
    ref: AccountRef,
    channel: ChannelId,
    campaigns: readonly CampaignId[],
    found: number,
  ): Promise<void> {
    const most = await openCardsLimit(deps, ref, channel);
    // Less what will stand there as soon as its record is made again.
    const limit = most === 0 ? 0 : most - found;
    if (most > 0 && limit <= 0) return;
    for (;;) {
      const next = await cardWindows.next(ref, channel, campaigns, limit);
      const given: TaskId[] = [];
      for (const id of next) {
        const { kind, task } = await tasks.giveCard(ref, id, channel, limit);
        if (kind === 'done' && task?.card.state === 'wanted') given.push(id);
        // The window is full: another process was faster.
        if (kind === 'rejected') break;
      }
      await deps.faults('room in the window taken, card not queued');
      await jobs.addAll(
        'post',
        given.map((task) => ({ ...ref, task })),
        cardJobKey,
      );
      if (given.length === 0) return;
    }
  }

  return {
    routesOf,

    /** Fills the windows of all channels of an account. Cards that were given are never taken back. */
    async fill(ref: AccountRef): Promise<void> {
      if (!(await cardWindows.isAnyQueued(ref))) return;
      // Until data that were lost are there again, nobody knows which cards stand where. The next poll tries again.
      const epoch = await deps.recovery.recovered(ref);
      if (epoch === undefined) return;
      const found = await foundIn(ref, epoch);
      const byChannel = new Map<ChannelId, CampaignId[]>();
      for (const [campaign, channel] of await routesOf(ref, (await cardWindows.queues(ref)).keys()))
        byChannel.set(channel, [...(byChannel.get(channel) ?? []), campaign]);
      for (const [channel, campaigns] of byChannel) {
        // Its tasks wait until it is back, or another one stands in for it.
        if ((await lostChannels.get(ref.workspace, channel)) === undefined)
          await fillOne(ref, channel, campaigns, found.get(channel) ?? 0);
      }
    },
  };
}
