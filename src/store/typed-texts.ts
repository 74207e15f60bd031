import type { Redis } from 'ioredis';
import type { AccountRef, MemberId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { newestText, TypedText } from '../domain/typed-text.ts';
import { changeIf } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { literal, scanKeys } from './scan.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

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

export type TypedTexts = ReturnType<typeof createTypedTexts>;

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
  const accounts = workspaceKey(workspace, '').replace(/}:$/, '/');
  let erased = 0;
  for await (const key of scanKeys(redis, `${literal(accounts)}*}:typed-text:*`)) {
    const fields = (await redis.hkeys(key)).filter((field) => field.endsWith(` ${member}`));
    if (fields.length > 0) erased += await redis.hdel(key, ...fields);
  }
  return erased;
}
