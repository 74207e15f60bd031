import type { AccountId, WorkspaceId } from '../domain/terms.ts';
import type { Vault } from './encryption.ts';

/** The owner and account of an API key: an encrypted key can only be decrypted in this place. */
export interface KeyPlace {
  readonly kind: 'api-key' | 'pending-key';
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

export type KeySeals = ReturnType<typeof createKeySeals>;

/**
 * Creates the encryption of API keys. The place is part of the sealed data: encrypted keys that were swapped in Redis, or
 * moved to another account, cannot be decrypted. Keys that version 0.1 sealed without the account are decrypted and
 * resealed.
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
