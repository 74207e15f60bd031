import type { AccountRef, MemberId } from './terms.ts';

/**
 * Who may do what, in one place. A **role** is what a person is in an account; a **capability** is what somebody wants to
 * do, and names the least role that it takes. docs/permissions.md is generated from this table.
 */

/** In ascending order: each role includes the previous ones. */
export const roles = ['viewer', 'reviewer', 'manager', 'owner'] as const;
export type Role = (typeof roles)[number];

interface CapabilityEntry {
  readonly least: Role;
  /** Completes "Only managers can …". */
  readonly words: string;
  /** It spends money, so the person's status in Slack is checked again, bypassing the cache. */
  readonly spends?: true;
}

/** Each capability with its minimum role. */
export const capabilities = {
  see: { least: 'viewer', words: 'see this account' },
  rate: { least: 'reviewer', words: 'rate tasks' },
  note: { least: 'reviewer', words: 'leave notes on tasks' },
  trash: { least: 'reviewer', words: 'move messages to the trash' },
  exclude: { least: 'reviewer', words: 'change the exclude list' },
  undo: { least: 'manager', words: 'undo a colleague’s decision' },
  subscribe: { least: 'manager', words: 'change what a channel gets' },
  bonus: { least: 'manager', words: 'pay a bonus', spends: true },
  restart: { least: 'manager', words: 'restart a campaign', spends: true },
  retarget: { least: 'manager', words: 'change the countries of a campaign' },
  deadlines: { least: 'manager', words: 'set the rating deadline' },
  create: { least: 'manager', words: 'create a campaign', spends: true },
  submit: { least: 'manager', words: 'submit a task for a worker', spends: true },
  approve: { least: 'manager', words: 'approve requests', spends: true },
  reasons: { least: 'manager', words: 'change saved reasons' },
  addresses: { least: 'manager', words: 'see workers’ addresses' },
  audit: { least: 'manager', words: 'read the audit log' },
  settings: { least: 'owner', words: 'open settings' },
} as const satisfies Readonly<Record<string, CapabilityEntry>>;
export type Capability = keyof typeof capabilities;

/** Returns the minimum role for a capability. */
export function leastRole(capability: Capability): Role {
  return capabilities[capability].least;
}

/** Returns whether a role has a capability; without a role, none. */
export function may(role: Role | undefined, capability: Capability): boolean {
  return isAtLeast(role, leastRole(capability));
}

const ranks: readonly (Role | undefined)[] = [undefined, ...roles];

/** Returns whether a role includes another; undefined stands for none. */
export function isAtLeast(role: Role | undefined, least: Role | undefined): boolean {
  return ranks.indexOf(role) >= ranks.indexOf(least);
}

/** Returns the higher of two roles; undefined stands for none. */
export function higherRole(a: Role | undefined, b: Role | undefined): Role | undefined {
  return isAtLeast(a, b) ? a : b;
}

/** Returns whether a capability spends money. */
export function spendsMoney(capability: Capability): boolean {
  const entry: CapabilityEntry = capabilities[capability];
  return entry.spends === true;
}

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
