import { setTimeout as delay } from 'node:timers/promises';
import { type Campaign, campaignOf, isActive, ratingPause } from '../../domain/campaign.ts';
import { runTogether } from '../../domain/collections.ts';
import type { AccountRef, CampaignId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type JobEnd, Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  type CampaignSummary,
  type ListShortfall,
  MarketplaceError,
  TransportError,
} from '../../marketplace/index.ts';
import type { Subscription } from '../../store/channels.ts';
import { memoryIncident } from '../../store/pauses.ts';
import { createCampaignImport } from './import-campaign.ts';
import type { InboxImport } from './import-inbox.ts';
import { createPollingIncidents, pollingFailure } from './incidents.ts';
import { createIncompleteReadReports, type Shortcoming } from './incomplete-reads.ts';
import { createFirstImport, createImportRequests, isSubscribed } from './request-imports.ts';
import { createSlackOutageNotices } from './slack-outage.ts';

/** Requeues work left unfinished by lost jobs; see src/features/reconcile/requeue.ts. */
export interface Requeue {
  requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void>;
  isAnythingUnfinished(ref: AccountRef): Promise<boolean>;
}

/** What a feature does after a poll, an import or a sweep of an account; a failure of one affects no other. */
export interface Follower {
  afterPoll?(ref: AccountRef, subscribed: readonly Subscription[]): Promise<void>;
  afterImport?(ref: AccountRef): Promise<void>;
  afterSweep?(ref: AccountRef): Promise<void>;
}

export type PollingContext = Modules & {
  readonly inbox: InboxImport;
  /** Processes the statuses of the campaigns that a poll has listed at that time (ms). */
  readonly takeInStatuses: (ref: AccountRef, listed: readonly Campaign[], at: number) => Promise<void>;
  readonly requeue: Requeue;
  /** Redraws the cards of unfinished tasks after Redis was restarted, failed over or restored. */
  readonly redrawAfterRestart: (ref: AccountRef) => Promise<void>;
  readonly followers: readonly Follower[];
};

