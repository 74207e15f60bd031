import type { MessageRef, Mirrored, PostAttempt, PostEvent } from '../domain/live-message.ts';
import type { RequestMessage } from '../domain/request-message.ts';
import type { AccountRef, ChannelId } from '../domain/terms.ts';
import type { Again } from '../jobs/runner.ts';
import type { Message } from '../slack/blocks.ts';
import { requestTag } from '../slack/message-tags.ts';
import type { MessageTag } from '../slack/messenger.ts';
import type { CallSlack } from '../slack/pacing.ts';
import type { IsRefused } from '../slack/refused-pictures.ts';
import type { RequestMessages } from '../store/messages.ts';
import type { RenderLease } from '../store/records.ts';
import type { Modules } from './modules.ts';

/** A kind of message that mirrors a record: everything in which cards, announcements and summaries differ. */
export interface LiveMessageKind<R extends Mirrored, Id extends string> {
  /** The records, by account and id. */
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
  /** Whether nobody waits for it. */
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
  /** Removes charts from the record after Slack refused a message with them; undefined if it has none. */
  withoutCharts?(ref: AccountRef, record: R): Promise<R | undefined>;
  /** Tells what a message cannot show because Slack no longer lets it be changed. Absent: its job fails for good. */
  tellUnchangeable?(ref: AccountRef, record: R, place: MessageRef): Promise<void>;
  /** Gives a message up that Slack refuses for good. Absent: its job fails. */
  giveUp?(ref: AccountRef, record: R): Promise<void>;
  /** Runs after a message showing `record` was posted or updated. */
  afterRender?(ref: AccountRef, record: R, step: RenderStep): Promise<Again | undefined>;
}

/** What a job has available while rendering. */
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
    tagFor: ({ account }, { request }) => requestTag(account, request.id),
    render,
    async giveUp(ref, { member, request }) {
      await records.apply(ref, records.idOf(request, member), { type: 'undeliverable' });
    },
  };
}
