/** How many interactions are worked on at once. */
const atOnce = 2;

/** After this, one that waits for something else lets the next one begin (ms). */
const longestMs = 5;

/**
 * Creates the line in which interactions that were acked wait to be carried out: in a rush of clicks few are under way at a time, so
 * that none of them makes the acks of the others wait. They begin in the order in which they came.
 */
export function createTurns() {
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
