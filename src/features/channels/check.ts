import { chunksOf } from '../../domain/collections.ts';
import { namesChannel, type PostEvent } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import type { AccountRef, ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { queueChannelCheck } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/blocks.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { channelFailureText } from '../../ui/words.ts';
import { continuesHere, type MovedScope, movedText } from './channels.view.ts';
import type { AccountCards } from './move.ts';

/** Multiple of the time after which a channel counts as lost: a lost channel is checked again every 30 s. */
const recheckFactor = 3;

/** How many known messages a channel must have to be the same one, and how many channels are searched for them. */
const recognizedBy = { messages: 3, channels: 100 };

/** Creates the check of lost channels, and its consequences: people are told once, and the cards move. */
export function createChannelCheck(deps: Modules & { readonly cards: AccountCards }) {
  const { jobs, channels, slack, cards } = deps;
  const recheckMs = channels.lostAfterMs * recheckFactor;

  /** Returns why a channel cannot be used; undefined if it can. `unknown`: Slack currently gives no answer. */
  async function problemOf(workspace: WorkspaceId, channel: ChannelId): Promise<string | undefined> {
    try {
      const { isMember, isArchived } = await slack.messengerOf(workspace).channel(channel);
      if (isArchived) return 'is_archived';
      return isMember ? undefined : 'not_in_channel';
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return error.code === 'channel_not_found' ? error.code : 'unknown';
    }
  }

  /** Returns whether anything is posted in a channel, or needed cards are there. */
  async function matters(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    if ((await channels.subscriptions.ofChannel(workspace, channel)).length > 0) return true;
    if ((await channels.inbox.accountsIn(workspace, channel)).length > 0) return true;
    for (const ref of await cards.accountsOf(workspace)) {
      for await (const { card } of cards.needed(ref)) {
        if (card.state === 'posted' && card.channel === channel) return true;
      }
      if ((await cards.unreadIn(ref, channel)).length > 0) return true;
    }
    return false;
  }

  /** Checks a channel, and acts on the result. Returns whether to check it again. */
  async function check(workspace: WorkspaceId, channel: ChannelId, mayTell = false): Promise<boolean> {
    const problem = await problemOf(workspace, channel);
    if (problem === 'unknown') return true;
    if (problem === undefined) {
      await recordUsable(workspace, channel);
      return false;
    }
    if (!(await matters(workspace, channel))) {
      await channels.lost.remove(workspace, channel);
      await channels.health.reportSuccess(workspace, channel);
      return false;
    }
    const isNew = (await channels.lost.get(workspace, channel)) === undefined;
    // Slack may have given it another id, and the event was missed.
    const to =
      isNew && problem === 'channel_not_found'
        ? await newIdOf(workspace, channel).catch(notFound)
        : undefined;
    if (to !== undefined) {
      await followTo(workspace, channel, to);
      return false;
    }
    await channels.lost.record(
      workspace,
      channel,
      await codeOf(workspace, channel, problem),
      deps.clock.now(),
    );
    if (mayTell) await tell(workspace, channel);
    for (const ref of await cards.accountsOf(workspace)) {
      await jobs.add('move-cards', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
      if (isNew) await fillWindows(ref);
    }
    if (isNew) await slack.homes.all(workspace);
    return true;
  }

  const followTo = (workspace: WorkspaceId, channel: ChannelId, to: ChannelId) =>
    jobs.add('follow-channel', { workspace, channel, to }, { uniqueKey: `${workspace} ${channel}` });

  /** Returns the id under which Slack knows a channel now: that of one with the same messages. */
  async function newIdOf(workspace: WorkspaceId, channel: ChannelId): Promise<ChannelId | undefined> {
    const messages: string[] = [];
    for (const ref of await cards.accountsOf(workspace))
      for await (const { card } of cards.needed(ref)) {
        if (messages.length >= recognizedBy.messages) break;
        if (card.state === 'posted' && card.channel === channel) messages.push(card.ts);
      }
    if (messages.length === 0) return undefined;
    const messenger = slack.messengerOf(workspace);
    const hasAll = async (other: ChannelId) => {
      for (const ts of messages) if (!(await messenger.isThere({ channel: other, ts }))) return false;
      return true;
    };
    for (const other of (await messenger.ownChannels()).slice(0, recognizedBy.channels))
      if (await hasAll(other)) return other;
    return undefined;
  }

  function notFound(error: unknown): undefined {
    if (!(error instanceof SlackError)) throw error;
    deps.log.warn({ code: error.code }, 'new id of a channel not found');
  }

  /** A deleted channel later looks like a hidden one, so the event's code is kept. */
  async function codeOf(workspace: WorkspaceId, channel: ChannelId, problem: string): Promise<string> {
    if (problem !== 'channel_not_found') return problem;
    const known = (await channels.lost.get(workspace, channel))?.code;
    const code = known ?? (await jobs.incidents.get(workspace, `channel ${channel}`))?.code;
    return code === 'channel_deleted' ? code : problem;
  }

  async function recordUsable(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
    const was = await channels.lost.remove(workspace, channel);
    const incident = await jobs.incidents.get(workspace, `channel ${channel}`);
    // Slack tells only who posts that a channel is limited.
    if (was === undefined && incident?.code.startsWith('restricted_action')) {
      const isFirst = await jobs.claimOnce(workspace, `told ${channel} ${incident.since}`);
      if (isFirst) await tellSubscribers(workspace, channel, channelFailureText(channel, incident.code));
      return;
    }
    if (incident) await channels.health.reportSuccess(workspace, channel);
    for (const ref of await cards.accountsOf(workspace)) {
      await jobs.add('retire-cards', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
      if (was) await fillWindows(ref);
    }
  }

  /** Waiting tasks go to their current channel. */
  const fillWindows = (ref: AccountRef) => jobs.add('fill-windows', ref, { uniqueKey: ref.account });

  /**
   * Notifies the subscribers of a lost channel, and the channels in which its tasks continue. Only the check's job does
   * this, one at a time: failed notices are repeated at the next check.
   */
  async function tell(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
    const known = await channels.lost.get(workspace, channel);
    if (known === undefined) return;
    const { code, told } = known;
    const lost = await channels.subscriptions.ofChannel(workspace, channel);
    const people = new Map<MemberId, MovedScope[]>();
    const substitutes = new Map<ChannelId, string[]>();
    for (const subscription of lost) {
      const moved = await movedScope(workspace, subscription);
      if (moved) substitutes.set(moved.to, [...(substitutes.get(moved.to) ?? []), moved.campaignTitle]);
      const { by } = subscription;
      if (by !== undefined) people.set(by, [...(people.get(by) ?? []), ...(moved ? [moved] : [])]);
    }
    for (const [to, titles] of substitutes) {
      const text = continuesHere(channel, code, titles);
      if (!told.includes(to))
        await tellOnce(workspace, channel, to, () => slack.messengerOf(workspace).post(to, text));
    }
    for (const [member, moved] of people) {
      if (told.includes(member)) continue;
      const waits = lost.filter(({ by }) => by === member).length > moved.length;
      const texts = [
        ...(moved.length > 0 ? [movedText(channel, code, moved)] : []),
        ...(waits ? [channelFailureText(channel, code)] : []),
      ];
      await tellOnce(workspace, channel, member, () =>
        slack.messengerOf(workspace).direct(member, notice(texts.join('\n'))),
      );
    }
  }

  /** Notifies a recipient once; if Slack refuses, it is not retried. */
  async function tellOnce(
    workspace: WorkspaceId,
    channel: ChannelId,
    recipient: string,
    send: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ channel, recipient, code: error.code }, 'lost channel not told');
      if (error.kind !== 'refused') return;
    }
    await channels.lost.recordTold(workspace, channel, recipient);
  }

  /** Returns where a subscription's tasks go instead; undefined if nothing stands in for its channel. */
  async function movedScope(
    workspace: WorkspaceId,
    { account, campaign, channel }: Subscription,
  ): Promise<MovedScope | undefined> {
    if (campaign === undefined) return undefined;
    const ref = { workspace, account };
    const to = await channels.routing.forCampaign(ref, campaign);
    if (to === undefined || to === channel) return undefined;
    return { campaignTitle: await deps.campaigns.titleOf(ref, campaign), to };
  }

  async function tellSubscribers(workspace: WorkspaceId, channel: ChannelId, text: string): Promise<void> {
    const here = await channels.subscriptions.ofChannel(workspace, channel);
    const people = new Set(here.flatMap(({ by }) => by ?? []));
    for (const member of people)
      await slack
        .messengerOf(workspace)
        .direct(member, notice(text))
        .catch((error: unknown) => deps.log.warn({ member, reason: messageOf(error) }, 'member not told'));
  }

  return {
    check,
    followTo,
    checkLater: (workspace: WorkspaceId, channel: ChannelId) =>
      queueChannelCheck(deps.jobs, channels.lostAfterMs, workspace, channel),
    problemOf,

    /** Reports that a channel seems lost, if anything in it matters. */
    async suspect(workspace: WorkspaceId, channel: ChannelId, code: string): Promise<void> {
      if (!(await matters(workspace, channel))) return;
      await channels.health.reportFailure(workspace, channel, code);
      await queueChannelCheck(deps.jobs, channels.lostAfterMs, workspace, channel);
    },

    async job({ workspace, channel }: Payload<'check-channel'>): Promise<JobEnd> {
      return (await check(workspace, channel, true)) ? { again: recheckMs } : undefined;
    },
  };
}

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
