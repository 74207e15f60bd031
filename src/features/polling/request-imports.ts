import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { clockSkewMs } from '../../domain/confirmed-transition.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Subscription } from '../../store/channels.ts';
import type { createIncompleteReadReports } from './incomplete-reads.ts';

/** After this many incomplete lists, a first import starts with the campaigns they have. */
const listsBeforeFirstImport = 3;

/** Creates what decides, from a list of campaigns, which results are to be imported. */
export function createImportRequests(
  { campaigns, jobs, clock }: Modules,
  {
    firstImport,
    incompleteReads,
  }: {
    readonly firstImport: Pick<ReturnType<typeof createFirstImport>, 'begin'>;
    readonly incompleteReads: Pick<ReturnType<typeof createIncompleteReadReports>, 'all' | 'forgetOthers'>;
  },
) {
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
  ): Promise<CampaignId[]> {
    // Initially waiting tasks are known only from a complete list, so it is waited for, with a limit.
    const isFirstList = subscribed.some(({ started, reads }) => !started && reads === undefined);
    if (isFirstList && incomplete > 0 && incomplete < listsBeforeFirstImport) return [];
    const [imports, ratedAt, repeated, firstImports] = await Promise.all([
      campaigns.lastImports(ref),
      campaigns.ratedAt(ref),
      incompleteReads.all(ref),
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
    if (wanted.size === 0) return [];
    // A running read that began with the same counts will see the change; the next poll requests the rest.
    const reading = await campaigns.reading(ref, [...wanted]);
    const counts = new Map(followed.map((campaign) => [campaign.id, countsOf(campaign)]));
    await queueImports(
      ref,
      [...wanted].filter((id) => !reading.has(id) || reading.get(id) !== counts.get(id)),
    );
    return [...wanted];
  }

  async function queueImports(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
    const payloads = ids.map((campaign) => ({ ...ref, campaign }));
    await jobs.addAll('import', payloads, ({ account, campaign }) => `${account} ${campaign}`);
  }

  return { requestImports, queueImports };
}

/** Returns whether some channel gets a campaign. */
export function isSubscribed(subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  return subscribed.some(
    (subscription) => subscription.campaign === undefined || subscription.campaign === campaign,
  );
}

/** Attempts per campaign when none can be read: the marketplace is then probably unreachable. */
const attemptsEach = 3;
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
      if (subscription.started || subscription.reads !== undefined) continue;
      const own = wanted.filter((id) => receives(subscription, subscribed, id));
      await campaigns.requestFirstImport(ref, own);
      await channels.subscriptions.replace(ref.workspace, subscription, {
        ...subscription,
        reads: own.length,
      });
      begun.push(...own);
    }
    return begun;
  }

  /** Queues cards for waiting tasks once every campaign was read or tried. */
  async function finish(ref: AccountRef): Promise<void> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const starting = subscribed.filter(({ started, reads }) => !started && reads !== undefined);
    if (starting.length === 0) return;
    const failures = [...(await campaigns.firstImports(ref)).values()];
    for (const subscription of starting) {
      const { reads = 0 } = subscription;
      const isAway = reads > 0 && failures.length >= reads;
      const least = isAway ? attemptsEach : attemptsBeforeOthers;
      if (failures.some((attempts) => attempts < least)) continue;
      const { reads: _, ...rest } = subscription;
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
