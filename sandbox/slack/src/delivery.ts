import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, Faults } from './faults.ts';
import type { HttpDelivery, HttpPayload } from './http-delivery.ts';
import type { RequestLog } from './log.ts';
import type { Sockets } from './sockets.ts';
import type { World } from './world.ts';

/** One delivery from Slack to the app. */
export type Delivery = {
  kind: 'slash_commands' | 'interactive' | 'events_api';
  /** The payload's own type, for faults and the log: `block_actions`, `slash_commands`, an event's type… */
  type: string;
  channel?: string | undefined;
  payload: Record<string, unknown>;
  /** Whether the ack may have a body. */
  acceptsPayload: boolean;
};

export type Ack = {
  acked: boolean;
  ms: number;
  /** The body of the ack; undefined if it had none. */
  body?: unknown;
  error?: string;
};

export type Deliver = {
  /** Delivers once and waits up to 3 seconds for the ack, as a person does. */
  once: (delivery: Delivery) => Promise<Ack>;
  /** Delivers an event, and redelivers it at Slack's intervals until it is acked. Does not wait. */
  event: (delivery: Delivery) => void;
  close: () => void;
};

/** The time an app has to ack. */

type Attempt = { acked: boolean; body?: unknown; error?: string; noRetry?: boolean };
type Retry = { num: number; reason: string };

