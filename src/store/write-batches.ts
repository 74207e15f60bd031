import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Makes a connection send the commands of one turn of the event loop in one system call, which Redis then reads in one.
 * Otherwise each command is a separate write: a fifth of the processor time of a process that polls 1,000 accounts. Sending at
 * the end of each tick instead would take up to twice as many writes, because most commands wait for the answer to another.
 */
export function batchWrites(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  const connection = redis as unknown as { readonly stream?: Socket };
  redis.sendCommand = (command, ...where) => {
    const { stream } = connection;
    if (stream !== undefined && stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return send(command, ...where);
  };
}
