import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './ports.ts';

/**
 * Starts a proxy that tunnels to servers of this machine (CONNECT) and notes what goes through.
 * @param ports the ports behind names that nobody else can resolve; all other names are refused
 */
export async function startLoggingProxy(ports: Readonly<Record<string, number>>) {
  const asked = new Set<string>();
  const sent: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('connect', (request, socket: Socket) => {
    const target = request.url ?? '';
    asked.add(target);
    const { hostname, port } = new URL(`http://${target}`);
    const behind = ports[hostname] ?? (hostname === '127.0.0.1' ? Number(port) : undefined);
    if (behind === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(behind, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.on('data', (data: Buffer) => {
      sent.push(
        ...[...data.toString('latin1').matchAll(/^(?:GET|POST) (\S+) HTTP/gm)].map(([, path = '']) => path),
      );
    });
    socket.pipe(upstream).pipe(socket);
  });
  const url = await listen(server);
  return {
    url,
    /** The hosts and ports that it was asked for. */
    asked: () => [...asked],
    /** The paths of the unencrypted requests that went through. */
    sent: () => sent,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
