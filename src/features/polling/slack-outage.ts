import { chunksOf } from '../../domain/group.ts';
import { AccountId, type AccountRef, type ChannelId, type WorkspaceId } from '../../domain/terms.ts';
import type { LateCards, SlackOutage } from '../../store/outages.ts';
import { type Pause, slackPause } from '../../store/pauses.ts';
import type { PollingContext } from './context.ts';
import { slackOutageOver } from './polling.view.ts';

/** Maximum number of records counted, and the batch size. */
const maxCounted = 10_000;
const recordsAtOnce = 200;
/** A card still late after this multiple of the notice delay has a problem of its own. */
const recoveryLimit = 10;

/** Creates the notices of Slack outages: counts late cards, and tells their channels once after recovery. */
export function createSlackOutageNotices({
  logger,
  messengerOf,
  noticeAfterMs,
  now,
  pauses,
  sharedChannels,
  slackOutages,
  subscriptions,
  tasks,
}: Pick<
  PollingContext,
  | 'logger'
  | 'messengerOf'
  | 'noticeAfterMs'
  | 'now'
  | 'pauses'
  | 'sharedChannels'
  | 'slackOutages'
  | 'subscriptions'
  | 'tasks'
>) {
  /** Returns the number of cards to post or update, by channel. */
  async function lateCards(ref: AccountRef): Promise<LateCards[]> {
    const late = new Map<ChannelId, number>();
    for (const ids of chunksOf(await tasks.find(ref, 'needs-render', { limit: maxCounted }), recordsAtOnce)) {
      for (const { card, campaign } of await tasks.getMany(ref, ids)) {
        const channel =
          card.state === 'posted' ? card.channel : (await subscriptions.forCampaign(ref, campaign))?.channel;
        if (channel !== undefined) late.set(channel, (late.get(channel) ?? 0) + 1);
      }
    }
    return [...late].map(([channel, cards]) => ({ channel, cards }));
  }

  /** Returns whether every late card now shows its record. */
  async function isMadeGood(workspace: WorkspaceId, { until = 0, late }: SlackOutage): Promise<boolean> {
    if (now() - until > recoveryLimit * noticeAfterMs) return true;
    for (const account of Object.keys(late)) {
      const ref = { workspace, account: AccountId.parse(account) };
      if ((await tasks.find(ref, 'needs-render', { until, limit: 1 })).length > 0) return false;
    }
    return true;
  }

  async function tell(workspace: WorkspaceId, { since, until = 0, late }: SlackOutage): Promise<void> {
    const byChannel = new Map<ChannelId, number>();
    for (const { channel, cards } of Object.values(late).flat())
      byChannel.set(channel, (byChannel.get(channel) ?? 0) + cards);
    for (const [channel, cards] of byChannel) {
      if ((await sharedChannels.isShared(workspace, channel)) !== false) continue;
      await messengerOf(workspace)
        .post(channel, slackOutageOver(since, until, cards))
        .catch((error: unknown) => logger.warn({ err: error, channel }, 'notice not posted'));
    }
  }

  return {
    /** Records the end of an outage with its late cards, which soon will not be late any more. */
    async recordEnd(workspace: WorkspaceId, { since }: Pause): Promise<void> {
      const until = now();
      if (until - since < noticeAfterMs) return;
      for (const ref of await subscriptions.polledAccounts()) {
        if (ref.workspace === workspace)
          await slackOutages.record(workspace, { since, until }, ref.account, await lateCards(ref));
      }
    },

    /**
     * Counts during the outage, in case no process is running when Slack works again; tells people once after recovery.
     */
    async report(ref: AccountRef): Promise<void> {
      const { workspace, account } = ref;
      const pause = (await pauses.all(workspace)).get(slackPause);
      if (pause) {
        const { since } = pause;
        if (now() - since >= noticeAfterMs)
          await slackOutages.record(workspace, { since }, account, await lateCards(ref));
        return;
      }
      const outage = await slackOutages.get(workspace);
      if (outage === undefined) return;
      // The process in which Slack worked again died before recording that.
      if (outage.until === undefined)
        return slackOutages.record(workspace, { since: outage.since, until: now() }, account, []);
      if ((await isMadeGood(workspace, outage)) && (await slackOutages.end(workspace, outage)))
        await tell(workspace, outage);
    },
  };
}
