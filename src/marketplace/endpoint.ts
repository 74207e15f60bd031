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

/** Returns an endpoint from its description. */
export function endpoint<const Path extends string, const Field extends string, Response extends z.ZodType>(
  of: Omit<Endpoint<Path, Field, Response>, 'idempotent'>,
): Endpoint<Path, Field, Response> {
  return {
    ...of,
    // None of the writes can be repeated blindly: ratings pay, a restart adds, and even a second delete is an error.
    idempotent: of.method === 'GET',
  };
}

/** Returns an endpoint's path with the caller's parameters. */
export function pathWith({ path }: Endpoint, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
