import type { Redis } from 'ioredis';
import { z } from 'zod';
import { roles } from '../domain/permissions.ts';
import { type AccountRef, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Whom a role is given to: a member, a Slack user group, or whoever is in a channel. */
export const Grantee = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('member'), id: MemberId }),
  z.object({ kind: z.literal('group'), id: z.string() }),
  z.object({ kind: z.literal('channel'), id: ChannelId }),
]);
export type Grantee = z.infer<typeof Grantee>;

const Grant = z.object({
  to: Grantee,
  role: z.enum(roles),
  /** Absent: by the upgrade from a version without roles. */
  by: MemberId.exactOptional(),
  at: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** What the owners of an account have decided about who may do what. */
const AccountRights = z
  .object({
    grants: z.array(Grant).readonly(),
    /** Whether guests of the workspace may have a role. */
    guests: z.boolean(),
    /** The channels shared with another company that an owner has confirmed. */
    confirmedChannels: z.array(ChannelId).readonly(),
    /** The members whose role was withdrawn and not given again. */
    former: z.array(MemberId).readonly().exactOptional(),
    /** Whether those who had reviewed before there were roles have been given theirs. */
    upgraded: z.boolean().exactOptional(),
  })
  .readonly();
export type AccountRights = z.infer<typeof AccountRights>;

export const accountRightsCodec = createCodec('account-rights', AccountRights);

/** A change of the rights in an account. */
export type RightsChange =
  | { readonly type: 'granted'; readonly grant: Grant }
  | { readonly type: 'withdrawn'; readonly from: Grantee }
  | { readonly type: 'guests'; readonly allowed: boolean }
  | { readonly type: 'channel-confirmed' | 'channel-unconfirmed'; readonly channel: ChannelId }
  | { readonly type: 'upgraded'; readonly grants: readonly Grant[] };

const noRights: AccountRights = { grants: [], guests: false, confirmedChannels: [] };

export type Grants = ReturnType<typeof createGrants>;

/** Creates the store of what the owners of accounts have decided about who may do what. */
export function createGrants(redis: Redis, logger?: ErrorLogger) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'rights');
  const stored = createStoredHash(redis, { codec: accountRightsCodec, field: z.string() }, logger);

  return {
    async of({ workspace, account }: AccountRef): Promise<AccountRights> {
      return (await stored.get(key(workspace), account)) ?? noRights;
    },

    /**
     * Changes the rights in an account: the one place in which they change. Resolves to what they were and are.
     * @param isAllowed refuses a change by what the rights are at that moment
     */
    async change(
      { workspace, account }: AccountRef,
      change: RightsChange,
      isAllowed: (after: AccountRights) => boolean = () => true,
    ): Promise<{ readonly changed: boolean; readonly before: AccountRights; readonly after: AccountRights }> {
      let after = noRights;
      let changed = false;
      const before = await stored.update(key(workspace), account, (stands) => {
        const current = stands ?? noRights;
        const next = changedRights(current, change);
        changed = next !== current && isAllowed(next);
        after = changed ? next : current;
        return changed ? next : stands;
      });
      return { changed, before: before ?? noRights, after };
    },
  };
}

/** Returns the rights after a change; the same object when nothing changes. */
export function changedRights(rights: AccountRights, change: RightsChange): AccountRights {
  const { grants, confirmedChannels } = rights;
  switch (change.type) {
    case 'granted': {
      const { grant } = change;
      const had = grants.find(({ to }) => isSameGrantee(to, grant.to));
      if (had?.role === grant.role) return rights;
      const former = rights.former?.filter((id) => id !== grant.to.id);
      return {
        ...rights,
        grants: [...grants.filter((one) => one !== had), grant],
        ...(former === undefined ? {} : { former }),
      };
    }
    case 'withdrawn': {
      const left = grants.filter(({ to }) => !isSameGrantee(to, change.from));
      if (left.length === grants.length) return rights;
      const { from } = change;
      const former = from.kind === 'member' ? { former: [...(rights.former ?? []), from.id] } : {};
      return { ...rights, grants: left, ...former };
    }
    case 'guests':
      return rights.guests === change.allowed ? rights : { ...rights, guests: change.allowed };
    case 'channel-confirmed':
      if (confirmedChannels.includes(change.channel)) return rights;
      return { ...rights, confirmedChannels: [...confirmedChannels, change.channel] };
    case 'channel-unconfirmed': {
      const left = confirmedChannels.filter((channel) => channel !== change.channel);
      return left.length === confirmedChannels.length ? rights : { ...rights, confirmedChannels: left };
    }
    case 'upgraded': {
      if (rights.upgraded === true) return rights;
      const added = change.grants.filter(({ to }) => !grants.some((one) => isSameGrantee(one.to, to)));
      return { ...rights, grants: [...grants, ...added], upgraded: true };
    }
  }
}

function isSameGrantee(a: Grantee, b: Grantee): boolean {
  return a.kind === b.kind && a.id === b.id;
}
