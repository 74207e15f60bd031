import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import { cardName, type Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { Later } from '../../jobs/worker.ts';
import { isChannelTrouble, SlackFailure } from '../../slack/failure.ts';
import type { Feature } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Notices } from '../../store/notices.ts';
import type { Pace } from '../../store/pace.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { Tasks } from '../../store/tasks.ts';
import { backlogNotice } from './backlog.view.ts';

/** How many cards one click brings. */
const portion = 20;

/** The backlog: what waited at the first look, told in one message, and shown a portion at a time. */
export function createBacklog(deps: {
  accounts: Accounts;
  tasks: Tasks;
  subscriptions: Subscriptions;
  notices: Notices;
  pace: Pace;
  jobs: Jobs;
  messengerOf: (workspace: string) => Messenger;
  /** A channel that could not be posted to is left alone for this long (ms). */
  restMs: number;
  /** The first time a click is delivered: true. */
  firstDelivery: (id: string) => Promise<boolean>;
}) {
  const { tasks, subscriptions, notices, jobs } = deps;

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

  async function summarize(ref: AccountRef, channel: ChannelId): Promise<void> {
    const had = await notices.get(ref, channel);
    const { length: count } = await backlogOf(ref, channel);
    if (had === undefined && count === 0) return;
    const messenger = deps.messengerOf(ref.workspace);
    const message = backlogNotice(ref.account, count, portion);
    if (had) {
      await messenger.update(had, message);
      if (count === 0) await notices.remove(ref, channel);
      else await notices.put(ref, { ...had, count });
      return;
    }
    const wait = await deps.pace.post(ref.workspace, channel);
    if (wait > 0) throw new Later(wait);
    await notices.put(ref, { ...(await messenger.post(channel, message)), count });
  }

  const feature: Feature = {
    clicks: {
      async 'backlog.more'(click) {
        const ref = { workspace: click.workspace, account: click.value };
        if (!(await deps.accounts.mayUse(ref, click.member))) throw new NotConnected();
        if (!(await deps.firstDelivery(click.id))) return;
        const channel = click.channel ?? '';
        const next = (await backlogOf(ref, channel)).slice(0, portion).reverse();
        for (const task of next) await tasks.apply(ref, task.id, { type: 'card-wanted' });
        await jobs.addAll(
          'post',
          next.map(({ id }) => ({ ...ref, task: id })),
          cardName,
        );
        await jobs.add('summarize', { ...ref, channel });
      },
    },
  };

  return {
    feature,
    jobs: {
      async summarize({ channel, ...ref }: Payload<'summarize'>): Promise<void> {
        try {
          await summarize(ref, channel);
        } catch (error) {
          if (!(error instanceof SlackFailure)) throw error;
          if (error.kind === 'rate-limited') throw new Later(error.retryAfterMs);
          if (isChannelTrouble(error)) throw new Later(deps.restMs);
          if (error.code !== 'message_not_found') throw error;
          // Somebody deleted it: without it nobody gets at the rest.
          await notices.remove(ref, channel);
          await jobs.add('summarize', { ...ref, channel });
        }
      },
    },
  };
}
