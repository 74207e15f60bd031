/** The definition of an endpoint of the marketplace API, as data. */
import type * as z from 'zod';
import type { MarketplaceErrorCode } from './error-texts.ts';
import type { UploadFile } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Endpoint<
  Path extends string = string,
  Field extends string = string,
  Response extends z.ZodType = z.ZodType,
> {
  /** Number of its section under "Endpoints" of the API. */
  readonly section: number;
  readonly name: string;
  readonly method: Method;
  /** `{name}` is replaced by a parameter of the caller. */
  readonly path: Path;
  readonly body: 'none' | 'query' | 'form' | 'multipart';
  /** In the order of sending; a name with `[]` is repeated once per value. */
  readonly fields: readonly Field[];
  /** Whether sending it twice has the same effect as sending it once. */
  readonly idempotent: boolean;
  /** The schema of a SUCCESS answer; a file has none. */
  readonly response: Response;
  /** Whether it rates tasks: ratings take priority over everything else. */
  readonly isRating?: true;
  /** The kind of answer where it is not ordinary JSON: one that may have hundreds of megabytes, or a file. */
  readonly answer?: 'large' | 'file';
  /** The codes of its error texts and error lists, besides those about the key. */
  readonly errors: readonly MarketplaceErrorCode[];
  /** The codes that single entries of a SUCCESS answer may have. */
  readonly entryErrors?: readonly MarketplaceErrorCode[];
}

/** The names between braces in a path. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

/** Values for fields; undefined ones are not sent. */
export type FieldValues<Field extends string> = {
  readonly [Name in Field]?:
    | (Name extends `${string}[]` ? readonly string[] : string | UploadFile)
    | undefined;
};

/** Returns an endpoint from its description; it has no body and no fields unless described. */
export function endpoint<
  const Path extends string,
  Response extends z.ZodType,
  const Field extends string = never,
>(
  of: Omit<Endpoint<Path, Field, Response>, 'name' | 'idempotent' | 'body' | 'fields'> &
    Partial<Pick<Endpoint<Path, Field, Response>, 'body' | 'fields'>>,
): Omit<Endpoint<Path, Field, Response>, 'name'> {
  // None of the writes can be repeated blindly: ratings pay, a restart adds, and even a second delete is an error.
  return { body: 'none', fields: [], ...of, idempotent: of.method === 'GET' };
}

/** Returns endpoints with their names. */
export function named<const Endpoints extends Readonly<Record<string, object>>>(endpoints: Endpoints) {
  const entries = Object.entries(endpoints).map(([name, one]) => [name, { ...one, name }]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Endpoints]: Endpoints[Name] & { name: Name };
  };
}

/** Returns an endpoint's path with the caller's parameters. */
export function pathWith({ path }: Endpoint, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
