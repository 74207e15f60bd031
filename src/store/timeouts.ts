/**
 * Timeouts, leases and retry delays, in ms. A lease is also how long others wait for a process that was killed.
 */
export interface Timeouts {
  /** One call to the marketplace, waiting and retries included. */
  readonly marketplaceMs: number;
  /** One call to Slack. */
  readonly slackMs: number;
  /** The lease to render a message, renewed before each call: longer than any one call takes. */
  readonly renderLeaseMs: number;
  /** How long an unanswered request may still arrive at Slack: until then the card is left alone. */
  readonly lateArrivalMs: number;
  /** The lease on decisions being sent: longer than the call takes. After it expires they are read back. */
  readonly sendLeaseMs: number;
  /** A lease that its owner renews while it works. */
  readonly leaseMs: number;
  /**
   * The lease on a task that somebody looks at in focus review, renewed by their activity: nobody else is shown it
   * meanwhile.
   */
  readonly focusLeaseMs: number;
  /**
   * A decision of a focus review that follows the previous one sooner than this cannot be meant: nobody has seen the task by
   * then, and the second click of a double click lands on it.
   */
  readonly doubleClickMs: number;
  /** The lock on a job of the queue, which its worker renews while it works. */
  readonly jobLockMs: number;
  /** The backoff before a failed job is retried; it doubles each time, up to 15 to 30 times this. */
  readonly firstRetryMs: number;
  /** How long a card may be out of date before a poll queues its job again. */
  readonly requeueAfterMs: number;
  /** How long a request for approval is valid: it is carried out within this time or not at all. */
  readonly approvalMs: number;
}

export const defaultTimeouts: Timeouts = {
  marketplaceMs: 15_000,
  slackMs: 10_000,
  renderLeaseMs: 30_000,
  lateArrivalMs: 15_000,
  sendLeaseMs: 40_000,
  leaseMs: 15_000,
  focusLeaseMs: 120_000,
  doubleClickMs: 300,
  jobLockMs: 30_000,
  firstRetryMs: 1_000,
  requeueAfterMs: 5_000,
  approvalMs: 24 * 3_600_000,
};
