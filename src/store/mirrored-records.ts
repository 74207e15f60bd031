import type { Redis } from 'ioredis';
import { isShown, type Mirrored } from '../domain/live-message.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import type { RecordKind } from './record-kind.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A kind of record that only its message depends on. */
interface MirroredKind<R extends Mirrored, Index extends string, Id extends string, Event>
  extends Pick<RecordKind<R, Index, Id>, 'name' | 'codec' | 'id' | 'indexes' | 'scores'> {
  /** Returns the record after an event; undefined when the event changes nothing. */
  readonly after: (before: R | undefined, event: Event) => R | undefined;
  /** Returns the word for a record in the digest of the account. */
  readonly digest: (record: R) => string;
  /** The name of that digest in Redis. */
  readonly group?: string;
  /** Returns whether the message must be rendered after an event; by default when its revision has changed. */
  readonly needsRender?: (record: R, event: Event) => boolean;
}

/**
 * Creates the store of records that live messages mirror: an event makes the next record, with a compare-and-set; everything
 * else is as in {@link createRecords}.
 */
export function createMirroredRecords<R extends Mirrored, Index extends string, Id extends string, Event>(
  redis: Redis,
  { after, digest, group = 'states', needsRender, ...kind }: MirroredKind<R, Index, Id, Event>,
  logger?: ErrorLogger,
  now?: () => number,
) {
  const records = createRecords<R, Index, Id>(
    redis,
    { ...kind, digest: (record) => ({ group, text: digest(record) }), groups: async () => [group] },
    logger,
    now,
  );

  return {
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
        const { version, value: before } = await records.load(ref, id);
        const record = after(before, event);
        if (record === undefined) return { record: before, changed: false };
        const isChanged = needsRender?.(record, event) ?? record.revision !== before?.revision;
        const commit = {
          value: record,
          needsRender: isShown(record) && isChanged,
          ...(step === undefined ? {} : { audit: step.text }),
        };
        if (!(await records.commit(ref, id, version, commit))) continue;
        step?.stored();
        return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, id: Id): Promise<R | undefined> => (await records.load(ref, id)).value,

    /** Returns several records, in the order asked for. */
    async getMany(ref: AccountRef, ids: readonly Id[]): Promise<(R | undefined)[]> {
      return (await records.loadMany(ref, ids)).map(({ value }) => value);
    },

    find: records.find,
    needsRender: records.needsRender,
    clearNeedsRender: records.clearNeedsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}

/** Returns the index score of messages that are posted, or about to be. @param changedAt in ms */
export function shownScore<R extends Mirrored & { readonly changedAt: number }>(record: R) {
  return { shown: isShown(record) ? record.changedAt : undefined };
}
