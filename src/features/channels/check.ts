import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/blocks.ts';
import type { ChannelEvent } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { channelFailureText, lostText } from '../../ui/words.ts';
import { continuesHere } from './channels.view.ts';
import type { AccountCards } from './move.ts';
import { queueChannelCheck } from './routing.ts';

/** Multiple of the time after which a channel counts as lost: a lost channel is checked again every 30 s. */
const recheckFactor = 3;

/**
 * Creates the check of channels that seem lost, and its consequences: people are told once, and the cards move. A job
 * checks a channel, one at a time, and again while it is lost.
 */
export function createChannelCheck(deps: Modules & { readonly cards: AccountCards }) {
  const { jobs, channels, slack, cards } = deps;

  /** Returns why a channel cannot be used; undefined if it can. Throws SlackError while that is not known. */
  async function problemOf(workspace: WorkspaceId, channel: ChannelId): Promise<string | undefined> {
    try {
      const { isMember, isArchived } = await channels.shared.look(workspace, channel);
      if (isArchived) return 'is_archived';
      return isMember ? undefined : 'not_in_channel';
    } catch (error) {
      // A private channel without the bot is invisible to it, like a deleted one.
      if (error instanceof SlackError && error.code === 'channel_not_found') return error.code;
      throw error;
    }
  }

  /** Returns whether a card that is needed is in a channel. */
  async function hasCards(ref: AccountRef, channel: ChannelId): Promise<boolean> {
    for await (const { card } of cards.needed(ref))
      if (card.state === 'posted' && card.channel === channel) return true;
    return false;
  }

  /** Returns whether anything is posted in a channel, or needed messages are there. */
  async function matters(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    if ((await channels.subscriptions.ofChannel(workspace, channel)).length > 0) return true;
    if ((await channels.inbox.accountsIn(workspace, channel)).length > 0) return true;
    for (const ref of await cards.accountsOf(workspace)) if (await hasCards(ref, channel)) return true;
    return false;
  }

  const checkLater = ({ workspace, channel }: ChannelEvent) =>
    queueChannelCheck(jobs, channels.lostAfterMs, workspace, channel);

  async function check({ workspace, channel }: Payload<'check-channel'>): Promise<JobEnd> {
    const problem = await problemOf(workspace, channel);
    const known = await channels.lost.get(workspace, channel);
    if (problem === undefined && !known && (await tellIfLimited(workspace, channel))) return;
    if (problem === undefined || !(await matters(workspace, channel))) {
      if (await channels.lost.remove(workspace, channel)) {
        await slack.homes.all(workspace);
        for (const ref of await cards.accountsOf(workspace))
          await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
      }
      await channels.health.reportSuccess(workspace, channel);
      return queueForAll('retire-cards', workspace, channel);
    }
    await channels.lost.record(workspace, channel, problem, deps.clock.now());
    if (!known) await slack.homes.all(workspace);
    await tell(workspace, channel, problem, known?.told ?? []);
    await queueForAll('move-cards', workspace, channel);
    return { again: channels.lostAfterMs * recheckFactor };
  }

  async function queueForAll(
    job: 'move-cards' | 'retire-cards',
    workspace: WorkspaceId,
    channel: ChannelId,
  ): Promise<void> {
    for (const ref of await cards.accountsOf(workspace))
      await jobs.add(job, { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
  }

  /** Slack tells only who posts that a channel is limited: then its subscribers are told. Returns whether it is. */
  async function tellIfLimited(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    const incident = await jobs.incidents.get(workspace, `channel ${channel}`);
    if (!incident?.code.startsWith('restricted_action')) return false;
    const text = channelFailureText(channel, incident.code);
    if (await jobs.claimOnce(workspace, `told ${channel} ${incident.since}`))
      for (const member of subscribersOf(await channels.subscriptions.ofChannel(workspace, channel)))
        await sendTo(channel, member, () => slack.messengerOf(workspace).direct(member, notice(text)));
    return true;
  }

  /** Notifies the subscribers of a lost channel, and the channels in which its tasks continue, once each. */
  async function tell(
    workspace: WorkspaceId,
    channel: ChannelId,
    code: string,
    told: readonly string[],
  ): Promise<void> {
    const messenger = slack.messengerOf(workspace);
    const subscribed = await channels.subscriptions.ofChannel(workspace, channel);
    const { to, isWaiting } = await channels.routing.instead(workspace, channel);
    async function tellOnce(recipient: string, send: () => Promise<unknown>): Promise<void> {
      if (!told.includes(recipient) && (await sendTo(channel, recipient, send)))
        await channels.lost.recordTold(workspace, channel, recipient);
    }
    for (const other of to) await tellOnce(other, () => messenger.post(other, continuesHere(channel, code)));
    const text = lostText(channel, code, to, isWaiting);
    for (const member of subscribersOf(subscribed))
      await tellOnce(member, () => messenger.direct(member, notice(text)));
  }

  /** Sends a notice about a channel. Returns false if that is to be repeated: not if Slack refuses it. */
  async function sendTo(
    channel: ChannelId,
    recipient: string,
    send: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ channel, recipient, code: error.code }, 'not told of a channel');
      return error.kind === 'refused';
    }
  }

  return {
    problemOf,
    checkLater,

    /** Has a channel checked that seems lost, if anything in it matters. */
    async suspect(event: ChannelEvent): Promise<void> {
      if (await matters(event.workspace, event.channel)) await checkLater(event);
    },

    async job(payload: Payload<'check-channel'>): Promise<JobEnd> {
      try {
        return await check(payload);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        return { again: channels.lostAfterMs * recheckFactor };
      }
    },
  };
}

/** Returns the members who have subscribed a channel. */
const subscribersOf = (subscribed: readonly Subscription[]) =>
  new Set(subscribed.flatMap(({ by }) => by ?? []));
