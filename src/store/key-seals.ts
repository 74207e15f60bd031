import type { AccountId, WorkspaceId } from '../domain/terms.ts';
import type { Vault } from './encryption.ts';

/** The owner and account of an API key: an encrypted key can only be decrypted in this place. */
export interface KeyPlace {
  readonly workspace: WorkspaceId;
  readonly owner: string;
  readonly account: AccountId;
}

export interface OpenedKey {
  readonly key: string;
  /** Absent when it is sealed correctly; else the text to store instead. */
  readonly resealed?: string;
}

/** The result of resealing a stored key. */
export type Resealed = 'resealed' | 'current' | 'unreadable';

/**
 * Creates the encryption of API keys. The place is part of the sealed data: encrypted keys that were swapped in Redis, or
 * moved to another account, cannot be decrypted.
 */
export function createKeySeals(vault: Vault) {
  const purposeOf = ({ workspace, owner, account }: KeyPlace) =>
    `api-key ${workspace} ${owner} of ${account}`;

  const seal = (key: string, place: KeyPlace): string => vault.seal(key, purposeOf(place));

  return {
    seal,

    /** Returns the key; undefined when it was changed, is in the wrong place, or its encryption key is not configured. */
    open(sealed: string, place: KeyPlace): OpenedKey | undefined {
      try {
        const key = vault.open(sealed, purposeOf(place));
        return vault.isCurrent(sealed) ? { key } : { key, resealed: seal(key, place) };
      } catch {
        return undefined;
      }
    },
  };
}
