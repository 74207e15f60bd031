import type { Redis } from 'ioredis';
import type { TaskEvent, TransitionResult } from '../domain/events.ts';
import { indexChanges } from '../domain/index-changes.ts';
import { formerOf } from '../domain/live-message.ts';
import type { Op } from '../domain/op.ts';
import { decisionDueAt, isOpen, Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, type ChannelId, type Rating, TaskId } from '../domain/terms.ts';
import { transition } from '../domain/transition.ts';
import { auditEntryOf } from './audit/task-entry.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { campaignIds } from './campaigns.ts';
import { roomIn } from './card-windows.ts';
import { createCodec } from './codec.ts';
import type { Room } from './commit-script.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const taskCodec = createCodec('task', Task);

/**
 * The indexes of tasks: `due`, by the time their decision must be sent or read back · `open`, tasks to be decided, oldest
 * first · `moved`, tasks with a former card that does not say so yet · `held`, tasks whose decision waits for their
 * campaign, by the time it is retried anyway.
 */
export type TaskIndex = 'due' | 'open' | 'moved' | 'held';

export type Tasks = ReturnType<typeof createTasks>;

/**
 * Creates the store of all tasks. Nothing else writes them, and only events change them.
 * @param zone the marketplace's: bonuses count towards a day there
 */
