import { isActive } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/group.ts';
import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { DataRecovery } from '../shared/data-recovery.ts';
import { type ChannelSearchParts, createChannelSearch, type SearchResult } from './channel-search.ts';

/**
 * How long before the last recorded poll the search for cards starts. That poll is as old as the copy, and so are all
 * cards recorded in it; the margin covers clock differences and the time that a copy takes.
 */
const searchMarginMs = 300_000;
/** Maximum age of cards searched for. */
const searchLimitMs = 30 * 86_400_000;
/** Batch size for loading records. */
const recordsAtOnce = 200;

export type RecoveryParts = ChannelSearchParts &
  Pick<
    FeatureContext,
    'audit' | 'incidents' | 'jobs' | 'leases' | 'routing' | 'subscriptions' | 'timeouts'
  > & {
    /** Restores the account and channel configured in the environment. */
    readonly reconnect: () => Promise<void>;
  };

/**
 * Creates the recovery of data in doubt (src/store/data-epoch.ts). Any process that needs the data starts it; a lease
 * selects the leader, and the others wait. The steps:
 *
 * 1. The bookkeeping is repaired, without Slack: decisions that were due may have been sent, so they are read back
 *    first; and campaigns are imported again, regardless of recorded imports.
 * 2. The channels are searched, from the last event known to be recorded, and back to the oldest open or pending card.
 *    Cards without a record are adopted, and lost decisions restored from them.
 * 3. Every card of an open or pending task that does not show its record is re-rendered. If a channel could not be read,
 *    decisions made there are unknown: a rating that turns up is attributed to nobody. The channel is searched once it
 *    can be read.
 *
 * Until then nothing is posted, rendered, imported or sent: rendering a card earlier would destroy state that only it
 * has.
 */
