import type { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import type { Codec } from './codec.ts';
import type { CommitStep } from './commit-step.ts';

/** A record as read, with the version that a commit must still find. */
export interface Versioned<T> {
  readonly version: number;
  readonly value: T | undefined;
  /** The digest that the value was read from, when it is archived and so has no record. */
  readonly archived?: string;
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
  /**
   * Compression of values that are likely to stay unchanged for a while. Compressing values that change soon is not worth
   * the time.
   */
  readonly compression?: {
    /** Typical content of the codec's texts. */
    readonly dictionary: Buffer;
    readonly isAtRest: (value: T) => boolean;
  };
  readonly id: z.core.$ZodType<Id>;
  /** Names of an account's sorted sets that index such records. */
  readonly indexes: readonly Index[];
  readonly scores: (value: T) => Scores<Index>;
  /** Returns a letter or word per record, stored in one hash per group, so that thousands are compared at once. */
  readonly digest: (value: T) => { readonly group: string; readonly text: string };
  /** Returns every group of an account: its digests may name a record that cannot be read. */
  readonly groups: (ref: AccountRef) => Promise<readonly string[]>;
  /** How a value that will not change any more is kept in its digest instead of a record. */
  readonly archive?: {
    /** Occurs only in the digests of archived values. */
    readonly mark: string;
    /** Returns the digest that represents the value; undefined when its record has to stay. */
    readonly textOf: (value: T) => string | undefined;
    /** Returns the value that a digest represents; undefined when it represents none. */
    readonly valueOf: (id: Id, group: string, text: string) => T | undefined;
  };
  /** Runs after a record that could not be read was removed. */
  readonly onUnreadable?: (ref: AccountRef) => Promise<unknown>;
}

/** A change of a record, and what is written with it. */
export interface Commit<T> {
  readonly value: T;
  /** Whether the message must be rendered (again). */
  readonly needsRender: boolean;
  /** An entry for the account's audit trail, as an AuditWriter encodes it. */
  readonly audit?: string;
  readonly step?: CommitStep;
}
