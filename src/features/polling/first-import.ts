import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { PollingContext } from './context.ts';

/** How often each campaign is tried when none can be read: the marketplace is then probably unreachable. */
const attemptsEach = 3;
/** How often a campaign is tried before the others go on without it. */
const attemptsBeforeOthers = 2;

/**
 * The first import of a new subscription. Tasks that wait already get no card before all campaigns were read or tried: only
 * then is it known which of them run out first. Each step is stored, so that another process can resume it.
 */
export function createFirstImport({
  campaigns,
  jobs,
  subscriptions,
}: Pick<PollingContext, 'campaigns' | 'jobs' | 'subscriptions'>) {
  /** Decides which campaigns the first import of a new subscription reads. @param wanted those to be read now */
  async function begin(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    wanted: readonly CampaignId[],
  ): Promise<void> {
    for (const subscription of subscribed) {
      if (subscription.started || subscription.reads !== undefined) continue;
      const own = wanted.filter((id) => receives(subscription, subscribed, id));
      await campaigns.requestFirstImport(ref, own);
      await subscriptions.replace(ref.workspace, subscription, { ...subscription, reads: own.length });
    }
  }

  /** Lets waiting tasks have cards, once every campaign was read or tried. */
  async function finish(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    const starting = subscribed.filter(({ started, reads }) => !started && reads !== undefined);
    if (starting.length === 0) return;
    const failures = [...(await campaigns.firstImports(ref)).values()];
    for (const subscription of starting) {
      const { reads = 0 } = subscription;
      const isAway = reads > 0 && failures.length >= reads;
      const least = isAway ? attemptsEach : attemptsBeforeOthers;
      if (failures.some((attempts) => attempts < least)) continue;
      const { reads: _, ...rest } = subscription;
      // If another process has done it meanwhile, that one goes on; if it dies there, the next poll does.
      if (await subscriptions.replace(ref.workspace, subscription, { ...rest, started: true }))
        await jobs.add('fill-windows', ref, { uniqueKey: ref.account });
    }
  }

  return { begin, finish };
}

/** Whether a campaign's cards go to this subscription's channel: a campaign's own one comes before the account's. */
function receives(one: Subscription, subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  if (one.campaign !== undefined) return one.campaign === campaign;
  return !subscribed.some((other) => other.campaign === campaign);
}
