import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import type { Random } from './random.ts';

/** The kinds of faults that a request can meet. */
export const faultKinds = [
  'latency',
  '500',
  'html',
  '429',
  'drop-before',
  'drop-after',
  'slow-after',
  'garbage',
  'error',
  'stale',
  'lie',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The ways in which an answer with status SUCCESS can be wrong, see lies.ts. */
export const lies = [
  'no csv',
  'no header',
  'other columns',
  'cut end',
  'fewer rows',
  'unreadable rows',
  'repeated rows',
  'other campaign',
  'fewer items',
  'unreadable items',
  'null counts',
] as const;
export type Lie = (typeof lies)[number];

/** `POST /_sandbox/faults`, see README.md. */
export const FaultInput = z
  .strictObject({
    match: z
      .strictObject({
        method: z.string().optional(),
        path: z.string().optional(),
        key: z.string().optional(),
      })
      .default({}),
    kind: z.enum(faultKinds),
    times: z.int().min(0).default(1),
    probability: z.number().min(0).max(1).default(1),
    delayMs: z.number().min(0).max(600_000).default(1000),
    retryAfter: z.int().min(0).default(1),
    lagSeconds: z.number().min(0).default(6),
    lie: z.enum(lies).optional(),
    error: z.string().min(1).optional(),
    errors: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ kind, lie }) => (lie !== undefined) === (kind === 'lie'), {
    path: ['lie'],
    message: 'belongs to kind "lie", and only to it: what the answer says that is not so',
  })
  .refine(
    ({ kind, error, errors }) =>
      Number(error !== undefined) + Number(errors !== undefined) === Number(kind === 'error'),
    {
      path: ['error'],
      message:
        'belongs to kind "error", and only to it: the business error to answer, or `errors` as new_campaign has them',
    },
  );
export type Fault = z.output<typeof FaultInput> & { readonly id: string };

export interface Faults {
  add(input: z.output<typeof FaultInput>): string;
  /** Removes one fault, or all, and ends their pending delays. Returns how many were removed. */
  remove(id?: string): number;
  list(): Fault[];
  /**
   * Returns the faults for this request: the sum of all matching latencies, and the first other fault. Decrements
   * `times` of each one used.
   */
  take(request: { method: string; path: string; key: string }): {
    delayMs: number;
    /** Aborted when a fault that delays the request is removed. */
    removed?: AbortSignal;
    fault?: Fault;
  };
}

export function createFaults(random: Random): Faults {
  let faults: Fault[] = [];
  let next = 1;
  /** Aborted when the fault with this id is removed. Delaying faults keep theirs even after their last use. */
  const removals = new Map<string, AbortController>();
  return {
    add(input) {
      const id = `f${next}`;
      next += 1;
      faults.push({ ...input, id });
      if (input.kind === 'latency') {
        const removal = new AbortController();
        setMaxListeners(0, removal.signal);
        removals.set(id, removal);
      }
      return id;
    },
    remove(id) {
      const removed = new Set(
        faults.filter((fault) => id === undefined || fault.id === id).map((one) => one.id),
      );
      faults = faults.filter((fault) => !removed.has(fault.id));
      for (const [latency, removal] of removals) {
        if (id !== undefined && latency !== id) continue;
        removal.abort();
        removals.delete(latency);
        removed.add(latency);
      }
      return removed.size;
    },
    list: () => [...faults],
    take({ method, path, key }) {
      let delayMs = 0;
      const ends: AbortSignal[] = [];
      const taken = () => ({ delayMs, ...(ends.length === 0 ? {} : { removed: AbortSignal.any(ends) }) });
      for (const fault of faults) {
        const { match } = fault;
        if (match.method !== undefined && match.method.toUpperCase() !== method) continue;
        if (match.path !== undefined && !path.includes(match.path)) continue;
        if (match.key !== undefined && match.key !== key) continue;
        if (fault.probability < 1 && random.next() >= fault.probability) continue;
        if (fault.times === 1) faults = faults.filter((other) => other !== fault);
        else if (fault.times > 1) fault.times -= 1;
        if (fault.kind !== 'latency') return { ...taken(), fault };
        delayMs += fault.delayMs;
        const removal = removals.get(fault.id);
        if (removal !== undefined) ends.push(removal.signal);
      }
      return taken();
    },
  };
}