export function createDeliver(parts: {
  world: World;
  sockets: Sockets;
  http: HttpDelivery;
  faults: Faults;
  log: RequestLog;
}): Deliver {
  const { world, sockets, http, faults, log } = parts;
  const closing = new AbortController();
  // Each pending delivery adds a listener.
  setMaxListeners(0, closing.signal);

  const goesByHttp = (): boolean => {
    const { transport, requestUrl } = world.settings;
    if (transport !== 'auto') return transport === 'http';
    return sockets.count() === 0 && requestUrl !== '';
  };

  const overSockets = async (
    delivery: Delivery,
    deadline: number,
    retry: Retry | undefined,
    drop: boolean,
  ): Promise<Attempt> => {
    let dropNext = drop;
    for (;;) {
      await sockets.waitForOne(deadline - Date.now());
      const left = deadline - Date.now();
      const line = startLine(delivery, 'socket', retry);
      const sent = sockets.send(
        {
          type: delivery.kind,
          payload: delivery.payload,
          accepts_response_payload: delivery.acceptsPayload,
          ...(delivery.kind === 'events_api'
            ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
            : {}),
        },
        { timeoutMs: Math.max(left, 1), dropAfterSending: dropNext },
      );
      if (sent === undefined) {
        if (left > 0 && !closing.signal.aborted) continue;
        Object.assign(line, { ok: false, error: 'no socket is open' });
        return { acked: false, error: 'no socket is open' };
      }
      if (dropNext) line.fault = 'drop-socket';
      dropNext = false;
      const outcome = await sent;
      Object.assign(line, { ok: outcome.kind === 'acked', ms: Date.now() - line.at });
      if (outcome.kind === 'acked') {
        const body = isEmpty(outcome.payload) ? undefined : outcome.payload;
        line.answer = body;
        return { acked: true, body };
      }
      line.error = outcome.kind;
      // If the socket closes before the ack, the payload goes to another socket.
      if (outcome.kind === 'timeout') return { acked: false, error: 'timeout' };
    }
  };

  const overHttp = async (
    delivery: Delivery,
    deadline: number,
    retry: Retry | undefined,
    drop: boolean,
  ): Promise<Attempt> => {
    const line = startLine(delivery, 'http', retry);
    if (drop) line.fault = 'drop-socket';
    const outcome = await http.post(world.settings.requestUrl, httpPayload(delivery), {
      secret: world.settings.signingSecret,
      sentAt: world.now(),
      timeoutMs: Math.max(deadline - Date.now(), 1),
      retry,
      dropAfterSending: drop,
    });
    line.ms = Date.now() - line.at;
    if (outcome.kind !== 'answered') {
      const error = outcome.kind === 'timeout' ? 'http_timeout' : `connection_failed: ${outcome.reason}`;
      Object.assign(line, { ok: false, error });
      return drop ? overHttp(delivery, deadline, retry, false) : { acked: false, error };
    }
    const ok = outcome.status >= 200 && outcome.status < 300;
    Object.assign(line, { ok, status: outcome.status, answer: outcome.body });
    return ok
      ? { acked: true, body: outcome.body }
      : { acked: false, error: `http_error ${outcome.status}`, noRetry: outcome.noRetry };
  };

  const startLine = (delivery: Delivery, transport: 'socket' | 'http', retry: Retry | undefined) =>
    log.add({
      direction: 'out',
      method: delivery.type,
      transport,
      envelope: delivery.kind,
      attempt: retry?.num ?? 0,
      payload: delivery.payload,
    });

  const attempt = async (delivery: Delivery, fault: Fault | undefined, retry?: Retry): Promise<Attempt> => {
    const { answerMs } = world.settings;
    const deadline = Date.now() + answerMs;
    const send = (until: number, drop: boolean): Promise<Attempt> =>
      goesByHttp() ? overHttp(delivery, until, retry, drop) : overSockets(delivery, until, retry, drop);
    switch (fault?.kind) {
      case 'lost':
        log.add({
          direction: 'out',
          method: delivery.type,
          payload: delivery.payload,
          ok: false,
          fault: 'lost',
        });
        await wait(answerMs, undefined, { signal: closing.signal });
        return { acked: false, error: 'lost' };
      case 'late': {
        const delay = fault.delayMs ?? 1000;
        const late = wait(delay, undefined, { signal: closing.signal }).then(() =>
          send(Date.now() + answerMs, false),
        );
        late.catch(() => {});
        if (delay < answerMs) return late;
        await wait(answerMs, undefined, { signal: closing.signal });
        return { acked: false, error: 'timeout' };
      }
      case 'twice': {
        const [first, second] = await Promise.all([send(deadline, false), send(deadline, false)]);
        return first.acked ? first : second;
      }
      case 'drop-socket':
        return send(deadline, true);
      default:
        return send(deadline, false);
    }
  };

  const timed = async (delivery: Delivery): Promise<Ack> => {
    const started = performance.now();
    // Rounded to hundredths, because an ack may take less than a millisecond.
    const elapsed = () => Math.round((performance.now() - started) * 100) / 100;
    const fault = faults.forDelivery(delivery.type, delivery.channel);
    try {
      const { acked, body, error } = await attempt(delivery, fault);
      return {
        acked,
        ms: elapsed(),
        ...(body === undefined ? {} : { body }),
        ...(error === undefined ? {} : { error }),
      };
    } catch {
      return { acked: false, ms: elapsed(), error: 'the sandbox was closed' };
    }
  };

  const withRetries = async (delivery: Delivery): Promise<void> => {
    let result = await attempt(delivery, faults.forDelivery(delivery.type, delivery.channel));
    for (const [index, delay] of world.settings.retryDelaysMs.entries()) {
      if (result.acked || result.noRetry === true) return;
      await wait(delay, undefined, { signal: closing.signal, ref: false });
      const reason = goesByHttp() ? (result.error?.split(/[: ]/)[0] ?? 'unknown_error') : 'timeout';
      const fault = faults.forDelivery(delivery.type, delivery.channel);
      result = await attempt(delivery, fault, { num: index + 1, reason });
    }
  };

  return {
    once: timed,
    event: (delivery) => {
      // Closing the sandbox aborts these waits, and nothing else handles the rejection.
      withRetries(delivery).catch(() => {});
    },
    close: () => closing.abort(),
  };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

function httpPayload(delivery: Delivery): HttpPayload {
  switch (delivery.kind) {
    case 'events_api':
      return { kind: 'json', value: delivery.payload };
    case 'interactive':
      return { kind: 'form', fields: { payload: JSON.stringify(delivery.payload) } };
    default:
      return {
        kind: 'form',
        fields: Object.fromEntries(
          Object.entries(delivery.payload).map(([name, value]) => [name, String(value)]),
        ),
      };
  }
}
