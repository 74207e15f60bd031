import { deadlineOf, finishedAtOf } from '../domain/deadline.ts';
import { filesForCard } from '../domain/picture.ts';
import { isSubmittedBefore } from '../domain/resubmission.ts';
import { filledSlots, type Task } from '../domain/task.ts';
import type { AccountRef, CampaignId, TaskId, WorkerId } from '../domain/terms.ts';
import type { ShownRecord } from '../domain/worker.ts';
import { isFileProofStatusFine, MarketplaceError } from '../marketplace/index.ts';
import type { CallSlack } from '../slack/pacing.ts';
import type { TimesToRate } from '../store/tasks.ts';
import type { Modules } from './modules.ts';
import { uploadPictures } from './proof-images.ts';

/** Creates the fetching and storing of task data that the results CSV lacks. */
export function createTaskDetails(parts: Modules) {
  const { marketplace, slack, tasks } = parts;

  async function recordOf(ref: AccountRef, worker: WorkerId, campaign: CampaignId): Promise<ShownRecord> {
    const { counts, campaigns: seenIn, here } = await parts.campaigns.workers.record(ref, worker, campaign);
    return { counts, campaigns: seenIn, ...(here === undefined ? {} : { here }) };
  }

  /** Refreshes the worker's record on a task whose details were already known because it came back. */
  async function withWorkerRecord(ref: AccountRef, task: Task): Promise<Task | undefined> {
    if (task.workerRecord !== undefined) return task;
    const { round, worker, proof } = task;
    const workerRecord = await recordOf(ref, worker.id, task.campaign);
    const outcome = await tasks.apply(ref, task.id, { type: 'detailed', round, worker, proof, workerRecord });
    return outcome.kind === 'rejected' ? undefined : (outcome.task ?? task);
  }

  return {
    /**
     * Fetches files and every slot of the proof, and adds the worker's record. Resolves to undefined if a correction
     * arrived meanwhile: then these belong to the earlier round.
     */
    async withDetails(ref: AccountRef, task: Task): Promise<Task | undefined> {
      if (task.detailed) return withWorkerRecord(ref, task);
      const client = await marketplace.of(ref);
      try {
        const info = await client.getTaskInfo(task.id);
        // Details of the previous submission are worse than none.
        if (isSubmittedBefore(task.submittedAt, info.finishedAt?.getTime())) return task;
        const finishedAt = info.finishedAt?.getTime() ?? task.proof.finishedAt;
        const workerRecord = await recordOf(ref, info.workerId, task.campaign);
        const outcome = await tasks.apply(ref, task.id, {
          type: 'detailed',
          round: task.round,
          worker: { ...task.worker, id: info.workerId, country: info.country, ip: info.ip },
          workerRecord,
          proof: {
            ...filledSlots(info.proof),
            files: info.files,
            ...(finishedAt === undefined ? {} : { finishedAt }),
            ...(isFileProofStatusFine(info.fileProofStatus) ? {} : { filesWarning: info.fileProofStatus }),
          },
        });
        return outcome.kind === 'rejected' ? undefined : (outcome.task ?? task);
      } catch (error) {
        // The task is shown with the results CSV's data only.
        if (!(error instanceof MarketplaceError) || error.isAuthentication) throw error;
        parts.log.warn({ task: task.id, code: error.code }, 'task details not loaded');
        return task;
      }
    },

    /** Uploads the pictures of the proof to Slack, unless that was already tried. It can show them a moment later. */
    async withPictures(ref: AccountRef, task: Task, callSlack: CallSlack): Promise<Task> {
      const files = filesForCard(task.proof.files);
      if (!task.detailed || task.pictures !== undefined || files.length === 0) return task;
      const messenger = slack.messengerOf(ref.workspace);
      const client = await marketplace.of(ref);
      const pictures = await callSlack({ method: 'files' }, () =>
        uploadPictures({ ...parts, messenger }, client, task, files),
      );
      const { round } = task;
      const stored = await tasks.apply(ref, task.id, { type: 'images-uploaded', round, pictures });
      return stored.task ?? task;
    },
  };
}

/** Creates the lookup of task deadlines: after its deadline, the marketplace may approve a task on its own. */
export function createDeadlines(timesToRate: Pick<TimesToRate, 'getMany'>) {
  return {
    /**
     * Returns the deadlines of these tasks (ms). Tasks with an unknown deadline are left out: the campaign's time to
     * rate was not set, or the marketplace gave no time.
     */
    async dueAt(
      ref: AccountRef,
      tasks: readonly Pick<Task, 'id' | 'campaign' | 'proof' | 'submittedAt'>[],
    ): Promise<Map<TaskId, number>> {
      const days = await timesToRate.getMany(ref, [...new Set(tasks.map(({ campaign }) => campaign))]);
      return new Map(
        tasks.flatMap((task) => {
          const at = deadlineOf(finishedAtOf(task), days.get(task.campaign));
          return at === undefined ? [] : [[task.id, at] as const];
        }),
      );
    },
  };
}
