import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections, one of which could take a port between its choice and its
 * use; and so that a cluster's own ports (10,000 higher) lie below them too.
 */
const first = 11_000;
const count = 10_000;

/** Test files run side by side, each in a process of its own: they begin at different places. */
let next = (process.pid * 97) % count;

/** A port that nobody uses at present, on any address. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
