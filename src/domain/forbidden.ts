import type { Capability, Role } from './permissions.ts';
import type { AccountRef, MemberId } from './terms.ts';

/**
 * Why somebody may do nothing, whatever their role: they are of another company (`stranger`), a guest, a bot or
 * deactivated, or Slack could not be asked (`unchecked`).
 */
export type Refusal = 'stranger' | 'guest' | 'bot' | 'deactivated' | 'unchecked';

/** What a person was refused, and who may grant it. */
export interface Refused {
  /** Absent where it is about no account. */
  readonly ref?: AccountRef;
  /** Absent where being a member is enough. */
  readonly capability?: Capability;
  /** Absent: their role is too low. */
  readonly refusal?: Refusal;
  /** Absent: they have none. */
  readonly role?: Role | undefined;
  /** Who may grant it, as far as that is known; none: the admins of the workspace. */
  readonly owners?: readonly MemberId[];
  /** What they wanted to do, encoded: carried out once they are connected. */
  readonly intent?: string | undefined;
}

/** A person has no right to what they want to do. They read which role it takes and who can grant it. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(`not allowed: ${refused.refusal ?? refused.capability ?? 'membership'}`);
    this.refused = refused;
  }
}
