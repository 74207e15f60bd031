import {
  type Capability,
  Forbidden,
  higherRole,
  isAtLeast,
  leastRole,
  may,
  type Refusal,
  type Role,
  spendsMoney,
} from '../domain/permissions.ts';
import type { Grant } from '../domain/rights.ts';
import type { AccountRef, ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { NotConnected } from '../errors.ts';
import type { AccessRequest, Actor } from '../slack/feature.ts';
import type { Person } from '../slack/members.ts';
import { SlackError } from '../slack/slack-error.ts';
import { personFreshMs } from '../store/people.ts';
import type { Stores } from './modules.ts';

/** The person whose rights are checked: the one acting, or the one a job acts for. */
export type Someone = Pick<Actor, 'workspace' | 'team' | 'member'>;

export interface RoleInAccount {
  readonly role: Role | undefined;
  /** Why they may do nothing, regardless of role. */
  readonly refusal?: Refusal;
}

/**
 * Creates the access checks. Rights are checked when an action runs, not when its button is rendered, and again when a
 * delayed job runs.
 */
export function createAccess({ accounts, config, grants, subscriptions }: Stores, slackPeople: SlackPeople) {
  /** Owners of the shared account; if empty, the workspace admins. */
  const configuredOwners = config.accountOwners;

  /** Returns why a person may do nothing, regardless of role; no refusal for a member of the workspace. */
  async function refusalOf(
    { workspace, team, member }: Someone,
    isFresh: boolean,
  ): Promise<{ readonly refusal?: Refusal; readonly isAdmin: boolean }> {
    const person = await slackPeople.person(workspace, member, { isFresh });
    if (person === undefined)
      return { refusal: team === workspace ? 'unchecked' : 'stranger', isAdmin: false };
    const { isAdmin } = person;
    if (person.isDeactivated) return { refusal: 'deactivated', isAdmin };
    if (person.isBot) return { refusal: 'bot', isAdmin };
    if (!person.teams.includes(workspace)) return { refusal: 'stranger', isAdmin };
    return person.isGuest ? { refusal: 'guest', isAdmin } : { isAdmin };
  }

  /** Returns the highest role that grants give a person; stops as soon as `enough` is reached. */
  async function grantedRole(
    { workspace, member }: Someone,
    given: readonly Pick<Grant, 'to' | 'role'>[],
    from: { readonly role: Role | undefined; readonly enough: Role; readonly isFresh: boolean },
  ): Promise<{ readonly role: Role | undefined; readonly isSure: boolean }> {
    let { role } = from;
    /** The highest role that could not be checked. */
    let unsure: Role | undefined;
    const { enough, isFresh } = from;
    for (const grant of given) {
      if (grant.to.kind === 'member' && grant.to.id === member) role = higherRole(role, grant.role);
    }
    for (const { to, role: offered } of given) {
      if (role !== undefined && (isAtLeast(role, enough) || isAtLeast(role, offered))) continue;
      if (to.kind === 'member') continue;
      const isIn = await slackPeople.isIn(workspace, to.id, member, { isFresh });
      if (isIn) role = higherRole(role, offered);
      if (isIn === undefined) unsure = higherRole(unsure, offered);
    }
    return { role, isSure: unsure === undefined || (role !== undefined && isAtLeast(role, unsure)) };
  }

  /**
   * Returns what a person may do in an account.
   * @param enough the required role; roles above it are not looked up
   * @param isFresh asks Slack instead of using the cache
   */
  async function roleIn(
    someone: Someone,
    ref: AccountRef,
    { enough = 'owner', isFresh = false }: { readonly enough?: Role; readonly isFresh?: boolean } = {},
  ): Promise<RoleInAccount> {
    const [{ refusal, isAdmin }, rights, held] = await Promise.all([
      refusalOf(someone, isFresh),
      grants.of(ref),
      accounts.keySourceOf(ref, someone.member),
    ]);
    if (refusal === 'guest') {
      // Neither a key nor a channel gives a guest anything: an owner must have named them.
      const named = rights.grants.find(({ to }) => to.kind === 'member' && to.id === someone.member);
      return named === undefined ? { role: undefined, refusal } : { role: named.role };
    }
    if (refusal !== undefined) return { role: undefined, refusal };
    const isShared = held === 'shared';
    const isOwner =
      held === 'own' ||
      (isShared && (configuredOwners.length > 0 ? configuredOwners.includes(someone.member) : isAdmin));
    if (isOwner) return { role: 'owner' };
    // Every workspace member may view what the workspace shares.
    const first = isShared ? 'viewer' : undefined;
    // Everyone in a channel with its cards may rate what the workspace shares.
    const subscribed = isShared ? await subscriptions.ofAccount(ref) : [];
    const inChannels = [...new Set(subscribed.map(({ channel }) => channel))].map(
      (id) => ({ to: { kind: 'channel', id }, role: 'reviewer' }) as const,
    );
    const given = [...rights.grants, ...inChannels];
    const { role, isSure } = await grantedRole(someone, given, { role: first, enough, isFresh });
    const isEnough = role !== undefined && isAtLeast(role, enough);
    return !isEnough && !isSure ? { role, refusal: 'unchecked' } : { role };
  }

  /** Returns the account a person acts for: their own key's, the shared one, or one in which they have a role. */
  async function accountOf(someone: Someone): Promise<AccountRef | undefined> {
    const own = await accounts.of(someone.workspace, someone.member);
    if (own !== undefined) return own;
    for (const ref of await accounts.all(someone.workspace)) {
      const { role } = await roleIn(someone, ref);
      if (role !== undefined) return ref;
    }
    return undefined;
  }

  /** Returns the owners of an account who need no grant: by configuration, or by holding its key. */
  async function ownersWithoutGrant(ref: AccountRef): Promise<MemberId[]> {
    const { isShared, members } = await accounts.owners(ref);
    return [...new Set([...(isShared ? configuredOwners : []), ...members])];
  }

  /** Returns the known members who can grant roles in an account; if empty, the workspace admins can. */
  async function ownersOf(ref: AccountRef): Promise<MemberId[]> {
    const [others, { grants: given }] = await Promise.all([ownersWithoutGrant(ref), grants.of(ref)]);
    const granted = given.flatMap(({ to, role }) =>
      role === 'owner' && to.kind === 'member' ? [to.id] : [],
    );
    return [...new Set([...others, ...granted])];
  }

  /** Throws Forbidden, naming who can grant the right, unless the person has it. */
  async function requireRight(
    someone: Someone,
    ref: AccountRef,
    capability: Capability,
    { intent, isAsking = false, isPreparing = false }: AccessRequest,
  ): Promise<void> {
    const isFresh = spendsMoney(capability) && !isPreparing;
    const needed = isAsking && spendsMoney(capability) ? 'see' : capability;
    const { role, refusal } = await roleIn(someone, ref, { enough: leastRole(needed), isFresh });
    if (may(role, needed)) return;
    throw new Forbidden({
      ref,
      capability,
      role,
      intent,
      owners: await ownersOf(ref),
      ...(refusal === undefined ? {} : { refusal }),
    });
  }

  return {
    roleIn,
    accountOf,
    ownersOf,
    ownersWithoutGrant,

    async has(someone: Someone, ref: AccountRef, capability: Capability): Promise<boolean> {
      const isFresh = spendsMoney(capability);
      const { role } = await roleIn(someone, ref, { enough: leastRole(capability), isFresh });
      return may(role, capability);
    },

    /**
     * Returns the account to act on if the person has all required rights.
     * @throws NotConnected when they have no account, or no role in the account of somebody else's key
     * @throws Forbidden when their role is too low, or they may have none
     */
    async authorize(
      actor: Someone,
      needs: readonly Capability[],
      request: AccessRequest,
    ): Promise<AccountRef> {
      const { workspace } = actor;
      const { account, intent } = request;
      const ref = account === undefined ? await accountOf(actor) : { workspace, account };
      if (ref === undefined) {
        await requireMember(actor);
        throw new NotConnected(intent);
      }
      for (const capability of needs) await requireRight(actor, ref, capability, request);
      return ref;
    },

    requireMember,
  };

  async function requireMember(someone: Someone): Promise<void> {
    const { refusal } = await refusalOf(someone, false);
    if (refusal !== undefined) throw new Forbidden({ refusal });
  }
}

type SlackPeople = ReturnType<typeof createSlackPeople>;

/** How current the data about people must be. */
interface Freshness {
  /** Bypasses the cache, because money is about to be spent. */
  readonly isFresh: boolean;
}

/** Time between two pages of a workspace's members (ms): Slack allows 20 a minute. */
const pageApartMs = 3_000;

/** Wait before Slack is asked again after it did not answer (ms). */
const unansweredMs = 15_000;

/** People who may have to be searched for; `waitMs`: how long to wait before the search continues. */
export type Searched =
  | { readonly members: readonly MemberId[] }
  | { readonly members: undefined; readonly waitMs: number };

/** Creates the lookup of people in Slack, cached for at most 5 minutes. */
export function createSlackPeople({ people, messengerOf, logger, now }: Stores) {
  const isRecent = (at: number) => at <= now() && now() - at < personFreshMs;

  /** Returns Slack's answer; undefined if it cannot be asked. */
  async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      logger.warn({ err: error }, 'Slack could not be asked about a person');
      return undefined;
    }
  }

  /** Returns the members of a channel, as Slack says; undefined if it cannot be asked. */
  async function fetchMembers(workspace: WorkspaceId, channel: ChannelId): Promise<MemberId[] | undefined> {
    const at = now();
    const found = await asked(() => messengerOf(workspace).channelMembers(channel));
    if (found !== undefined) await people.putMembers(workspace, channel, found, at);
    return found;
  }

  /**
   * Returns whether a person is in a channel; undefined if unknown. A negative answer never comes from the
   * cache: they may have just joined.
   */
  async function isIn(
    workspace: WorkspaceId,
    channel: ChannelId,
    member: MemberId,
    { isFresh }: Freshness,
  ): Promise<boolean | undefined> {
    const known = await people.membership(workspace, channel, member);
    if (!isFresh && known?.isIn && isRecent(known.at)) return true;
    const found = await fetchMembers(workspace, channel);
    return found?.includes(member) ?? (isFresh ? undefined : known?.isIn);
  }

  return {
    /**
     * Returns Slack's data about a person; undefined if unavailable. If Slack cannot be asked, the last known answer
     * counts, unless a fresh one is required.
     */
    async person(
      workspace: WorkspaceId,
      member: MemberId,
      { isFresh }: Freshness,
    ): Promise<Person | undefined> {
      const known = await people.person(workspace, member);
      if (!isFresh && known !== undefined && isRecent(known.at)) return known;
      const at = now();
      const found = await asked(() => messengerOf(workspace).person(member));
      if (found === undefined) return isFresh ? undefined : known;
      await people.putPerson(workspace, member, { ...found, at });
      return found;
    },

    isIn,

    /** Returns what is known about a person, however old: Slack is not asked. */
    known: people.person,

    /**
     * Returns the admins of a workspace, as of the last hour. Each call searches at most one page of its members: in a
     * large workspace, a job has to call this again.
     */
    async admins(workspace: WorkspaceId): Promise<Searched> {
      const known = await people.admins(workspace);
      if (known !== undefined && known.next === undefined) return { members: known.admins };
      try {
        const { admins, next } = await messengerOf(workspace).adminsOnPage(known?.next);
        const found = [...new Set([...(known?.admins ?? []), ...admins])];
        await people.putAdmins(workspace, { admins: found, ...(next === undefined ? {} : { next }) });
        return next === undefined ? { members: found } : { members: undefined, waitMs: pageApartMs };
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        logger.warn({ err: error }, 'admins not found yet');
        // Such as a cursor that has expired.
        if (error.kind === 'refused') await people.forgetAdmins(workspace);
        return { members: undefined, waitMs: error.retryAfterMs || unansweredMs };
      }
    },

    /** Returns the members of a channel; if they must be current, none while Slack cannot be asked. */
    async members(
      workspace: WorkspaceId,
      channel: ChannelId,
      { isFresh }: Freshness,
    ): Promise<readonly MemberId[]> {
      const known = isFresh ? undefined : await people.members(workspace, channel);
      if (known !== undefined && isRecent(known.at)) return known.members;
      return (await fetchMembers(workspace, channel)) ?? known?.members ?? [];
    },

    forgetPerson: people.forgetPerson,
    forgetMembers: people.forgetMembers,
  };
}
