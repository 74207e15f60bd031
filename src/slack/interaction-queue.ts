/** How many interactions are handled at once. */
const atOnce = 2;

/** After this, an interaction that waits for something else lets the next one begin (ms). */
const longestMs = 5;

/**
 * Creates the queue of acked interactions to be carried out: in a rush of clicks only a few run at a time, so that none of
 * them delays the acks of the others. They begin in their order of arrival.
 */
export function createInteractionQueue() {
  const waiting: (() => void)[] = [];
  let underWay = 0;

  function passOn(): void {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }

  /** Runs something when it is its turn. */
  return async function inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (underWay < atOnce) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let isPassed = false;
    const passOnce = () => {
      if (!isPassed) passOn();
      isPassed = true;
    };
    const timer = setTimeout(passOnce, longestMs);
    try {
      return await run();
    } finally {
      clearTimeout(timer);
      passOnce();
    }
  };
}
