/**
 * How long what a process holds counts as held after its last sign of life, in ms: so long a killed process keeps
 * others waiting.
 */
export interface Timeouts {
  /** One call to the marketplace, waiting and retries included. */
  readonly marketplaceMs: number;
  /** One call to Slack. */
  readonly slackMs: number;
  /** The right to draw a card, from one call to the next: longer than any one of them takes. */
  readonly renderLeaseMs: number;
  /** What was sent to Slack without an answer may still arrive for so long: until then the card is left alone. */
  readonly lateArrivalMs: number;
  /** Decisions that are being sent: longer than the call takes. Past it they are read back. */
  readonly sendLeaseMs: number;
  /** A lock that its holder renews while it works. */
  readonly leaseMs: number;
  /** A job of the queue, which its worker renews while it works. */
  readonly jobLockMs: number;
  /** The first wait before a job that failed is tried again; each further one doubles, up to 15 times this. */
  readonly firstRetryMs: number;
  /** How long a card may be out of date before a look asks for it again. */
  readonly requeueAfterMs: number;
}

export const defaultTimeouts: Timeouts = {
  marketplaceMs: 15_000,
  slackMs: 10_000,
  renderLeaseMs: 30_000,
  lateArrivalMs: 15_000,
  sendLeaseMs: 40_000,
  leaseMs: 15_000,
  jobLockMs: 30_000,
  firstRetryMs: 1_000,
  requeueAfterMs: 5_000,
};
