import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Makes a connection send the commands of one tick in one system call, which Redis then reads in one. Otherwise each command
 * is a separate write: a fifth of the processor time of a process that polls 1,000 accounts.
 */
export function batchWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  const connection = redis as unknown as { readonly stream?: Socket };
  redis.sendCommand = (command, ...where) => {
    const { stream } = connection;
    if (stream !== undefined && stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return send(command, ...where);
  };
}
