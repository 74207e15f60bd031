import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection, its remote address, and its latest request. */
interface Client {
  readonly socket: Socket;
  readonly address: string;
  request?: IncomingMessage;
  /** Number of answers in progress. */
  answering: number;
}

const makesRoom =
  'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\nOther requests need this connection.\n';

/**
 * Limits how many connections a server has open. A connection over the limit is still accepted, and another one is closed
 * for it: of the address with the most connections, the one that has waited longest for the rest of its request. So requests
 * that never end delay nobody else, however many there are, and from few addresses they only displace each other. A complete
 * request is always answered. Behind a proxy, all have its address, and the oldest is closed.
 * @returns whether a connection came while every other one was being answered: its request must be refused
 */
export function limitConnections(server: Server, most: number): (socket: Socket) => boolean {
  const refused = new WeakSet<Socket>();
  const clients = new Map<Socket, Client>();
  /** By address, the longest inactive first. */
  const byAddress = new Map<string, Set<Client>>();

  /** Moves a connection behind the others of its address. */
  function touch(client: Client): void {
    const others = byAddress.get(client.address) ?? new Set();
    others.delete(client);
    others.add(client);
    byAddress.set(client.address, others);
  }

  function forget(client: Client): void {
    clients.delete(client.socket);
    const others = byAddress.get(client.address);
    others?.delete(client);
    if (others?.size === 0) byAddress.delete(client.address);
  }

  /** Closes the most expendable connection. Returns false when all of them are being answered. */
  function makeRoom(): boolean {
    const bySize = [...byAddress.values()].sort((a, b) => b.size - a.size);
    for (const some of bySize) {
      for (const client of some) {
        if (!mayClose(client)) continue;
        forget(client);
        close(client.socket, client.request === undefined || !client.request.complete ? makesRoom : '');
        return true;
      }
    }
    return false;
  }

  server.on('connection', (socket: Socket) => {
    if (clients.size >= most && !makeRoom()) {
      if (clients.size >= 2 * most) return void socket.destroy();
      refused.add(socket);
    }
    const client: Client = { socket, address: socket.remoteAddress ?? '', answering: 0 };
    clients.set(socket, client);
    touch(client);
    socket.once('close', () => forget(client));
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const client = clients.get(request.socket);
    if (client === undefined) return;
    client.request = request;
    client.answering += 1;
    response.once('close', () => {
      client.answering -= 1;
      if (clients.has(client.socket)) touch(client);
    });
  });

  return (socket) => refused.has(socket);
}

/** Whether nobody waits for an answer on the connection: its request is not complete, or it has none. */
function mayClose({ request, answering }: Client): boolean {
  return answering === 0 || request?.complete === false;
}

function close(socket: Socket, answer: string): void {
  socket.on('error', () => undefined);
  if (answer !== '' && socket.writable) socket.write(answer);
  socket.destroySoon();
}
