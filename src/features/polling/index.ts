import { setTimeout as delay } from 'node:timers/promises';
import { type Campaign, campaignOf, countsOf, isActive, ratingPause } from '../../domain/campaign.ts';
import { runTogether } from '../../domain/collections.ts';
import { clockSkewMs } from '../../domain/confirmed-transition.ts';
import type { AccountRef, CampaignId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type JobEnd, Paused } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { MarketplaceError, TransportError } from '../../marketplace/errors.ts';
import type { CampaignSummary, ListShortfall } from '../../marketplace/types.ts';
import type { Subscription } from '../../store/channels.ts';
import { memoryIncident } from '../../store/pauses.ts';
import { createCampaignImport } from './import-campaign.ts';
import { createInboxImport } from './import-inbox.ts';
import { createOutageNotices, pollingFailure } from './incidents.ts';
import { createIncompleteReadReports, unknownCounts } from './incomplete-reads.ts';

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
  const inbox = createInboxImport(context);
  const incompleteReads = createIncompleteReadReports(context);
  const campaignImport = createCampaignImport(context, incompleteReads);
  const { firstImport, requestImports, queueImports } = createImportRequests(context, incompleteReads);
  const outages = createOutageNotices(context);

  async function pollOnce(ref: AccountRef, subscribed: readonly Subscription[]): Promise<void> {
    const [marketplace, isComplete] = await Promise.all([
      context.marketplace.of(ref),
      campaigns.incompleteReads.isEmpty(ref),
    ]);
    // The two imports are independent; one may fail without the other.
    const lacking: { campaigns?: ListShortfall; messages?: ListShortfall } = {};
    const [listed, messages] = await Promise.allSettled([
      marketplace.listCampaignsExtended({}, { onIncomplete: (list) => (lacking.campaigns = list) }),
      marketplace.listMessages({ folder: 'INBOX' }, { onIncomplete: (list) => (lacking.messages = list) }),
    ]);
    if (messages.status === 'fulfilled') {
      await inbox.importMessages(ref, messages.value, lacking.messages === undefined);
      if (!isComplete || lacking.messages !== undefined)
        await incompleteReads.list(ref, 'messages', lacking.messages);
    }
    if (listed.status === 'rejected') throw listed.reason;
    await takeList(ref, subscribed, listed.value, lacking.campaigns, isComplete);
    if (messages.status === 'rejected') throw messages.reason;
  }

  /**
   * Stores a list, and queues the imports of the campaigns that need one.
   * @param lacking what of it could not be read
   * @param isComplete whether the last read of every list and of all results was complete
   */
  async function takeList(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    listed: readonly CampaignSummary[],
    lacking: ListShortfall | undefined,
    isComplete: boolean,
  ): Promise<void> {
    const at = clock.now();
    const seen = listed.map(campaignOf);
    // Independent of each other: what they read is one command.
    await Promise.all([
      releaseHeld(ref, seen),
      campaigns.store(ref, seen),
      campaigns.briefs.store(
        ref,
        listed.map(({ id, requiredWork: work, requiredProof: proof }) => ({ id, work, proof })),
      ),
      context.takeInStatuses(ref, seen, at),
    ]);
    const incomplete =
      isComplete && lacking === undefined ? 0 : await incompleteReads.list(ref, 'campaigns', lacking);
    await requestImports(ref, subscribed, seen, incomplete);
    if (subscribed.some(({ started }) => !started)) await firstImport.finish(ref);
    await campaigns.recordPoll(ref, at);
  }

  /** Sends decisions held for campaigns that accept ratings again. */
  async function releaseHeld(ref: AccountRef, seen: readonly Campaign[]): Promise<void> {
    const held = await tasks.getMany(ref, await tasks.find(ref, 'held'));
    const waiting = held.filter(({ decision }) => decision?.problem?.waitsFor === 'campaign');
    const ids = new Set(waiting.map(({ campaign }) => campaign));
    for (const { id, status } of seen)
      if (ids.has(id) && ratingPause(status) === undefined)
        await jobs.add('release', { ...ref, campaign: id });
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
      if (wrong) await incompleteReads.results(ref, campaign, { ...unknownCounts, wrong });
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
              outages.reportSlack(ref),
              reportMemory(ref.workspace),
            ]);
            await requeue.requeueUnfinished(ref, true);
            await outages.report(ref, () => pollOnce(ref, subscribed));
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
 * Returns what is wrong with results that were wholly unreadable although the marketplace answers; undefined if it does not
 * answer, which is not specific to this campaign.
 */
function unreadableResults(error: unknown): string | undefined {
  if (error instanceof MarketplaceError && !error.isAuthentication)
    return `they are rejected by the marketplace (${error.text})`;
  if (error instanceof TransportError && error.kind === 'unreadable')
    return 'they are not what the marketplace’s description says';
  return undefined;
}

/** After this many incomplete lists, a first import starts with the campaigns they have. */
const listsBeforeFirstImport = 3;

