import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';
import type { Searched } from './slack-people.ts';

/** Maximum number of managers asked. */
const maxAsked = 10;

/** Returns the other members who may approve a member's request: owners first, then managers. */
export async function approversOf(modules: Modules, ref: AccountRef, asker: MemberId): Promise<Searched> {
  const { people } = modules;
  const { workspace } = ref;
  const [owners, rights] = await Promise.all([ownersOrAdmins(modules, ref), people.grants.of(ref)]);
  if (owners.members === undefined) return owners;
  const given = rights.grants.filter(({ role }) => may(role, 'approve'));
  const members = await Promise.all(
    given.map(async ({ to }) => (to.kind === 'member' ? [to.id] : people.slack.members(workspace, to))),
  );
  const found: MemberId[] = [];
  for (const member of new Set([...owners.members, ...members.flat()])) {
    if (member === asker || found.length >= maxAsked) continue;
    // A role may have been granted to a guest or a deactivated user.
    const someone = { workspace, team: workspace, member };
    const { role } = await people.access.standing(someone, ref, { enough: leastRole('approve') });
    if (may(role, 'approve')) found.push(member);
  }
  return { members: found };
}

/** Returns the known owners of an account, or else the admins of the workspace. */
export async function ownersOrAdmins({ people }: Modules, ref: AccountRef): Promise<Searched> {
  const owners = await people.access.ownersOf(ref);
  return owners.length > 0 ? { members: owners } : people.slack.admins(ref.workspace);
}

/** Returns members who could be made managers: those with a granted reviewer role. */
export async function candidatesOf(
  { people }: Modules,
  ref: AccountRef,
  asker: MemberId,
): Promise<MemberId[]> {
  const { grants: given } = await people.grants.of(ref);
  const reviewers = given.flatMap(({ to, role }) =>
    to.kind === 'member' && role === 'reviewer' && to.id !== asker ? [to.id] : [],
  );
  return reviewers.slice(0, 3);
}