export function createTasks(
  redis: Redis,
  logger?: ErrorLogger,
  now: () => number = Date.now,
  audit: AuditWriter = createAuditWriter({ now }),
  zone = 'UTC',
) {
  const records = createRecords<Task, TaskIndex, TaskId>(
    redis,
    {
      name: 'task',
      codec: taskCodec,
      id: TaskId,
      indexes: ['due', 'open', 'moved', 'held'],
      scores(task) {
        const open = isOpen(task) ? (task.submittedAt ?? task.proof.finishedAt ?? 0) : undefined;
        return {
          due: decisionDueAt(task),
          open,
          moved: formerOf(task.card).length > 0 ? task.revision : undefined,
          held: task.decision?.problem?.waitsFor === 'campaign' ? decisionDueAt(task) : undefined,
        };
      },
      digest: (task) => ({ group: task.campaign, text: letterOf[task.rating] }),
      groups: (ref) => campaignIds(redis, ref),
    },
    logger,
    now,
  );

  /**
   * Applies an event to a task. Concurrent events are applied one after the other. Returns the result, with the task as it
   * is stored now.
   * @param which a task that was read before is not read again, unless it has changed since
   * @param also other changes made in the same step when the event is applied
   */
  async function apply(
    ref: AccountRef,
    which: TaskId | Task,
    event: TaskEvent,
    also: readonly Op[] = [],
    room?: Room,
  ): Promise<TransitionResult> {
    const id = typeof which === 'string' ? which : which.id;
    let known = typeof which === 'string' ? undefined : records.asRead(which);
    for (;;) {
      const loaded = known ?? (await records.load(ref, id));
      const { value } = loaded;
      const outcome = transition(value, event);
      if (outcome.kind !== 'done') {
        if (known === undefined) return outcome;
        // The result for an unchanged task must be based on its current state.
        known = undefined;
        continue;
      }
      known = undefined;
      const { task } = outcome;
      const needsRender = task.card.state !== 'backlog' && task.revision !== value?.revision;
      const entry = auditEntryOf(value, event, task);
      const auditStep = entry && audit(ref, entry);
      const audited = auditStep === undefined ? {} : { audit: auditStep.text };
      const ops = [...indexChanges({ before: value, event, after: task, zone }), ...also];
      const commit = { value: task, needsRender, ops, room, ...audited };
      const stored = await records.commitGuarded(ref, id, loaded, commit);
      if (stored === 'outdated') continue;
      if (stored === 'refused') return { kind: 'rejected', task: value };
      auditStep?.stored();
      return outcome;
    }
  }

  const valuesOf = (loaded: readonly { readonly value: Task | undefined }[]) =>
    loaded.flatMap(({ value }) => (value === undefined ? [] : [value]));

  return {
    apply: (ref: AccountRef, which: TaskId | Task, event: TaskEvent, also: readonly Op[] = []) =>
      apply(ref, which, event, also),

    /**
     * Gives a waiting task a card in a channel, if its window has room at that moment. @param limit most open cards there; 0
     * for any number
     */
    async giveCard(
      ref: AccountRef,
      id: TaskId,
      channel: ChannelId,
      limit: number,
    ): Promise<TransitionResult> {
      const room = limit === 0 ? undefined : roomIn(ref, channel, limit);
      return apply(ref, id, { type: 'card-wanted', channel }, [], room);
    },

    loadMany: records.loadMany,

    async get(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
      return (await records.load(ref, id)).value;
    },

    /** Returns those of these tasks that have a record: not those of which only the rating is known. */
    async getMany(ref: AccountRef, ids: readonly TaskId[]): Promise<Task[]> {
      return valuesOf(await records.loadMany(ref, ids));
    },

    /**
     * Removes the record of a task whose details were removed, if nothing remains to be done about the task: only its
     * rating stays. Resolves to whether it is removed.
     */
    async forget(ref: AccountRef, id: TaskId): Promise<boolean> {
      const loaded = await records.load(ref, id);
      return loaded.value?.detailsRemovedAt !== undefined && (await records.forget(ref, id, loaded));
    },

    /** Returns the tasks of a campaign that were rated OK or NOK and may have a record. */
    async ratedWithRecords(ref: AccountRef, campaign: CampaignId): Promise<TaskId[]> {
      const letters = [...(await records.digest(ref, campaign))];
      return letters.flatMap(([id, text]) => (text === letterOf.OK || text === letterOf.NOK ? [id] : []));
    },

    find: records.find,
    count: records.count,
    lowest: records.lowest,
    needsRender: records.needsRender,

    /** Returns which of these tasks are to be decided, and when each was submitted (ms, 0 when unknown). */
    async submittedAt(ref: AccountRef, ids: readonly TaskId[]): Promise<Map<TaskId, number>> {
      return records.scores(ref, 'open', ids);
    },

    clearNeedsRender: records.clearNeedsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,

    /** Returns the last known rating of every task of a campaign. */
    async knownRatings(ref: AccountRef, campaign: CampaignId): Promise<Map<TaskId, Rating>> {
      const known = new Map<TaskId, Rating>();
      for (const [id, letter] of await records.digest(ref, campaign)) {
        const rating = ratingOf(letter);
        if (rating) known.set(id, rating);
      }
      return known;
    },

    /** Returns the last known ratings of some tasks of a campaign, in the order asked for. */
    async knownRatingsOf(
      ref: AccountRef,
      campaign: CampaignId,
      ids: readonly TaskId[],
    ): Promise<(Rating | undefined)[]> {
      const letters = await records.digestsOf(ref, campaign, ids);
      return letters.map((letter) => (letter === null ? undefined : ratingOf(letter)));
    },

    /**
     * Stores the ratings of tasks that need no record: rated before the bot saw them, or not reviewed by the marketplace
     * yet. Ratings that differ from `known`, their state when the tasks were read, stay unchanged.
     */
    async recordRatings(
      ref: AccountRef,
      campaign: CampaignId,
      ratings: ReadonlyMap<TaskId, Rating>,
      known: ReadonlyMap<TaskId, Rating>,
    ): Promise<void> {
      await records.recordKnown(ref, campaign, lettersOf(ratings), lettersOf(known));
    },
  };
}

const letterOf: Readonly<Record<Rating, string>> = {
  NOTREVIEWED: 'W',
  NOTRATED: 'N',
  OK: 'O',
  NOK: 'X',
  REVISE: 'R',
};

function lettersOf(ratings: ReadonlyMap<TaskId, Rating>): Map<TaskId, string> {
  return new Map([...ratings].map(([id, rating]) => [id, letterOf[rating]]));
}

const ratingsByLetter = new Map(
  Object.entries(letterOf).map(([rating, letter]) => [letter, rating as Rating]),
);

/** Returns the rating that a digest begins with. */
const ratingOf = (text: string) => ratingsByLetter.get(text.charAt(0));
