import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  comparedTask,
  type Likeness,
  likenessKinds,
  mostAlike,
  type Posting,
  postingsOf,
  type Shared,
} from '../domain/evidence/likeness.ts';
import { evidenceState, keyOf } from '../domain/index-changes.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId, WorkerId } from '../domain/terms.ts';
import { accountKey, createCodec } from './format.ts';
import { changeIf } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

const StoredLikeness = z.object({
  kinds: z.array(z.enum(likenessKinds)).readonly(),
  worker: WorkerId,
  campaign: CampaignId,
  travel: z
    .object({ countries: z.tuple([z.string(), z.string()]).readonly(), minutes: z.number() })
    .exactOptional(),
});
export const likenessCodec = createCodec('likeness', StoredLikeness);

/** A similar task, and the kinds of similarity. */
export interface AlikeTask extends Likeness {
  readonly task: TaskId;
}

/**
 * Creates the store of evidence: the similarities between tasks of an account. Each is stored with both tasks; none decides
 * anything.
 */
export function createEvidence(redis: Redis, logger?: ErrorLogger) {
  const index = createEvidenceIndex(redis);
  const pending = createEvidencePending(redis);
  const linksKey = ([ref, task]: readonly [AccountRef, TaskId]) => accountKey(ref, 'evidence-links', task);
  const links = createStoredHash(redis, { codec: likenessCodec, field: TaskId, key: linksKey }, logger);
  const untoldKey = (ref: AccountRef) => accountKey(ref, 'evidence-untold');
  const ids = z.array(TaskId);

  /**
   * Stores the similarity of a task to another one, and marks the task if its card must show that: if it has a similarity of
   * that kind for the first time. If every further task were shown at once, a text submitted by hundreds would have each of
   * their cards rendered again for each of the others, and use up the updates that Slack allows.
   */
  async function put(ref: AccountRef, id: TaskId, other: Task, shared: Shared): Promise<void> {
    const known = await links.all([ref, id]);
    const before = known.get(other.id);
    const likeness = { ...shared, worker: other.worker.id, campaign: other.campaign };
    const isFull = before === undefined && known.size >= mostAlike;
    if (isFull || isDeepStrictEqual(before, likeness)) return;
    const kinds = [...known.values()].flatMap((one) => one.kinds);
    const isFirst = shared.kinds.some((kind) => !kinds.includes(kind));
    const step = redis.multi().hset(linksKey([ref, id]), other.id, likenessCodec.encode(likeness));
    await (isFirst ? step.sadd(untoldKey(ref), id) : step).exec();
  }

  const linkedWith = async (ref: AccountRef, task: TaskId) =>
    ids.parse(await redis.hkeys(linksKey([ref, task])));

  /** Removes a task's similarities, from the other tasks too. */
  async function removeLinks(ref: AccountRef, task: TaskId, others: readonly TaskId[]): Promise<void> {
    for (const other of others) await redis.hdel(linksKey([ref, other]), task);
    await redis.unlink(linksKey([ref, task]));
  }

  return {
    pending,
    index,

    /** Returns the similarities of a task whose record is at hand, without reading anything if it has none. */
    async on(ref: AccountRef, { id, hasEvidence }: Pick<Task, 'id' | 'hasEvidence'>): Promise<AlikeTask[]> {
      if (!hasEvidence) return [];
      return [...(await links.all([ref, id]))].map(([task, likeness]) => ({ task, ...likeness }));
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

/** Most tasks remembered at a place: a feature that more tasks share says nothing. */
export const mostAtPlace = 15;
/** The first digits of a place name its set, so that an account has at most 65,536 small ones. */
const digitsOfSet = 4;

/** The other tasks at a place of a task, latest first. */
export interface FoundPlace {
  readonly kind: Posting['kind'];
  readonly tasks: readonly TaskId[];
}

/**
 * Creates the index of similar tasks. A task stands at each of its places as a member `<rest of the place> <time> <task>`
 * of a sorted set without scores, so the tasks at a place are the members that begin with it, oldest first.
 */
export function createEvidenceIndex(redis: Redis) {
  const setOf = (ref: AccountRef, { place }: Posting) =>
    accountKey(ref, 'evidence', place.slice(0, digitsOfSet));
  const beginOf = ({ place }: Posting) => `${place.slice(digitsOfSet)} `;
  const taskIn = (member: string) => TaskId.parse(member.slice(member.lastIndexOf(' ') + 1));

  async function membersAt(ref: AccountRef, posting: Posting): Promise<string[]> {
    const begin = beginOf(posting);
    return redis.zrangebylex(setOf(ref, posting), `[${begin}`, `[${begin}~`);
  }

  async function removeMembers(ref: AccountRef, posting: Posting, members: readonly string[]): Promise<void> {
    if (members.length > 0) await redis.zrem(setOf(ref, posting), ...members);
  }

  return {
    /**
     * Adds a task to its places, and returns who else is there. It is added before it is looked who is there: of two that
     * arrive at once, at least one finds the other. A task may be added again.
     */
    async put(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<FoundPlace[]> {
      const end = `${Date.now().toString(36)} ${task}`;
      const putAt = async (posting: Posting) => {
        const own = beginOf(posting) + end;
        const [, members] = await Promise.all([
          redis.zadd(setOf(ref, posting), 0, own),
          membersAt(ref, posting),
        ]);
        const others = members.filter((member) => taskIn(member) !== task);
        const kept = others.slice(-mostAtPlace);
        const left = members.filter((member) => member !== own && !kept.includes(member));
        await removeMembers(ref, posting, left);
        return { kind: posting.kind, tasks: kept.map(taskIn).toReversed() };
      };
      return Promise.all(postings.map(putAt));
    },

    /** Removes a task from some of its places. */
    async leave(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      await Promise.all(
        postings.map(async (posting) => {
          const members = await membersAt(ref, posting);
          await removeMembers(
            ref,
            posting,
            members.filter((member) => taskIn(member) === task),
          );
        }),
      );
    },
  };
}

/** New or changed tasks that must be compared with others, by the revision of their records. */
const pendingKey = (ref: AccountRef) => accountKey(ref, keyOf.evidencePending);
const ids = z.array(TaskId);

/** Creates the set of tasks that are still to be compared with others. */
export function createEvidencePending(redis: Redis) {
  return {
    /** Returns some of them. */
    async some(ref: AccountRef, count: number): Promise<TaskId[]> {
      return ids.parse(await redis.zrange(pendingKey(ref), '0', String(count - 1)));
    },

    isAny: async (ref: AccountRef): Promise<boolean> => (await redis.exists(pendingKey(ref))) === 1,

    async has(ref: AccountRef, task: TaskId): Promise<boolean> {
      return (await redis.zscore(pendingKey(ref), task)) !== null;
    },

    /** Removes a task compared in this state of its record. */
    async compared(ref: AccountRef, task: Task): Promise<void> {
      const pending = pendingKey(ref);
      const state = await redis.zscore(pending, task.id);
      if (state !== null && Number(state) <= evidenceState(task))
        await changeIf(redis, [[state, 'ZSCORE', pending, task.id]], [['ZREM', pending, task.id]]);
    },

    /** Removes a task that no longer needs to be compared. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.zrem(pendingKey(ref), task);
    },
  };
}
