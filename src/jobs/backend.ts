import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq';

/** Numbers from here on are times (ms since 1970, here the year 2001), smaller ones durations and counts. */
const firstMoment = 1e12;

/** A worker requests jobs at least this often (s), even when it believes that the next is due later. */
const longestBlockSeconds = 5;

/**
 * Returns BullMQ's Redis backend, using the bot's time instead of this machine's. BullMQ takes the time from Date.now();
 * when processes disagree, or a clock is set, its delayed and repeated jobs run too early or not at all. So every time that
 * it sends to a script is converted to the bot's time, and every time that it reads is converted back. Added jobs already
 * carry the bot's time, as their `timestamp` option.
 */
export function createBackendBy(now: () => number): BackendFactory<RedisQueueBackend> {
  return (name, options, flags) => {
    const backend = createRedisBackend(name, options, flags);
    const toBotTime = (value: unknown) =>
      typeof value === 'number' && value >= firstMoment ? value + Math.round(now() - Date.now()) : value;
    const toLocalTime = <T>(value: T): T =>
      typeof value === 'number' && value >= firstMoment ? ((value - (now() - Date.now())) as T) : value;

    const execute = backend.execCommand.bind(backend);
    const moveToActive = backend.moveToActive.bind(backend);
    const waitForJob = backend.waitForJob.bind(backend);
    const moveToFinished = backend.moveToFinished.bind(backend);
    const moveToDelayed = backend.moveToDelayed.bind(backend);
    Object.assign(backend, {
      execCommand: (client, command, args) => execute(client, command, args.map(toBotTime)),
      // The last element is when the next delayed job is due.
      moveToActive: async (...args) => (await moveToActive(...args)).map(toLocalTime) as never,
      moveToFinished: async (...args) => (await moveToFinished(...args))?.map(toLocalTime) as never,
      moveToDelayed: async (...args) => {
        const next = await moveToDelayed(...args);
        return (Array.isArray(next) ? next.map(toLocalTime) : next) as never;
      },
      waitForJob: async (blockSeconds) => {
        const found = await waitForJob(blockSeconds);
        return found && { ...found, score: toLocalTime(found.score) };
      },
    } satisfies Partial<RedisQueueBackend>);
    Object.defineProperty(backend, 'maximumBlockTimeout', { value: longestBlockSeconds });
    return backend;
  };
}
