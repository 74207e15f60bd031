import type { MessageRef, Mirrored, PostAttempt, PostEvent, RequestMessage } from '../domain/live-message.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { messageOf, NotConnected } from '../errors.ts';
import type { MessageKind, Payload } from '../jobs/catalogue.ts';
import { type Again, isAgain, type JobEnd } from '../jobs/queue.ts';
import type { Message } from '../slack/blocks.ts';
import { plainerThan } from '../slack/blocks.ts';
import type { CallSlack, CallSlackOptions } from '../slack/client.ts';
import { type IsRefused, withoutRefusedPictures } from '../slack/files.ts';
import { messageTag } from '../slack/message-tags.ts';
import type { MessageTag } from '../slack/messenger.ts';
import { isChannelError, mayArriveLate, SlackError } from '../slack/slack-error.ts';
import type { LineName, WaitingCard } from '../store/cards.ts';
import type { RequestMessages } from '../store/messages.ts';
import { postMethod, updateMethod } from '../store/pauses.ts';
import type { RenderLease } from '../store/records.ts';
import type { Modules, Stores } from './modules.ts';

/** How long a job waits while another process renders the same message (ms). */
const otherProcessMs = 1_000;

/** How long before its attempt a post is searched for (ms): Slack's clock is known to about a second, and may be set. */
const searchMarginMs = 60_000;

/** Revision of a message found in the channel; what it shows is unknown, so it is rendered again. */
const unknownRevision = 0;

/** The revision that a message shows, or after how long to try again; undefined: once its record changes, or a poll queues it. */
type Shown = number | Again | undefined;

/**
 * Creates messages that mirror their records: each is posted exactly once, found again after a crash, and rendered by
 * one process at a time, within Slack's rate limits. While a channel or workspace refuses, jobs wait for a successful
 * probe; the record stays marked as needing a render, so that a later poll requeues a lost job.
 */
