import { chunksOf, groupBy } from '../../domain/collections.ts';
import { namesChannel, type PostEvent } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { queueChannelCheck } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/blocks.ts';
import type { ChannelEvent } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { channelFailureText } from '../../ui/words.ts';
import { continuesHere, type LostScope, lostText } from './channels.view.ts';
import type { AccountCards } from './move.ts';

/** Multiple of the time after which a channel counts as lost: a lost channel is checked again every 30 s. */
const recheckFactor = 3;

/** How many known messages a channel must have to be the same one, and how many channels are searched for them. */
const recognizedBy = { messages: 3, channels: 100 };

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

  /** Returns the timestamps of the needed cards in a channel, up to a number. */
  async function cardsIn(workspace: WorkspaceId, channel: ChannelId, most: number): Promise<string[]> {
    const found: string[] = [];
    for (const ref of await cards.accountsOf(workspace))
      for await (const { card } of cards.needed(ref)) {
        if (card.state === 'posted' && card.channel === channel) found.push(card.ts);
        if (found.length === most) return found;
      }
    return found;
  }

  /** Returns whether anything is posted in a channel, or needed messages are there. */
  async function matters(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    if ((await channels.subscriptions.ofChannel(workspace, channel)).length > 0) return true;
    if ((await channels.inbox.accountsIn(workspace, channel)).length > 0) return true;
    if ((await cardsIn(workspace, channel, 1)).length > 0) return true;
    for (const ref of await cards.accountsOf(workspace))
      if ((await cards.unreadIn(ref, channel)).length > 0) return true;
    return false;
  }

  const checkLater = ({ workspace, channel }: ChannelEvent) =>
    queueChannelCheck(jobs, channels.lostAfterMs, workspace, channel);

  const followTo = (workspace: WorkspaceId, channel: ChannelId, to: ChannelId) =>
    jobs.add('follow-channel', { workspace, channel, to }, { uniqueKey: `${workspace} ${channel}` });

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
    // Slack may have given it another id, and the event was missed.
    const to = problem === 'channel_not_found' && !known ? await newIdOf(workspace, channel) : undefined;
    if (to !== undefined) return followTo(workspace, channel, to);
    await channels.lost.record(workspace, channel, problem, deps.clock.now());
    if (!known) await slack.homes.all(workspace);
    await tell(workspace, channel, problem, known?.told ?? []);
    await queueForAll('move-cards', workspace, channel);
    return { again: channels.lostAfterMs * recheckFactor };
  }

  /** Returns the id under which Slack knows a channel now: that of one with the same messages. */
  async function newIdOf(workspace: WorkspaceId, channel: ChannelId): Promise<ChannelId | undefined> {
    const known = await cardsIn(workspace, channel, recognizedBy.messages);
    if (known.length === 0) return undefined;
    const messenger = slack.messengerOf(workspace);
    const hasAll = async (other: ChannelId) => {
      for (const ts of known) if (!(await messenger.isThere({ channel: other, ts }))) return false;
      return true;
    };
    try {
      for (const other of (await messenger.ownChannels()).slice(0, recognizedBy.channels))
        if (await hasAll(other)) return other;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ code: error.code }, 'new id of a channel not found');
    }
    return undefined;
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
    const scopes = await Promise.all(subscribed.map((one) => scopeOf(workspace, one)));
    async function tellOnce(recipient: string, send: () => Promise<unknown>): Promise<void> {
      if (!told.includes(recipient) && (await sendTo(channel, recipient, send)))
        await channels.lost.recordTold(workspace, channel, recipient);
    }
    for (const [to, moved] of groupBy(scopes, (scope) => scope.to))
      if (to !== undefined) await tellOnce(to, () => messenger.post(to, continuesHere(channel, code, moved)));
    for (const member of subscribersOf(subscribed)) {
      const own = scopes.filter(({ by }) => by === member);
      await tellOnce(member, () => messenger.direct(member, notice(lostText(channel, code, own))));
    }
  }

  /** Returns a subscription with where its tasks go instead, if anything stands in for its channel. */
  async function scopeOf(
    workspace: WorkspaceId,
    { account, campaign, channel, by }: Subscription,
  ): Promise<LostScope> {
    const ref = { workspace, account };
    const to = campaign && (await channels.routing.forCampaign(ref, campaign));
    if (campaign === undefined || to === channel) return { by };
    return { by, to, campaign: { id: campaign, title: await deps.campaigns.titleOf(ref, campaign) } };
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
    followTo,
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

/** Batch size for loading records. */
const recordsAtOnce = 200;

type IdChange = Extract<PostEvent, { type: 'channel-id-changed' }>;

/** Creates the job that follows a channel to the id that Slack has given it: what is posted there, and the messages there. */
export function createFollow(deps: Modules & { readonly cards: AccountCards }) {
  const { slack, tasks, cards, channels, log } = deps;

  /** Updates the places of the cards of these tasks, and of the other messages. */
  async function follow(ref: AccountRef, event: IdChange, some: AsyncIterable<Task>): Promise<void> {
    for await (const task of some) if (namesChannel(task, event.from)) await tasks.apply(ref, task.id, event);
    for (const message of (await slack.announcements.known(ref)).keys())
      await slack.announcements.apply(ref, message, event);
    // Their records are per channel: those of the former id end like those of any channel without a subscription.
    for (const message of await slack.queueMessages.shown(ref))
      await slack.queueMessages.apply(ref, queueMessageId(message), event);
    for (const channel of await slack.reminders.shown(ref)) await slack.reminders.apply(ref, channel, event);
  }

  async function* everyTask(ref: AccountRef): AsyncGenerator<Task> {
    for (const { id } of await deps.campaigns.all(ref))
      for (const some of chunksOf([...(await tasks.knownRatings(ref, id)).keys()], recordsAtOnce))
        yield* await tasks.getMany(ref, some);
  }

  // Needed cards come first: while new tasks are already posted under the new id, a card of the former one would count as
  // lost and be posted again.
  return async ({ workspace, channel: from, to }: Payload<'follow-channel'>): Promise<void> => {
    const event = { type: 'channel-id-changed', from, to } as const;
    const refs = await cards.accountsOf(workspace);
    await channels.lost.remove(workspace, from);
    for (const ref of refs) await follow(ref, event, cards.needed(ref));
    for (const store of [channels.subscriptions, channels.inbox, channels.digests, channels.settings])
      await store.followChannel(workspace, from, to);
    await channels.health.reportSuccess(workspace, from);
    for (const ref of refs) await deps.people.grants.change(ref, event, { how: 'job' });
    // With posts that began before the subscriptions changed.
    for (const ref of refs) await follow(ref, event, cards.needed(ref));
    for (const ref of refs) await follow(ref, event, everyTask(ref));
    await slack.homes.all(workspace);
    log.info({ workspace, from, to }, 'channel followed to its new id');
  };
}
