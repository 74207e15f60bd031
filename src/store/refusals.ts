import type { Redis } from 'ioredis';
import type { Task } from '../domain/task.ts';
import { reasonUsed } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/** When this many different workers are refused for one reason, the instructions may be at fault. */
export const workersAtFault = 3;
/** How many of them are stored, and for how long after the latest (s). */
const mostWorkers = 20;
const rememberedSeconds = 14 * 86_400;

const casesKey = (ref: AccountRef, campaign: CampaignId, reason: string) =>
  accountKey(ref, 'refusals', campaign, reason);
const dueKey = (ref: AccountRef) => accountKey(ref, 'refusals-due');
const toldKey = (ref: AccountRef) => accountKey(ref, 'refusals-told');

/** A campaign in which several workers were refused for one saved reason. */
export interface Refused {
  readonly campaign: CampaignId;
  readonly reason: string;
}

const nameOf = ({ campaign, reason }: Refused) =>
  `${encodeURIComponent(campaign)} ${encodeURIComponent(reason)}`;

function refusedIn(name: string): Refused {
  const [campaign = '', reason = ''] = name.split(' ').map(decodeURIComponent);
  return { campaign: CampaignId.parse(campaign), reason };
}

/** Returns the step that stores the worker whom a decision refused with a saved reason, made when it has become a rating. */
export function refusalStep(ref: AccountRef, before: Task | undefined, after: Task): CommitStep | undefined {
  const reason = reasonUsed(before, after);
  if (reason === undefined || after.decision?.verdict !== 'NOK') return undefined;
  const { campaign, worker, id } = after;
  return {
    keys: [casesKey(ref, campaign, reason), dueKey(ref), toldKey(ref)],
    args: [worker.id, id, rememberedSeconds, nameOf({ campaign, reason })],
    lua: (key, arg) => `
if redis.call('HLEN', KEYS[${key}]) < ${mostWorkers} then redis.call('HSET', KEYS[${key}], ARGV[${arg}], ARGV[${arg + 1}]) end
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 2}])
if redis.call('HLEN', KEYS[${key}]) >= ${workersAtFault} and redis.call('SISMEMBER', KEYS[${key + 2}], ARGV[${arg + 3}]) == 0 then
  redis.call('SADD', KEYS[${key + 1}], ARGV[${arg + 3}])
end`,
  };
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Creates the reader of recent refusals by saved reason. */
export function createRefusals(redis: Redis) {
  return {
    /** Returns where several workers were refused for one reason, and nobody was told yet. */
    async due(ref: AccountRef): Promise<Refused[]> {
      return (await redis.smembers(dueKey(ref))).map(refusedIn);
    },

    /** Records that the team was told: once for each campaign and reason. */
    async told(ref: AccountRef, refused: Refused): Promise<void> {
      const name = nameOf(refused);
      await redis.multi().sadd(toldKey(ref), name).srem(dueKey(ref), name).exec();
    },

    /** Returns the latest task of each worker refused for a reason. */
    async tasks(ref: AccountRef, { campaign, reason }: Refused): Promise<TaskId[]> {
      return (await redis.hvals(casesKey(ref, campaign, reason))).map((id) => TaskId.parse(id));
    },

    /** Removes a task whose details are about to be removed. */
    async forget(ref: AccountRef, { id, campaign, worker, decision }: Task): Promise<void> {
      if (decision?.reason === undefined) return;
      const key = casesKey(ref, campaign, decision.reason);
      if ((await redis.hget(key, worker.id)) === id) await redis.hdel(key, worker.id);
    },
  };
}
