import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import type { Feature } from '../../slack/feature.ts';
import { isChannelError, isWorkspaceError, mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { CallSlack, CallSlackOf } from '../../store/rate-limiter.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { Tasks } from '../../store/tasks.ts';
import { requireAccess } from '../shared/access.ts';
import { backlogNotice } from './backlog.view.ts';
import { type PlaceDeps, postSummary, standingSummary } from './place.ts';

/** How many cards one click brings. */
const portion = 20;

export interface BacklogDeps extends PlaceDeps {
  readonly accounts: Accounts;
  readonly tasks: Tasks;
  readonly subscriptions: Subscriptions;
  readonly callSlackOf: CallSlackOf;
  readonly jobs: Jobs;
  /** A channel that could not be posted to is left alone for this long (ms). */
  readonly pauseMs: number;
  /** The first time a click is delivered: true. */
  readonly claimOnce: (workspace: string, name: string) => Promise<boolean>;
}

/** The backlog: what waited at the first look, told in one message, and shown a portion at a time. */
export function createBacklog(deps: BacklogDeps) {
  const { tasks, subscriptions, backlogSummaries, jobs, timeouts, now } = deps;

  /** Tasks without a card whose cards would go to the channel, newest first. */
  async function backlogOf(ref: AccountRef, channel: ChannelId): Promise<Task[]> {
    const waiting = await tasks.getMany(
      ref,
      await tasks.find(ref, 'backlog', { limit: 100_000, newest: true }),
    );
    const channels = new Map<string, ChannelId | undefined>();
    const own: Task[] = [];
    for (const task of waiting) {
      if (!channels.has(task.campaign)) {
        channels.set(task.campaign, (await subscriptions.forCampaign(ref, task.campaign))?.channel);
      }
      if (channels.get(task.campaign) === channel) own.push(task);
    }
    return own;
  }

  /** Draws a channel's summary until it tells what is known; one process at a time. */
  async function summarize(ref: AccountRef, channel: ChannelId, { slot }: JobContext): Promise<void> {
    const drawer = await tasks.acquireRenderLease(ref, `backlog:${channel}`, timeouts.renderLeaseMs);
    if (drawer === undefined) throw new Reschedule(1_000);
    let spokeAt = 0;
    const stillOurs = async () => {
      spokeAt = now();
      if (!(await drawer.renew())) throw new Reschedule(1_000);
    };
    try {
      await draw(ref, channel, deps.callSlackOf(ref.workspace, slot), stillOurs);
    } catch (error) {
      // Were it redrawn now, what was sent before could arrive after that and stand there for good.
      if (mayArriveLate(error)) await drawer.releaseAfter(spokeAt + timeouts.lateArrivalMs - now());
      throw error;
    } finally {
      await drawer.release();
    }
  }

  async function draw(
    ref: AccountRef,
    channel: ChannelId,
    inTurn: CallSlack,
    stillOurs: () => Promise<void>,
  ): Promise<void> {
    const standing = await standingSummary(deps, ref, channel, inTurn);
    const { length: count } = await backlogOf(ref, channel);
    const message = backlogNotice(ref.account, count, portion);
    if (standing !== undefined) {
      try {
        await inTurn({ method: 'chat.update', channel }, async () => {
          await stillOurs();
          await deps.messengerOf(ref.workspace).update(standing, message);
        });
        if (count > 0) return await backlogSummaries.put(ref, { ...standing, count });
      } catch (error) {
        // Somebody deleted it: without it nobody gets at the rest.
        if (!(error instanceof SlackError) || error.code !== 'message_not_found') throw error;
      }
    }
    if (count === 0) return backlogSummaries.remove(ref, channel);
    await inTurn({ method: 'chat.postMessage', channel }, async () => {
      await stillOurs();
      await postSummary(deps, ref, channel, { message, count });
    });
  }

  const feature: Feature = {
    clicks: {
      async 'backlog.more'(click) {
        const ref = { workspace: click.workspace, account: click.value };
        await requireAccess(deps.accounts, ref, click.member);
        if (!(await deps.claimOnce(click.workspace, `backlog ${click.id}`))) return;
        const channel = click.channel ?? '';
        const next = (await backlogOf(ref, channel)).slice(0, portion).reverse();
        for (const task of next) await tasks.apply(ref, task.id, { type: 'card-wanted' });
        await jobs.addAll(
          'post',
          next.map(({ id }) => ({ ...ref, task: id })),
          cardJobKey,
        );
        await jobs.add('summarize', { ...ref, channel }, { once: `${ref.account} ${channel}` });
      },
    },
  };

  return {
    feature,
    jobs: {
      async summarize({ channel, ...ref }: Payload<'summarize'>, context: JobContext): Promise<void> {
        try {
          await summarize(ref, channel, context);
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          if (isChannelError(error) || isWorkspaceError(error)) throw new Reschedule(deps.pauseMs);
          throw error;
        }
      },
    },
  };
}