/** Creates what decides, from a list of campaigns, which results are to be imported. */
function createImportRequests(
  modules: Modules,
  incompleteReads: ReturnType<typeof createIncompleteReadReports>,
) {
  const { campaigns, jobs, clock } = modules;
  const firstImport = createFirstImport(modules);

  /**
   * Queues imports of campaigns whose counts changed since the last import, whose results were incomplete, or which are
   * part of a first import.
   * @param incomplete number of consecutive lists, including this one, that lack campaigns
   */
  async function requestImports(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    seen: readonly Campaign[],
    incomplete: number,
  ): Promise<void> {
    // Initially waiting tasks are known only from a complete list, so it is waited for, with a limit.
    const isFirstList = subscribed.some(({ started, isImporting }) => !started && !isImporting);
    if (isFirstList && incomplete > 0 && incomplete < listsBeforeFirstImport) return;
    const [imports, ratedAt, repeated, firstImports] = await Promise.all([
      campaigns.lastImports(ref),
      campaigns.ratedAt(ref),
      campaigns.incompleteReads.all(ref),
      campaigns.firstImports(ref),
    ]);
    const followed = seen.filter(({ id }) => isSubscribed(subscribed, id));
    const changed = followed.filter((campaign) => {
      const read = repeated.get(campaign.id);
      const last = imports.get(campaign.id);
      const isRatedSince = last !== undefined && (ratedAt.get(campaign.id) ?? 0) > last.at - clockSkewMs;
      if (read) {
        // Ratings do not cause more frequent reads of a campaign that cannot be read at all.
        const wasRead = last !== undefined && last.at > read.since;
        return read.nextAt <= clock.now() || read.listed !== countsOf(campaign) || (wasRead && isRatedSince);
      }
      // A campaign that was never imported and has nothing to rate has nothing to show.
      return last ? last.counts !== countsOf(campaign) || isRatedSince : campaign.tasksNotRated > 0;
    });
    const wanted = new Set(changed.map(({ id }) => id));
    const begun = await firstImport.begin(ref, subscribed, [...wanted]);
    const known = new Set(followed.map(({ id }) => id));
    for (const id of new Set([...firstImports.keys(), ...begun])) {
      const read = repeated.get(id);
      if (known.has(id) && (read === undefined || read.nextAt <= clock.now())) wanted.add(id);
      // Its absence from an incomplete list proves nothing.
      else if (!known.has(id) && incomplete === 0) await campaigns.finishFirstImport(ref, id);
    }
    if (incomplete === 0) await incompleteReads.forgetOthers(ref, repeated, known);
    if (wanted.size === 0) return;
    // A running read that began with the same counts will see the change; the next poll requests the rest.
    const reading = await campaigns.reading(ref, [...wanted]);
    const counts = new Map(followed.map((campaign) => [campaign.id, countsOf(campaign)]));
    await queueImports(
      ref,
      [...wanted].filter((id) => !reading.has(id) || reading.get(id) !== counts.get(id)),
    );
  }

  async function queueImports(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
    const payloads = ids.map((campaign) => ({ ...ref, campaign }));
    await jobs.addAll('import', payloads, ({ account, campaign }) => `${account} ${campaign}`);
  }

  return { firstImport, requestImports, queueImports };
}

/** Returns whether some channel gets a campaign. */
export function isSubscribed(subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  return subscribed.some(
    (subscription) => subscription.campaign === undefined || subscription.campaign === campaign,
  );
}

/** Attempts per campaign before the others proceed without it. */
const attemptsBeforeOthers = 2;

/**
 * Creates the first import of a new subscription. Waiting tasks get no cards until every campaign was read or tried,
 * because only then is it known which are due first. Each step is stored, so that another process can resume.
 */
export function createFirstImport({ campaigns, jobs, channels }: Modules) {
  /**
   * Decides which campaigns the first imports of new subscriptions read, and returns them.
   * @param wanted those to read now
   */
  async function begin(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    wanted: readonly CampaignId[],
  ): Promise<readonly CampaignId[]> {
    const begun: CampaignId[] = [];
    for (const subscription of subscribed) {
      if (subscription.started || subscription.isImporting) continue;
      const own = wanted.filter((id) => receives(subscription, subscribed, id));
      await campaigns.requestFirstImport(ref, own);
      const importing = { ...subscription, isImporting: true } as const;
      await channels.subscriptions.replace(ref.workspace, subscription, importing);
      begun.push(...own);
    }
    return begun;
  }

  /** Queues cards for waiting tasks once every campaign was read or tried. */
  async function finish(ref: AccountRef): Promise<void> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const starting = subscribed.filter(({ started, isImporting }) => !started && isImporting);
    if (starting.length === 0) return;
    const attempts = [...(await campaigns.firstImports(ref)).values()];
    if (attempts.some((count) => count < attemptsBeforeOthers)) return;
    for (const subscription of starting) {
      const { isImporting: _, ...rest } = subscription;
      // If another process did it meanwhile, that one continues; if it dies, the next poll does.
      if (await channels.subscriptions.replace(ref.workspace, subscription, { ...rest, started: true }))
        await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
    }
  }

  return { begin, finish };
}

/**
 * Returns whether a campaign's cards go to this subscription's channel; the campaign's own subscription takes precedence
 * over the account's.
 */
function receives(one: Subscription, subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  if (one.campaign !== undefined) return one.campaign === campaign;
  return !subscribed.some((other) => other.campaign === campaign);
}
