import type { Capability, Role } from './permissions.ts';
import type { AccountRef, MemberId } from './terms.ts';

/**
 * Why somebody may do nothing, regardless of role: they belong to another company (`stranger`), are a guest, a bot or
 * deactivated, or Slack could not be asked (`unchecked`).
 */
export type Refusal = 'stranger' | 'guest' | 'bot' | 'deactivated' | 'unchecked';

/** A refused action, and who may grant it. */
export interface Refused {
  /** Absent if no account is concerned. */
  readonly ref?: AccountRef;
  /** Absent if membership is sufficient. */
  readonly capability?: Capability;
  /** Absent: their role is too low. */
  readonly refusal?: Refusal;
  /** Absent: they have none. */
  readonly role?: Role | undefined;
  /** Known members who may grant it; if empty, the workspace admins. */
  readonly owners?: readonly MemberId[];
  /** The encoded action, resumed once they are connected. */
  readonly intent?: string | undefined;
}

/** The person lacks the right to an action. The answer says which role it takes and who can grant it. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(`not allowed: ${refused.refusal ?? refused.capability ?? 'membership'}`);
    this.refused = refused;
  }
}
