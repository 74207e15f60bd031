import type { Redis } from 'ioredis';
import { keyOf, refusalName } from '../domain/index-changes.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** When this many different workers are refused for one reason, the instructions may be at fault. */
export const workersAtFault = 3;
const casesKey = (ref: AccountRef, { campaign, reason }: Refused) =>
  accountKey(ref, keyOf.refusals(campaign, reason));
const dueKey = (ref: AccountRef) => accountKey(ref, keyOf.refusalsDue);
const toldKey = (ref: AccountRef) => accountKey(ref, 'refusals-told');

/** How many tasks are shown at most. */
const mostShown = 20;

/** A campaign in which several workers were refused for one saved reason. */
export interface Refused {
  readonly campaign: CampaignId;
  readonly reason: string;
}

function refusedIn(name: string): Refused {
  const [campaign = '', reason = ''] = name.split(' ').map(decodeURIComponent);
  return { campaign: CampaignId.parse(campaign), reason };
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Creates the reader of recent refusals by saved reason. */
export function createRefusals(redis: Redis) {
  return {
    /** Returns where several workers were refused for one reason, and nobody was told yet. */
    async due(ref: AccountRef): Promise<Refused[]> {
      const names = await redis.smembers(dueKey(ref));
      const found = await Promise.all(
        names.map(async (name) => {
          const refused = refusedIn(name);
          const [workers, isTold] = await Promise.all([
            redis.hlen(casesKey(ref, refused)),
            redis.sismember(toldKey(ref), name),
          ]);
          // Nobody was refused for it lately, or nobody has to be told any more.
          if (workers === 0 || isTold === 1) await redis.srem(dueKey(ref), name);
          return workers >= workersAtFault && isTold === 0 ? [refused] : [];
        }),
      );
      return found.flat();
    },

    /** Records that the team was told: once for each campaign and reason. */
    async told(ref: AccountRef, refused: Refused): Promise<void> {
      const name = refusalName(refused.campaign, refused.reason);
      await redis.multi().sadd(toldKey(ref), name).srem(dueKey(ref), name).exec();
    },

    /** Returns the latest task of each worker refused for a reason. */
    async tasks(ref: AccountRef, refused: Refused): Promise<TaskId[]> {
      const ids = await redis.hvals(casesKey(ref, refused));
      return ids.slice(0, mostShown).map((id) => TaskId.parse(id));
    },

    /** Removes a task whose details are about to be removed. */
    async forget(ref: AccountRef, { id, campaign, worker, decision }: Task): Promise<void> {
      if (decision?.reason === undefined) return;
      const key = casesKey(ref, { campaign, reason: decision.reason });
      if ((await redis.hget(key, worker.id)) === id) await redis.hdel(key, worker.id);
    },
  };
}
