import type { Redis } from 'ioredis';
import { z } from 'zod';
import { BulkSelection } from '../domain/bulk-selection.ts';
import { FocusSession } from '../domain/focus.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { newestText, TypedText } from '../domain/typed-text.ts';
import type { AuditStep } from './audit-entries.ts';
import { createCodec } from './codec.ts';
import { accountKey, keysOfAccounts, workspaceKey } from './keys.ts';
import { change, changeIf } from './scripts.ts';
import { type ErrorLogger, setAside } from './stored-hash.ts';

export const focusSessionCodec = createCodec('focus-session', FocusSession);

/** An abandoned focus review expires after this (ms). */
export const focusSessionMs = 12 * 3_600_000;

/** Creates the store of focus reviews: each person's position in theirs. */
export function createFocusSessions(redis: Redis) {
  const key = (ref: AccountRef, id: string) => accountKey(ref, 'focus', 'session', id);
  const latestKey = (ref: AccountRef, member: MemberId) => accountKey(ref, 'focus', 'latest', member);

  async function load(ref: AccountRef, id: string) {
    const text = (await redis.get(key(ref, id))) ?? '';
    // An unreadable review counts as ended: another one is started in its place.
    const decoded = text === '' ? undefined : focusSessionCodec.decode(text);
    return { text, session: decoded?.ok ? decoded.value : undefined };
  }

  return {
    /** Stores a new review. */
    async create(ref: AccountRef, session: FocusSession): Promise<void> {
      await redis
        .multi()
        .set(key(ref, session.id), focusSessionCodec.encode(session), 'PX', focusSessionMs)
        .set(latestKey(ref, session.member), session.id, 'PX', focusSessionMs)
        .exec();
    },

    async get(ref: AccountRef, id: string): Promise<FocusSession | undefined> {
      return (await load(ref, id)).session;
    },

    /** Returns the review that a member started last. */
    async latest(ref: AccountRef, member: MemberId): Promise<FocusSession | undefined> {
      const id = z
        .string()
        .nullable()
        .parse(await redis.get(latestKey(ref, member)));
      return id === null ? undefined : (await load(ref, id)).session;
    },

    /**
     * Changes a review; concurrent changes are made one after the other. `change` returns undefined to leave it unchanged.
     * Returns the resulting review, and whether this call changed it.
     */
    async change(
      ref: AccountRef,
      id: string,
      change: (before: FocusSession) => FocusSession | undefined,
    ): Promise<{ readonly session: FocusSession | undefined; readonly isChanged: boolean }> {
      for (;;) {
        const { text, session } = await load(ref, id);
        const after = session && change(session);
        if (after === undefined) return { session, isChanged: false };
        const name = key(ref, id);
        const set = ['SET', name, focusSessionCodec.encode(after), 'PX', focusSessionMs] as const;
        if (await changeIf(redis, [[text, 'GET', name]], [set])) return { session: after, isChanged: true };
      }
    },
  };
}

export const bulkSelectionCodec = createCodec('bulk-selection', BulkSelection);

/** An abandoned selection expires after this (ms). */
const selectionMs = 12 * 3_600_000;

