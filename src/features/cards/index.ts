import { setTimeout as delay } from 'node:timers/promises';
import { picturesRetryMs, untilPicturesReady, withoutPictures } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type Again, type JobEnd, Paused } from '../../jobs/queue.ts';
import { createLiveMessages, type LiveMessageKind, type RenderStep } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { cardOfBlocks, cardTag } from '../../slack/message-tags.ts';
import { isChannelError, SlackError } from '../../slack/slack-error.ts';
import type { LineName, WaitingCard } from '../../store/cards.ts';
import { postMethod, updateMethod } from '../../store/pauses.ts';
import { deskEntity } from '../desk/public.ts';
import { factsOfTask } from '../workers/public.ts';
import {
  type CardData,
  isFolded,
  isOnlyFiles,
  supersededCard,
  taskCard,
  unchangeableCard,
} from './card.view.ts';
import { createTaskDetails } from './details.ts';

/** Interval at which freed places in the channel are filled while many cards are updated (ms). */
const fillRoomMs = 500;

/** Run time after which a job that draws a line makes way for others (ms). */
const longestRunMs = 3_000;

/** How many cards of a channel are under way at once: while one waits for its turn, the details of the next are read. */
const postsAtOnce = 2;

/** Maximum wait for a card's pictures while its channel's next card is posted (ms), and number of tries. */
const longestWaitMs = 2_500;
const maxTries = 3;

/**
 * A card that has to wait for no longer than this (ms) ends the run: the card that then comes first is tried first. While one
 * has to wait for longer, Slack limits its channel, and cards of other channels are drawn.
 */
const soonMs = 2_000;

/** How often the line of a channel that Slack limits is tried (ms). */
const retryMs = 1_000;

/** How many jobs of a process update an account's cards at once: one of them waits while Slack limits updates. */
const updatesAtOnce = 4;

/** Creates the cards: one message per task that mirrors the task's record. */
export function createCards(context: Modules) {
  const { slack, channels, jobs, tasks } = context;
  const cards = createLiveMessages(context, cardMessage(context));

  const feature: Feature = {
    /** Posts a deleted card again while its task waits for a decision, or a decision waits to be sent. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const shown = cardOfBlocks(blocks);
      if (shown === undefined) return;
      const ref = { workspace, account: shown.account };
      const { kind, task } = await tasks.apply(ref, shown.task, {
        type: 'card-gone',
        messageRef: { channel, ts },
      });
      if (kind !== 'done') return;
      await slack.cards.changed(ref, [task]);
    },
  };

  const fillWindows = (ref: AccountRef) => jobs.add('fill-windows', ref, { uniqueKey: ref.account });

  /** Posts queued tasks' cards in places freed by decided tasks. */
  async function fillRoom(ref: AccountRef): Promise<void> {
    if (await channels.windows.isAnyQueued(ref)) await fillWindows(ref);
  }

  /**
   * Requeues a task whose unposted card holds a place in a channel it no longer goes to. A corrected task needs no
   * place: until its new card is posted, the previous round's card says nothing of the correction.
   */
  async function isRequeued(ref: AccountRef, id: TaskId, task: Task | undefined): Promise<boolean> {
    if (task?.card.state !== 'wanted' || task.card.channel === undefined || task.card.attempt) return false;
    const channel = await channels.routing.forCampaign(ref, task.campaign);
    if (channel === task.card.channel) return false;
    if ((await tasks.apply(ref, id, { type: 'card-queued' })).kind !== 'done') return false;
    if (task.before !== undefined && channel !== undefined) {
      await tasks.apply(ref, id, { type: 'card-wanted', channel });
      return false;
    }
    await fillWindows(ref);
    return true;
  }

  /** Posts a card, or updates it. */
  async function draw(ref: AccountRef, id: TaskId, isBackground: boolean): Promise<JobEnd> {
    if (await isRequeued(ref, id, await tasks.get(ref, id))) return undefined;
    return cards.render(ref, id, { isBackground });
  }

  /** Lets a card that Slack limits wait in its line. */
  async function backInLine(ref: AccountRef, id: TaskId): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task !== undefined) await slack.cards.changed(ref, [task]);
  }

  /**
   * Draws a card from a line. If Slack does not take such calls at present, puts the card back and returns how long its
   * channel has to wait (ms).
   */
  async function drawNext(ref: AccountRef, line: LineName, card: WaitingCard): Promise<number | undefined> {
    for (let tries = 1; ; tries += 1) {
      const { error, again } = await draw(ref, card.task, card.rank < 0).then(
        (end) => ({ error: undefined, again: end?.again }),
        (error: unknown) => ({ error, again: error instanceof Paused ? error.waitMs : 0 }),
      );
      if (again === undefined) return undefined;
      if (error instanceof Paused && error.call === (line === 'updates' ? updateMethod : postMethod)) {
        await slack.cardLines.add(ref, line, [card]);
        return again;
      }
      if (isLimited(error)) {
        await backInLine(ref, card.task);
        return undefined;
      }
      const isSoon = again > 0 && again <= longestWaitMs;
      if (isSoon && line === 'updates' && card.rank > 0) {
        // Somebody waits for a card that is being drawn: it stays ahead, and cards of other channels go on meanwhile.
        await slack.cardLines.add(ref, line, [card]);
        return soonMs + 1;
      }
      if (!isSoon || line === 'updates' || tries === maxTries) {
        const { workspace, account } = ref;
        const alone = { workspace, account, task: card.task };
        await jobs.add('card', alone, { delayMs: again, uniqueKey: `${account} ${card.task}` });
        return undefined;
      }
      await delay(again);
    }
  }

  /** Draws a line until it is empty. Returns after how long to go on with what is left (ms). */
  async function drawLine(ref: AccountRef, line: LineName): Promise<number | undefined> {
    const waiting = new Set<ChannelId>();
    let filledAt = Number.NEGATIVE_INFINITY;
    for (const began = performance.now(); performance.now() - began < longestRunMs; ) {
      const card = await slack.cardLines.take(ref, line, waiting);
      if (performance.now() - filledAt > fillRoomMs || card === undefined) {
        filledAt = performance.now();
        await fillRoom(ref);
      }
      if (card === undefined) return waiting.size === 0 ? undefined : retryMs;
      const waitMs = await drawNext(ref, line, card);
      if (waitMs === undefined) continue;
      if (waitMs <= soonMs) return waitMs;
      waiting.add(card.channel);
    }
    return 1;
  }

  const updating = new Map<string, { jobs: number; isAsked: boolean }>();

  /** Draws the line of updates, or leaves it to the jobs of this process that draw it already. Returns as {@link drawLine}. */
  async function drawUpdates(ref: AccountRef): Promise<number | undefined> {
    const key = `${ref.workspace} ${ref.account}`;
    const under = updating.get(key) ?? { jobs: 0, isAsked: false };
    updating.set(key, under);
    under.isAsked = true;
    if (under.jobs === updatesAtOnce) return undefined;
    under.jobs += 1;
    try {
      let delayMs: number | undefined;
      while (under.isAsked && delayMs === undefined) {
        under.isAsked = false;
        delayMs = await drawLine(ref, 'updates');
      }
      return delayMs;
    } finally {
      under.jobs -= 1;
      if (under.jobs === 0) updating.delete(key);
    }
  }

  return {
    feature,
    jobs: {
      async 'post-cards'({ channel, ...ref }: Payload<'post-cards'>): Promise<JobEnd> {
        const lanes = Array.from({ length: postsAtOnce }, () => drawLine(ref, channel));
        const waits = (await Promise.all(lanes)).filter((waitMs) => waitMs !== undefined);
        return waits.length > 0 ? { again: Math.min(...waits) } : undefined;
      },
      async 'update-cards'({ isClicked, ...ref }: Payload<'update-cards'>): Promise<JobEnd> {
        const delayMs = await drawUpdates(ref);
        if (delayMs === undefined) return undefined;
        if (!isClicked) return { again: delayMs };
        // One job alone goes on, so that the card that was clicked last has no rivals.
        await jobs.add('update-cards', { ...ref, isClicked: false }, { delayMs, uniqueKey: ref.account });
        return undefined;
      },
      async card({ task, ...ref }: Payload<'card'>): Promise<JobEnd> {
        await fillRoom(ref);
        try {
          return await draw(ref, task, true);
        } catch (error) {
          if (!isLimited(error)) throw error;
          await backInLine(ref, task);
          return undefined;
        }
      },
    },
  };
}

