import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { probeKey } from '../store/keys.ts';
import { refusalCode, refusalReason } from '../store/redis.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** Maximum difference between this machine's clock and Redis's (ms). */
const maxClockDifferenceMs = 60_000;

/** Checks whether Redis takes writes, whether they would survive a power cut, and its clock. */
export async function checkRedisSafety(redis: Redis): Promise<Finding[]> {
  return [...(await checkWrites(redis)), await checkSync(redis), ...(await checkClock(redis))];
}

async function checkWrites(redis: Redis): Promise<Finding[]> {
  try {
    await redis.set(probeKey, '1', 'EX', 60);
    return [];
  } catch (error) {
    const code = refusalCode(error);
    const why = code === undefined ? messageOf(error) : `${refusalReason(code)} (${code})`;
    return [wrong('Redis writes', `it refuses them: ${why}. Correct that first: nothing can be stored.`)];
  }
}

async function checkSync(redis: Redis): Promise<Finding> {
  const name = 'Redis power cut';
  // CONFIG is not allowed by most providers.
  const [, appendfsync] = await redis.config('GET', 'appendfsync').then(
    (answer) => answer as string[],
    () => [],
  );
  if (appendfsync === undefined)
    return note(name, 'it does not report appendfsync. Make sure that it is always.');
  if (appendfsync === 'always') return ok(name, 'appendfsync is always: nothing that was accepted is lost.');
  const lost = appendfsync === 'everysec' ? 'the decisions of the last second' : 'decisions of many seconds';
  return note(
    name,
    `appendfsync is ${appendfsync}: a power cut may lose ${lost}, which are asked again. Set appendfsync always.`,
  );
}

/** Compares clocks: the bot's time is Redis's. */
async function checkClock(redis: Redis): Promise<Finding[]> {
  const [seconds] = await redis.time();
  const difference = Math.abs(Number(seconds) * 1_000 - Date.now());
  return difference < maxClockDifferenceMs
    ? []
    : [
        wrong(
          'Redis clock',
          `it is ${Math.round(difference / 60_000)} minutes off this machine’s. Set both by NTP.`,
        ),
      ];
}
