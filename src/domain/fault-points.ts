/**
 * The moments between two steps of posting and rating at which a process may die. Each is passed by name, so that a
 * test can end the process there and show that nothing is lost and nothing done twice.
 */
export const faultPoints = [
  'event read, not stored',
  'event stored',
  'results read, nothing stored',
  'task stored, card job not queued',
  'rows stored, import not recorded',
  'render lease acquired',
  'details read, not stored',
  'post slot reserved',
  'post attempt stored, not posted',
  'posted, not recorded',
  'post recorded',
  'updated, not recorded',
  'rendered, lease not released',
  'decision stored, no job queued',
  'redraw queued, send not',
  'due found',
  'claimed, not sent',
  'sent, not recorded',
  'one of several recorded',
  'failure not recorded',
  'reconciled, not recorded',
  'next send not queued',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/** Told of every such moment, and waited for. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** What runs in production: nothing. */
export const noFaults: Faults = () => undefined;