/** Whether a card has to wait in its line. */
function isLimited(error: unknown): boolean {
  return error instanceof Paused && [postMethod, updateMethod].includes(error.call);
}

/** Returns the message kind that mirrors a task's record as a card. */
export function cardMessage(parts: Modules): LiveMessageKind<Task, TaskId> {
  const { slack, channels, tasks } = parts;
  const details = createTaskDetails(parts);

  async function cardData(ref: AccountRef, task: Task): Promise<CardData> {
    const facts = await factsOfTask(parts, ref, task);
    // A folded card shows only who decided what.
    const isWhole = !isFolded(task);
    const ids = isWhole ? (facts.alike ?? []).map((one) => one.task) : [];
    const earlier = isWhole ? task.before?.card : undefined;
    return {
      ...facts,
      account: ref.account,
      task,
      twins: new Map((await tasks.getMany(ref, ids)).map((one) => [one.id, one])),
      earlierLink: earlier && (await slack.messengerOf(ref.workspace).permalink(earlier)),
    };
  }

  /** Replaces the cards of earlier rounds: they lose their buttons and link to this one. */
  async function replaceEarlierCards(
    ref: AccountRef,
    task: Task,
    { callSlack, renewLease }: RenderStep,
  ): Promise<Again | undefined> {
    const { before, card } = task;
    if (before?.card === undefined || before.card.linked || card.state !== 'posted') return undefined;
    const messenger = slack.messengerOf(ref.workspace);
    const message = supersededCard(await cardData(ref, task), await messenger.permalink(card));
    for (const place of [...(before.unlinked ?? []), before.card])
      try {
        const lost = await callSlack({ method: updateMethod, channel: place.channel }, async () => {
          const passed = await renewLease();
          if (passed === undefined) await messenger.update(place, message);
          return passed;
        });
        if (lost) return lost;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        const isGone = ['message_not_found', 'edit_window_closed'].includes(error.code);
        if (!isGone && !isChannelError(error)) throw error;
      }
    await tasks.apply(ref, task.id, { type: 'earlier-card-linked' });
    return undefined;
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
      const data = await cardData(ref, withoutPictures(task, isLeftOut));
      return { ...taskCard(data), entity: deskEntity(parts.people.desk, data) };
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
