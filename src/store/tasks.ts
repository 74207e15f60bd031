import type { Redis } from 'ioredis';
import type { TaskEvent, TransitionResult } from '../domain/events.ts';
import { formerOf } from '../domain/live-message.ts';
import { settledDecision } from '../domain/review-counts.ts';
import { decisionDueAt, isOpen, reasonUsed, Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, type ChannelId, type Rating, TaskId } from '../domain/terms.ts';
import { transition } from '../domain/transition.ts';
import { assignmentStep } from './assignment-index.ts';
import { auditEntryOf } from './audit/task-entry.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { bonusStep } from './bonus-step.ts';
import { campaignIds } from './campaigns.ts';
import { roomStep, windowStep } from './card-windows.ts';
import { createCodec } from './codec.ts';
import { type CommitStep, countStep, type FieldChange, fieldStep, joinSteps } from './commit-step.ts';
import { evidencePendingStep } from './evidence-pending.ts';
import { findPendingStep } from './find-index.ts';
import { memberDecisionStep } from './member-decisions.ts';
import { openTaskStep } from './open-tasks.ts';
import { reasonUsesKey } from './reasons.ts';
import { createRecords } from './records.ts';
import { refusalStep } from './refusals.ts';
import { reviewStep } from './review-counts.ts';
import type { ErrorLogger } from './unreadable.ts';
import { workerRatingStep } from './worker-ratings.ts';

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
    also?: FieldChange,
    room?: CommitStep,
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
      const reason = reasonUsed(value, task);
      // A task that was decided before is in no list of open tasks, and enters none.
      const isListed = value === undefined || isOpen(value) || isOpen(task);
      const step = joinSteps(
        isListed ? openTaskStep(ref, value, task) : undefined,
        assignmentStep(ref, value, event, task),
        isListed ? windowStep(ref, value, task) : undefined,
        room,
        evidencePendingStep(ref, value, task),
        findPendingStep(ref, value, event, task),
        reviewStep(ref, settledDecision(value, task)),
        refusalStep(ref, value, task),
        workerRatingStep(ref, value, task),
        memberDecisionStep(ref, id, event),
        bonusStep(ref, zone, event, value, task),
        reason === undefined ? undefined : countStep(reasonUsesKey(ref), reason),
        also && fieldStep(also),
      );
      const commit = { value: task, needsRender, step, ...audited };
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
    apply: (ref: AccountRef, which: TaskId | Task, event: TaskEvent, also?: FieldChange) =>
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
      const room = limit === 0 ? undefined : roomStep(ref, channel, limit);
      return apply(ref, id, { type: 'card-wanted', channel }, undefined, room);
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
