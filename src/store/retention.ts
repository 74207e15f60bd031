import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ActedBy } from '../domain/audit.ts';
import { chunksOf, groupBy } from '../domain/collections.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Accounts } from './accounts.ts';
import type { Assignments } from './assignments.ts';
import { eraseMemberDecisions } from './decisions.ts';
import { eraseDeskSessions } from './desk.ts';
import { eraseBulkSelections, eraseTypedTexts } from './drafts.ts';
import {
  accountKey,
  accountsPrefix,
  createCodec,
  failingJobsKey,
  polledAccountsKey,
  unreadableKey,
  workspaceKey,
} from './format.ts';
import { eraseAssignedNotices, homeKeys } from './messages.ts';
import { literal, scanKeys } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/**
 * The result of the last search for old data in a campaign (or the inbox): its state at that time, and when the oldest data
 * that had to stay were decided (ms); absent when there are none.
 */
const RetentionMark = z.object({ state: z.string(), oldest: z.number().exactOptional() }).readonly();
export type RetentionMark = z.infer<typeof RetentionMark>;

export const retentionMarkCodec = createCodec('retention-mark', RetentionMark);

/** Creates the store of searches for old data, so that nothing is searched needlessly. */
export function createRetentionMarks(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'retention');
  const stored = createStoredHash(redis, { codec: retentionMarkCodec, field: z.string(), key }, logger);
  return {
    /** Returns the marks of an account by the campaign's id, or `inbox`. */
    all: stored.all,
    put: stored.set,
  };
}

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

/**
 * Creates the removal of one member's data: their key, unfinished forms, typed texts, their opened home tab,
 * and their assignments. Who did what stays, by the member's id (docs/retention.md).
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
      else if (Draft.safeParse(parsed(await redis.get(key))).data?.member === member)
        drafts += await redis.unlink(key);
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
      await eraseDeskSessions(redis, workspace, member);
      await eraseBulkSelections(redis, workspace, member);
      const typedTexts = await eraseTypedTexts(redis, workspace, member);
      const released = await assignments.releaseEverywhere(workspace, member);
      return { hadKey, drafts, typedTexts, assignments: released };
    },
  };
}

/** How long the removal of the app is remembered (s): until each process has noticed it. */
const removedSeconds = 86_400;
const keysAtOnce = 500;

const OfWorkspace = z.object({ workspace: z.string() });
const FailingJob = z.object({ payload: z.unknown() });
const Unreadable = z.object({ key: z.string() });

export type WorkspaceData = ReturnType<typeof createWorkspaceData>;

/** Creates the removal of all stored data of a workspace, except its jobs. */
export function createWorkspaceData(redis: Redis) {
  const removedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'app-removed');
  const prefixesOf = (workspace: WorkspaceId) => [workspaceKey(workspace, ''), accountsPrefix(workspace)];

  async function eraseKeys(workspace: WorkspaceId): Promise<number> {
    const names = new Set<string>();
    for (const prefix of prefixesOf(workspace))
      for await (const name of scanKeys(redis, `${literal(prefix)}*`)) names.add(name);
    names.delete(removedKey(workspace));
    let erased = 0;
    // One command takes keys of one node of a cluster: those with the same hash tag.
    for (const together of groupBy(names, (name) => /\{[^}]*\}/.exec(name)?.[0]).values())
      for (const some of chunksOf(together, keysAtOnce)) erased += await redis.unlink(...some);
    return erased;
  }

  /** Removes the fields of a hash that belong to the workspace. */
  async function eraseFields(key: string, isOfWorkspace: (value: unknown) => boolean): Promise<void> {
    const all = Object.entries(await redis.hgetall(key));
    const fields = all.filter(([, text]) => isOfWorkspace(parsed(text))).map(([field]) => field);
    if (fields.length > 0) await redis.hdel(key, ...fields);
  }

  return {
    /** Records that the app was removed from the workspace: every process that serves it stops, and removes its data. */
    async recordRemoved(workspace: WorkspaceId, at: number): Promise<void> {
      await redis.set(removedKey(workspace), at, 'EX', removedSeconds);
    },

    async isRemoved(workspace: WorkspaceId): Promise<boolean> {
      return (await redis.exists(removedKey(workspace))) === 1;
    },

    /** Records that the app is installed (again). */
    async recordInstalled(workspace: WorkspaceId): Promise<void> {
      await redis.del(removedKey(workspace));
    },

    /** Removes all data of the workspace. Returns the number of keys. */
    async erase(workspace: WorkspaceId): Promise<number> {
      const isOf = (value: unknown) => OfWorkspace.safeParse(value).data?.workspace === workspace;
      const accounts = (await redis.smembers(polledAccountsKey)).filter((text) => isOf(parsed(text)));
      if (accounts.length > 0) await redis.srem(polledAccountsKey, ...accounts);
      await eraseFields(failingJobsKey, (value) => isOf(FailingJob.safeParse(value).data?.payload));
      await eraseFields(unreadableKey, (value) => {
        const key = Unreadable.safeParse(value).data?.key;
        return prefixesOf(workspace).some((prefix) => key?.startsWith(prefix));
      });
      return eraseKeys(workspace);
    },
  };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
