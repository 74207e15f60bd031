import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  type Assignee,
  type Assignment,
  assigneeOf,
  assigneeText,
  assignmentVersion,
  isMemberOf,
} from '../domain/assignment.ts';
import type { ActedBy } from '../domain/audit.ts';
import { chunksOf } from '../domain/collections.ts';
import { keyOf, unknownTime } from '../domain/index-changes.ts';
import { deadlineOf, finishedAtOf, isOpen } from '../domain/task.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
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
  readonly to: Assignee;
  readonly task: TaskId;
}

export type Assignments = ReturnType<typeof createAssignments>;

/**
 * Creates the reader of assignments. Assignments are part of the tasks' records, and only events change them; an index per
 * member and user group is written in the same step (domain/index-changes.ts). Tasks that are no longer open are omitted here,
 * and count again once their decision is undone or their correction arrives.
 */
export function createAssignments(
  redis: Redis,
  {
    tasks,
    groupsOf,
    now,
  }: {
    readonly tasks: Pick<Tasks, 'apply' | 'get' | 'getMany'>;
    /** Returns which of these user groups a member is in. */
    readonly groupsOf: (
      workspace: WorkspaceId,
      groups: readonly string[],
      member: MemberId,
    ) => Promise<readonly string[]>;
    readonly now: () => number;
  },
) {
  async function assignees(ref: AccountRef): Promise<Assignee[]> {
    return (await redis.smembers(accountKey(ref, keyOf.assignees))).map(assigneeOf);
  }

  /** Returns the open tasks assigned to one of these, in the order in which they are due. */
  async function openOf(ref: AccountRef, all: readonly Assignee[]): Promise<AssignedTask[]> {
    const ids = await Promise.all(
      all.map((to) => redis.smembers(accountKey(ref, keyOf.assignedTo(assigneeText(to))))),
    );
    const open = (await tasks.getMany(ref, z.array(TaskId).parse(ids.flat()))).filter(isOpen);
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
  }

  /** Returns the assignees whose tasks count as this member's: the member, and their user groups. */
  async function assigneesOf(ref: AccountRef, member: MemberId): Promise<Assignee[]> {
    const all = await assignees(ref);
    const groups = all.flatMap((to) => ('group' in to ? [to.group] : []));
    const own = groups.length === 0 ? [] : await groupsOf(ref.workspace, groups, member);
    return [{ member }, ...own.map((group) => ({ group }))];
  }

  async function release(ref: AccountRef, member: MemberId, how: ActedBy): Promise<number> {
    let released = 0;
    for (const id of z.array(TaskId).parse(await redis.smembers(accountKey(ref, keyOf.assignedTo(member))))) {
      const assignment = (await tasks.get(ref, id))?.assignment;
      if (!isMemberOf(assignment, member)) continue;
      const seen = assignmentVersion(assignment);
      const by = how === 'job' ? {} : { by: member };
      const { kind } = await tasks.apply(ref, id, { type: 'assigned', ...by, how, at: now(), seen });
      if (kind === 'done') released += 1;
    }
    return released;
  }

  return {
    assignees,
    openOf,

    /** Returns the assignment of a task. */
    async of(ref: AccountRef, task: TaskId): Promise<Assignment | undefined> {
      return (await tasks.get(ref, task))?.assignment;
    },

    /** Returns whether an assignment is a member's: by name, or through a user group that they are in. */
    async isMine(
      { workspace }: AccountRef,
      member: MemberId,
      { to }: Pick<Assignment, 'to'>,
    ): Promise<boolean> {
      if ('member' in to) return to.member === member;
      return (await groupsOf(workspace, [to.group], member)).length > 0;
    },

    /**
     * Returns a member's open tasks, in the order in which they are due: taken, assigned to them, or assigned to a user group
     * that they are in.
     */
    async allOf(ref: AccountRef, member: MemberId): Promise<AssignedTask[]> {
      return openOf(ref, await assigneesOf(ref, member));
    },

    /** Splits tasks into those that are a member's and those that are only others'. */
    async sorted(
      ref: AccountRef,
      member: MemberId,
    ): Promise<{ readonly mine: ReadonlySet<TaskId>; readonly others: ReadonlySet<TaskId> }> {
      const byTask = Object.entries(await redis.hgetall(accountKey(ref, keyOf.assigneeByTask)));
      if (byTask.length === 0) return { mine: new Set(), others: new Set() };
      const assignees = new Set((await assigneesOf(ref, member)).map(assigneeText));
      const [mine, others] = [new Set<TaskId>(), new Set<TaskId>()];
      for (const [id, who] of byTask) (assignees.has(who) ? mine : others).add(TaskId.parse(id));
      return { mine, others };
    },

    /** Returns the assignments that somebody must be told of, earliest first. */
    async news(ref: AccountRef): Promise<AssignmentNews[]> {
      const found = await redis.zrange(accountKey(ref, keyOf.assignmentNews), '0', '999', 'WITHSCORES');
      return chunksOf(found, 2).map(([text = '', number]) => {
        const space = text.lastIndexOf(' ');
        const to = assigneeOf(text.slice(0, space));
        return { number: Number(number), to, task: TaskId.parse(text.slice(space + 1)) };
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
      for await (const { ref } of keysOfAccounts(redis, workspace, 'assignments:to', member))
        released += await release(ref, member, 'job');
      return released;
    },
  };
}
