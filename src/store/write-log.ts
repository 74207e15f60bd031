import { AsyncLocalStorage } from 'node:async_hooks';
import type { Redis } from 'ioredis';
import { isUnknownScript, markBeforeAnyWrite, refusalCode } from './redis-errors.ts';

/** The writes of one interaction so far: whether anything is stored, and how many commands are unanswered. */
interface WriteLog {
  wrote: boolean;
  unanswered: number;
}

const interaction = new AsyncLocalStorage<WriteLog | undefined>();

/** Read-only commands. All other commands count as writes, including read-only scripts unless they are {@link untracked}. */
const reads = new Set(
  (
    'exists get hexists hget hgetall hkeys hlen hmget info mget ping pttl scan scard sismember smembers strlen ttl type ' +
    'xlen xrange xrevrange zcard zmscore zrange zrangebyscore zrevrange zrevrangebyscore zscore'
  ).split(' '),
);

/**
 * Runs a person's action and records its writes to Redis. A refusal that comes before anything was written is marked: only
 * then may people be told that nothing was stored. An interaction often makes several writes, and Redis may begin to refuse
 * between two of them.
 */
export function trackWrites<T>(run: () => Promise<T>): Promise<T> {
  return interaction.run({ wrote: false, unanswered: 0 }, run);
}

/** Reports a write to its interaction, where the sender is {@link untracked}. */
export function trackWrite<T>(answer: Promise<T>): Promise<T> {
  const log = interaction.getStore();
  if (log !== undefined) follow(log, answer);
  return answer;
}

/** Runs something that sends commands for several interactions at once, or a script that only reads. */
export function untracked<T>(run: () => T): T {
  return interaction.run(undefined, run);
}

/** Makes a connection report its writes to their interaction. */
export function reportWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  const seen = new WeakSet<object>();
  redis.sendCommand = (command, ...where) => {
    const log = interaction.getStore();
    const isNew = log !== undefined && !reads.has(command.name.toLowerCase()) && !seen.has(command);
    if (isNew) {
      // A command may be resent on another connection; it is reported once.
      seen.add(command);
      follow(log, command.promise);
    }
    return send(command, ...where);
  };
}

function follow(log: WriteLog, answer: Promise<unknown>): void {
  log.unanswered += 1;
  answer.then(
    () => {
      log.unanswered -= 1;
      log.wrote = true;
    },
    (error: unknown) => {
      log.unanswered -= 1;
      if (isUnknownScript(error)) return;
      if (refusalCode(error) === undefined) log.wrote = true;
      else if (!log.wrote && log.unanswered === 0) markBeforeAnyWrite(error as Error);
    },
  );
}