export function createLiveMessages<R extends Mirrored, Id extends string>(
  parts: Modules,
  kind: LiveMessageKind<R, Id>,
) {
  const { channels, jobs, slack, clock } = parts;
  const { records } = kind;

  async function renderUntilCurrent(ref: AccountRef, id: Id, options?: CallSlackOptions): Promise<JobEnd> {
    if (!(await records.needsRender(ref, id))) return;
    const lease = await records.acquireRenderLease(ref, id, jobs.timeouts.renderLeaseMs);
    if (lease === undefined) return { again: otherProcessMs };
    let calledAt = 0;
    const renewLease = async () => {
      calledAt = clock.now();
      return (await lease.renew()) ? undefined : { again: otherProcessMs };
    };
    let record: R | undefined;
    try {
      for (;;) {
        record = await records.get(ref, id);
        if (record === undefined) return;
        // What was just shown has changed: if Slack limits updates, this one waits without the lease, and a click comes first.
        const step = { callSlack: parts.slack.callOf(ref.workspace, options), renewLease };
        const shown = await renderOnce(ref, id, record, step);
        if (typeof shown !== 'number') return shown;
        if (await lease.markRendered(shown)) return;
      }
    } catch (error) {
      // If rendered again now, the unanswered call could arrive later and overwrite it permanently.
      if (mayArriveLate(error))
        await lease.releaseAfter(calledAt + jobs.timeouts.lateArrivalMs - clock.now());
      await handleFailure(ref, record, error, calledAt);
    } finally {
      await lease.release();
    }
  }

  /** Returns the revision the message shows now; undefined if it cannot be rendered at present. */
  async function renderOnce(ref: AccountRef, id: Id, record: R, step: RenderStep): Promise<Shown> {
    const waitMs = kind.waitMs?.(record) ?? 0;
    if (waitMs > 0) return { again: waitMs };
    if (record.card.state === 'wanted') return post(ref, id, record, step);
    return record.card.state === 'posted' ? update(ref, id, record, record.card, step) : record.revision;
  }

  async function post(ref: AccountRef, id: Id, wanted: R, step: RenderStep): Promise<Shown> {
    if (await adoptEarlierPost(ref, id, wanted, step)) return unknownRevision;
    const channel = await kind.channelFor(ref, wanted);
    if (channel === undefined) return undefined;
    const asked = <T>(run: () => Promise<T>) => step.callSlack({ method: 'conversations.info' }, run);
    if (!(await channels.shared.mayPost(ref, channel, asked))) return undefined;

    const record = (await kind.prepare?.(ref, wanted, step.callSlack)) ?? wanted;
    if (isAgain(record)) return record;
    const began = clock.now();
    const { answer: posted, isAnyLeftOut } = await step.callSlack({ method: postMethod, channel }, () =>
      send(ref, record, (message) => postOnce(ref, id, record, { message, channel, step })),
    );
    if (isAgain(posted)) return posted;
    await channels.health.reportSuccess(ref.workspace, channel, began);
    // What it has become meanwhile is not shown yet.
    const shown = { ...record, card: posted.card };
    return (await kind.afterRender?.(ref, shown, step)) ?? shownOf(record, isAnyLeftOut);
  }

  /**
   * Posts exactly one message: the attempt is stored first, so that an unanswered post is searched for before another is
   * made. Returns the current record, or after how long to try again.
   */
  async function postOnce(
    ref: AccountRef,
    id: Id,
    record: R,
    { message, channel, step }: { message: Message; channel: ChannelId; step: RenderStep },
  ): Promise<R | Again> {
    const lost = await step.renewLease();
    if (lost) return lost;
    const posting = { type: 'posting', channel, at: clock.now(), slackAt: parts.clock.slackNow() } as const;
    const attempt = await records.apply(ref, id, posting);
    // The message was found meanwhile (somebody clicked it), or is no longer wanted.
    if (!attempt.changed || attempt.record?.card.state !== 'wanted') return { again: 1 };
    await jobs.faults('attempt stored, not posted');
    try {
      const tag = kind.tagFor(ref, record, attempt.record.card.attempt ?? { channel, at: clock.now() });
      const messageRef = await slack.messengerOf(ref.workspace).post(channel, message, { tag });
      await jobs.faults('posted, not recorded');
      const posted = await records.apply(ref, id, { type: 'posted', messageRef });
      return posted.record ?? record;
    } catch (error) {
      if (error instanceof SlackError && error.kind !== 'unreachable')
        await records.apply(ref, id, { type: 'not-posted' });
      throw error;
    }
  }

  /** Searches the channel for a post of unknown outcome. */
  async function adoptEarlierPost(ref: AccountRef, id: Id, record: R, step: RenderStep): Promise<boolean> {
    const attempt = record.card.state === 'wanted' ? record.card.attempt : undefined;
    if (attempt === undefined) return false;
    const tag = kind.tagFor(ref, record, attempt);
    const { channel } = attempt;
    const messageRef = await step.callSlack({ method: 'conversations.history', channel }, async () => {
      try {
        return await slack
          .messengerOf(ref.workspace)
          .findTagged(channel, (attempt.slackAt ?? attempt.at) - searchMarginMs, tag);
      } catch (error) {
        if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
        // Without permission to read the channel, a duplicate is better than no message: both mirror the same record.
        parts.log.warn({ channel, code: error.code, tag: tag.type }, 'cannot search for an earlier post');
        return undefined;
      }
    });
    if (messageRef === undefined) return false;
    await records.apply(ref, id, { type: 'posted', messageRef });
    return true;
  }

  async function update(
    ref: AccountRef,
    id: Id,
    record: R,
    { channel, ts }: MessageRef,
    step: RenderStep,
  ): Promise<Shown> {
    const began = clock.now();
    try {
      const { answer: lost, isAnyLeftOut } = await step.callSlack({ method: updateMethod, channel }, () =>
        send(ref, record, async (message) => {
          const lost = await step.renewLease();
          if (lost === undefined) await slack.messengerOf(ref.workspace).update({ channel, ts }, message);
          return lost;
        }),
      );
      if (lost) return lost;
      await channels.health.reportSuccess(ref.workspace, channel, began);
      return (await kind.afterRender?.(ref, record, step)) ?? shownOf(record, isAnyLeftOut);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.code === 'edit_window_closed' && kind.tellUnchangeable)
        await kind.tellUnchangeable(ref, record, { channel, ts });
      else if (error.code !== 'message_not_found') throw error;
      else await records.apply(ref, id, { type: 'card-gone', messageRef: { channel, ts } });
    }
    return record.revision;
  }

  /** Sends a message without what Slack refuses in it: pictures that it cannot show (yet), or charts. */
  function send<T>(ref: AccountRef, record: R, run: (message: Message) => Promise<T>) {
    const make = (isRefused: IsRefused) => kind.render(ref, record, isRefused);
    return withoutRefusedPictures(make, async (message) => {
      const versions = [message.blocks, ...plainerThan(message)];
      for (;;) {
        const blocks = versions.shift() ?? [];
        try {
          return await run({ ...message, blocks });
        } catch (error) {
          const isOfBlocks = error instanceof SlackError && error.code === 'invalid_blocks';
          if (!isOfBlocks || versions.length === 0) throw error;
        }
      }
    });
  }

  /** Returns what a message shows now. It is rendered again if Slack could not show its pictures yet. */
  function shownOf(record: R, isAnyLeftOut: boolean): Shown {
    const waitMs = isAnyLeftOut ? kind.picturesRetryMs?.(record) : undefined;
    return waitMs === undefined ? record.revision : { again: waitMs };
  }

  async function handleFailure(
    ref: AccountRef,
    record: R | undefined,
    error: unknown,
    calledAt: number,
  ): Promise<void> {
    // Without a key the message waits: polls requeue its job, and tell the channel.
    if (error instanceof NotConnected) return;
    if (!(error instanceof SlackError)) throw error;
    if (record !== undefined && error.kind === 'refused' && kind.giveUp) {
      parts.log.warn({ ...ref, code: error.code }, 'message given up');
      return kind.giveUp(ref, record);
    }
    if (!isChannelError(error) || record === undefined) throw error;
    const channel = record.card.state === 'posted' ? record.card.channel : await kind.channelFor(ref, record);
    if (channel) await channels.health.reportFailure(ref.workspace, channel, error.code, calledAt);
  }

  return { render: renderUntilCurrent };
}

