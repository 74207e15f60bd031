import { z } from 'zod';
import { requestEvents, requestMessage } from './live-message.ts';
import { type Capability, capabilities, roles } from './permissions.ts';
import { AccountId, ChannelId, MemberId } from './terms.ts';

/** The holder of a role: a member, or everybody in a channel. */
export const Grantee = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('member'), id: MemberId }),
  z.object({ kind: z.literal('channel'), id: ChannelId }),
]);
export type Grantee = z.infer<typeof Grantee>;

const Grant = z.object({
  to: Grantee,
  role: z.enum(roles),
  by: MemberId,
  at: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** The owners' decisions about rights in an account. */
export const AccountRights = z
  .object({
    grants: z.array(Grant).readonly(),
    /** Channels shared with another company that an owner has confirmed. */
    confirmedChannels: z.array(ChannelId).readonly(),
    /** Members whose role was withdrawn and not granted again. */
    former: z.array(MemberId).readonly().exactOptional(),
  })
  .readonly();
export type AccountRights = z.infer<typeof AccountRights>;

/** A change of the rights in an account. */
export type RightsChange =
  | { readonly type: 'granted'; readonly grant: Grant }
  | { readonly type: 'withdrawn'; readonly from: Grantee }
  | { readonly type: 'channel-confirmed' | 'channel-unconfirmed'; readonly channel: ChannelId };

/** The defaults, before an owner decides anything. */
export const noRights: AccountRights = { grants: [], confirmedChannels: [] };

/** Returns the rights after a change; the same object if nothing changes. */
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
    case 'channel-confirmed':
      if (confirmedChannels.includes(change.channel)) return rights;
      return { ...rights, confirmedChannels: [...confirmedChannels, change.channel] };
    case 'channel-unconfirmed': {
      const left = confirmedChannels.filter((channel) => channel !== change.channel);
      return left.length === confirmedChannels.length ? rights : { ...rights, confirmedChannels: left };
    }
  }
}

/** Returns whether two grantees are the same. */
export function isSameGrantee(a: Grantee, b: Grantee): boolean {
  return a.kind === b.kind && a.id === b.id;
}

/** Somebody's request to the owners of an account for the role that an action needs. */
export const RoleRequest = z
  .object({
    id: z.string(),
    account: AccountId,
    member: MemberId,
    isGuest: z.boolean().exactOptional(),
    capability: z.enum(Object.keys(capabilities) as [Capability, ...Capability[]]),
    at: z.number(),
    /** The owners asked; absent while they are searched for. */
    asked: z.array(MemberId).readonly().exactOptional(),
    /** The first owner's answer. It may not be carried out yet. */
    answer: z.object({ by: MemberId, isGranted: z.boolean() }).readonly().exactOptional(),
    /** Whether the answer was carried out. */
    isDone: z.boolean().exactOptional(),
  })
  .readonly();
export type RoleRequest = z.infer<typeof RoleRequest>;

/** The message that asks an owner, or tells whoever asked the answer. */
export const RoleRequestMessage = requestMessage(RoleRequest);
export type RoleRequestMessage = z.infer<typeof RoleRequestMessage>;

/** Applies an event to such a message. */
export const applyRoleRequestEvent = requestEvents<RoleRequest>(({ answer }) =>
  answer === undefined ? 0 : 1,
);
