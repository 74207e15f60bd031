import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ActedBy } from '../domain/audit.ts';
import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Accounts } from './accounts.ts';
import { eraseAssignedNotices } from './assigned-notices.ts';
import type { Assignments } from './assignments.ts';
import { eraseBulkSelections } from './bulk-selections.ts';
import { workspaceKey } from './keys.ts';
import { eraseMemberDecisions } from './member-decisions.ts';
import { homeKeys } from './opened-homes.ts';
import { literal, scanKeys } from './scan.ts';
import { eraseTypedTexts } from './typed-texts.ts';

/** The removed data of a member. */
export interface ErasedMember {
  /** Whether they had an API key of their own. */
  readonly hadKey: boolean;
  /** How many unfinished forms they had. */
  readonly drafts: number;
  /** How many texts they had typed about tasks and not sent. */
  readonly typedTexts: number;
  /** How many tasks were assigned to them. */
  readonly assignments: number;
}

const Draft = z.object({ member: z.string() });

export type MemberData = ReturnType<typeof createMemberData>;

/**
 * Creates the removal of one member's data: their key, unfinished forms, typed texts, their opened home tab, and their assignments. Who did what stays, by the member's id (docs/retention.md).
 */
export function createMemberData(
  redis: Redis,
  accounts: Pick<Accounts, 'disconnect'>,
  assignments: Pick<Assignments, 'release' | 'releaseEverywhere'>,
) {
  /** Removes the forms of a member, and the names by which they are found. Returns how many forms there were. */
  async function eraseDrafts(workspace: WorkspaceId, member: MemberId): Promise<number> {
    let drafts = 0;
    for await (const key of scanKeys(redis, `${literal(workspaceKey(workspace, 'texts', ''))}*`)) {
      if (key.endsWith(` of ${member}`)) await redis.unlink(key);
      else if (ownerOf(await redis.get(key)) === member) drafts += await redis.unlink(key);
    }
    return drafts;
  }

  /** @param how who does it: the member, or the bot (`job`). Returns whether they had a key. */
  async function eraseKey(workspace: WorkspaceId, member: MemberId, how: ActedBy): Promise<boolean> {
    const account = await accounts.disconnect(workspace, member, how);
    for (const key of homeKeys(workspace)) await redis.zrem(key, member);
    if (account !== undefined) await assignments.release(account, member, how);
    return account !== undefined;
  }

  return {
    /**
     * Removes the key of a member who disconnects. Texts they have typed stay until they expire, within a day: they may
     * connect again and finish them.
     */
    async disconnect(workspace: WorkspaceId, member: MemberId, how: ActedBy): Promise<void> {
      await eraseKey(workspace, member, how);
    },

    /** Removes all data of a member who has left. */
    async erase(workspace: WorkspaceId, member: MemberId): Promise<ErasedMember> {
      const hadKey = await eraseKey(workspace, member, 'job');
      const drafts = await eraseDrafts(workspace, member);
      await eraseMemberDecisions(redis, workspace, member);
      await eraseAssignedNotices(redis, workspace, member);
      await eraseBulkSelections(redis, workspace, member);
      const typedTexts = await eraseTypedTexts(redis, workspace, member);
      const released = await assignments.releaseEverywhere(workspace, member);
      return { hadKey, drafts, typedTexts, assignments: released };
    },
  };
}

function ownerOf(text: string | null): string | undefined {
  try {
    const draft = Draft.safeParse(JSON.parse(text ?? ''));
    return draft.success ? draft.data.member : undefined;
  } catch {
    return undefined;
  }
}
