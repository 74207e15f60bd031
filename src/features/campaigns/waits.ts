/** How long somebody waits for the marketplace: one patience for all requests that an answer takes. */
export interface Wait {
  /** What is left of it (ms), 0 at the least. */
  readonly leftMs: () => number;
}

/**
 * Until a modal opens, or a submission is answered: Slack gives 3 seconds from what the person did, and the way there
 * and back takes its part.
 */
export function formWait(): Wait {
  return startWait(2_200);
}

/** Until a plain answer, which nothing but the person waits for. */
export function answerWait(): Wait {
  return startWait(6_000);
}

function startWait(ms: number): Wait {
  const end = performance.now() + ms;
  return { leftMs: () => Math.max(0, end - performance.now()) };
}
