import type { Redis } from 'ioredis';
import { AssignedNotice, applyAssignedEvent } from '../domain/assigned-notice.ts';
import { type AccountRef, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createMirroredRecords, shownScore } from './mirrored-records.ts';
import { literal, scanKeys } from './scan.ts';
import type { ErrorLogger } from './unreadable.ts';

export const assignedNoticeCodec = createCodec('assigned-notice', AssignedNotice);

const group = 'states';

export type AssignedNotices = ReturnType<typeof createAssignedNotices>;

/** Creates the store of notices to members about their tasks: one record per account and member. */
export function createAssignedNotices(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createMirroredRecords(
    redis,
    {
      name: 'assigned-notice',
      codec: assignedNoticeCodec,
      id: MemberId,
      indexes: ['shown'],
      scores: shownScore,
      digest: ({ state }) => state,
      group,
      after: applyAssignedEvent,
    },
    logger,
    now,
  );
  return {
    ...records,
    /** Returns the members to whom a still valid notice was sent, or is about to be. */
    shown: (ref: AccountRef): Promise<MemberId[]> => records.find(ref, 'shown'),
  };
}

/** Removes the notices to a member who has left, in all accounts of the workspace. */
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
    await redis.zrem(`${sets}:needs-render`, member);
    await redis.hdel(`${sets}:digest:${group}`, member);
  }
}
