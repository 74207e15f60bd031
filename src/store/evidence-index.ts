import type { Redis } from 'ioredis';
import type { Posting } from '../domain/evidence/print.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Most tasks remembered at a place: a feature that more tasks share says nothing. */
export const mostAtPlace = 15;
/** The first digits of a place name its set, so that an account has at most 65,536 small ones. */
const digitsOfSet = 4;

/** Tasks found at the places of a task. */
export interface IndexedTask {
  /** How many tasks were ever added, about. */
  readonly known: number;
  /** The other tasks at the place of each posting, latest first. */
  readonly found: readonly { readonly kind: Posting['kind']; readonly tasks: readonly TaskId[] }[];
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
    async put(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<IndexedTask> {
      const knownKey = accountKey(ref, 'evidence', 'known');
      const end = `${Date.now().toString(36)} ${task}`;
      const look = async (posting: Posting) => {
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
      const [found, , known] = await Promise.all([
        Promise.all(postings.map(look)),
        redis.pfadd(knownKey, task),
        redis.pfcount(knownKey),
      ]);
      return { known, found };
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
