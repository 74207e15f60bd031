import type { AccountRef } from '../../src/domain/terms.ts';

/** Returns a literal as the expected type of id. */
export function asId<Id extends string>(text: string): Id {
  return text as Id;
}

/** An account of a workspace, for tests of what is stored or done for one. */
export const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
