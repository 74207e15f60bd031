import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Likeness, likenessKinds, mostAlike, type Shared } from '../domain/evidence/likeness.ts';
import { comparedTask, postingsOf } from '../domain/evidence/print.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId, WorkerId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createEvidenceIndex } from './evidence-index.ts';
import { createEvidencePending } from './evidence-pending.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

const StoredLikeness = z.object({
  kinds: z.array(z.enum(likenessKinds)).readonly(),
  worker: WorkerId,
  campaign: CampaignId,
  travel: z
    .object({ countries: z.tuple([z.string(), z.string()]).readonly(), minutes: z.number() })
    .exactOptional(),
  pace: z.object({ ms: z.number(), quickest: z.number() }).exactOptional(),
});
export const likenessCodec = createCodec('likeness', StoredLikeness);

/** A similar task, and the kinds of similarity. */
export interface AlikeTask extends Likeness {
  readonly task: TaskId;
}

export type Evidence = ReturnType<typeof createEvidence>;

/**
 * Creates the store of evidence: the similarities between tasks of an account. Each is stored with both tasks; none decides
 * anything.
 */
export function createEvidence(redis: Redis, logger?: ErrorLogger) {
  const index = createEvidenceIndex(redis);
  const pending = createEvidencePending(redis);
  const links = createStoredHash(redis, { codec: likenessCodec, field: TaskId }, logger);
  const linksKey = (ref: AccountRef, task: TaskId) => accountKey(ref, 'evidence-links', task);
  const untoldKey = (ref: AccountRef) => accountKey(ref, 'evidence-untold');
  const ids = z.array(TaskId);

  /**
   * Stores the similarity of a task to another one, and marks the task if its card must show that: if it has a similarity of
   * that kind for the first time. If every further task were shown at once, a text submitted by hundreds would have each of
   * their cards rendered again for each of the others, and use up the updates that Slack allows.
   */
  async function put(ref: AccountRef, id: TaskId, other: Task, shared: Shared): Promise<void> {
    const known = await links.all(linksKey(ref, id));
    const before = known.get(other.id);
    const likeness = { ...shared, worker: other.worker.id, campaign: other.campaign };
    const isFull = before === undefined && known.size >= mostAlike;
    if (isFull || isDeepStrictEqual(before, likeness)) return;
    const kinds = [...known.values()].flatMap((one) => one.kinds);
    const isFirst = shared.kinds.some((kind) => !kinds.includes(kind));
    const step = redis.multi().hset(linksKey(ref, id), other.id, likenessCodec.encode(likeness));
    await (isFirst ? step.sadd(untoldKey(ref), id) : step).exec();
  }

  const linkedWith = async (ref: AccountRef, task: TaskId) =>
    ids.parse(await redis.hkeys(linksKey(ref, task)));

  /** Removes a task's similarities, from the other tasks too. */
  async function removeLinks(ref: AccountRef, task: TaskId, others: readonly TaskId[]): Promise<void> {
    for (const other of others) await redis.hdel(linksKey(ref, other), task);
    await redis.unlink(linksKey(ref, task));
  }

  return {
    pending,
    index,

    /** Returns the similarities of a task whose record is at hand, without reading anything if it has none. */
    async on(ref: AccountRef, { id, hasEvidence }: Pick<Task, 'id' | 'hasEvidence'>): Promise<AlikeTask[]> {
      if (!hasEvidence) return [];
      return [...(await links.all(linksKey(ref, id)))].map(([task, likeness]) => ({ task, ...likeness }));
    },

    /** Stores the similarities of two tasks. */
    async link(ref: AccountRef, one: Task, other: Task, shared: Shared): Promise<void> {
      await Promise.all([put(ref, one.id, other, shared), put(ref, other.id, one, shared)]);
    },

    /** Returns tasks whose cards do not show their evidence yet. */
    async untold(ref: AccountRef): Promise<TaskId[]> {
      return ids.parse(await redis.smembers(untoldKey(ref)));
    },

    async told(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.srem(untoldKey(ref), task);
    },

    /** Removes a task's similarities, from the other tasks too, whose cards must be rendered again. */
    async unlink(ref: AccountRef, task: TaskId): Promise<void> {
      const others = await linkedWith(ref, task);
      if (others.length > 0) await redis.sadd(untoldKey(ref), ...others);
      await removeLinks(ref, task, others);
    },

    /** Removes all evidence of a task whose details are about to be removed. */
    async forget(ref: AccountRef, task: Task): Promise<void> {
      const { before, proof } = task;
      const earlier = before ? [{ ...task, proof: { ...proof, slots: before.slots } }] : [];
      const places = [task, ...earlier].flatMap((one) => postingsOf(comparedTask(one)));
      await Promise.all([
        redis.srem(untoldKey(ref), task.id),
        pending.forget(ref, task.id),
        index.leave(ref, task.id, places),
      ]);
      // Its card may not have been marked yet, so that its record does not mention evidence.
      await removeLinks(ref, task.id, await linkedWith(ref, task.id));
    },
  };
}
