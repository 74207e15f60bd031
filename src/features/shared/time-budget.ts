/** A deadline shared by all requests behind one answer. */
export interface TimeBudget {
  /** Remaining time (ms), at least 0. */
  readonly remainingMs: () => number;
}

/**
 * Starts the budget for opening a modal or answering a submission: Slack allows 3 seconds from the person's action,
 * including the network round trip.
 */
export function modalBudget(): TimeBudget {
  return startBudget(2_200);
}

/** Starts the budget for a plain answer, for which only the person waits. */
export function answerBudget(): TimeBudget {
  return startBudget(6_000);
}

function startBudget(ms: number): TimeBudget {
  const end = performance.now() + ms;
  return { remainingMs: () => Math.max(0, end - performance.now()) };
}
