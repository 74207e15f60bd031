import type { Redis } from 'ioredis';

/**
 * Makes a connection read what Redis has answered before it lets a command time out. In a process that was busy for longer
 * than the timeout, timers run before sockets are read: a click would be told that Redis does not answer, although its answer
 * had long arrived.
 */
export function readAnswersBeforeTimeouts(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...where) => {
    const { reject } = command;
    command.reject = (error) => {
      if (error.message !== 'Command timed out') return reject(error);
      // Sockets are read after timers, and before this. Rejecting has no effect once the answer is known.
      setImmediate(() => reject(error));
    };
    return send(command, ...where);
  };
}