type MessageKinds = {
  readonly [Kind in MessageKind]: LiveMessageKind<Mirrored, string>;
};

interface OutdatedMessage {
  readonly kind: MessageKind;
  readonly id: string;
}

/** Creates the job that shows a record in its message, and the requeuing of the messages whose job was lost. */
export function createShow(parts: Modules, kinds: MessageKinds) {
  const names = Object.keys(kinds) as MessageKind[];

  return {
    jobs: {
      async show({ kind, id, ...ref }: Payload<'show'>): Promise<JobEnd> {
        const { count, isBackground = false } = kinds[kind];
        await count?.(ref, id);
        return createLiveMessages(parts, kinds[kind]).render(ref, id, { isBackground });
      },
    },

    /**
     * Returns the records whose messages have been out of date since a time (ms).
     * @param mayPost whether messages for channels may be posted
     */
    async outdated(ref: AccountRef, until: number, mayPost: boolean): Promise<OutdatedMessage[]> {
      const asked = names.filter((kind) => mayPost || !kinds[kind].isForChannel);
      const found = await Promise.all(
        asked.map(async (kind) =>
          (await kinds[kind].records.find(ref, 'needs-render', { until })).map((id) => ({ kind, id })),
        ),
      );
      return found.flat();
    },

    async requeue({ workspace, account }: AccountRef, outdated: readonly OutdatedMessage[]): Promise<void> {
      const payloads = outdated.map((message) => ({ workspace, account, ...message }));
      // Not with the key of the lost job, which may still be held up.
      await parts.jobs.addAll('show', payloads, ({ kind, id }) => `${account} ${kind} ${id} again`);
    },
  };
}

export type Shows = Pick<ReturnType<typeof createShow>, 'outdated' | 'requeue'>;

