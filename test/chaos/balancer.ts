import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A round-robin load balancer that skips processes which do not listen. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a load balancer for the processes at these local ports. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    open.add(incoming);
    incoming.on('error', () => undefined);
    incoming.once('close', () => open.delete(incoming));
    next += 1;
    pass(
      incoming,
      Array.from(ports, (_, index) => ports[(next + index) % ports.length] ?? 0),
    );
  });

  function pass(incoming: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(port, '127.0.0.1');
    open.add(outgoing);
    outgoing.once('close', () => open.delete(outgoing));
    const refused = () => pass(incoming, others);
    outgoing.once('error', refused);
    outgoing.once('connect', () => {
      outgoing.off('error', refused);
      outgoing.on('error', () => incoming.destroy());
      incoming.once('close', () => outgoing.destroy());
      incoming.pipe(outgoing).pipe(incoming);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
