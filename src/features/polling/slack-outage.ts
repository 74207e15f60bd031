import { chunksOf } from '../../domain/group.ts';
import { AccountId, type AccountRef, type ChannelId, type WorkspaceId } from '../../domain/terms.ts';
import { type Outage, slackBreaker } from '../../store/breakers.ts';
import type { LateCards, SlackOutage } from '../../store/slack-outages.ts';
import type { PollingContext } from './context.ts';
import { slackOutageOver } from './polling.view.ts';

/** How many records are counted at most, and loaded at once. */
const maxCounted = 10_000;
const recordsAtOnce = 200;
/** A card that is still late after so many times the wait for a notice has trouble of its own. */
const recoveryLimit = 10;

/** Counts the cards that are late because Slack does not work; tells their channels once, when they are made good. */
export function createSlackOutageNotices({
  breakers,
  logger,
  messengerOf,
  noticeAfterMs,
  now,
  sharedChannels,
  slackOutages,
  subscriptions,
  tasks,
}: Pick<
  PollingContext,
  | 'breakers'
  | 'logger'
  | 'messengerOf'
  | 'noticeAfterMs'
  | 'now'
  | 'sharedChannels'
  | 'slackOutages'
  | 'subscriptions'
  | 'tasks'
>) {
  /** Returns how many cards are to be posted or updated, by channel. */
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

  /** Returns whether every card that was late shows its record by now. */
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
    /** Records the end of an outage, and what was late in it: soon it will not be. */
    async recordEnd(workspace: WorkspaceId, { since }: Outage): Promise<void> {
      const until = now();
      if (until - since < noticeAfterMs) return;
      for (const ref of await subscriptions.polledAccounts()) {
        if (ref.workspace === workspace)
          await slackOutages.record(workspace, { since, until }, ref.account, await lateCards(ref));
      }
    },

    /** Counts while Slack does not work, in case nobody is there when it works again; tells people once all is made good. */
    async report(ref: AccountRef): Promise<void> {
      const { workspace, account } = ref;
      const [open] = await breakers.open(workspace, [slackBreaker]);
      if (open) {
        const isLong = now() - open.since >= noticeAfterMs;
        if (isLong)
          await slackOutages.record(workspace, { since: open.since }, account, await lateCards(ref));
        return;
      }
      const outage = await slackOutages.get(workspace);
      if (outage === undefined) return;
      // The process in which Slack worked again has died before it could record that.
      if (outage.until === undefined)
        return slackOutages.record(workspace, { since: outage.since, until: now() }, account, []);
      if ((await isMadeGood(workspace, outage)) && (await slackOutages.end(workspace, outage)))
        await tell(workspace, outage);
    },
  };
}
