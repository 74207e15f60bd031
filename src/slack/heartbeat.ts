/*
 * The heartbeat that tells a thread that the bot is responsive: shared memory with the time of the last sign (ns since the
 * machine started, which is the same in all threads).
 */

/** Interval of the heartbeat, and its maximum age (ms). */
const everyMs = 100;
const longestMs = 1_000;

/** Gives signs of life until it is stopped. */
export function startHeartbeat(): { readonly sign: SharedArrayBuffer; stop(): void } {
  const sign = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const at = new BigInt64Array(sign);
  const give = () => void Atomics.store(at, 0, process.hrtime.bigint());
  give();
  const giving = setInterval(give, everyMs).unref();
  return { sign, stop: () => clearInterval(giving) };
}

/** Returns whether the last sign is recent: the bot neither hangs nor is blocked for long. */
export function isRecentHeartbeat(sign: SharedArrayBuffer): boolean {
  const age = process.hrtime.bigint() - Atomics.load(new BigInt64Array(sign), 0);
  return age < BigInt(longestMs * 1_000_000);
}
