import { WorkspaceId } from '../domain/terms.ts';

/** The properties of a Slack user that decide what they may do. */
export interface Person {
  /** The workspaces that they are a member of: several in an organization. */
  readonly teams: readonly WorkspaceId[];
  /** A guest of one or several channels. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** An admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Their time zone (IANA), as they have set it in Slack. */
  readonly zone?: string;
}

/** A user as returned by the Web API. */
interface ApiUser {
  readonly team_id?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly tz?: string;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_primary_owner?: boolean;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
}

/** Returns the relevant properties of a user from the Web API. */
export function personOf(user: ApiUser): Person {
  const teams = [user.team_id ?? '', ...(user.enterprise_user?.teams ?? [])];
  return {
    teams: user.is_stranger ? [] : [...new Set(teams)].map((team) => WorkspaceId.parse(team)),
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isBot: user.is_bot === true,
    isDeactivated: user.deleted === true,
    isAdmin: user.is_admin === true || user.is_owner === true || user.is_primary_owner === true,
    ...(user.tz ? { zone: user.tz } : {}),
  };
}
