import { type Campaign, countsOf } from '../../domain/campaign.ts';
import { clockSkewMs } from '../../domain/confirmed-transition.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { createFirstImport } from './first-import.ts';
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
