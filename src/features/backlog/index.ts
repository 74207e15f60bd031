import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { cardName, type Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type JobContext, Later } from '../../jobs/worker.ts';
import { isChannelTrouble, isWorkspaceTrouble, mayArriveLate, SlackFailure } from '../../slack/failure.ts';
import type { Feature } from '../../slack/feature.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { InTurn, InTurnOf } from '../../store/pace.ts';
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
  readonly inTurnOf: InTurnOf;
  readonly jobs: Jobs;
  /** A channel that could not be posted to is left alone for this long (ms). */
  readonly restMs: number;
  /** The first time a click is delivered: true. */
  readonly claimOnce: (workspace: string, name: string) => Promise<boolean>;
}

/** The backlog: what waited at the first look, told in one message, and shown a portion at a time. */
export function createBacklog(deps: BacklogDeps) {
  const { tasks, subscriptions, notices, jobs, patience, now } = deps;

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
  async function summarize(ref: AccountRef, channel: ChannelId, { note }: JobContext): Promise<void> {
    const drawer = await tasks.takeDrawer(ref, `backlog:${channel}`, patience.drawerMs);
    if (drawer === undefined) throw new Later(1_000);
    let spokeAt = 0;
    const stillOurs = async () => {
      spokeAt = now();
      if (!(await drawer.keep())) throw new Later(1_000);
    };
    try {
      await draw(ref, channel, deps.inTurnOf(ref.workspace, note), stillOurs);
    } catch (error) {
      // Were it redrawn now, what was sent before could arrive after that and stand there for good.
      if (mayArriveLate(error)) await drawer.rest(spokeAt + patience.arrivalMs - now());
      throw error;
    } finally {
      await drawer.leave();
    }
  }

  async function draw(
    ref: AccountRef,
    channel: ChannelId,
    inTurn: InTurn,
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
        if (count > 0) return await notices.put(ref, { ...standing, count });
      } catch (error) {
        // Somebody deleted it: without it nobody gets at the rest.
        if (!(error instanceof SlackFailure) || error.code !== 'message_not_found') throw error;
      }
    }
    if (count === 0) return notices.remove(ref, channel);
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
          cardName,
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
          if (!(error instanceof SlackFailure)) throw error;
          if (isChannelTrouble(error) || isWorkspaceTrouble(error)) throw new Later(deps.restMs);
          throw error;
        }
      },
    },
  };
}