/** Creates the store of bulk selections: what each person has ticked and filled in. */
export function createBulkSelections(redis: Redis) {
  const key = (ref: AccountRef, id: string) => accountKey(ref, 'bulk', 'selection', id);
  const latestKey = (ref: AccountRef, member: MemberId) => accountKey(ref, 'bulk', 'latest', member);
  const textsKey = (ref: AccountRef, id: string) => accountKey(ref, 'bulk', 'texts', id);
  const ordersKey = (ref: AccountRef, id: string) => accountKey(ref, 'bulk', 'text-orders', id);

  async function load(ref: AccountRef, id: string) {
    const text = (await redis.get(key(ref, id))) ?? '';
    // An unreadable selection counts as ended: another one is begun in its place.
    const decoded = text === '' ? undefined : bulkSelectionCodec.decode(text);
    return { text, selection: decoded?.ok ? decoded.value : undefined };
  }

  return {
    /** Stores a new selection. */
    async create(ref: AccountRef, selection: BulkSelection): Promise<void> {
      await redis
        .multi()
        .set(key(ref, selection.id), bulkSelectionCodec.encode(selection), 'PX', selectionMs)
        .set(latestKey(ref, selection.member), selection.id, 'PX', selectionMs)
        .exec();
    },

    async get(ref: AccountRef, id: string): Promise<BulkSelection | undefined> {
      return (await load(ref, id)).selection;
    },

    /** Returns the selection that a member began last. */
    async latest(ref: AccountRef, member: MemberId): Promise<BulkSelection | undefined> {
      const id = await redis.get(latestKey(ref, member));
      return id === null ? undefined : (await load(ref, id)).selection;
    },

    /**
     * Changes a selection; concurrent changes are made one after the other. `change` returns undefined to leave it
     * unchanged. Returns the resulting selection, and whether this call changed it.
     */
    async change(
      ref: AccountRef,
      id: string,
      change: (before: BulkSelection) => BulkSelection | undefined,
    ): Promise<{ readonly selection: BulkSelection | undefined; readonly isChanged: boolean }> {
      for (;;) {
        const { text, selection } = await load(ref, id);
        const after = selection && change(selection);
        if (after === undefined || after === selection) return { selection, isChanged: false };
        const name = key(ref, id);
        const set = ['SET', name, bulkSelectionCodec.encode(after), 'PX', selectionMs] as const;
        if (await changeIf(redis, [[text, 'GET', name]], [set])) return { selection: after, isChanged: true };
      }
    },

    /**
     * Stores the comment for one task, unless a newer one is stored.
     * @param order when it was typed (ms, by Slack's clock)
     * @param isFinal it was submitted: it replaces anything typed before, since the typing time is known only roughly
     */
    async putText(
      ref: AccountRef,
      id: string,
      task: TaskId,
      {
        text,
        order,
        isFinal = false,
      }: { readonly text: string; readonly order: number; readonly isFinal?: boolean },
    ): Promise<void> {
      const [texts, orders] = [textsKey(ref, id), ordersKey(ref, id)];
      for (;;) {
        const before = (await redis.hget(orders, task)) ?? '';
        if (Number(before) > order && !isFinal) return;
        const isStored = await changeIf(
          redis,
          [[before, 'HGET', orders, task]],
          [
            ['HSET', texts, task, text],
            ['HSET', orders, task, Math.max(Number(before), order)],
            ['PEXPIRE', texts, selectionMs],
            ['PEXPIRE', orders, selectionMs],
          ],
        );
        if (isStored) return;
      }
    },

    /** Returns the comments for single tasks. */
    async texts(ref: AccountRef, id: string): Promise<Map<TaskId, string>> {
      const found = await redis.hgetall(textsKey(ref, id));
      return new Map(Object.entries(found).map(([task, text]) => [z.parse(TaskId, task), text]));
    },
  };
}

/** Removes a member's latest selection in any account of the workspace, with the texts typed for it. */
export async function eraseBulkSelections(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  for await (const { key, ref } of keysOfAccounts(redis, workspace, 'bulk:latest', member)) {
    const id = (await redis.get(key)) ?? '';
    const parts = ['selection', 'texts', 'text-orders'].map((part) => accountKey(ref, 'bulk', part, id));
    await redis.unlink(key, ...parts);
  }
}

export const typedTextCodec = createCodec('typed-text', TypedText);

/** Typed texts survive a break, as the drafts of long forms do: they expire a day after their last change. */
export const typedTextSeconds = 25 * 3_600;

/** The author and subject of a text. `slot`: the reason of a NOK or REVISE, or the comment that goes with an OK. */
export interface TypedTextName {
  readonly task: TaskId;
  readonly round: number;
  readonly member: MemberId;
  readonly slot: 'reason' | 'comment';
}

