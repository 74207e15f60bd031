import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Likeness, type LikenessKind, mostAlike, type Shared } from '../domain/evidence/likeness.ts';
import { comparedTask, postingsOf } from '../domain/evidence/print.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId, WorkerId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createEvidenceIndex } from './evidence-index.ts';
import { createEvidencePending } from './evidence-pending.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** The stored letter of each kind. Changing one would change the meaning of stored data. */
const letterOf: Readonly<Record<LikenessKind, string>> = {
  'same-text': 't',
  'near-text': 'n',
  'same-file': 'f',
  'same-picture': 'i',
  'same-code': 'c',
  'same-link': 'l',
  'same-address': 'a',
  'same-network': 'w',
  'same-browser': 'b',
  travel: 'v',
  pace: 'p',
};
const kindOf = new Map(Object.entries(letterOf).map(([kind, letter]) => [letter, kind as LikenessKind]));

/**
 * The letters of the kinds, the other task's worker and campaign, then the numbers of `travel` and of `pace` if it has them.
 * Kept short, so that Redis stores a task's likenesses as one string.
 */
const StoredLikeness = z.tuple([z.string(), WorkerId, CampaignId], z.number());
export const likenessCodec = createCodec('likeness', StoredLikeness);

const lettersOf = ({ kinds }: Pick<Shared, 'kinds'>) => kinds.map((kind) => letterOf[kind]).join('');

function encoded({ kinds, travel, pace }: Shared, { worker, campaign }: Task): string {
  const letters = lettersOf({ kinds });
  const numbers = [...(travel ? [travel.km, travel.minutes] : []), ...(pace ? [pace.ms, pace.quickest] : [])];
  return likenessCodec.encode([letters, worker.id, campaign, ...numbers]);
}

function likenessIn([letters, worker, campaign, ...numbers]: z.infer<typeof StoredLikeness>): Likeness {
  const kinds = [...letters].flatMap((letter) => kindOf.get(letter) ?? []);
  const next = () => numbers.shift() ?? 0;
  const travel = kinds.includes('travel') ? { travel: { km: next(), minutes: next() } } : {};
  const pace = kinds.includes('pace') ? { pace: { ms: next(), quickest: next() } } : {};
  return { kinds, worker, campaign, ...travel, ...pace };
}

/**
 * Stores the similarities of two tasks with each of them, and marks the tasks whose cards must show them: those that have a
 * similarity of that kind for the first time. If every further task were shown at once, a text submitted by hundreds would
 * have each of their cards rendered again for each of the others, and use up the updates that Slack allows. KEYS: stored
 * similarities of either task, the set of tasks to be marked. ARGV: the two ids, the similarities to store with either, the
 * letters of their kinds. Returns the ids whose cards must show them.
 */
const linkScript = `
local told = {}
local function put(key, id, other, text)
  local before = redis.call('HGET', key, other)
  if before == text or (not before and redis.call('HLEN', key) >= ${mostAlike}) then return end
  local known = {}
  for _, stored in ipairs(redis.call('HVALS', key)) do
    for letter in string.gmatch(string.match(stored, '^%["(%a*)"') or '', '%a') do known[letter] = true end
  end
  redis.call('HSET', key, other, text)
  for letter in string.gmatch(ARGV[5], '%a') do
    if not known[letter] then
      redis.call('SADD', KEYS[3], id)
      told[#told + 1] = id
      return
    end
  end
end
put(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
put(KEYS[2], ARGV[2], ARGV[1], ARGV[4])
return told`;

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

  async function of(ref: AccountRef, task: TaskId): Promise<AlikeTask[]> {
    return [...(await links.all(linksKey(ref, task)))].map(([other, stored]) => ({
      task: other,
      ...likenessIn(stored),
    }));
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
      return hasEvidence ? of(ref, id) : [];
    },

    /** Stores the similarities of two tasks. Returns which of the two had none of such a kind yet. */
    async link(ref: AccountRef, one: Task, other: Task, shared: Shared): Promise<TaskId[]> {
      const told = await redis.eval(
        linkScript,
        3,
        linksKey(ref, one.id),
        linksKey(ref, other.id),
        untoldKey(ref),
        one.id,
        other.id,
        encoded(shared, other),
        encoded(shared, one),
        lettersOf(shared),
      );
      return ids.parse(told);
    },

    /** Returns tasks whose cards do not show their evidence yet: a process may have died before it queued them. */
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
      const earlier = before
        ? postingsOf(comparedTask({ ...task, proof: { ...proof, slots: before.slots } }))
        : [];
      const places = [...postingsOf(comparedTask(task)), ...earlier];
      const [isLinked] = await Promise.all([
        redis.exists(linksKey(ref, task.id)),
        redis.srem(untoldKey(ref), task.id),
        pending.forget(ref, task.id),
        index.forget(ref, task.id, places),
      ]);
      // Its card may not have been marked yet, so that its record does not mention evidence.
      if (isLinked === 1) await removeLinks(ref, task.id, await linkedWith(ref, task.id));
    },
  };
}
