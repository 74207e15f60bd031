import { setTimeout as wait } from 'node:timers/promises';
import type { outages, Place } from './schedule.ts';
import type { ChaosWorld } from './world.ts';

type Kind<P extends Place> = (typeof outages)[P][number];
/** Ends an outage. */
type End = () => unknown;

/** Creates the outages of a running world. The bots wait for a tenth of their usual time: 1 s for Slack, 1.5 s for the marketplace. */
export function createOutages({ slack, marketplace, redis }: ChaosWorld) {
  async function failing(...faults: Parameters<typeof slack.fault>[0][]): Promise<End> {
    const ids = await Promise.all(faults.map((fault) => slack.fault({ times: 0, ...fault })));
    return () => Promise.all(ids.map((id) => slack.clearFaults(id)));
  }
  async function refusing(...faults: Parameters<typeof marketplace.fault>[0][]): Promise<End> {
    const ids = await Promise.all(faults.map((fault) => marketplace.fault({ times: 0, ...fault })));
    return () => Promise.all(ids.map((id) => marketplace.clearFaults(id)));
  }
  const csv = { path: 'results_csv' };
  const often = { probability: 0.5 };

  const begin: { readonly [P in Place]: Record<Kind<P>, () => Promise<End>> } = {
    slack: {
      errors: () => failing({ kind: '500' }),
      async silent() {
        const end = await failing({ kind: 'drop-before' }, { kind: 'lost' });
        await slack.disconnect({ hard: true });
        return end;
      },
      slow: () => failing({ kind: 'latency', delayMs: 1_300, ...often }, { kind: 'latency', delayMs: 300 }),
      'answers lost': () => failing({ kind: 'drop-after', ...often }),
      'posts late': () => failing({ kind: 'accepted-late', delayMs: 1_400, ...often }),
      limits: () => failing({ kind: '429', retryAfter: 1, ...often }),
      twice: () => failing({ kind: 'twice' }),
      'deliveries lost': () => failing({ kind: 'lost', ...often }, { kind: 'late', delayMs: 1_500 }),
    },
    marketplace: {
      errors: () => refusing({ kind: '500' }),
      silent: () => refusing({ kind: 'drop-before' }),
      // Longer than a decision's lease, so that another process reads it back while this one still sends.
      slow: () =>
        refusing(
          { match: { path: 'rate_task' }, kind: 'slow-after', delayMs: 5_000 },
          { kind: 'slow-after', delayMs: 900 },
        ),
      'answers lost': () => refusing({ kind: 'drop-after', ...often }),
      garbage: () => refusing({ kind: 'garbage', ...often }, { kind: 'html', ...often }),
      limits: () => refusing({ kind: '429', ...often }),
    },
    results: {
      lag: () =>
        refusing(
          { match: csv, kind: 'stale', lagSeconds: 6 },
          { match: { path: 'list_extend' }, kind: 'stale', lagSeconds: 3, ...often },
        ),
      'no csv': () => refusing({ match: csv, kind: 'lie', lie: 'no csv' }),
      'cut end': () => refusing({ match: csv, kind: 'lie', lie: 'cut end' }),
      'fewer rows': () => refusing({ match: csv, kind: 'lie', lie: 'fewer rows' }),
    },
    redis: {
      async killed() {
        await redis.kill();
        return () => redis.restart();
      },
      async hangs() {
        await redis.pause();
        return () => redis.resume();
      },
    },
  };

  return async (place: Place, kind: string, ms: number): Promise<void> => {
    const end = await (begin[place] as Record<string, () => Promise<End>>)[kind]?.();
    await wait(ms);
    await end?.();
  };
}
