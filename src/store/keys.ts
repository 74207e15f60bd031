import { Cluster, type Redis } from 'ioredis';
import { AccountId, type AccountRef, type WorkspaceId } from '../domain/terms.ts';

/**
 * The names of all keys in Redis. Keys that one script changes together share a hash tag in braces, so that they are on one
 * node of a cluster: a workspace's own data under its id, an account's data under both ids.
 */
const root = 'proofdesk:';

/** The set of all accounts that are polled. */
export const polledAccountsKey = `${root}polled-accounts`;

/** The hash of work that keeps failing, see failing-jobs.ts. */
export const failingJobsKey = `${root}failing-jobs`;

/** The hash of values that could not be read, see stored-hash.ts. */
export const unreadableKey = `${root}unreadable`;

/** The newest version that has stored data, see codec.ts. */
export const dataVersionKey = `${root}data-version`;

/** Written by /readyz to test whether Redis accepts writes. */
export const probeKey = `${root}probe`;

/** The hash of the app's installations, by the workspace or organization that installed it. */
export const installationsKey = `${root}{app}:installations`;

/** The hash of the workspaces that have the app, and the installation of each. */
export const workspacesKey = `${root}{app}:workspaces`;

export const installStateKey = (name: string) => `${root}install-state:${name}`;

export const installationLeaseKey = (id: string) => `${root}installation-lease:${id}`;

export function workspaceKey(workspace: WorkspaceId, ...rest: string[]): string {
  return `${root}{${workspace}}:${rest.join(':')}`;
}

export function accountKey({ workspace, account }: AccountRef, ...rest: string[]): string {
  return `${root}{${workspace}/${account}}:${rest.join(':')}`;
}

/** How many keys a server scans for each answer. */
const scannedAtOnce = 1_000;

/**
 * Yields the names of all keys that match a pattern, on every node of a cluster. Keys created or deleted meanwhile may be
 * missed or no longer exist, and a key may be yielded twice.
 */
export async function* scanKeys(redis: Redis, pattern: string): AsyncGenerator<string> {
  // See redis.ts: a cluster is typed as a single server.
  const connection: unknown = redis;
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', scannedAtOnce);
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/** Returns a text as a pattern that matches only itself. */
export function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/g, '\\$&');
}

/** Yields the keys of a name in all accounts of a workspace, such as `notes:<id>`: those of any id, or of one. */
export async function* keysOfAccounts(redis: Redis, workspace: WorkspaceId, name: string, of?: string) {
  const prefix = `${root}{${workspace}/`;
  const id = of === undefined ? '*' : literal(of);
  for await (const key of scanKeys(redis, `${literal(prefix)}*}:${name}:${id}`)) {
    const end = key.indexOf('}:', prefix.length);
    const account = AccountId.parse(key.slice(prefix.length, end));
    yield { key, ref: { workspace, account }, id: key.slice(end + name.length + 3) };
  }
}
