import type { z } from 'zod';
import type { Op } from '../domain/op.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { Codec } from './codec.ts';
import type { Room } from './commit-script.ts';

/** A record as read, with the version that a commit must still find. */
export interface Versioned<T> {
  readonly version: number;
  readonly value: T | undefined;
}

/** A record's score in each index; undefined keeps it out of the index. */
export type Scores<Index extends string> = Readonly<Record<Index, number | undefined>>;

export interface RecordKind<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
> {
  /** Part of the key, such as `task`. */
  readonly name: string;
  readonly codec: Codec<T>;
  readonly id: z.core.$ZodType<Id>;
  /** Names of an account's sorted sets that index such records. */
  readonly indexes: readonly Index[];
  readonly scores: (value: T) => Scores<Index>;
  /** Returns a letter or word per record, stored in one hash per group, so that thousands are compared at once. */
  readonly digest: (value: T) => { readonly group: string; readonly text: string };
  /** Returns every group of an account: its digests may name a record that cannot be read. */
  readonly groups: (ref: AccountRef) => Promise<readonly string[]>;
}

/** A change of a record, and what is written with it. */
export interface Commit<T> {
  readonly value: T;
  /** Whether the message must be rendered (again). */
  readonly needsRender: boolean;
  /** An entry for the account's audit trail, as an AuditWriter encodes it. */
  readonly audit?: string;
  /** What else is written in the same step, on keys of the account. */
  readonly ops?: readonly Op[];
  readonly room?: Room | undefined;
}
