import type { Redis } from 'ioredis';
import { z } from 'zod';
import { BulkSelection } from '../domain/bulk-selection.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { changeIf } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { literal, scanKeys } from './scan.ts';

export const bulkSelectionCodec = createCodec('bulk-selection', BulkSelection);

/** An abandoned selection expires after this (ms). */
const selectionMs = 12 * 3_600_000;

export type BulkSelections = ReturnType<typeof createBulkSelections>;

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
  const accounts = workspaceKey(workspace, '').replace(/}:$/, '/');
  for await (const key of scanKeys(redis, `${literal(accounts)}*}:bulk:latest:${literal(member)}`)) {
    const id = await redis.get(key);
    const name = (part: string) => key.replace(`latest:${member}`, `${part}:${id}`);
    await redis.unlink(key, name('selection'), name('texts'), name('text-orders'));
  }
}
