/**
 * The moments just before and after what must not happen twice (a post, a rating, an act that costs money). A process may
 * die at each; tests end it there, and verify that nothing is lost or done twice.
 */
export type FaultPoint =
  | 'attempt stored, not posted'
  | 'posted, not recorded'
  | 'claimed, not sent'
  | 'sent, not recorded'
  | 'act claimed, not sent'
  | 'act sent, not recorded';

/** Called and awaited at every fault point; if it throws, the work ends there. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** The faults of production: none. */
export const noFaults: Faults = () => undefined;
