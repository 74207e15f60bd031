import type { AccountRef, WorkspaceId } from '../domain/terms.ts';

/**
 * The names of all keys in Redis. Keys that one script changes together share a hash tag in braces, so that they are on one
 * node of a cluster: a workspace's own data under its id, an account's data under both ids.
 */
const root = 'proofdesk:';

/** The set of all accounts that are polled. */
export const polledAccountsKey = `${root}polled-accounts`;

/** The hash of work that keeps failing, see failing-jobs.ts. */
export const failingJobsKey = `${root}failing-jobs`;

/** The hash of values that could not be read, see unreadable.ts. */
export const unreadableKey = `${root}unreadable`;

/** Written by /readyz to test whether Redis accepts writes. */
export const probeKey = `${root}probe`;

export function workspaceKey(workspace: WorkspaceId, ...rest: string[]): string {
  return `${root}{${workspace}}:${rest.join(':')}`;
}

export function accountKey({ workspace, account }: AccountRef, ...rest: string[]): string {
  return `${root}{${workspace}/${account}}:${rest.join(':')}`;
}