/** A kind of message that mirrors a record: everything in which cards, announcements and summaries differ. */
export interface LiveMessageKind<R extends Mirrored, Id extends string> {
  readonly records: {
    get(ref: AccountRef, id: Id): Promise<R | undefined>;
    /** Applies an event; returns the current record, and whether the event took effect. */
    apply(ref: AccountRef, id: Id, event: PostEvent): Promise<{ record: R | undefined; changed: boolean }>;
    needsRender(ref: AccountRef, id: Id): Promise<boolean>;
    /** Returns the records whose message is out of date since a time (ms). */
    find(ref: AccountRef, index: 'needs-render', options: { readonly until: number }): Promise<Id[]>;
    acquireRenderLease(ref: AccountRef, id: Id, ttlMs: number): Promise<RenderLease | undefined>;
  };
  /** Whether it is for a channel, and so only posted while one gets the account's tasks. */
  readonly isForChannel?: true;
  readonly isBackground?: true;
  /** Brings the record up to date before its message is rendered. */
  count?(ref: AccountRef, id: Id): Promise<unknown>;
  /** Returns the channel for a new message; undefined while there is none. */
  channelFor(ref: AccountRef, record: R): Promise<ChannelId | undefined>;
  /** Returns the metadata by which a post is found in the channel's history. */
  tagFor(ref: AccountRef, record: R, attempt: PostAttempt): MessageTag;
  /** Returns after how long the message may be posted or updated (ms); by default at once. */
  waitMs?(record: R): number;
  /** Renders a record, without the pictures that Slack has refused. */
  render(ref: AccountRef, record: R, isRefused: IsRefused): Promise<Message> | Message;
  /**
   * Fetches data only the message needs, shortly before posting. Returns the record with them, or after how long to try
   * again.
   */
  prepare?(ref: AccountRef, record: R, callSlack: CallSlack): Promise<R | Again>;
  /** Returns after how long to try again to show pictures that Slack has refused (ms); undefined: not until it changes. */
  picturesRetryMs?(record: R): number | undefined;
  /** Tells what a message cannot show because Slack no longer lets it be changed. Absent: its job fails for good. */
  tellUnchangeable?(ref: AccountRef, record: R, place: MessageRef): Promise<void>;
  /** Gives a message up that Slack refuses for good. Absent: its job fails. */
  giveUp?(ref: AccountRef, record: R): Promise<void>;
  /** Runs after a message showing `record` was posted or updated. */
  afterRender?(ref: AccountRef, record: R, step: RenderStep): Promise<Again | undefined>;
}

export interface RenderStep {
  readonly callSlack: CallSlack;
  /** Called before each visible step: returns after how long to try again if the lease has passed to another process. */
  readonly renewLease: () => Promise<Again | undefined>;
}

/** Returns the kind of direct messages about requests of one kind, for those who are asked and whoever asked. */
export function requestKind<T extends { readonly id: string }>(
  slack: Pick<Modules['slack'], 'messengerOf'>,
  records: RequestMessages<T>,
  render: (ref: AccountRef, message: RequestMessage<T>) => Message,
): LiveMessageKind<RequestMessage<T>, string> {
  return {
    records,
    channelFor: ({ workspace }, { member }) => slack.messengerOf(workspace).directChannel(member),
    tagFor: ({ account }, { request }) => messageTag('request', account, { request: request.id }),
    render,
    async giveUp(ref, { member, request }) {
      await records.apply(ref, records.idOf(request, member), { type: 'undeliverable' });
    },
  };
}

/**
 * Creates the queuing of cards: each waits in the line of updates, or of its channel's posts, until a job draws it. Cards
 * that somebody has clicked come first, the latest click before the others, and then the others in the order they came.
 */