/** Creates polling: each poll lists campaigns and messages, and reads results only where something changed. */
export function createPolling(context: PollingContext) {
  const { campaigns, jobs, clock, channels, tasks, requeue, followers } = context;
  const firstImport = createFirstImport(context);
  const incompleteReads = createIncompleteReadReports(context);
  const campaignImport = createCampaignImport(context, incompleteReads);
  const { requestImports, queueImports } = createImportRequests(context, { firstImport, incompleteReads });
  const incidents = createPollingIncidents(context);
  const slackOutages = createSlackOutageNotices(context);

  /** Returns the campaigns whose results are to be imported. */
  async function pollOnce(
    ref: AccountRef,
    subscribed: readonly Subscription[],
  ): Promise<readonly CampaignId[]> {
    const [marketplace, isComplete] = await Promise.all([
      context.marketplace.of(ref),
      incompleteReads.isEmpty(ref),
    ]);
    // The two imports are independent; one may fail without the other.
    const lacking: { campaigns?: ListShortfall; messages?: ListShortfall } = {};
    const [listed, messages] = await Promise.allSettled([
      marketplace.listCampaignsExtended({}, { onIncomplete: (list) => (lacking.campaigns = list) }),
      marketplace.listMessages({ folder: 'INBOX' }, { onIncomplete: (list) => (lacking.messages = list) }),
    ]);
    if (messages.status === 'fulfilled') {
      await context.inbox.importMessages(ref, messages.value, lacking.messages === undefined);
      if (!isComplete || lacking.messages !== undefined)
        await incompleteReads.list(ref, 'messages', lacking.messages);
    }
    if (listed.status === 'rejected') throw listed.reason;
    const list = { listed: listed.value, at: clock.now(), lacking: lacking.campaigns, isComplete };
    const wanted = await takeList(ref, subscribed, list);
    if (messages.status === 'rejected') throw messages.reason;
    return wanted;
  }

  /**
   * Stores a list, and returns the campaigns whose results are to be imported.
   * @param list `at`: when it was read (ms). `isComplete`: whether the last read of every list and of all results was complete
   */
  async function takeList(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    {
      listed,
      at,
      lacking,
      isComplete,
    }: {
      readonly listed: readonly CampaignSummary[];
      readonly at: number;
      readonly lacking: ListShortfall | undefined;
      readonly isComplete: boolean;
    },
  ): Promise<readonly CampaignId[]> {
    const seen = listed.map(campaignOf);
    const briefsOfList = listed.map(({ id, requiredWork, requiredProof }) => ({
      id,
      work: requiredWork,
      proof: requiredProof,
    }));
    // Independent of each other: what they read is one command.
    const [held] = await Promise.all([
      heldCampaigns(ref),
      campaigns.store(ref, seen),
      campaigns.briefs.store(ref, briefsOfList),
      context.takeInStatuses(ref, seen, at),
    ]);
    await releaseHeldDecisions(ref, held, seen);
    const incomplete =
      isComplete && lacking === undefined ? 0 : await incompleteReads.list(ref, 'campaigns', lacking);
    const wanted = await requestImports(ref, subscribed, seen, incomplete);
    if (subscribed.some(({ started }) => !started)) await firstImport.finish(ref);
    await campaigns.recordPoll(ref, at);
    return wanted;
  }

  /** Returns the campaigns with decisions held until they accept ratings. */
  async function heldCampaigns(ref: AccountRef): Promise<ReadonlySet<CampaignId>> {
    const pending = await tasks.getMany(ref, await tasks.find(ref, 'held'));
    return new Set(
      pending.flatMap(({ campaign, decision }) =>
        decision?.problem?.waitsFor === 'campaign' ? [campaign] : [],
      ),
    );
  }

  /** Sends decisions held for a campaign that accepts ratings again. */
  async function releaseHeldDecisions(
    ref: AccountRef,
    held: ReadonlySet<CampaignId>,
    seen: readonly Campaign[],
  ): Promise<void> {
    for (const { id, status } of seen) {
      if (held.has(id) && ratingPause(status) === undefined)
        await jobs.add('release', { ...ref, campaign: id });
    }
  }

  /** Imports a campaign. If it cannot be read, nothing else is delayed: the next poll queues it again. */
  async function importCampaign(ref: AccountRef, campaign: CampaignId): Promise<JobEnd> {
    try {
      const imported = await campaignImport.run(ref, campaign);
      if ('again' in imported) return imported;
      if (imported.isFirst) await firstImport.finish(ref);
      // New tasks get cards where the limit allows it.
      if (await context.channels.windows.isAnyQueued(ref))
        await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
    } catch (error) {
      if (error instanceof Paused) throw error;
      await campaigns.recordFirstImportFailure(ref, campaign);
      await firstImport.finish(ref);
      pollingFailure(error);
      const wrong = unreadableResults(error);
      if (wrong) await incompleteReads.results(ref, campaign, wrong);
      context.log.warn({ err: error, campaign }, 'import failed');
    }
  }

  /** Reads campaigns in full that were not imported for a while, because changes in counts can cancel each other out. */
  async function sweep(ref: AccountRef): Promise<void> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const imports = await campaigns.lastImports(ref);
    const due = (await campaigns.all(ref)).filter((campaign) => {
      const last = imports.get(campaign.id);
      const isDue = last !== undefined && last.at < clock.now() - context.marketplace.sweepMs * 0.9;
      return isDue && isActive(campaign) && isSubscribed(subscribed, campaign.id);
    });
    await queueImports(
      ref,
      due.map(({ id }) => id),
    );
  }

  /** Lists a Redis that is nearly full in Home, until it has room. */
  async function reportMemory(workspace: WorkspaceId): Promise<void> {
    if (await jobs.redisMemory.isNearlyFull())
      await jobs.incidents.record(workspace, memoryIncident, 'NEARLY_FULL');
    else await jobs.incidents.clear(workspace, memoryIncident);
  }

  /** Serializes starting and stopping the polls of an account across processes. */
  async function exclusively(ref: AccountRef, run: () => Promise<void>): Promise<void> {
    for (;;) {
      const lease = await jobs.leases.acquire(ref, 'polling', jobs.timeouts.leaseMs);
      if (lease === undefined) {
        await delay(50);
        continue;
      }
      try {
        return await run();
      } finally {
        await lease.release();
      }
    }
  }

  async function stopPolling(ref: AccountRef): Promise<void> {
    await exclusively(ref, async () => {
      // Somebody may have subscribed since the last check; new subscribers now wait for this lease.
      if (await channels.routing.isFollowed(ref, await channels.subscriptions.ofAccount(ref))) return;
      await jobs.stopRepeating('poll', repeatId(ref));
      await jobs.stopRepeating('sweep', repeatId(ref));
      await channels.subscriptions.removePolledAccount(ref);
    });
  }

  return {
    jobs: {
      async poll(ref: Payload<'poll'>): Promise<void> {
        const lease = await jobs.leases.acquire(ref, 'poll', jobs.timeouts.leaseMs);
        if (lease === undefined) return;
        try {
          const subscribed = await channels.subscriptions.ofAccount(ref);
          if (await channels.routing.isFollowed(ref, subscribed)) {
            // Independent requests run concurrently: a poll consists mostly of Redis queries.
            await Promise.all([
              context.redrawAfterRestart(ref),
              slackOutages.report(ref),
              reportMemory(ref.workspace),
            ]);
            await requeue.requeueUnfinished(ref, true);
            await incidents.report(ref, () => pollOnce(ref, subscribed));
          } else if (await requeue.isAnythingUnfinished(ref)) {
            // Buttons of existing cards still work, and their actions must be completed.
            await requeue.requeueUnfinished(ref, false);
          } else await stopPolling(ref);
        } finally {
          await lease.release();
        }
        const subscribed = await channels.subscriptions.ofAccount(ref);
        await runTogether(followers, async (one) => one.afterPoll?.(ref, subscribed));
      },
      async import({ campaign, ...ref }: Payload<'import'>): Promise<JobEnd> {
        const end = await importCampaign(ref, campaign);
        if (end) return end;
        await runTogether(followers, async (one) => one.afterImport?.(ref));
      },
      async sweep(ref: Payload<'sweep'>): Promise<void> {
        await sweep(ref);
        await runTogether(followers, async (one) => one.afterSweep?.(ref));
      },
    },

    /** Starts polling an account every `pollSeconds`; calling it again only changes the interval. */
    async startPolling(ref: AccountRef, pollSeconds: number): Promise<void> {
      await exclusively(ref, async () => {
        await channels.subscriptions.addPolledAccount(ref);
        await jobs.repeat('poll', repeatId(ref), pollSeconds * 1_000, ref);
        await jobs.repeat('sweep', repeatId(ref), context.marketplace.sweepMs, ref);
      });
    },
  };
}

function repeatId({ workspace, account }: AccountRef): string {
  return `${workspace} ${account}`;
}

/**
 * Returns the problem of results that were wholly unreadable although the marketplace answers; undefined if it does not
 * answer, which is not specific to this campaign.
 */
function unreadableResults(error: unknown): Shortcoming | undefined {
  const wrong = wrongWith(error);
  return wrong === undefined
    ? undefined
    : { wrong, listed: '', read: '', isCountsOnly: false, hasProgressed: false };
}

function wrongWith(error: unknown): string | undefined {
  if (error instanceof MarketplaceError && !error.isAuthentication)
    return `are rejected by the marketplace (${error.text})`;
  if (error instanceof TransportError && error.kind === 'unreadable')
    return 'are not what the marketplace’s description says';
  return undefined;
}
