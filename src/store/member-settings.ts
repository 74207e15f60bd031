import type { Redis } from 'ioredis';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { usualHours, WorkingHours } from '../domain/working-hours.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const workingHoursCodec = createCodec('working-hours', WorkingHours);

/** Returns the key of the hash of members' working hours, in which they are reminded. */
export function workingHoursKey(workspace: WorkspaceId): string {
  return workspaceKey(workspace, 'working-hours');
}

export type MemberSettings = ReturnType<typeof createMemberSettings>;

/** Creates the store of members' own settings. */
export function createMemberSettings(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: workingHoursCodec, field: MemberId }, logger);

  return {
    /** Returns when a member wants to be reminded. */
    async hours(workspace: WorkspaceId, member: MemberId): Promise<WorkingHours> {
      return (await stored.get(workingHoursKey(workspace), member)) ?? usualHours;
    },

    async setHours(workspace: WorkspaceId, member: MemberId, hours: WorkingHours): Promise<void> {
      await stored.set(workingHoursKey(workspace), member, hours);
    },
  };
}
