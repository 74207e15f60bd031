import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SandboxSlack } from '../src/index.ts';

export type Envelope = {
  type: string;
  reason?: string;
  envelope_id: string;
  accepts_response_payload: boolean;
  retry_attempt?: number;
  retry_reason?: string;
  payload: Record<string, unknown>;
  num_connections?: number;
};

/** A bare Socket Mode connection: tests see each envelope and decide what is acked. */
export type BareSocket = {
  /** The next envelope, waiting for it if need be. */
  next: () => Promise<Envelope>;
  /** How many came that nobody took with `next`. */
  waiting: () => number;
  ack: (envelope: Envelope, payload?: unknown) => void;
  /** Resolves when the connection is gone. */
  closed: Promise<unknown>;
  close: () => void;
};

export async function openSocket(sandbox: SandboxSlack): Promise<BareSocket> {
  const response = await fetch(`${sandbox.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: 'Bearer xapp-sandbox' },
  });
  const { url } = (await response.json()) as { url: string };
  const ws = new WebSocket(url);
  const queue: Envelope[] = [];
  const takers: ((envelope: Envelope) => void)[] = [];
  ws.on('message', (data: Buffer) => {
    const envelope = JSON.parse(data.toString()) as Envelope;
    const taker = takers.shift();
    if (taker === undefined) queue.push(envelope);
    else taker(envelope);
  });
  ws.on('error', () => {});
  await once(ws, 'open');
  return {
    next: () => {
      const envelope = queue.shift();
      return envelope === undefined
        ? new Promise((resolve) => takers.push(resolve))
        : Promise.resolve(envelope);
    },
    waiting: () => queue.length,
    ack: ({ envelope_id }, payload) => ws.send(JSON.stringify({ envelope_id, payload: payload ?? {} })),
    closed: once(ws, 'close'),
    close: () => ws.close(),
  };
}