export function createCardLine(
  { cardLines, jobs, now }: Stores,
  channelFor: (ref: AccountRef, campaign: CampaignId) => Promise<ChannelId | undefined>,
) {
  /** Queues the job that draws a line. @param isClicked whether somebody waits for it */
  async function queueJob({ workspace, account }: AccountRef, line: LineName, isClicked: boolean) {
    const ref = { workspace, account };
    if (line !== 'updates')
      return jobs.add('post-cards', { ...ref, channel: line }, { uniqueKey: `${account} ${line}` });
    // A clicked card waits for no job of another process, which may have been killed.
    return jobs.add('update-cards', { ...ref, isClicked }, isClicked ? {} : { uniqueKey: account });
  }

  async function add(ref: AccountRef, tasks: readonly Task[], rank: number): Promise<void> {
    const lines = new Map<LineName, WaitingCard[]>();
    const routes = new Map<CampaignId, ChannelId | undefined>();
    for (const { id: task, card, campaign } of tasks) {
      if (card.state !== 'posted' && card.state !== 'wanted') continue;
      if (card.state === 'wanted' && !routes.has(campaign))
        routes.set(campaign, await channelFor(ref, campaign));
      const channel = card.state === 'posted' ? card.channel : routes.get(campaign);
      if (channel === undefined) continue;
      const line = card.state === 'posted' ? 'updates' : channel;
      const waiting = lines.get(line) ?? [];
      waiting.push({ task, channel, rank });
      lines.set(line, waiting);
    }
    for (const [line, cards] of lines) {
      await cardLines.add(ref, line, cards);
      await queueJob(ref, line, rank > 0);
    }
  }

  return {
    /** Queues the card of a task that somebody has just clicked, ahead of all others. */
    clicked: (ref: AccountRef, task: Task) => add(ref, [task], now()),

    /** Queues cards whose tasks changed without a click. */
    changed: (ref: AccountRef, tasks: readonly Task[]) => add(ref, tasks, -now()),
  };
}

/** A home tab not opened for this long (ms) is republished only when opened again. */
const openMs = 8 * 3_600_000;
/** Maximum number of home tabs republished for a change that affects everybody: those opened last. */
const maxOfAll = 50;
/** Minimum interval for changes that many people make, such as decisions (ms). */
const othersMs = 60_000;
const ownMs = 5_000;
/**
 * Minimum interval for changes by the person looking at the tab (ms): the first shows immediately, a second one shortly
 * after.
 */
const atOnceMs = 1_000;

/**
 * Creates the republishing of open home tabs. Requests for the same tab are merged; a job publishes the due ones at the
 * rate that Slack allows (src/features/home/index.ts).
 */
export function createHomeRefresh({ jobs, logger, now, openedHomes }: Stores) {
  async function queue(workspace: WorkspaceId, first: number | undefined): Promise<void> {
    if (first === undefined) return;
    const second = Math.ceil(first / 1_000);
    const uniqueKey = `${workspace} ${second}`;
    await jobs.add('refresh-homes', { workspace }, { delayMs: second * 1_000 - now(), uniqueKey });
  }

  /** @param of a member, or how many of those that were opened last */
  async function request(workspace: WorkspaceId, of: MemberId | number, spacingMs: number, at = now()) {
    await queue(
      workspace,
      await openedHomes.request(workspace, { since: now() - openMs, at, spacingMs }, of),
    );
  }

  return {
    /** After a member acted outside their home tab. Fire-and-forget. */
    own(workspace: WorkspaceId, member: MemberId): void {
      request(workspace, member, ownMs).catch((error: unknown) =>
        logger.warn({ member, reason: messageOf(error) }, 'update of a home tab not queued'),
      );
    },

    /** When a member returns to the tab, for example from a modal above it. */
    atOnce: (workspace: WorkspaceId, member: MemberId) => request(workspace, member, atOnceMs),

    at: (workspace: WorkspaceId, member: MemberId, moment: number) =>
      request(workspace, member, ownMs, moment),

    /** For changes that affect everybody and are urgent. */
    all: (workspace: WorkspaceId) => request(workspace, maxOfAll, atOnceMs),

    /** For frequent changes by others. */
    others: (workspace: WorkspaceId) => request(workspace, maxOfAll, othersMs),

    /** Requeues the job for due tabs, in case a process died before publishing them. */
    resume: async (workspace: WorkspaceId) => queue(workspace, await openedHomes.firstDue(workspace)),

    /** Queues the job for a later time (ms), when Slack's limit allows it. */
    later: queue,
  };
}
