import { chunksOf } from '../../domain/collections.ts';
import { AccountId, type AccountRef, type ChannelId, type WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { type LateCards, type SlackOutage, slackPause } from '../../store/pauses.ts';
import { slackOutageOver } from './polling.view.ts';

/** Maximum number of records counted, and the batch size. */
const maxCounted = 10_000;
const recordsAtOnce = 200;
/** A card still late after this multiple of the notice delay has a problem of its own. */
const recoveryLimit = 10;

/** Creates the notices of Slack outages: counts late cards, and tells their channels once after recovery. */
export function createSlackOutageNotices({ log, slack, clock, marketplace, channels, tasks }: Modules) {
  /** Returns the number of cards to post or update, by channel. */
  async function lateCards(ref: AccountRef): Promise<LateCards[]> {
    const late = new Map<ChannelId, number>();
    for (const ids of chunksOf(await tasks.find(ref, 'needs-render', { limit: maxCounted }), recordsAtOnce)) {
      for (const { card, campaign } of await tasks.getMany(ref, ids)) {
        const channel =
          card.state === 'posted'
            ? card.channel
            : (await channels.subscriptions.forCampaign(ref, campaign))?.channel;
        if (channel !== undefined) late.set(channel, (late.get(channel) ?? 0) + 1);
      }
    }
    return [...late].map(([channel, cards]) => ({ channel, cards }));
  }

  /** Returns whether every late card now shows its record. */
  async function isMadeGood(workspace: WorkspaceId, { until = 0, late }: SlackOutage): Promise<boolean> {
    if (clock.now() - until > recoveryLimit * clock.noticeAfterMs) return true;
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
      if ((await channels.shared.isShared(workspace, channel)) !== false) continue;
      await slack
        .messengerOf(workspace)
        .post(channel, slackOutageOver(since, until, cards))
        .catch((error: unknown) => log.warn({ err: error, channel }, 'notice not posted'));
    }
  }

  return {
    /**
     * Counts late cards during an outage: soon after it they are not late any more. Tells people once after recovery.
     */
    async report(ref: AccountRef): Promise<void> {
      const { workspace, account } = ref;
      const pause = (await marketplace.pauses.all(workspace)).get(slackPause);
      if (pause) {
        const { since } = pause;
        if (clock.now() - since >= clock.noticeAfterMs)
          await slack.outages.record(workspace, { since }, account, await lateCards(ref));
        return;
      }
      const outage = await slack.outages.get(workspace);
      if (outage === undefined) return;
      if (outage.until === undefined)
        return slack.outages.record(workspace, { since: outage.since, until: clock.now() }, account, []);
      if ((await isMadeGood(workspace, outage)) && (await slack.outages.end(workspace, outage)))
        await tell(workspace, outage);
    },
  };
}
