import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { APP_ID } from './seed.ts';

/** The result of sending an envelope: the ack's payload, or why there was none. */
export type EnvelopeOutcome =
  | { kind: 'acked'; payload: unknown }
  | { kind: 'socket-lost' }
  | { kind: 'timeout' };

export type Sockets = {
  /** Returns a URL for one connection, as `apps.connections.open` does. */
  open: () => string;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  count: () => number;
  /** Sends an envelope on one of the sockets. Returns undefined if none is open. */
  send: (
    envelope: Record<string, unknown>,
    options: { timeoutMs: number; dropAfterSending?: boolean },
  ) => Promise<EnvelopeOutcome> | undefined;
  /** Resolves once a socket is open, or after `ms`. */
  waitForOne: (ms: number) => Promise<void>;
  /** Sends `disconnect` to every socket, or drops all of them without it if `hard`. */
  disconnect: (reason: string, hard: boolean) => void;
  close: () => void;
};

const MAX_SOCKETS = 10;
/** Shorter than 30 s, after which Bolt gives up on a silent connection. */
const PING_MS = 10_000;

type Connection = { ws: WebSocket; pending: Map<string, (outcome: EnvelopeOutcome) => void> };

/** Creates the Socket Mode server, which distributes payloads round-robin among up to 10 connections. */
export function createSockets(options: {
  wsUrl: () => string;
  onChange: () => void;
  onUnknownAck: (envelopeId: string) => void;
}): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const connections: Connection[] = [];
  const waiting = new Set<() => void>();
  let turn = 0;

  const pings = setInterval(() => {
    for (const { ws } of connections) ws.ping();
  }, PING_MS);
  pings.unref();

  const debugInfo = () => ({ host: 'sandbox', started: new Date().toISOString(), build_number: 1 });

  const accept = (ws: WebSocket): void => {
    if (connections.length >= MAX_SOCKETS) {
      ws.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets', debug_info: debugInfo() }));
      ws.close();
      return;
    }
    const connection: Connection = { ws, pending: new Map() };
    connections.push(connection);
    ws.on('message', (data) => {
      const answer = parse(textOf(data));
      if (answer === undefined) return;
      const resolve = connection.pending.get(answer.envelopeId);
      if (resolve === undefined) options.onUnknownAck(answer.envelopeId);
      else resolve({ kind: 'acked', payload: answer.payload });
    });
    const leave = (): void => {
      const at = connections.indexOf(connection);
      if (at === -1) return;
      connections.splice(at, 1);
      for (const resolve of connection.pending.values()) resolve({ kind: 'socket-lost' });
      options.onChange();
    };
    ws.on('close', leave);
    ws.on('error', leave);
    ws.send(
      JSON.stringify({
        type: 'hello',
        num_connections: connections.length,
        connection_info: { app_id: APP_ID },
        debug_info: { ...debugInfo(), approximate_connection_time: 18_060 },
      }),
    );
    options.onChange();
    for (const wake of waiting) wake();
  };

  return {
    open: () => {
      const ticket = randomBytes(12).toString('hex');
      tickets.add(ticket);
      return `${options.wsUrl()}/link/?ticket=${ticket}&app_id=${APP_ID}`;
    },
    upgrade: (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? '';
      // A ticket opens one connection, as on Slack.
      if (!tickets.delete(ticket)) {
        socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, accept);
    },
    count: () => connections.length,
    send: (envelope, { timeoutMs, dropAfterSending }) => {
      const open = connections.filter(({ ws }) => ws.readyState === ws.OPEN);
      turn += 1;
      const connection = open[turn % Math.max(open.length, 1)];
      if (connection === undefined) return undefined;
      const envelopeId = randomUUID();
      return new Promise((resolve) => {
        const settle = (outcome: EnvelopeOutcome): void => {
          clearTimeout(timer);
          connection.pending.delete(envelopeId);
          resolve(outcome);
        };
        const timer = setTimeout(settle, timeoutMs, { kind: 'timeout' });
        connection.pending.set(envelopeId, settle);
        connection.ws.send(JSON.stringify({ envelope_id: envelopeId, ...envelope }), () => {
          if (dropAfterSending === true) connection.ws.terminate();
        });
        if (dropAfterSending === true) {
          // Later acks are ignored.
          connection.pending.delete(envelopeId);
          connection.pending.set(`${envelopeId}-unread`, settle);
        }
      });
    },
    waitForOne: (ms) =>
      new Promise((resolve) => {
        // A closing socket stays in the list for a moment, but accepts nothing.
        if (connections.some(({ ws }) => ws.readyState === ws.OPEN) || ms <= 0) return resolve();
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.add(wake);
      }),
    disconnect: (reason, hard) => {
      // Both call `leave` later, so the list does not change during the loop.
      for (const { ws } of connections) {
        if (hard) ws.terminate();
        else ws.send(JSON.stringify({ type: 'disconnect', reason, debug_info: debugInfo() }));
      }
    },
    close: () => {
      clearInterval(pings);
      for (const wake of waiting) wake();
      for (const { ws } of connections) {
        ws.close(1001);
        // Long enough for a client to answer the close frame.
        setTimeout(() => ws.terminate(), 100);
      }
      server.close();
    },
  };
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data)
    ? data.toString()
    : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]).toString();
}

function parse(text: string): { envelopeId: string; payload: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('envelope_id' in value)) return undefined;
    return {
      envelopeId: String(value.envelope_id),
      payload: 'payload' in value ? value.payload : undefined,
    };
  } catch {
    return undefined;
  }
}
