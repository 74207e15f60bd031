import { isPicture, picturesOnCard } from '../../domain/picture.ts';
import { isSubmittedBefore } from '../../domain/resubmission.ts';
import { filledSlots, type Task } from '../../domain/task.ts';
import type { AccountRef, TaskId, WorkerId } from '../../domain/terms.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { isFileProofStatusFine, MarketplaceError } from '../../marketplace/index.ts';
import { cardTag, shownState } from '../../slack/card-tag.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import { askedOfTask } from '../shared/brief.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { LiveMessageKind, RenderStep } from '../shared/live-message.ts';
import { uploadPictures } from '../shared/proof-images.ts';
import { getIfReplicated } from '../shared/replicated.ts';
import { type CardData, supersededCard, taskCard } from './card.view.ts';

export type CardParts = Pick<
  FeatureContext,
  | 'briefs'
  | 'campaigns'
  | 'faults'
  | 'logger'
  | 'marketplaceOf'
  | 'memory'
  | 'messengerOf'
  | 'now'
  | 'replication'
  | 'routing'
  | 'tasks'
  | 'workers'
>;

/** Returns how the card of a task is rendered as a message that mirrors its record. */
export function cardMessage(parts: CardParts): LiveMessageKind<Task, TaskId> {
  const { campaigns, faults, marketplaceOf, messengerOf, routing, tasks } = parts;

  async function cardData(ref: AccountRef, task: Task): Promise<CardData> {
    const [campaign, asked] = await Promise.all([
      campaigns.get(ref, task.campaign),
      askedOfTask(parts, ref, task),
    ]);
    const earlier = task.before?.card;
    const earlierLink = earlier ? await messengerOf(ref.workspace).permalink(earlier) : undefined;
    return {
      account: ref.account,
      task,
      campaignTitle: campaign?.title ?? 'A campaign',
      ...(asked ? { asked } : {}),
      ...(campaign ? { paymentPerTask: campaign.paymentPerTask } : {}),
      ...(earlierLink ? { earlierLink } : {}),
    };
  }

  /** Fetches what the results CSV does not have: files and every slot of the proof. */
  async function withDetails(ref: AccountRef, task: Task): Promise<Task> {
    if (task.detailed) return task;
    const marketplace = await marketplaceOf(ref);
    try {
      const info = await marketplace.getTaskInfo(task.id);
      // Details of the submission before are worse than none.
      if (isSubmittedBefore(task.submittedAt, info.finishedAt?.getTime())) return task;
      const finishedAt = info.finishedAt?.getTime() ?? task.proof.finishedAt;
      const workerRecord = await recordOf(ref, info.workerId);
      await faults('details read, not stored');
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
      // The worker has corrected the task meanwhile: these are the details of the earlier round.
      if (outcome.kind === 'rejected') throw new Reschedule(1);
      return outcome.task ?? task;
    } catch (error) {
      // The card is still useful with what the results CSV says.
      if (!(error instanceof MarketplaceError) || error.isAuthentication) throw error;
      parts.logger.warn({ task: task.id, code: error.code }, 'task details not loaded');
      return task;
    }
  }

  async function recordOf(ref: AccountRef, worker: WorkerId): Promise<ShownRecord> {
    const { counts, campaigns: seenIn } = await parts.workers.record(ref, worker);
    return { counts, campaigns: seenIn };
  }

  /** Adds the worker's tasks as of now, where the details were known before: those of a task that has come back. */
  async function withWorkerRecord(ref: AccountRef, task: Task): Promise<Task> {
    if (!task.detailed || task.workerRecord !== undefined) return task;
    const { round, worker, proof } = task;
    const workerRecord = await recordOf(ref, worker.id);
    const outcome = await tasks.apply(ref, task.id, { type: 'detailed', round, worker, proof, workerRecord });
    if (outcome.kind === 'rejected') throw new Reschedule(1);
    return outcome.task ?? task;
  }

  async function withUploadedImages(ref: AccountRef, task: Task, callSlack: CallSlack): Promise<Task> {
    const shown = task.proof.files.filter(isPicture).slice(0, picturesOnCard);
    if (!task.detailed || task.pictures !== undefined || shown.length === 0) return task;
    const messenger = messengerOf(ref.workspace);
    const marketplace = await marketplaceOf(ref);
    const pictures = await callSlack({ method: 'files' }, () =>
      uploadPictures({ ...parts, messenger }, marketplace, task, shown),
    );
    return storeImages(ref, task, pictures);
  }

  async function storeImages(ref: AccountRef, task: Task, pictures: NonNullable<Task['pictures']>) {
    const { round } = task;
    const stored = await tasks.apply(ref, task.id, { type: 'images-uploaded', round, pictures });
    return stored.task ?? task;
  }

  /** Replaces the card of the earlier round: it loses its buttons and links to this one. */
  async function replaceEarlierCard(ref: AccountRef, task: Task, step: RenderStep): Promise<void> {
    const earlier = task.before?.card;
    if (earlier === undefined || earlier.linked || task.card.state !== 'posted') return;
    const messenger = messengerOf(ref.workspace);
    const message = supersededCard(await cardData(ref, task), await messenger.permalink(task.card));
    try {
      await step.callSlack({ method: 'chat.update', channel: earlier.channel }, async () => {
        await step.renewLease();
        await messenger.update(earlier, message);
      });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.code !== 'message_not_found' && !isChannelError(error)) throw error;
      if (isChannelError(error)) {
        // It links here once its channel is back.
        await tasks.apply(ref, task.id, { type: 'earlier-card-linked', isUnreachable: true });
        return;
      }
    }
    await tasks.apply(ref, task.id, { type: 'earlier-card-linked' });
  }

  return {
    name: 'card',
    records: {
      get: (ref, id) => getIfReplicated(parts, ref, id),
      async apply(ref, id, event) {
        const { kind, task } = await tasks.apply(ref, id, event);
        return { record: task, changed: kind === 'done' };
      },
      needsRender: tasks.needsRender,
      acquireRenderLease: tasks.acquireRenderLease,
    },
    channelFor: (ref, { campaign }) => routing.forCampaign(ref, campaign),
    tagFor: ({ account }, { id, round }, attempt) => cardTag(account, id, attempt.round ?? round),
    stateFor: shownState,
    storeFound: (ref, id, messageRef, { round }) =>
      campaigns.storeFoundCards(ref, new Map([[id, { ...messageRef, round }]])),
    render: async (ref, task) => taskCard(await cardData(ref, task)),
    async prepare(ref, task, callSlack) {
      const detailed = await withWorkerRecord(ref, await withDetails(ref, task));
      return withUploadedImages(ref, detailed, callSlack);
    },
    async withoutImages(ref, task) {
      return task.pictures?.length ? storeImages(ref, task, []) : undefined;
    },
    afterRender: replaceEarlierCard,
  };
}
