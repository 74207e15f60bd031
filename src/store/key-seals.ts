import type { AccountId, WorkspaceId } from '../domain/terms.ts';
import type { Vault } from './encryption.ts';

/** Whose API key it is, and of which account: an encrypted key can only be read in this place. */
export interface KeyPlace {
  readonly kind: 'api-key' | 'pending-key';
  readonly workspace: WorkspaceId;
  readonly owner: string;
  readonly account: AccountId;
}

export interface OpenedKey {
  readonly key: string;
  /** Absent when it is sealed as it should be; else what is to be stored in its place. */
  readonly resealed?: string;
}

/** What sealing a stored key anew came to. */
export type Resealed = 'resealed' | 'current' | 'unreadable';

export type KeySeals = ReturnType<typeof createKeySeals>;

/**
 * Creates the encryption of API keys. The place is part of what is sealed: two encrypted keys that were swapped in Redis, or
 * given to another account, cannot be read. What version 0.1 has sealed without the account is read and sealed anew.
 */
export function createKeySeals(vault: Vault) {
  const purposeOf = ({ kind, workspace, owner, account }: KeyPlace) =>
    `${kind} ${workspace} ${owner} of ${account}`;
  const formerPurposeOf = ({ kind, workspace, owner }: KeyPlace) => `${kind} ${workspace} ${owner}`;

  const seal = (key: string, place: KeyPlace): string => vault.seal(key, purposeOf(place));

  function opened(sealed: string, purpose: string): string | undefined {
    try {
      return vault.open(sealed, purpose);
    } catch {
      return undefined;
    }
  }

  return {
    seal,

    /** Returns the key; undefined when it was changed, is in the wrong place, or its encryption key is not configured. */
    open(sealed: string, place: KeyPlace): OpenedKey | undefined {
      const key = opened(sealed, purposeOf(place));
      if (key !== undefined) return vault.isCurrent(sealed) ? { key } : { key, resealed: seal(key, place) };
      const former = opened(sealed, formerPurposeOf(place));
      return former === undefined ? undefined : { key: former, resealed: seal(former, place) };
    },
  };
}
