import type { AccountRef, WorkspaceId } from '../domain/terms.ts';

/**
 * The names of everything kept in Redis. What one script changes together shares one tag in braces, so that it lies on
 * one node of a cluster: a workspace's own data under its id, an account's data under both ids.
 */
const root = 'proofdesk:';

/** The set of all accounts that are looked at. */
export const polledAccountsKey = `${root}looked-at`;

/** The hash of values that could not be read, see unreadable.ts. */
export const unreadableKey = `${root}unreadable`;

export function workspaceKey(workspace: WorkspaceId, ...rest: string[]): string {
  return `${root}{${workspace}}:${rest.join(':')}`;
}

export function accountKey({ workspace, account }: AccountRef, ...rest: string[]): string {
  return `${root}{${workspace}/${account}}:${rest.join(':')}`;
}
