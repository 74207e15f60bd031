import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AuditEntry, NewAuditEntry, Trail } from '../domain/audit.ts';
import { AccountId, type AccountRef, type WorkspaceId } from '../domain/terms.ts';
import {
  type AuditStep,
  type AuditWriter,
  auditKey,
  auditLineCodec,
  createAuditWriter,
} from './audit-entries.ts';
import type { ClaimedText } from './drafts.ts';
import { accountKey, scanKeys, workspaceKey } from './keys.ts';
import { changeIf } from './scripts.ts';
import { type ErrorLogger, setAside } from './stored-hash.ts';

/** How many entries are read at once. */
const readAtOnce = 1_000;

/** How many are read at once for people, who rarely look further back than the last ones. */
const readBackAtOnce = 200;

/** Longest time between a claim and the end of its act (ms): longer than any call takes. */
const actMs = 600_000;

/** How long a claim is remembered (s), like that of a delivery. */
const claimSeconds = 3_600;

/** An entry of a trail as Redis stores it: its id in the stream, and its text. */
interface StoredEntry {
  readonly id: string;
  readonly text: string;
}

/** An entry, and its position. */
export interface FoundEntry {
  readonly id: string;
  readonly trail: Trail;
  readonly entry: AuditEntry;
}

/** Returns the position of an entry among all about its account, for paging. */
export function placeOf({ id, trail }: FoundEntry): string {
  return trail.account === undefined ? id : `${id} account`;
}

/** Compares two ids of a stream: by time, then by number. Negative when the first is earlier. */
function compareIds(a: string, b: string): number {
  const [aTime = 0, aNumber = 0] = a.split('-').map(Number);
  const [bTime = 0, bNumber = 0] = b.split('-').map(Number);
  return aTime - bTime || aNumber - bNumber;
}

/**
 * Creates the audit: one trail of entries for each account and each workspace. Trails are append-only; entries are removed
 * after AUDIT_DAYS. Nothing that people wait for reads them.
 */
export function createAudit(redis: Redis, writer: AuditWriter = createAuditWriter(), logger?: ErrorLogger) {
  async function* read(trail: Trail, from: string, to: string): AsyncGenerator<StoredEntry> {
    let next = from;
    for (;;) {
      const batch = await redis.xrange(auditKey(trail), next, to, 'COUNT', readAtOnce);
      for (const [id, [, text = '']] of batch) yield { id, text };
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < readAtOnce) return;
      next = `(${last}`;
    }
  }

  /** @param from an id, preceded by a bracket to exclude it */
  async function* readBack(trail: Trail, from: string): AsyncGenerator<FoundEntry> {
    let next = from;
    for (;;) {
      const batch = await redis.xrevrange(auditKey(trail), next, '-', 'COUNT', readBackAtOnce);
      for (const [id, [, text = '']] of batch) {
        const decoded = auditLineCodec.decode(text);
        if (decoded.ok) yield { id, trail, entry: decoded.value };
      }
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < readBackAtOnce) return;
      next = `(${last}`;
    }
  }

  async function add({ key, text, stored }: AuditStep): Promise<void> {
    await redis.xadd(key, '*', 'entry', text);
    stored();
  }

  return {
    /** Appends an entry to a trail. Changes in Redis add their entry in the same step, see `step`. */
    append: (trail: Trail, entry: NewAuditEntry): Promise<void> => add(writer(trail, entry)),

    /** Adds an entry that a store was to add with its change, when there was nothing to change. */
    add,

    /**
     * Claims an act by its idempotency key, and adds its entry in the same step. Resolves to true for the first claim within
     * an hour: its caller then does the act.
     * @param also a text of the same workspace or account that is stored in the same step
     */
    async claim(
      trail: Trail,
      idempotencyKey: string,
      entry: NewAuditEntry,
      also?: ClaimedText,
    ): Promise<boolean> {
      const { workspace, account } = trail;
      const claimKey =
        account === undefined
          ? workspaceKey(workspace, 'once', idempotencyKey)
          : accountKey({ workspace, account }, 'once', idempotencyKey);
      const step = writer(trail, entry);
      const claim = randomUUID();
      const isFirst = await changeIf(
        redis,
        [['', 'GET', claimKey]],
        [
          ['SET', claimKey, claim, 'EX', claimSeconds],
          ...(also ? [['SET', also.key, also.text, 'EX', also.seconds] as const] : []),
        ],
        step,
      );
      // If the connection ended before the answer, it ran again and found its own claim.
      if (isFirst || (await redis.get(claimKey)) !== claim) return isFirst;
      step.stored();
      return true;
    },

    /**
     * Yields the entries about an account, newest first: those of its own trail, and those of its workspace's trail that
     * mention it. Where both have an entry with the same id, that of the account comes first.
     * @param before continues backwards from this {@link placeOf}
     */
    async *newestFirst(ref: AccountRef, before?: string): AsyncGenerator<FoundEntry> {
      const { workspace, account } = ref;
      const [id, ofAccount] = before?.split(' ') ?? [];
      const trails = [
        readBack(ref, id === undefined ? '+' : `(${id}`),
        readBack({ workspace }, id === undefined ? '+' : ofAccount ? id : `(${id}`),
      ];
      const heads = await Promise.all(trails.map((entries) => entries.next()));
      for (;;) {
        const ids = heads.map((head) => (head.done ? undefined : head.value.id));
        const at = ids.reduce<number | undefined>(
          (best, id, index) =>
            id !== undefined && (best === undefined || compareIds(id, ids[best] ?? '') > 0) ? index : best,
          undefined,
        );
        if (at === undefined) return;
        const head = heads[at] as IteratorYieldResult<FoundEntry>;
        const about = head.value.entry.account;
        if (head.value.trail.account !== undefined || about === undefined || about === account)
          yield head.value;
        heads[at] = await (trails[at] as AsyncGenerator<FoundEntry>).next();
      }
    },

    /** Returns how the act claimed by an entry ended; undefined when no entry says so. */
    async endOf({ id, trail, entry: { act, at } }: FoundEntry): Promise<AuditEntry | undefined> {
      const until = String(at + actMs);
      for await (const { text } of read(trail, `(${id}`, until)) {
        const decoded = auditLineCodec.decode(text);
        if (decoded.ok && decoded.value.act === act && decoded.value.stage !== 'claimed')
          return decoded.value;
      }
      return undefined;
    },

    /** Removes the entries of a workspace and its accounts from before a time (ms). Returns how many there were. */
    async expire(workspace: WorkspaceId, before: number): Promise<number> {
      let removed = 0;
      for (const trail of [{ workspace }, { workspace, account: AccountId.parse('*') }])
        for await (const key of scanKeys(redis, auditKey(trail)))
          removed += await redis.xtrim(key, 'MINID', before);
      return removed;
    },

    /** Makes the Redis steps that add an entry together with the change it describes. */
    step: writer,

    /** Yields the entries of a trail, oldest first, with one batch in memory at a time. */
    async *lines(trail: Trail, { since = 0 } = {}): AsyncGenerator<AuditEntry> {
      for await (const { id, text } of read(trail, since > 0 ? String(since) : '-', '+')) {
        const decoded = auditLineCodec.decode(text);
        if (decoded.ok) yield decoded.value;
        // Nothing is ever removed from the trail: only a copy is set aside.
        else
          await setAside(redis, logger, {
            kind: auditLineCodec.name,
            key: auditKey(trail),
            field: id,
            reason: decoded.reason,
            text,
          });
      }
    },
  };
}
