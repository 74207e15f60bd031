import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** Faults of Web API calls, then those of deliveries. */
const CALL_KINDS = [
  '429',
  '500',
  'html',
  'latency',
  'drop-before',
  'drop-after',
  'accepted-late',
  'error',
] as const;
const DELIVERY_KINDS = ['twice', 'late', 'lost', 'drop-socket'] as const;

export const faultSchema = z.strictObject({
  match: z
    .strictObject({
      method: z.string().optional(),
      channel: z.string().optional(),
      delivery: z.string().optional(),
    })
    .default({}),
  kind: z.enum([...CALL_KINDS, ...DELIVERY_KINDS]),
  /** How many times; 0: without limit. */
  times: z.number().int().min(0).default(1),
  probability: z.number().min(0).max(1).default(1),
  delayMs: z.number().min(0).optional(),
  retryAfter: z.number().min(0).optional(),
  /** For kind `error`: the Slack error code. */
  error: z.string().optional(),
});

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema>;

export type Faults = {
  add: (fault: Fault) => string;
  /** Removes one fault, or all, and ends their pending delays. */
  remove: (id?: string) => void;
  /** Delays a call by `ms`, or until the fault is removed. */
  delay: (fault: Fault, ms: number) => Promise<void>;
  forCall: (method: string, channel: string | undefined) => Fault | undefined;
  forDelivery: (type: string, channel: string | undefined) => Fault | undefined;
};

const isCallKind = (kind: string): boolean => (CALL_KINDS as readonly string[]).includes(kind);

/** Creates the list of faults to inject. A fault is removed once it has matched `times` times. */
export function createFaults(): Faults {
  let faults: { id: string; fault: Fault; left: number }[] = [];
  let last = 0;
  const ids = new WeakMap<Fault, string>();
  const delays = new Set<{ readonly id: string | undefined; readonly end: AbortController }>();

  const take = (matches: (fault: Fault) => boolean): Fault | undefined => {
    for (const entry of faults) {
      if (!matches(entry.fault)) continue;
      if (entry.fault.probability < 1 && Math.random() >= entry.fault.probability) continue;
      entry.left -= 1;
      if (entry.left === 0) faults = faults.filter((other) => other !== entry);
      return entry.fault;
    }
    return undefined;
  };

  const channelFits = (fault: Fault, channel: string | undefined) =>
    fault.match.channel === undefined || fault.match.channel === channel;

  return {
    add: (fault) => {
      last += 1;
      const id = `fault-${last}`;
      faults.push({ id, fault, left: fault.times });
      ids.set(fault, id);
      return id;
    },
    remove: (id) => {
      faults = id === undefined ? [] : faults.filter((entry) => entry.id !== id);
      for (const delay of delays) if (id === undefined || delay.id === id) delay.end.abort();
    },
    delay: async (fault, ms) => {
      const delay = { id: ids.get(fault), end: new AbortController() };
      delays.add(delay);
      await wait(ms, undefined, { signal: delay.end.signal }).catch((error: unknown) => {
        if (!delay.end.signal.aborted) throw error;
      });
      delays.delete(delay);
    },
    forCall: (method, channel) =>
      take(
        (fault) =>
          isCallKind(fault.kind) &&
          fault.match.delivery === undefined &&
          (fault.match.method === undefined || fault.match.method === method) &&
          channelFits(fault, channel),
      ),
    forDelivery: (type, channel) =>
      take(
        (fault) =>
          !isCallKind(fault.kind) &&
          fault.match.method === undefined &&
          (fault.match.delivery === undefined || fault.match.delivery === type) &&
          channelFits(fault, channel),
      ),
  };
}
