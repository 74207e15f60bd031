import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import { type MarketplaceClient, MarketplaceError } from '../../marketplace/index.ts';
import { decodeCardBlock, taskOfBlocks } from '../../slack/card-block.ts';
import type { Feature } from '../../slack/feature.ts';
import { isChannelError, isWorkspaceError, mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { CallSlack, CallSlackOf } from '../../store/rate-limiter.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import { requireAccess } from '../shared/access.ts';
import type { ChannelHealth } from '../shared/channel-health.ts';
import { type CardData, supersededCard, taskCard, wholeProof } from './card.view.ts';
import { isPicture, uploadPictures } from './pictures.ts';
import { adoptCard, type PlaceDeps, postCard } from './place.ts';

export interface CardsDeps extends PlaceDeps {
  readonly accounts: Accounts;
  readonly campaigns: Campaigns;
  readonly subscriptions: Subscriptions;
  readonly callSlackOf: CallSlackOf;
  readonly jobs: Jobs;
  readonly channelHealth: ChannelHealth;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** A workspace that could not be spoken to is left alone for this long (ms). */
  readonly pauseMs: number;
}

/** One job's work on a card. */
interface Drawing {
  readonly mayPost: boolean;
  readonly inTurn: CallSlack;
  /** Before each step that others would see: throws {@link Reschedule} when another process draws this card by now. */
  readonly stillOurs: () => Promise<void>;
}

/**
 * Details and images are fetched so long before a card's place in the line of its channel: in a burst, cards are posted
 * at Slack's pace from the first one on, and none waits until the details of all have been read.
 */
const prepareAheadMs = 5_000;

/** What a card shows that was found in the channel is not known: it is to be drawn again. */
const unknownFace = 0;

/** Cards: posts them, and keeps each showing what its task's record says. */
export function createCards(deps: CardsDeps) {
  const { tasks, campaigns, timeouts, faults, now } = deps;

  async function cardData(ref: AccountRef, task: Task): Promise<CardData> {
    const campaign = await campaigns.get(ref, task.campaign);
    const earlier = task.before?.card;
    const earlierLink = earlier ? await deps.messengerOf(ref.workspace).permalink(earlier) : undefined;
    return {
      account: ref.account,
      task,
      campaignTitle: campaign?.title ?? 'A campaign',
      ...(campaign ? { paymentPerTask: campaign.paymentPerTask } : {}),
      ...(earlierLink ? { earlierLink } : {}),
    };
  }

  /** Draws a card until it shows the record as it is; one process at a time. */
  async function sync(ref: AccountRef, id: string, context: JobContext, mayPost: boolean): Promise<void> {
    if (!(await tasks.needsRender(ref, id))) return;
    const drawer = await tasks.acquireRenderLease(ref, id, timeouts.renderLeaseMs);
    if (drawer === undefined) throw new Reschedule(1_000, context.slot);
    let spokeAt = 0;
    const stillOurs = async () => {
      spokeAt = now();
      if (!(await drawer.renew())) throw new Reschedule(1_000, context.slot);
    };
    const inTurn = deps.callSlackOf(ref.workspace, context.slot);
    try {
      await faults('render lease acquired');
      for (;;) {
        const task = await tasks.get(ref, id);
        if (task === undefined) return;
        const face = await draw(ref, task, { mayPost, inTurn, stillOurs });
        if (face === undefined) return;
        await faults('updated, not recorded');
        if (await drawer.markRendered(face)) return await faults('rendered, lease not released');
      }
    } catch (error) {
      // Were it redrawn now, what was sent before could arrive after that and stand on the card for good.
      if (mayArriveLate(error)) await drawer.releaseAfter(spokeAt + timeouts.lateArrivalMs - now());
      await afterFailure(ref, id, error);
    } finally {
      await drawer.release();
    }
  }

  /** Draws once. Gives the face that the card shows now, or undefined when there is nothing to draw at present. */
  async function draw(ref: AccountRef, task: Task, drawing: Drawing): Promise<number | undefined> {
    switch (task.card.state) {
      case 'wanted':
        return drawing.mayPost ? post(ref, task, drawing) : undefined;
      case 'posted': {
        const face = await update(ref, task, drawing);
        if (face !== undefined) await pointEarlier(ref, task, drawing);
        return face;
      }
      default:
        return task.revision;
    }
  }

  async function post(ref: AccountRef, wanted: Task, drawing: Drawing): Promise<number | undefined> {
    if (await adoptCard(deps, ref, wanted, drawing.inTurn)) return unknownFace;
    const subscription = await deps.subscriptions.forCampaign(ref, wanted.campaign);
    if (subscription === undefined) return undefined;
    const { channel } = subscription;
    if (await deps.channelHealth.isPaused(ref.workspace, channel)) return undefined;

    await drawing.inTurn.reservePost(channel, prepareAheadMs);
    const task = await prepare(ref, wanted, drawing);
    const place = async (shown: Task) => {
      const card = taskCard(await cardData(ref, shown));
      await drawing.stillOurs();
      return postCard(deps, ref, shown, channel, card);
    };
    const began = deps.now();
    const posted = await drawing.inTurn({ method: 'chat.postMessage', channel }, async () => {
      await faults('post slot reserved');
      try {
        return await place(task);
      } catch (error) {
        // Slack may refuse a whole message for one image that it cannot show (yet).
        if (!(error instanceof SlackError) || error.code !== 'invalid_blocks' || !task.pictures?.length)
          throw error;
        const { task: without = task } = await withoutPictures(ref, task);
        return place(without);
      }
    });
    await deps.channelHealth.reportSuccess(ref.workspace, channel, began);
    await pointEarlier(ref, posted, drawing);
    return task.revision;
  }

  /** Reads what the card needs and the results CSV does not have: files, every slot, images. */
  async function prepare(ref: AccountRef, wanted: Task, { inTurn }: Drawing): Promise<Task> {
    let task = wanted;
    if (!task.detailed) {
      const marketplace = await deps.marketplaceOf(ref);
      try {
        const info = await marketplace.getTaskInfo(task.id);
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
          },
        });
        // The worker has corrected it meanwhile: these are the details of what was before.
        if (outcome.kind === 'rejected') throw new Reschedule(1);
        task = outcome.task ?? task;
      } catch (error) {
        // The card is still worth having with what the results CSV told.
        if (!(error instanceof MarketplaceError) || error.isAuthentication) throw error;
        deps.logger.warn({ task: task.id, code: error.code }, 'the marketplace gives no details of a task');
      }
    }
    if (task.detailed && task.pictures === undefined && task.proof.files.some(isPicture)) {
      const messenger = deps.messengerOf(ref.workspace);
      const marketplace = await deps.marketplaceOf(ref);
      const { round } = task;
      const shown = task;
      const pictures = await inTurn({ method: 'files' }, () =>
        uploadPictures({ ...deps, messenger }, marketplace, shown),
      );
      task = (await tasks.apply(ref, task.id, { type: 'images-uploaded', round, pictures })).task ?? task;
    }
    return task;
  }

  async function withoutPictures(ref: AccountRef, { id, round }: Task) {
    return tasks.apply(ref, id, { type: 'images-uploaded', round, pictures: [] });
  }

  async function update(ref: AccountRef, task: Task, drawing: Drawing): Promise<number | undefined> {
    if (task.card.state !== 'posted') return task.revision;
    const { channel, ts } = task.card;
    if (await deps.channelHealth.isPaused(ref.workspace, channel)) return undefined;
    const began = deps.now();
    try {
      await drawing.inTurn({ method: 'chat.update', channel }, async () => {
        const card = taskCard(await cardData(ref, task));
        await drawing.stillOurs();
        await deps.messengerOf(ref.workspace).update({ channel, ts }, card);
      });
      await deps.channelHealth.reportSuccess(ref.workspace, channel, began);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.code === 'message_not_found') {
        await tasks.apply(ref, task.id, { type: 'card-gone', place: { channel, ts } });
      } else if (error.code === 'invalid_blocks' && task.pictures?.length) {
        await withoutPictures(ref, task);
        return update(ref, { ...task, pictures: [] }, drawing);
      } else {
        throw error;
      }
    }
    return task.revision;
  }

  /** The card of the round before loses its buttons and leads to this one. */
  async function pointEarlier(ref: AccountRef, task: Task, drawing: Drawing): Promise<void> {
    const earlier = task.before?.card;
    if (earlier === undefined || earlier.linked || task.card.state !== 'posted') return;
    const messenger = deps.messengerOf(ref.workspace);
    const message = supersededCard(await cardData(ref, task), await messenger.permalink(task.card));
    try {
      await drawing.inTurn({ method: 'chat.update', channel: earlier.channel }, async () => {
        await drawing.stillOurs();
        await messenger.update(earlier, message);
      });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // Deleted, or where nobody can click on it any more.
      if (error.code !== 'message_not_found' && !isChannelError(error)) throw error;
    }
    await tasks.apply(ref, task.id, { type: 'earlier-card-linked' });
  }

  /** A failure to speak: the job waits, or fails and is tried again; a channel's trouble is noted and told instead. */
  async function afterFailure(ref: AccountRef, id: string, error: unknown): Promise<void> {
    // Without a key the card waits: looks ask for it again, and have told the channel.
    if (error instanceof NotConnected) return;
    if (!(error instanceof SlackError)) throw error;
    if (isWorkspaceError(error)) throw new Reschedule(deps.pauseMs);
    if (!isChannelError(error)) throw error;
    const task = await tasks.get(ref, id);
    if (task === undefined) return;
    const wanted = await deps.subscriptions.forCampaign(ref, task.campaign);
    const channel = task.card.state === 'posted' ? task.card.channel : wanted?.channel;
    if (channel) await deps.channelHealth.reportFailure(ref.workspace, channel, error.code);
  }

  const feature: Feature = {
    /** Somebody deleted a card: as long as there is something to decide, or a decision under way, it is posted again. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const shown = taskOfBlocks(blocks);
      if (shown === undefined) return;
      const ref = { workspace, account: shown.account };
      const { kind, task } = await tasks.apply(ref, shown.task, {
        type: 'card-gone',
        place: { channel, ts },
      });
      if (kind !== 'done' || task?.card.state !== 'wanted') return;
      const payload = { ...ref, task: task.id };
      await deps.jobs.add('post', payload, { once: cardJobKey(payload) });
    },
    clicks: {
      async 'task.proof'(click) {
        const card = decodeCardBlock(click.blockId);
        const ref = { workspace: click.workspace, account: card?.account ?? '' };
        await requireAccess(deps.accounts, ref, click.member);
        const task = await tasks.get(ref, click.value);
        if (task === undefined) return;
        const campaign = await campaigns.get(ref, task.campaign);
        const modal = wholeProof(task, campaign?.title ?? 'A campaign');
        await deps.messengerOf(click.workspace).openModal(click.triggerId, modal);
      },
    },
  };

  return {
    feature,
    jobs: {
      post: ({ task, ...ref }: Payload<'post'>, context: JobContext) => sync(ref, task, context, true),
      redraw: ({ task, ...ref }: Payload<'redraw'>, context: JobContext) => sync(ref, task, context, false),
    },
  };
}
