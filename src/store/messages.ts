import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ApprovalMessage, type ApprovalRequest, applyApprovalEvent } from '../domain/approval.ts';
import { AssignedNotice, applyAssignedEvent } from '../domain/assigned-notice.ts';
import { applyBulkEvent, BulkRating, BulkRatingId } from '../domain/bulk-rating.ts';
import { applyCampaignNoticeEvent, CampaignNotice } from '../domain/campaign-notice.ts';
import { chunksOf } from '../domain/collections.ts';
import { applyDailySummaryEvent, DailySummary } from '../domain/daily-summary.ts';
import {
  Announcement,
  applyAnnouncementEvent,
  applyReminderEvent,
  isShown,
  type Mirrored,
  Reminder,
  type RequestMessage,
  type RequestMessageEvent,
} from '../domain/live-message.ts';
import { applyQueueMessageEvent, QueueMessage, QueueMessageId } from '../domain/queue-message.ts';
import { applyRoleRequestEvent, type RoleRequest, RoleRequestMessage } from '../domain/rights.ts';
import { type AccountRef, ChannelId, MemberId, MessageId, type WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit.ts';
import { accountKey, createCodec, workspaceKey } from './format.ts';
import { createRecords, type RecordKind } from './records.ts';
import { change, changeIf, keysOfAccounts } from './scripts.ts';
import type { ErrorLogger } from './stored-hash.ts';

/** Called when a record has changed, so that its message is out of date. */
export type OnChange = (ref: AccountRef, id: string) => Promise<void>;

type RecordParts = [redis: Redis, logger?: ErrorLogger, now?: () => number, onChange?: OnChange];

/** A kind of record that only its message depends on. */
interface MirroredKind<R extends Mirrored, Index extends string, Id extends string, Event>
  extends RecordKind<R, Index, Id> {
  /** Returns the record after an event; undefined when the event changes nothing. */
  readonly after: (before: R | undefined, event: Event) => R | undefined;
}

/**
 * Creates the store of records that live messages mirror: an event makes the next record, with a compare-and-set; everything
 * else is as in {@link createRecords}.
 */
function createMirroredRecords<R extends Mirrored, Index extends string, Id extends string, Event>(
  { after, ...kind }: MirroredKind<R, Index, Id, Event>,
  ...[redis, logger, now, onChange]: RecordParts
) {
  const records = createRecords(redis, kind, logger, now);

  return {
    ...records,

    /**
     * Applies an event to a record. Returns the current record, and whether anything changed.
     * @param step an audit entry that is added with the change
     */
    async apply(
      ref: AccountRef,
      id: Id,
      event: Event,
      step?: AuditStep,
    ): Promise<{ record: R | undefined; changed: boolean }> {
      for (;;) {
        const before = await records.load(ref, id);
        const record = after(before.value, event);
        if (record === undefined) return { record: before.value, changed: false };
        const isChanged = record.revision !== before.value?.revision;
        const write = { value: record, needsRender: isShown(record) && isChanged, audit: step?.text };
        if ((await records.commit(ref, id, before, write)) !== 'done') continue;
        step?.stored();
        if (write.needsRender) await onChange?.(ref, id);
        return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, id: Id): Promise<R | undefined> => (await records.load(ref, id)).value,

    /** Removes records whose message stays as it is. */
    async remove(ref: AccountRef, ids: readonly Id[]): Promise<void> {
      const sets = [...Object.keys(kind.indexes), 'needs-render'];
      for (const id of ids)
        await change(
          redis,
          undefined,
          ['DEL', accountKey(ref, kind.codec.name, id)],
          ...sets.map((set) => ['ZREM', accountKey(ref, `${kind.codec.name}s`, set), id] as const),
        );
    },

    /** Returns several records, in the order asked for. */
    async getMany(ref: AccountRef, ids: readonly Id[]): Promise<(R | undefined)[]> {
      return (await records.loadMany(ref, ids)).map(({ value }) => value);
    },
  };
}

/** Creates the store of records of which one must find those whose message is posted, or about to be. */
function createShownRecords<R extends Mirrored & { readonly changedAt: number }, Id extends string, Event>(
  kind: Omit<MirroredKind<R, 'shown', Id, Event>, 'indexes'>,
  ...parts: RecordParts
) {
  const shown = (record: R) => (isShown(record) ? record.changedAt : undefined);
  const records = createMirroredRecords({ ...kind, indexes: { shown } }, ...parts);
  return {
    ...records,
    /** Returns these. */
    async shown(ref: AccountRef): Promise<R[]> {
      const found = await records.getMany(ref, await records.find(ref, 'shown', { limit: 100_000 }));
      return found.filter((record) => record !== undefined);
    },
  };
}

export const announcementCodec = createCodec('announcement', Announcement);

const inbox = 'inbox';

/** Creates the store of inbox messages and their announcements. */
export function createAnnouncements(...parts: RecordParts) {
  const [redis] = parts;
  const kind = {
    codec: announcementCodec,
    id: MessageId,
    indexes: {},
    labels: {
      of: ({ unread, trashed }: Announcement) => ({
        group: inbox,
        text: trashed ? 'trashed' : unread ? 'unread' : 'read',
      }),
      groups: async () => [inbox],
    },
    after: applyAnnouncementEvent,
  };
  const records = createMirroredRecords(kind, ...parts);
  const firstReadKey = (ref: AccountRef) => accountKey(ref, 'announcements', 'first-read');

  return {
    ...records,

    /** Returns whether the whole inbox was read before, even if it was empty. */
    wasRead: async (ref: AccountRef): Promise<boolean> => (await redis.exists(firstReadKey(ref))) === 1,

    /** Records that the whole inbox was read. */
    async recordRead(ref: AccountRef): Promise<void> {
      await redis.set(firstReadKey(ref), '1');
    },

    /** Returns the known state of every message: `unread`, `read` or `trashed`. */
    known: (ref: AccountRef): Promise<Map<MessageId, string>> => records.labels(ref, inbox),

    /** Returns how many messages were unread at the last poll. */
    async unreadCount(ref: AccountRef): Promise<number> {
      const states = await records.labels(ref, inbox);
      return [...states.values()].filter((state) => state === 'unread').length;
    },
  };
}

export const queueMessageCodec = createCodec('queue-message', QueueMessage);

/** Creates the store of live messages about waiting tasks: one record per account, channel and campaign. */
export function createQueueMessages(...parts: RecordParts) {
  const kind = { codec: queueMessageCodec, id: QueueMessageId, after: applyQueueMessageEvent };
  return createShownRecords(kind, ...parts);
}

export const reminderCodec = createCodec('reminder', Reminder);

/** Creates the store of reminders of tasks that are due soon: one record per account and channel. */
export function createReminders(...parts: RecordParts) {
  return createShownRecords({ codec: reminderCodec, id: ChannelId, after: applyReminderEvent }, ...parts);
}

export const dailySummaryCodec = createCodec('reviewed-day', DailySummary);

/** Creates the store of daily summaries: one record per account and channel, the latest day's. */
export function createDailySummaries(...parts: RecordParts) {
  const kind = { codec: dailySummaryCodec, id: ChannelId, indexes: {}, after: applyDailySummaryEvent };
  return createMirroredRecords(kind, ...parts);
}

export const assignedNoticeCodec = createCodec('assigned-notice', AssignedNotice);

/** Creates the store of notices to members about their tasks: one record per account and member. */
export function createAssignedNotices(...parts: RecordParts) {
  const kind = { codec: assignedNoticeCodec, id: MemberId, after: applyAssignedEvent };
  return createShownRecords(kind, ...parts);
}

/** Removes the notices to a member who has left, in all accounts of the workspace. */
export async function eraseAssignedNotices(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  for await (const { ref, key } of keysOfAccounts(redis, workspace, 'assigned-notice', member)) {
    await redis.unlink(key);
    for (const set of ['shown', 'needs-render'])
      await redis.zrem(accountKey(ref, 'assigned-notices', set), member);
  }
}

export const campaignNoticeCodec = createCodec('campaign-notice', CampaignNotice);

/** Creates the store of campaign notices in channels: one record per account and channel, that of the latest message. */
export function createCampaignNotices(...parts: RecordParts) {
  const kind = { codec: campaignNoticeCodec, id: ChannelId, indexes: {}, after: applyCampaignNoticeEvent };
  return createMirroredRecords(kind, ...parts);
}

export const bulkRatingCodec = createCodec('bulk-rating', BulkRating);

/** Creates the store of bulk ratings: what was confirmed, and the result for each task. */
export function createBulkRatings(...parts: RecordParts) {
  const kind = {
    codec: bulkRatingCodec,
    id: BulkRatingId,
    indexes: {
      active: ({ state, changedAt }: BulkRating) => (state === 'done' ? undefined : changedAt),
      ended: ({ state, changedAt }: BulkRating) => (state === 'done' ? changedAt : undefined),
    },
    after: applyBulkEvent,
  };
  const records = createMirroredRecords(kind, ...parts);

  return {
    ...records,

    /** Returns the unfinished ones. */
    active: (ref: AccountRef): Promise<BulkRatingId[]> => records.find(ref, 'active'),

    /** Removes the ones that finished before a time (ms). */
    async removeEnded(ref: AccountRef, before: number): Promise<void> {
      await records.remove(ref, await records.find(ref, 'ended', { until: before }));
    },
  };
}

export const approvalMessageCodec = createCodec('approval-message', ApprovalMessage);
export const roleRequestMessageCodec = createCodec('role-request-message', RoleRequestMessage);

export type RequestMessages<T extends { readonly id: string }> = ReturnType<typeof createRequestMessages<T>>;

/** Creates the store of the messages about requests of one kind: one record per request and member who is told of it. */
function createRequestMessages<T extends { readonly id: string }>(
  kind: Pick<MirroredKind<RequestMessage<T>, 'changed', string, RequestMessageEvent<T>>, 'codec' | 'after'>,
  ...parts: RecordParts
) {
  const [, , now = Date.now, onChange] = parts;
  const changed = ({ changedAt }: RequestMessage<T>) => changedAt;
  const records = createMirroredRecords({ ...kind, id: z.string(), indexes: { changed } }, ...parts);
  const idOf = (request: T, member: MemberId) => `${request.id} ${member}`;

  /** Applies an event that a job repeats after a crash: its message may not have been queued, and no poll may look for it. */
  async function apply(ref: AccountRef, id: string, event: RequestMessageEvent<T>): Promise<void> {
    const { changed } = await records.apply(ref, id, event);
    if (!changed && (await records.needsRender(ref, id))) await onChange?.(ref, id);
  }

  return {
    ...records,
    idOf,

    /** Tells members of a request, each once. */
    async tell(ref: AccountRef, request: T, members: readonly MemberId[]): Promise<void> {
      for (const member of members)
        await apply(ref, idOf(request, member), { type: 'told', member, request, at: now() });
    },

    /** Shows members who were told of a request that it has gone on. */
    async goOn(ref: AccountRef, request: T, members: readonly MemberId[]): Promise<void> {
      for (const member of members)
        await apply(ref, idOf(request, member), { type: 'went-on', request, at: now() });
    },

    /** Removes the records of requests that did not change since a time (ms). */
    async removeOld(ref: AccountRef, before: number): Promise<void> {
      await records.remove(ref, await records.find(ref, 'changed', { until: before }));
    },
  };
}

/** Creates the store of the messages about requests for approval. */
export function createApprovalMessages(...parts: RecordParts) {
  const kind = { codec: approvalMessageCodec, after: applyApprovalEvent };
  return createRequestMessages<ApprovalRequest>(kind, ...parts);
}

/** Creates the store of the messages about requests for roles. */
export function createRoleRequestMessages(...parts: RecordParts) {
  const kind = { codec: roleRequestMessageCodec, after: applyRoleRequestEvent };
  return createRequestMessages<RoleRequest>(kind, ...parts);
}

const openedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-opened');
const dueKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-due');
const publishedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-published');

/** Returns the keys that name members whose home tab is or was open. */
export function homeKeys(workspace: WorkspaceId): string[] {
  return [openedKey(workspace), dueKey(workspace), publishedKey(workspace)];
}

/** Which home tabs to publish, and when (ms). */
interface HomeRequest {
  readonly since: number;
  readonly at: number;
  readonly spacingMs: number;
}

/**
 * Creates the store of who has opened their home tab and when, and of whose must be published again. Duplicate requests for
 * a tab are merged.
 */
export function createOpenedHomes(redis: Redis) {
  return {
    async record(workspace: WorkspaceId, member: MemberId, at: number): Promise<void> {
      await redis.zadd(openedKey(workspace), at, member);
    },

    /**
     * Requests the home tab of a member, or as many as were opened last, if they were opened since `since`: at
     * least `spacingMs` after their last publication, and no later than requested before. Returns when the first of all requested
     * tabs is due (ms); undefined when none is.
     */
    async request(
      workspace: WorkspaceId,
      { since, at, spacingMs }: HomeRequest,
      of: MemberId | number,
    ): Promise<number | undefined> {
      const [opened, published] = [openedKey(workspace), publishedKey(workspace)];
      const named =
        typeof of === 'string' ? [of] : await redis.zrevrangebyscore(opened, '+inf', since, 'LIMIT', 0, of);
      await Promise.all([opened, published].map((key) => redis.zremrangebyscore(key, '-inf', `(${since}`)));
      if (named.length > 0) {
        const [openedAt, publishedAt] = await Promise.all([
          redis.zmscore(opened, ...named),
          redis.zmscore(published, ...named),
        ]);
        const due = named.flatMap((member, index) =>
          openedAt[index] === null
            ? []
            : [Math.max(Math.ceil(at), Number(publishedAt[index] ?? 0) + spacingMs), member],
        );
        if (due.length > 0) await redis.zadd(dueKey(workspace), 'LT', ...due);
      }
      return this.firstDue(workspace);
    },

    /** Returns the members whose home tab is due, the longest due first, and since when. */
    async due(workspace: WorkspaceId, now: number, limit: number): Promise<[MemberId, number][]> {
      const key = dueKey(workspace);
      const found = await redis.zrangebyscore(key, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit);
      return chunksOf(found, 2).map(([member, since]) => [MemberId.parse(member), Number(since)]);
    },

    /** Returns when the first requested tab is due (ms); undefined when none is. */
    async firstDue(workspace: WorkspaceId): Promise<number | undefined> {
      const [, score] = await redis.zrange(dueKey(workspace), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    /** Records that a home tab was published. @param due since when it was due, as returned by {@link due} */
    async published(workspace: WorkspaceId, member: MemberId, now: number, due?: number): Promise<void> {
      const key = dueKey(workspace);
      await redis.zadd(publishedKey(workspace), 'GT', now, member);
      const text = await redis.zscore(key, member);
      if (text !== null && (Number(text) === due || Number(text) <= now))
        await changeIf(redis, [[text, 'ZSCORE', key, member]], [['ZREM', key, member]]);
    },
  };
}

/**
 * Creates sequence numbers for views that are always rendered as a whole, such as home tabs: each rendering takes the next
 * one. Of two concurrent renderings, in any process, the one with the lower number is out of date.
 */
export function createRenderNumbers(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'revision', name);

  return {
    /** Takes the next number, from 1. Numbers restart when none is taken for `seconds`. */
    async next(workspace: WorkspaceId, name: string, seconds: number): Promise<number> {
      const taken = key(workspace, name);
      const answers = await redis.multi().incr(taken).expire(taken, seconds).exec();
      return Number(answers?.[0]?.[1]);
    },

    /** Returns the number taken last; 0 when there is none. */
    async last(workspace: WorkspaceId, name: string): Promise<number> {
      return Number(await redis.get(key(workspace, name)));
    },
  };
}
