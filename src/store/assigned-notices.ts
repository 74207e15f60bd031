import type { Redis } from 'ioredis';
import { AssignedNotice, type AssignedNoticeEvent, applyAssignedEvent } from '../domain/assigned-notice.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createRecords } from './records.ts';
import { literal, scanKeys } from './scan.ts';
import type { ErrorLogger } from './unreadable.ts';

export const assignedNoticeCodec = createCodec('assigned-notice', AssignedNotice);

const group = 'states';

export type AssignedNotices = ReturnType<typeof createAssignedNotices>;

/** Creates the store of what members are told of the tasks that they have: one record per account and member. */
export function createAssignedNotices(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<AssignedNotice, 'shown', MemberId>(
    redis,
    {
      name: 'assigned-notice',
      codec: assignedNoticeCodec,
      id: MemberId,
      indexes: ['shown'],
      scores: (notice) => ({ shown: isShown(notice) ? notice.changedAt : undefined }),
      digest: ({ state }) => ({ group, text: state }),
      groups: async () => [group],
    },
    logger,
    now,
  );
  const { find, needsRender, acquireRenderLease } = records;

  return {
    find,
    needsRender,
    acquireRenderLease,

    get: async (ref: AccountRef, member: MemberId) => (await records.load(ref, member)).value,

    /** Returns the members to whom a notice was sent, or is about to be, that is still right. */
    shown: (ref: AccountRef): Promise<MemberId[]> => records.find(ref, 'shown'),

    /** Applies an event to what a member is told. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      member: MemberId,
      event: AssignedNoticeEvent,
    ): Promise<{ record: AssignedNotice | undefined; changed: boolean }> {
      let found = await records.load(ref, member);
      let after = applyAssignedEvent(found.value, event);
      while (after !== undefined) {
        const needsRender = isShown(after) && after.revision !== found.value?.revision;
        const change = { value: after, needsRender };
        if (await records.commit(ref, member, found.version, change)) return { record: after, changed: true };
        found = await records.load(ref, member);
        after = applyAssignedEvent(found.value, event);
      }
      return { record: found.value, changed: false };
    },
  };
}

/** Removes what a member was told in any account of the workspace: they are no longer there. */
export async function eraseAssignedNotices(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  const accounts = `${literal(workspaceKey(workspace, '').replace(/}:$/, '/'))}*}`;
  for await (const key of scanKeys(redis, `${accounts}:assigned-notice:${literal(member)}`)) {
    const sets = key.replace(/:assigned-notice:.*$/, ':assigned-notices');
    await redis.unlink(key);
    await redis.zrem(`${sets}:shown`, member);
    await redis.zrem(`${sets}:stale`, member);
    await redis.hdel(`${sets}:digest:${group}`, member);
  }
}
