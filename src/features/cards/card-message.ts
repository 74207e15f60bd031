import { campaignTitleOf } from '../../domain/campaign.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { picturesRetryMs, untilPicturesReady, withoutPictures } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Again } from '../../jobs/queue.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { LiveMessageKind, RenderStep } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import { createTaskDetails } from '../../kit/task-details.ts';
import { workerFactsOf } from '../../kit/workers.ts';
import type { Message } from '../../slack/blocks.ts';
import { cardTag } from '../../slack/message-tags.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import { updateMethod } from '../../store/limits.ts';
import {
  type CardData,
  isFolded,
  isOnlyFiles,
  supersededCard,
  taskCard,
  unchangeableCard,
} from './card.view.ts';

/** Returns the message kind that mirrors a task's record as a card. */
export function cardMessage(parts: Modules): LiveMessageKind<Task, TaskId> {
  const { campaigns, slack, channels, tasks } = parts;
  const details = createTaskDetails(parts);

  async function cardData(ref: AccountRef, task: Task): Promise<CardData> {
    // A folded card shows only who decided what.
    const isWhole = !isFolded(task);
    const [campaign, asked, deadlines, notes, alike, worker] = await Promise.all([
      campaigns.get(ref, task.campaign),
      isWhole ? askedOfTask(parts, ref, task) : undefined,
      isWhole ? parts.tasks.deadlines.dueAt(ref, [task]) : undefined,
      parts.tasks.notes.on(ref, task),
      isWhole ? parts.campaigns.evidence.on(ref, task) : [],
      workerFactsOf(parts, ref, task),
    ]);
    const dueAt = deadlines?.get(task.id);
    const known = await tasks.getMany(
      ref,
      alike.map((one) => one.task),
    );
    const twins = new Map(
      known.filter((one) => one.detailsRemovedAt === undefined).map((one) => [one.id, one]),
    );
    const earlier = isWhole ? task.before?.card : undefined;
    const earlierLink = earlier ? await slack.messengerOf(ref.workspace).permalink(earlier) : undefined;
    return {
      account: ref.account,
      task,
      campaignTitle: campaignTitleOf(task.campaign, campaign?.title),
      ...(asked ? { asked } : {}),
      ...(campaign ? { paymentPerTask: campaign.paymentPerTask } : {}),
      ...(earlierLink ? { earlierLink } : {}),
      ...(dueAt === undefined ? {} : { dueAt }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(alike.length === 0 ? {} : { alike, twins }),
      ...(worker ? { worker } : {}),
    };
  }

  /** Replaces the cards of earlier rounds: they lose their buttons and link to this one. */
  async function replaceEarlierCards(
    ref: AccountRef,
    task: Task,
    step: RenderStep,
  ): Promise<Again | undefined> {
    const { before, card } = task;
    if (before?.card === undefined || before.card.linked || card.state !== 'posted') return undefined;
    const data = await cardData(ref, task);
    const newer = await slack.messengerOf(ref.workspace).permalink(card);
    // The person who asked for the latest revision did not ask for the earlier ones.
    const { by: _, ...asked } = before;
    const older = supersededCard({ ...data, task: { ...task, before: asked } }, newer);
    // These get their link once their channel is back.
    const unreachable: MessageRef[] = [];
    const places = [...(before.unlinked ?? []), before.card];
    for (const place of places) {
      const message = place === before.card ? supersededCard(data, newer) : older;
      const replaced = await replace(ref, place, message, step);
      if (replaced === 'unreachable') unreachable.push(place);
      else if (replaced) return replaced;
    }
    await tasks.apply(ref, task.id, { type: 'earlier-card-linked', unreachable });
    return undefined;
  }

  /** Replaces a card, if it still exists. Returns `unreachable` if its channel is lost. */
  async function replace(
    ref: AccountRef,
    place: MessageRef,
    message: Message,
    step: RenderStep,
  ): Promise<Again | 'unreachable' | undefined> {
    try {
      return await step.callSlack({ method: updateMethod, channel: place.channel }, async () => {
        const lost = await step.renewLease();
        if (lost === undefined) await slack.messengerOf(ref.workspace).update(place, message);
        return lost;
      });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (isChannelError(error)) return 'unreachable';
      if (error.code !== 'message_not_found') throw error;
      return undefined;
    }
  }

  return {
    records: {
      get: tasks.get,
      async apply(ref, id, event) {
        const { kind, task } = await tasks.apply(ref, id, event);
        return { record: task, changed: kind === 'done' };
      },
      needsRender: tasks.needsRender,
      find: tasks.find,
      acquireRenderLease: tasks.acquireRenderLease,
    },
    channelFor: (ref, { campaign }) => channels.routing.forCampaign(ref, campaign),
    tagFor: ({ account }, { id, round }, attempt) => cardTag(account, id, attempt.round ?? round),
    async render(ref, task, isRefused) {
      // Beside a text stands one picture: if Slack refuses it, each of the others would cost a call.
      const isAnyRefused = (task.pictures ?? []).some(({ file }) => file !== undefined && isRefused(file));
      const isLeftOut = isOnlyFiles(task) ? isRefused : (file: string) => isAnyRefused || isRefused(file);
      return taskCard(await cardData(ref, withoutPictures(task, isLeftOut)));
    },
    async prepare(ref, task, callSlack) {
      const ready = await details.forCard(ref, task, callSlack);
      if (ready === undefined) return { again: 1 };
      const waitMs = untilPicturesReady(ready, parts.clock.now());
      return waitMs > 0 ? { again: waitMs } : ready;
    },
    picturesRetryMs: (task) => picturesRetryMs(task, parts.clock.now()),
    async tellUnchangeable(ref, task, place) {
      if (task.decision === undefined) return;
      const messenger = slack.messengerOf(ref.workspace);
      const message = unchangeableCard(await cardData(ref, task), await messenger.permalink(place));
      await messenger.answer({ member: task.decision.by, channel: place.channel }, message);
    },
    afterRender: replaceEarlierCards,
  };
}
