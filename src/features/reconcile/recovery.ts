import { isActive } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/group.ts';
import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { DataRecovery } from '../shared/data-recovery.ts';
import { type CardSearchParts, createCardSearch } from './cards.ts';

/**
 * Cards are searched for from this long before the last recorded poll. That poll is as old as the copy, whatever its age,
 * and so are all cards in it; clocks differ, and a copy is not made in a moment.
 */
const searchMarginMs = 300_000;
/** How far back cards are searched for at most. */
const searchLimitMs = 30 * 86_400_000;
/** How many records are loaded at once. */
const recordsAtOnce = 200;

export type RecoveryParts = CardSearchParts & Pick<FeatureContext, 'epochs' | 'leases' | 'timeouts'>;

/**
 * Creates the recovery of data that are in doubt (src/store/data-epoch.ts). Whoever needs the data begins it; a lease
 * decides which process leads, and the others wait. In the order in which it happens:
 *
 * 1. The bookkeeping is repaired, without Slack: a decision that was due may have been sent, so it is read back first; and
 *    campaigns are imported again, whatever was recorded of their imports.
 * 2. The channels are searched for cards without a record.
 * 3. Every card whose task is open or pending is rendered again.
 */
export function createRecovery(context: RecoveryParts): DataRecovery {
  const { campaigns, epochs, now, tasks } = context;
  const search = createCardSearch(context);

  /** Returns the tasks that are to be decided, or whose decision is to be sent. */
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
    // Finished campaigns change no more: those whose counts are as recorded were read to their end.
    const wanted = new Set<CampaignId>(unfinished.map(({ campaign }) => campaign));
    for (const campaign of await campaigns.all(ref)) if (isActive(campaign)) wanted.add(campaign.id);
    await campaigns.requestImports(ref, [...wanted]);
    await epochs.recordRepaired(ref, epoch);
  }

  /** Repairs the bookkeeping, if nobody has yet. Resolves false while another process does. */
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
    const since = Math.max((epoch.since ?? 0) - searchMarginMs, now() - searchLimitMs);
    await search(ref, since);
    if (epoch.doubt === 'all') {
      const shown = (await unfinishedTasks(ref)).filter(({ card }) => card.state !== 'backlog');
      await tasks.markNeedsRender(
        ref,
        shown.map(({ id }) => id),
      );
    }
    if (await epochs.recordRecovered(ref, epoch))
      context.logger.info({ ...ref, doubt: epoch.doubt, epoch: epoch.epoch }, 'data recovered');
  }

  return {
    async maySend(ref) {
      return ensureRepaired(ref, await epochs.check(ref));
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
  };
}
