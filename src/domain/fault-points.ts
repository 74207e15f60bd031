/**
 * The moments between two steps of posting and rating at which a process may die. Each is passed by name, so that a
 * test can end the process there and show that nothing is lost and nothing done twice.
 */
export const faultPoints = [
  'event read, not kept',
  'event kept',
  'results read, nothing kept',
  'task kept, card not asked for',
  'news kept, read not noted',
  'drawer taken',
  'details read, not kept',
  'place reserved',
  'attempt noted, not posted',
  'posted, not noted',
  'post noted',
  'updated, not noted',
  'drawn, drawer not left',
  'decision kept, nothing asked for',
  'redraw asked for, sending not',
  'due found',
  'taken, not sent',
  'sent, not noted',
  'one of several noted',
  'failure not noted',
  'read back, not noted',
  'next sending not asked for',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/** Told of every such moment, and waited for. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** What runs in production: nothing. */
export const noFaults: Faults = () => undefined;
