import type { Redis } from 'ioredis';
import { z } from 'zod';
import { BulkSelection } from '../domain/bulk-selection.ts';
import { FocusSession } from '../domain/focus.ts';
import { type AccountRef, type MemberId, type TaskId, verdicts, type WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit.ts';
import { accountKey, type Codec, createCodec, workspaceKey } from './format.ts';
import { changeIf, keysOfAccounts } from './scripts.ts';
import { createStoredHash, createStoredValues, type ErrorLogger } from './stored-hash.ts';

/**
 * A member's last text about one round of a task, typed into a form that may be closed, sent too late or undone. Inputs
 * report it while it is typed, possibly late and in any order.
 */
const TypedText = z
  .object({
    /** '' once it was sent, or deleted by its author. */
    text: z.string(),
    verdict: z.enum(verdicts),
    /** The form it was typed into, identified by its opening time (ms). */
    form: z.number(),
    /** Its order among that form's texts: Slack's timestamp, always with six decimals; '' for the form's end. */
    order: z.string(),
    /** The form was sent, so later reports are outdated. */
    isSent: z.literal(true).exactOptional(),
    /** When it was stored (ms). */
    at: z.number(),
  })
  .readonly();
export type TypedText = z.infer<typeof TypedText>;

/** Returns the current text after `next` has arrived: the newest one, in any order of arrival. */
export function newestText(stands: TypedText | undefined, next: TypedText): TypedText {
  if (stands === undefined) return next;
  if (next.form !== stands.form) return next.form > stands.form ? next : stands;
  if (stands.isSent !== next.isSent) return next.isSent ? next : stands;
  return next.order > stands.order ? next : stands;
}

/** An abandoned review or selection expires after this (ms). */
export const focusSessionMs = 12 * 3_600_000;

/**
 * Creates the store of what people go through in several steps, by id, and of the one that each member began last. One that
 * cannot be read counts as ended: another one is begun in its place.
 */
function createSessions<T extends { readonly id: string; readonly member: MemberId }>(
  redis: Redis,
  codec: Codec<T>,
  room: 'focus' | 'bulk',
) {
  const key = (ref: AccountRef, id: string) => accountKey(ref, room, 'session', id);
  const latestKey = (ref: AccountRef, member: MemberId) => accountKey(ref, room, 'latest', member);
  const stored = createStoredValues(redis, codec, key, focusSessionMs / 1_000);

  return {
    get: stored.get,

    /** Stores one that is not what its member began last, such as that of a page. */
    put: (ref: AccountRef, session: T): Promise<void> => stored.set(ref, session.id, session),

    /** Stores a new one. */
    async create(ref: AccountRef, session: T): Promise<void> {
      await stored.set(ref, session.id, session);
      await redis.set(latestKey(ref, session.member), session.id, 'PX', focusSessionMs);
    },

    /** Returns the one that a member began last. */
    async latest(ref: AccountRef, member: MemberId): Promise<T | undefined> {
      const id = await redis.get(latestKey(ref, member));
      return id === null ? undefined : stored.get(ref, id);
    },

    /** Changes one, unless `change` returns undefined. Returns it as it then is, and whether this call changed it. */
    async change(ref: AccountRef, id: string, change: (before: T) => T | undefined) {
      const { value, isChanged } = await stored.update(ref, id, change);
      return { session: value, isChanged };
    },
  };
}

/** Creates the store of focus reviews: each person's position in theirs. */
export function createFocusSessions(redis: Redis) {
  return createSessions(redis, createCodec('focus-session', FocusSession), 'focus');
}

/** Creates the store of bulk selections: what each person has ticked and filled in. */
export function createBulkSelections(redis: Redis) {
  return createSessions(redis, createCodec('bulk-selection', BulkSelection), 'bulk');
}

/** Removes a member's latest selection in any account of the workspace, with the texts typed for it. */
export async function eraseBulkSelections(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  for await (const { key, ref } of keysOfAccounts(redis, workspace, 'bulk:latest', member)) {
    const id = (await redis.get(key)) ?? '';
    await redis.unlink(key, accountKey(ref, 'bulk', 'session', id));
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
  const key = ([ref, task]: readonly [AccountRef, TaskId]) => accountKey(ref, 'typed-text', task);
  const fieldOf = ({ round, member, slot }: TypedTextName) => `${round} ${slot} ${member}`;
  const stored = createStoredHash(
    redis,
    { codec: typedTextCodec, field: z.string(), key, seconds: typedTextSeconds },
    logger,
  );

  return {
    /** Stores a typed text, unless a newer one is stored. Of two concurrent texts, the newer one stays. */
    async put(ref: AccountRef, name: TypedTextName, typed: TypedText): Promise<void> {
      await stored.update([ref, name.task], fieldOf(name), (before) => newestText(before, typed));
    },

    /** Returns the typed and unsent text. */
    async get(ref: AccountRef, name: TypedTextName): Promise<TypedText | undefined> {
      const typed = await stored.get([ref, name.task], fieldOf(name));
      // Colleagues' texts about the same task keep the hash alive longer.
      const isOver = typed !== undefined && typed.at + typedTextSeconds * 1_000 <= now();
      return isOver || typed?.text === '' ? undefined : typed;
    },

    /** Removes all texts typed about a task. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.unlink(key([ref, task]));
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

/** Creates the store of expiring texts, by name: drafts of long forms, lists that are requested often. */
export function createExpiringTexts(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'texts', name);

  return {
    /** Stores a text for `seconds`, replacing the previous one of that name. */
    async put(workspace: WorkspaceId, name: string, text: string, seconds: number): Promise<void> {
      await redis.set(key(workspace, name), text, 'EX', seconds);
    },

    /**
     * Stores a text in place of the one that was read before, '' for none. Resolves to false if that has changed meanwhile.
     * @param step an audit entry that is added in the same step
     */
    async swap(
      workspace: WorkspaceId,
      name: string,
      [before, text]: readonly [string, string],
      seconds: number,
      step?: AuditStep,
    ): Promise<boolean> {
      const at = key(workspace, name);
      const isStored = await changeIf(redis, [[before, 'GET', at]], [['SET', at, text, 'EX', seconds]], step);
      // If the connection ended before the answer, it ran again and found its own text.
      if (isStored || (await redis.get(at)) !== text) return isStored;
      step?.stored();
      return true;
    },

    async get(workspace: WorkspaceId, name: string): Promise<string | undefined> {
      return (await redis.get(key(workspace, name))) ?? undefined;
    },

    async remove(workspace: WorkspaceId, name: string): Promise<void> {
      await redis.del(key(workspace, name));
    },
  };
}
