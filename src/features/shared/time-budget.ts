/** The time that all requests behind one answer share. */
export interface TimeBudget {
  /** What is left of it (ms), 0 at the least. */
  readonly remainingMs: () => number;
}

/**
 * Starts the time until a modal must be open, or a submission answered: Slack allows 3 seconds from what the person
 * did, and the way there and back takes its part.
 */
export function modalBudget(): TimeBudget {
  return startBudget(2_200);
}

/** Starts the time until a plain answer, for which only the person waits. */
export function answerBudget(): TimeBudget {
  return startBudget(6_000);
}

function startBudget(ms: number): TimeBudget {
  const end = performance.now() + ms;
  return { remainingMs: () => Math.max(0, end - performance.now()) };
}
