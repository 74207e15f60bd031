import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Below the ports that systems use for outgoing connections, which could otherwise take a port between its choice and its
 * use. The ports of a cluster's bus (10,000 higher) are below them too.
 */
const first = 11_000;
const count = 10_000;

/** Test files run in parallel, each in its own process, so they start at different ports. */
let next = (process.pid * 97) % count;

/** Returns a port that is currently unused on all addresses. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
}

export async function isFree(port: number): Promise<boolean> {
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

/** Lets a server listen at a free port of this machine. Resolves with its address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