export function createRecovery(context: RecoveryParts): DataRecovery {
  const { campaigns, epochs, now, tasks } = context;
  const { search, mayRead } = createChannelSearch(context);
  /** Next retry of each account's unreadable channels (ms). */
  const nextTries = new Map<string, number>();

  /** Returns the tasks that are open, or whose decision must be sent. */
  async function unfinishedTasks(ref: AccountRef): Promise<Task[]> {
    const ids = new Set([
      ...(await tasks.find(ref, 'due', { limit: 1_000_000 })),
      ...(await tasks.find(ref, 'open', { limit: 1_000_000 })),
    ]);
    const found: Task[] = [];
    for (const some of chunksOf([...ids], recordsAtOnce)) found.push(...(await tasks.getMany(ref, some)));
    return found.filter((task) => isOpen(task) || isPending(task));
  }

  async function repair(ref: AccountRef, epoch: DataEpoch): Promise<void> {
    const unfinished = await unfinishedTasks(ref);
    const at = now();
    for (const { id, decision } of unfinished) {
      if (decision === undefined) continue;
      // Another process may still wait for the answer of a call whose claim was lost.
      const until = at + context.timeouts.marketplaceMs;
      await tasks.apply(ref, id, { type: 'doubted', decision: decision.id, at, until });
    }
    // Finished campaigns no longer change; if their counts are as recorded, they were fully read.
    const wanted = new Set<CampaignId>(unfinished.map(({ campaign }) => campaign));
    for (const campaign of await campaigns.all(ref)) if (isActive(campaign)) wanted.add(campaign.id);
    await campaigns.requestImports(ref, [...wanted]);
    await epochs.recordRepaired(ref, epoch);
  }

  /** Repairs the bookkeeping, unless that was done. Resolves false while another process does it. */
  async function ensureRepaired(ref: AccountRef, epoch: DataEpoch): Promise<boolean> {
    if (epoch.doubt !== 'all' || epoch.isRepaired) return true;
    return (await exclusively(ref, 'repair', () => repair(ref, epoch))) === 'done';
  }

  async function exclusively(
    ref: AccountRef,
    name: string,
    run: () => Promise<void>,
  ): Promise<'done' | 'taken'> {
    const lease = await context.leases.acquire(ref, name, context.timeouts.leaseMs);
    if (lease === undefined) return 'taken';
    try {
      await run();
      return 'done';
    } finally {
      await lease.release();
    }
  }

  async function recover(ref: AccountRef): Promise<void> {
    // Another process may have done it since.
    const epoch = await epochs.check(ref);
    if (epoch.doubt === undefined) return;
    const isAll = epoch.doubt === 'all';
    if (isAll) await context.reconnect();
    const unfinished = isAll
      ? (await unfinishedTasks(ref)).filter(({ card }) => card.state !== 'backlog')
      : [];
    const since = sinceWhen(epoch, unfinished);
    // A channel skipped before must be searched from its own start, which may be earlier.
    const sinceOf = (channel: ChannelId) => Math.min(since, epoch.unsearched?.[channel] ?? since);
    const result = await search(ref, epoch, await channelsOf(ref, epoch, unfinished), sinceOf);
    if (!isAll && result.newer > 0) {
      await epochs.doubtAll(ref);
      throw new Reschedule(1);
    }
    const outdated = (isAll ? await unfinishedTasks(ref) : []).filter(
      ({ id, card }) =>
        card.state !== 'backlog' &&
        !result.current.has(id) &&
        !(card.state === 'posted' && result.unreadable.has(card.channel)),
    );
    await tasks.markNeedsRender(
      ref,
      outdated.map(({ id }) => id),
    );
    for (const { id, card } of unfinished) {
      if (card.state === 'posted' && result.unreadable.has(card.channel))
        await tasks.apply(ref, id, { type: 'decision-may-be-lost' });
    }
    if (isAll) await report(ref, epoch, result);
    const { current, unreadable, ...found } = result;
    const figures = {
      ...found,
      outdated: outdated.length,
      unchanged: current.size,
      unreadable: [...unreadable],
    };
    // A new account has lost nothing.
    const isLoss = isAll && (epoch.empty !== 'new' || result.messages > 0);
    const step = isLoss
      ? context.audit.step(ref, {
          what: 'recover data',
          how: 'job',
          before: doubtWords(epoch),
          after: `${figures.messages} messages read, ${figures.newer} taken up, ${figures.contradicted} decisions lost`,
        })
      : undefined;
    const loss = step === undefined ? undefined : { at: now(), entry: step.text };
    const unsearched = Object.fromEntries(
      [...unreadable].flatMap((channel) => {
        const from = isAll ? sinceOf(channel) : epoch.unsearched?.[channel];
        return from === undefined ? [] : [[channel, from]];
      }),
    );
    // Sent before recording: a process that dies in between finds the same decisions again, and requests the same
    // message.
    if (isAll && found.contradicted > 0) await tell(ref, epoch, { decisions: found.contradicted });
    if (!(await epochs.recordRecovered(ref, epoch, unsearched, loss))) return;
    step?.stored();
    await context.jobs.add('send', ref, { uniqueKey: `${ref.account} recovered` });
    context.logger.info({ ...ref, doubt: epoch.doubt, ...figures }, 'data recovered');
  }

  /** Returns the channels that may have messages of the account. */
  async function channelsOf(
    ref: AccountRef,
    { unsearched = {} }: DataEpoch,
    unfinished: readonly Task[],
  ): Promise<Set<ChannelId>> {
    const subscribed = await context.subscriptions.ofAccount(ref);
    const inbox = await context.routing.chosenForInbox(ref);
    return new Set([
      ...(inbox === undefined ? [] : [inbox]),
      ...subscribed.map(({ channel }) => channel),
      ...(Object.keys(unsearched) as ChannelId[]),
      ...unfinished.flatMap(({ card }) => (card.state === 'posted' ? [card.channel] : [])),
    ]);
  }

  /** Returns the start (ms) of the channel search. */
  function sinceWhen({ since = 0 }: DataEpoch, unfinished: readonly Task[]): number {
    const posts = unfinished.flatMap(({ card }) =>
      card.state === 'posted' ? [Number(card.ts) * 1_000] : [],
    );
    return Math.max(posts.reduce((a, b) => Math.min(a, b), since) - searchMarginMs, now() - searchLimitMs);
  }

  /** Reports permanent losses where they are certain; nothing else records them. */
  async function report(
    ref: AccountRef,
    epoch: DataEpoch,
    { messages, contradicted, newer, unreadable }: SearchResult,
  ): Promise<void> {
    const { empty } = epoch;
    const name = `lost ${ref.account}`;
    const { workspace } = ref;
    for (let count = 0; count < contradicted; count++)
      await context.incidents.record(workspace, name, 'decisions');
    // An account without earlier data has lost nothing.
    if (empty !== 'lost' && (empty === undefined || messages === 0)) {
      const code = unreadable.size > 0 ? 'unreadable-channel' : 'older-copy';
      if (newer > 0 && contradicted === 0) await context.incidents.record(workspace, name, code);
      return;
    }
    if (await context.incidents.record(workspace, name, 'emptied')) await tell(ref, epoch);
  }

  /** Queues the message to the account's channel about the loss: all data, or a number of decisions. */
  async function tell(
    ref: AccountRef,
    { epoch }: DataEpoch,
    what: { decisions?: number } = {},
  ): Promise<void> {
    const loss = `${epoch} ${what.decisions === undefined ? 'all' : 'decisions'}`;
    const payload = { ...ref, loss, at: now(), ...what };
    await context.jobs.add('tell-loss', payload, { uniqueKey: `${ref.account} ${loss}` });
  }

  /** Schedules the search of channels unreadable during the recovery, once one of them is readable. */
  async function searchUnsearched(ref: AccountRef, epoch: DataEpoch): Promise<void> {
    const { unsearched = {} } = epoch;
    const key = `${ref.workspace} ${ref.account}`;
    if (Object.keys(unsearched).length === 0 || now() < (nextTries.get(key) ?? 0)) return;
    nextTries.set(key, now() + context.timeouts.unsearchedMs);
    for (const [channel, since] of Object.entries(unsearched)) {
      if (!(await mayRead(ref, channel as ChannelId))) continue;
      context.logger.info({ ...ref, channel }, 'channel can be read again: searching it');
      await epochs.searchAgain(ref, epoch, since);
      return;
    }
  }

  return {
    async maySend(ref) {
      const epoch = await epochs.check(ref);
      // A decision stored in Redis may have been undone since; its card shows that.
      return epoch.doubt === 'all' ? this.recovered(ref) : epoch;
    },

    async mayHaveLostDecisions(ref) {
      const { doubt, lostAt } = await epochs.check(ref);
      const isAfterLoss = lostAt !== undefined && context.now() - lostAt < context.timeouts.lostDecisionsMs;
      return doubt === 'all' || isAfterLoss;
    },

    async recovered(ref) {
      const epoch = await epochs.check(ref);
      if (epoch.doubt === undefined) return epoch;
      try {
        if (!(await ensureRepaired(ref, epoch))) return undefined;
        if ((await exclusively(ref, 'recall', () => recover(ref))) === 'taken') return undefined;
      } catch (error) {
        if (!(error instanceof SlackError) && !(error instanceof Reschedule)) throw error;
        context.logger.warn({ err: error, account: ref.account }, 'data not recovered yet');
        return undefined;
      }
      const after = await epochs.check(ref);
      return after.doubt === undefined ? after : undefined;
    },

    async searchUnsearched(ref) {
      const epoch = await this.recovered(ref);
      if (epoch?.unsearched === undefined) return;
      await searchUnsearched(ref, epoch).catch((error: unknown) => {
        if (!(error instanceof SlackError) && !(error instanceof Reschedule)) throw error;
      });
    },
  };
}

/** Returns why the data were recovered, for the audit, whose earlier entries may be missing. */
function doubtWords({ empty }: DataEpoch): string {
  if (empty === 'new') return 'nothing was stored yet, or it was lost';
  return empty === 'lost' ? 'everything stored was lost' : 'Redis was restarted, replaced or restored';
}
