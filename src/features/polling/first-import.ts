import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Subscription } from '../../store/subscriptions.ts';

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
