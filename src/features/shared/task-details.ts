import { isSubmittedBefore } from '../../domain/resubmission.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { isFileProofStatusFine, MarketplaceError } from '../../marketplace/index.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import type { FeatureContext } from './context.ts';
import { isPicture, uploadPictures } from './proof-images.ts';

type Parts = Pick<FeatureContext, 'faults' | 'logger' | 'marketplaceOf' | 'memory' | 'messengerOf' | 'tasks'>;

/** Creates what fetches of a task that the results CSV does not have, and stores it with the task. */
export function createTaskDetails(parts: Parts) {
  const { faults, marketplaceOf, messengerOf, tasks } = parts;

  /** Stores which pictures of the proof can be shown. */
  async function storePictures(ref: AccountRef, task: Task, pictures: NonNullable<Task['pictures']>) {
    const { round } = task;
    const stored = await tasks.apply(ref, task.id, { type: 'images-uploaded', round, pictures });
    return stored.task ?? task;
  }

  return {
    storePictures,

    /** Fetches files and every slot of the proof. Throws {@link Reschedule} when a correction came meanwhile. */
    async withDetails(ref: AccountRef, task: Task): Promise<Task> {
      if (task.detailed) return task;
      const marketplace = await marketplaceOf(ref);
      try {
        const info = await marketplace.getTaskInfo(task.id);
        // Details of the submission before are worse than none.
        if (isSubmittedBefore(task.submittedAt, info.finishedAt?.getTime())) return task;
        const finishedAt = info.finishedAt?.getTime() ?? task.proof.finishedAt;
        await faults('details read, not stored');
        const outcome = await tasks.apply(ref, task.id, {
          type: 'detailed',
          round: task.round,
          worker: { ...task.worker, id: info.workerId, country: info.country, ip: info.ip },
          proof: {
            slots: info.proof.filter((slot) => slot.trim() !== ''),
            files: info.files,
            ...(finishedAt === undefined ? {} : { finishedAt }),
            ...(isFileProofStatusFine(info.fileProofStatus) ? {} : { filesWarning: info.fileProofStatus }),
          },
        });
        // The worker has corrected the task meanwhile: these are the details of the earlier round.
        if (outcome.kind === 'rejected') throw new Reschedule(1);
        return outcome.task ?? task;
      } catch (error) {
        // The task is still shown with what the results CSV says.
        if (!(error instanceof MarketplaceError) || error.isAuthentication) throw error;
        parts.logger.warn({ task: task.id, code: error.code }, 'task details not loaded');
        return task;
      }
    },

    /** Uploads the pictures of the proof to Slack, unless that was tried. */
    async withPictures(ref: AccountRef, task: Task, callSlack: CallSlack): Promise<Task> {
      if (!task.detailed || task.pictures !== undefined || !task.proof.files.some(isPicture)) return task;
      const messenger = messengerOf(ref.workspace);
      const marketplace = await marketplaceOf(ref);
      const pictures = await callSlack({ method: 'files' }, () =>
        uploadPictures({ ...parts, messenger }, marketplace, task),
      );
      return storePictures(ref, task, pictures);
    },
  };
}
