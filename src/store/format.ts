import { z } from 'zod';
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

/** The hash of values that could not be read, see stored-hash.ts. */
export const unreadableKey = `${root}unreadable`;

/** The newest version that has stored data, see {@link dataVersion}. */
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

/** Returns what the keys of all accounts of a workspace begin with. */
export const accountsPrefix = (workspace: WorkspaceId): string => `${root}{${workspace}/`;

/**
 * The version of the form of all stored data. When a kind's schema no longer reads what is stored, raise this, say so in
 * CHANGELOG.md, and give the kind's codec, under the new version, a function that makes the new form of the one before. A
 * field that may be absent needs none of this. Values are migrated as they are read, and stored anew when they change.
 */
export const dataVersion = 1;

/** Functions that make the form of a version from the one before, by that version. None throws, whatever it is given. */
type Migrations = Readonly<Record<number, (before: unknown) => unknown>>;

/** A value read from Redis, or why it cannot be read. The reason never quotes the value. */
type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** The reason of a value that a newer process has stored: it can be read there, and must stay as it is. */
export const newerVersion = 'newer version';

/** Encodes values of one kind as JSON, and decodes them. */
export interface Codec<T> {
  /** Names the kind in the log. */
  readonly name: string;
  encode(value: T): string;
  /** Never throws. */
  decode(text: string): Decoded<T>;
}

/**
 * Creates a codec. What it stores carries the version of its form as `v`, unless that is 1.
 * @param migrations see {@link dataVersion}
 */
export function createCodec<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  migrations: Migrations = {},
): Codec<z.output<Schema>> {
  const steps = Object.entries(migrations).map(([to, migrate]) => [Number(to), migrate] as const);
  const version = Math.max(1, ...steps.map(([to]) => to));
  return {
    name,
    encode: (value) => JSON.stringify(version === 1 ? value : { v: version, ...(value as object) }),
    decode(text) {
      const stored = parseJson(text);
      if (stored === undefined) return { ok: false, reason: 'not JSON' };
      const { v: from, ...fields } = Versioned.safeParse(stored).data ?? { v: 1 };
      if (from > dataVersion) return { ok: false, reason: newerVersion };
      const ahead = steps.filter(([to]) => to > from);
      const value = ahead.reduce<unknown>(
        (before, [, migrate]) => migrate(before),
        from === 1 ? stored : fields,
      );
      const parsed = schema.safeParse(value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, reason: reasonOf(parsed.error) };
    },
  };
}

const Versioned = z.looseObject({ v: z.int() });

/** Creates a codec of counts or times (ms), which Redis writes as numbers. */
export const numberCodec = (name: string) => createCodec(name, z.number());

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the problem and its location, without Zod's own messages: they may quote the value. */
function reasonOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.') || 'value'}: ${issue.code}`;
}
