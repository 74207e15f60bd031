import type { Redis } from 'ioredis';
import type { ActedBy } from '../domain/audit.ts';
import { chunksOf } from '../domain/collections.ts';
import { keyOf, unknownTime } from '../domain/index-changes.ts';
import { assignmentVersion, deadlineOf, finishedAtOf, isOpen } from '../domain/task.ts';
import { type AccountRef, MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { accountKey } from './format.ts';
import { keysOfAccounts } from './scripts.ts';
import { daysOf, dueOrder, type Tasks } from './tasks.ts';

/** An open assigned task, and when it is due (ms), if known. */
export interface AssignedTask {
  readonly task: TaskId;
  readonly dueAt?: number;
}

/** A new assignment that somebody must be told of. `number` counts these within an account. */
export interface AssignmentNews {
  readonly number: number;
  readonly to: MemberId;
  readonly task: TaskId;
}

export type Assignments = ReturnType<typeof createAssignments>;

/**
 * Creates the reader of assignments. Assignments are part of the tasks' records, and only events change them; an index is
 * written in the same step (domain/index-changes.ts). Tasks that are no longer open are omitted here, and count again once
 * their decision is undone or their correction arrives.
 */
export function createAssignments(
  redis: Redis,
  tasks: Pick<Tasks, 'apply' | 'get' | 'getMany'>,
  now: () => number,
) {
  /** Returns all assigned tasks, each with its assignee. */
  async function byTask(ref: AccountRef): Promise<(readonly [TaskId, MemberId])[]> {
    const all = Object.entries(await redis.hgetall(accountKey(ref, keyOf.assigneeByTask)));
    return all.map(([id, who]) => [TaskId.parse(id), MemberId.parse(who)]);
  }

  const assignedTo = async (ref: AccountRef, member: MemberId): Promise<TaskId[]> =>
    (await byTask(ref)).flatMap(([id, who]) => (who === member ? [id] : []));

  async function release(ref: AccountRef, member: MemberId, how: ActedBy): Promise<number> {
    let released = 0;
    for (const id of await assignedTo(ref, member)) {
      const assignment = (await tasks.get(ref, id))?.assignment;
      if (assignment?.to !== member) continue;
      const seen = assignmentVersion(assignment);
      const by = how === 'job' ? {} : { by: member };
      const { kind } = await tasks.apply(ref, id, { type: 'assigned', ...by, how, at: now(), seen });
      if (kind === 'done') released += 1;
    }
    return released;
  }

  return {
    /** Returns who has a task. */
    async assignees(ref: AccountRef): Promise<MemberId[]> {
      return [...new Set((await byTask(ref)).map(([, who]) => who))];
    },

    /** Returns a member's open tasks, taken or assigned to them, in the order in which they are due. */
    async allOf(ref: AccountRef, member: MemberId): Promise<AssignedTask[]> {
      const open = (await tasks.getMany(ref, await assignedTo(ref, member))).filter(isOpen);
      const campaigns = open.map(({ campaign }) => campaign);
      const days = await daysOf(redis, ref, campaigns);
      return open
        .map((task, index) => {
          const finished = finishedAtOf(task);
          const order = dueOrder(finished ?? unknownTime, days[index]);
          return { task: task.id, order, dueAt: deadlineOf(finished, days[index]) };
        })
        .sort((one, other) => one.order - other.order || (one.task < other.task ? -1 : 1))
        .map(({ task, dueAt }) => (dueAt === undefined ? { task } : { task, dueAt }));
    },

    /** Splits tasks into those that are a member's and those that are only others'. */
    async sorted(
      ref: AccountRef,
      member: MemberId,
    ): Promise<{ readonly mine: ReadonlySet<TaskId>; readonly others: ReadonlySet<TaskId> }> {
      const [mine, others] = [new Set<TaskId>(), new Set<TaskId>()];
      for (const [id, who] of await byTask(ref)) (who === member ? mine : others).add(id);
      return { mine, others };
    },

    /** Returns the assignments that somebody must be told of, earliest first. */
    async news(ref: AccountRef): Promise<AssignmentNews[]> {
      const found = await redis.zrange(accountKey(ref, keyOf.assignmentNews), '0', '999', 'WITHSCORES');
      return chunksOf(found, 2).map(([text = '', number]) => {
        const [to, task] = text.split(' ');
        return { number: Number(number), to: MemberId.parse(to), task: TaskId.parse(task) };
      });
    },

    /** Records that these assignments were announced. */
    async newsTold(ref: AccountRef, news: readonly AssignmentNews[]): Promise<void> {
      // Removes by number: the same task may have been assigned again meanwhile.
      for (const { number } of news)
        await redis.zremrangebyscore(accountKey(ref, keyOf.assignmentNews), number, number);
    },

    /** Releases the tasks of a member who gives back the key of an account. Returns how many. */
    release,

    /** Releases the tasks of a member who has left, in all accounts. Returns how many. */
    async releaseEverywhere(workspace: WorkspaceId, member: MemberId): Promise<number> {
      let released = 0;
      for await (const { ref } of keysOfAccounts(redis, workspace, 'assignments', 'by-task'))
        released += await release(ref, member, 'job');
      return released;
    },
  };
}
