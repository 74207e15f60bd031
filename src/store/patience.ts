/**
 * How long what a process holds counts as held after its last sign of life, in ms: so long a killed process keeps
 * others waiting.
 */
export interface Patience {
  /** One call to the marketplace, waiting and retries included. */
  readonly marketplaceMs: number;
  /** One call to Slack. */
  readonly slackMs: number;
  /** The right to draw a card, from one call to the next: longer than any one of them takes. */
  readonly drawerMs: number;
  /** What was sent to Slack without an answer may still arrive for so long: until then the card is left alone. */
  readonly arrivalMs: number;
  /** Decisions that are being sent: longer than the call takes. Past it they are read back. */
  readonly leaseMs: number;
  /** A lock that its holder renews while it works. */
  readonly lockMs: number;
  /** A job of the queue, which its worker renews while it works. */
  readonly jobMs: number;
  /** The first wait before a job that failed is tried again; each further one doubles, up to 15 times this. */
  readonly retryMs: number;
  /** How long a card may be out of date before a look asks for it again. */
  readonly mendMs: number;
}

export const defaultPatience: Patience = {
  marketplaceMs: 15_000,
  slackMs: 10_000,
  drawerMs: 30_000,
  arrivalMs: 15_000,
  leaseMs: 40_000,
  lockMs: 15_000,
  jobMs: 30_000,
  retryMs: 1_000,
  mendMs: 5_000,
};