/** Creates the store of unsent texts typed into forms about tasks: the newest text per member, task and round. */
export function createTypedTexts(redis: Redis, logger: ErrorLogger | undefined, now: () => number) {
  const key = (ref: AccountRef, task: TaskId) => accountKey(ref, 'typed-text', task);
  const fieldOf = ({ round, member, slot }: TypedTextName) => `${round} ${slot} ${member}`;

  async function load(ref: AccountRef, name: TypedTextName) {
    const field = fieldOf(name);
    const text = await redis.hget(key(ref, name.task), field);
    if (text === null) return { value: undefined, text: '' };
    const decoded = typedTextCodec.decode(text);
    if (decoded.ok) return { value: decoded.value, text };
    const { reason } = decoded;
    await setAside(redis, logger, {
      kind: typedTextCodec.name,
      key: key(ref, name.task),
      field,
      reason,
      text,
    });
    return { value: undefined, text };
  }

  return {
    /** Stores a typed text, unless a newer one is stored. Of two concurrent texts, the newer one stays. */
    async put(ref: AccountRef, name: TypedTextName, typed: TypedText): Promise<void> {
      const [hash, field] = [key(ref, name.task), fieldOf(name)];
      for (;;) {
        const { value, text } = await load(ref, name);
        const after = newestText(value, typed);
        if (after === value) return;
        const isStored = await changeIf(
          redis,
          [[text, 'HGET', hash, field]],
          [
            ['HSET', hash, field, typedTextCodec.encode(after)],
            ['EXPIRE', hash, typedTextSeconds],
          ],
        );
        if (isStored) return;
      }
    },

    /** Returns the typed and unsent text. */
    async get(ref: AccountRef, name: TypedTextName): Promise<TypedText | undefined> {
      const { value } = await load(ref, name);
      // Colleagues' texts about the same task keep the hash alive longer.
      const isOver = value !== undefined && value.at + typedTextSeconds * 1_000 <= now();
      return value === undefined || isOver || value.text === '' ? undefined : value;
    },

    /** Removes all texts typed about a task. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.unlink(key(ref, task));
    },
  };
}

/** Removes a member's typed texts in all accounts of the workspace. Returns how many there were. */
export async function eraseTypedTexts(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<number> {
  let erased = 0;
  for await (const { key } of keysOfAccounts(redis, workspace, 'typed-text')) {
    const fields = (await redis.hkeys(key)).filter((field) => field.endsWith(` ${member}`));
    if (fields.length > 0) erased += await redis.hdel(key, ...fields);
  }
  return erased;
}

/** A text stored in the same step as the claim of an act. */
export interface ClaimedText {
  readonly key: string;
  readonly text: string;
  readonly seconds: number;
}

/** Creates the store of expiring texts, by name: drafts of long forms, lists that are requested often. */
export function createExpiringTexts(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'texts', name);

  return {
    /**
     * Stores a text for `seconds`, replacing the previous one of that name.
     * @param step an audit entry that is added in the same step
     */
    async put(
      workspace: WorkspaceId,
      name: string,
      text: string,
      seconds: number,
      step?: AuditStep,
    ): Promise<void> {
      await change(redis, step, ['SET', key(workspace, name), text, 'EX', seconds]);
    },

    /** Returns a text to be stored together with a claim, see `claim` of the audit. */
    claimedWith: (workspace: WorkspaceId, name: string, text: string, seconds: number): ClaimedText => ({
      key: key(workspace, name),
      text,
      seconds,
    }),

    async get(workspace: WorkspaceId, name: string): Promise<string | undefined> {
      return (await redis.get(key(workspace, name))) ?? undefined;
    },

    async remove(workspace: WorkspaceId, name: string): Promise<void> {
      await redis.del(key(workspace, name));
    },
  };
}
