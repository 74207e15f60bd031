import { leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';
import type { Searched } from './slack-people.ts';

/** Maximum number of managers asked. */
const maxAsked = 10;

type Parts = Pick<FeatureContext, 'access' | 'grants' | 'slackPeople'>;

/** Returns the other members who may approve a member's request: owners first, then managers. */
export async function approversOf(
  { access, grants, slackPeople }: Parts,
  ref: AccountRef,
  asker: MemberId,
): Promise<Searched> {
  const { workspace } = ref;
  const [owners, rights] = await Promise.all([ownersOrAdmins({ access, slackPeople }, ref), grants.of(ref)]);
  if (owners.members === undefined) return owners;
  const given = rights.grants.filter(({ role }) => may(role, 'approve'));
  const members = await Promise.all(
    given.map(async ({ to }) => (to.kind === 'member' ? [to.id] : slackPeople.members(workspace, to))),
  );
  const found: MemberId[] = [];
  for (const member of new Set([...owners.members, ...members.flat()])) {
    if (member === asker || found.length >= maxAsked) continue;
    // A role may have been granted to a guest or a deactivated user.
    const someone = { workspace, team: workspace, member };
    const { role } = await access.standing(someone, ref, { enough: leastRole('approve') });
    if (may(role, 'approve')) found.push(member);
  }
  return { members: found };
}

/** Returns the known owners of an account, or else the admins of the workspace. */
export async function ownersOrAdmins(
  { access, slackPeople }: Pick<Parts, 'access' | 'slackPeople'>,
  ref: AccountRef,
): Promise<Searched> {
  const owners = await access.ownersOf(ref);
  return owners.length > 0 ? { members: owners } : slackPeople.admins(ref.workspace);
}

/** Returns members who could be made managers: those with a granted reviewer role. */
export async function candidatesOf(
  { grants }: Pick<Parts, 'grants'>,
  ref: AccountRef,
  asker: MemberId,
): Promise<MemberId[]> {
  const { grants: given } = await grants.of(ref);
  const reviewers = given.flatMap(({ to, role }) =>
    to.kind === 'member' && role === 'reviewer' && to.id !== asker ? [to.id] : [],
  );
  return reviewers.slice(0, 3);
}
