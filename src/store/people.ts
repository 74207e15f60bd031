import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import { type ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { createCodec, workspaceKey } from './format.ts';
import { change } from './scripts.ts';
import { createStoredValues } from './stored-hash.ts';

/** How long Slack's data about people are considered fresh (ms). */
export const personFreshMs = 300_000;
/** How long they are kept for when Slack is unreachable (s). */
const keptSeconds = 7 * 86_400;

const StoredPerson = z
  .object({
    at: z.number(),
    teams: z.array(WorkspaceId).readonly(),
    isGuest: z.boolean(),
    isBot: z.boolean(),
    isDeactivated: z.boolean(),
    isAdmin: z.boolean(),
    zone: z.string().exactOptional(),
    name: z.string().exactOptional(),
  })
  .readonly();

export const personCodec = createCodec('person', StoredPerson);

/** How long the admins of a workspace are kept (s). */
const adminsKeptSeconds = 3_600;

/** The admins found so far. `next`: the cursor of the page of members that is searched next; absent: all were. */
const StoredAdmins = z
  .object({ admins: z.array(MemberId).readonly(), next: z.string().exactOptional() })
  .readonly();
type StoredAdmins = z.infer<typeof StoredAdmins>;

export const adminsCodec = createCodec('admins', StoredAdmins);

/**
 * Creates the cache of Slack's data about people and channels. An unreadable value counts as absent: Slack is
 * asked again.
 */
export function createPeople(redis: Redis) {
  const personKey = (workspace: WorkspaceId, member: MemberId) => workspaceKey(workspace, 'person', member);
  const persons = createStoredValues(redis, personCodec, personKey, keptSeconds);
  const membersKey = (workspace: WorkspaceId, channel: ChannelId) =>
    workspaceKey(workspace, 'channel-members', channel);
  const timeKey = (workspace: WorkspaceId, channel: ChannelId) => `${membersKey(workspace, channel)}:at`;

  return {
    person: persons.get,
    putPerson: persons.set,

    /** Invalidates what Slack said about a person who has changed. */
    forgetPerson: persons.remove,

    /** Returns the admins of a workspace that were found within the last hour. */
    async admins(workspace: WorkspaceId): Promise<StoredAdmins | undefined> {
      const decoded = adminsCodec.decode((await redis.get(workspaceKey(workspace, 'admins'))) ?? '');
      return decoded.ok ? decoded.value : undefined;
    },

    async putAdmins(workspace: WorkspaceId, found: StoredAdmins): Promise<void> {
      await redis.set(workspaceKey(workspace, 'admins'), adminsCodec.encode(found), 'EX', adminsKeptSeconds);
    },

    async forgetAdmins(workspace: WorkspaceId): Promise<void> {
      await redis.del(workspaceKey(workspace, 'admins'));
    },

    /** Returns whether a person was in a channel, and when Slack was asked (ms); undefined when it was not. */
    async membership(
      workspace: WorkspaceId,
      channel: ChannelId,
      member: MemberId,
    ): Promise<{ readonly isIn: boolean; readonly at: number } | undefined> {
      const [at, isIn] = await Promise.all([
        redis.get(timeKey(workspace, channel)),
        redis.sismember(membersKey(workspace, channel), member),
      ]);
      return at === null ? undefined : { isIn: isIn === 1, at: Number(at) };
    },

    /** Returns who was in a channel, and when Slack was asked (ms); undefined when it was not. */
    async members(
      workspace: WorkspaceId,
      channel: ChannelId,
    ): Promise<{ readonly members: readonly MemberId[]; readonly at: number } | undefined> {
      const [at, found] = await Promise.all([
        redis.get(timeKey(workspace, channel)),
        redis.smembers(membersKey(workspace, channel)),
      ]);
      return at === null ? undefined : { members: z.array(MemberId).parse(found), at: Number(at) };
    },

    async putMembers(
      workspace: WorkspaceId,
      channel: ChannelId,
      members: readonly MemberId[],
      at: number,
    ): Promise<void> {
      const key = membersKey(workspace, channel);
      await change(
        redis,
        undefined,
        ['DEL', key],
        ...chunksOf(members, 1_000).map((some) => ['SADD', key, ...some] as const),
        ['EXPIRE', key, keptSeconds],
        ['SET', timeKey(workspace, channel), at, 'EX', keptSeconds],
      );
    },

    /** Invalidates the members of a channel that have changed. */
    async forgetMembers(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
      await redis.del(membersKey(workspace, channel), timeKey(workspace, channel));
    },
  };
}
