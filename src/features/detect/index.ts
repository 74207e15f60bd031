import { setTimeout as delay } from 'node:timers/promises';
import { type Campaign, campaignOf, countsOf, isActive, ratingPause } from '../../domain/campaign.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { clockSkewMs } from '../../domain/transition.ts';
import { NotConnected } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { DetectDeps } from './deps.ts';
import { cannotLook, looksAgain, noAnswer, noKey } from './detect.view.ts';
import { createFirstLook } from './first-look.ts';
import { createMend } from './mend.ts';
import { createReading } from './reading.ts';
import { createRecall } from './recall.ts';

/** Looks that must fail in a row before people are told that the marketplace cannot be reached. */
const failedLooks = 3;

/** Finds what is new: one list of campaigns and one of messages per look, results only where something changed. */
export function createDetect(deps: DetectDeps) {
  const { tasks, campaigns, subscriptions, jobs, now } = deps;
  const recall = createRecall(deps);
  const firstLook = createFirstLook(deps);
  const reading = createReading(deps, recall);
  const { mend, isAnythingLeft } = createMend(deps);

  /** @param isSure whether no card stands unknown: otherwise what is new waits for the next look */
  async function look(ref: AccountRef, subscribed: readonly Subscription[], isSure: boolean): Promise<void> {
    const marketplace = await deps.marketplaceOf(ref);
    // Each of the two is taken in, whatever becomes of the other.
    const [listed, messages] = await Promise.allSettled([
      marketplace.listCampaignsExtended(),
      marketplace.listMessages({ folder: 'INBOX' }),
    ]);
    if (messages.status === 'fulfilled') await deps.inbox.take(ref, messages.value);
    if (listed.status === 'rejected') throw listed.reason;
    const seen = listed.value.map(campaignOf);
    await campaigns.store(ref, seen);
    await releaseKept(ref, seen);
    if (isSure) {
      await askForReads(ref, subscribed, seen);
      await firstLook.finish(ref);
      await firstLook.refreshSummaries(ref, [...new Set(subscribed.map(({ channel }) => channel))]);
      recall.noteLooks(ref, await campaigns.recordPoll(ref, now()));
    }
    if (messages.status === 'rejected') throw messages.reason;
  }

  /** Decisions kept for a campaign that takes ratings again are sent now. */
  async function releaseKept(ref: AccountRef, seen: readonly Campaign[]): Promise<void> {
    const pending = await tasks.getMany(ref, await tasks.find(ref, 'due'));
    const kept = new Set(
      pending.flatMap(({ campaign, decision }) =>
        decision?.problem?.waitsFor === 'campaign' ? [campaign] : [],
      ),
    );
    for (const { id, status } of seen) {
      if (kept.has(id) && ratingPause(status) === undefined)
        await jobs.add('release', { ...ref, campaign: id });
    }
  }

  /** Asks to read those campaigns whose counts are not those of the last read, and those of a first look. */
  async function askForReads(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    seen: readonly Campaign[],
  ): Promise<void> {
    const reads = await campaigns.lastImports(ref);
    const touched = await campaigns.ratedAt(ref);
    const wanted = seen.filter(({ id }) => isWanted(subscribed, id));
    const changed = wanted.filter((campaign) => {
      const last = reads.get(campaign.id);
      // What was never read and has nothing to be rated has nothing to show.
      return last
        ? last.counts !== countsOf(campaign) || (touched.get(campaign.id) ?? 0) > last.at - clockSkewMs
        : campaign.tasksNotRated > 0;
    });
    const unread = new Set(changed.map(({ id }) => id));
    await firstLook.begin(ref, subscribed, [...unread]);
    const known = new Set(wanted.map(({ id }) => id));
    for (const id of (await campaigns.firstImports(ref)).keys()) {
      if (known.has(id)) unread.add(id);
      else await campaigns.finishFirstImport(ref, id);
    }
    await askToRead(ref, [...unread]);
  }

  async function askToRead(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
    const payloads = ids.map((campaign) => ({ ...ref, campaign }));
    await jobs.addAll('read', payloads, ({ account, campaign }) => `${account} ${campaign}`);
  }

  /** Reads a campaign. One that cannot be read holds nothing else up: the next look asks for it again. */
  async function read(ref: AccountRef, campaign: CampaignId): Promise<void> {
    try {
      if (await reading.read(ref, campaign)) {
        await firstLook.lateRead(ref, campaign);
        await firstLook.finish(ref);
      }
    } catch (error) {
      if (error instanceof Reschedule) throw error;
      await campaigns.recordFirstImportFailure(ref, campaign);
      await firstLook.finish(ref);
      explained(error);
      deps.logger.warn({ err: error, campaign }, 'a campaign could not be read');
    }
  }

  /** Counts can cancel out: what was not read for a while is read in full. */
  async function sweep(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    const reads = await campaigns.lastImports(ref);
    const due = (await campaigns.all(ref)).filter((campaign) => {
      const last = reads.get(campaign.id);
      const isDue = last !== undefined && last.at < now() - deps.sweepMs * 0.9;
      return isDue && isActive(campaign) && isWanted(subscribed, campaign.id);
    });
    await askToRead(
      ref,
      due.map(({ id }) => id),
    );
  }

  /** Beginning and ending to look go one after the other, whoever asks for them. */
  async function alone(ref: AccountRef, run: () => Promise<void>): Promise<void> {
    for (;;) {
      const lock = await deps.leases.acquire(ref, 'looking', deps.timeouts.leaseMs);
      if (lock === undefined) {
        await delay(50);
        continue;
      }
      try {
        return await run();
      } finally {
        await lock.release();
      }
    }
  }

  /** Nobody wants to know of news any more, and nothing is left to look after. */
  async function stopLooking(ref: AccountRef): Promise<void> {
    await alone(ref, async () => {
      // Somebody may have subscribed since that was found; who does so from now on waits until this is over.
      if ((await subscriptions.ofAccount(ref)).length > 0) return;
      await jobs.stopRepeating('look', repeatId(ref));
      await jobs.stopRepeating('sweep', repeatId(ref));
      await subscriptions.removePolledAccount(ref);
    });
  }

  /** Looks fail for everyone alike: who subscribed is told once, and once more when it works again. */
  async function told(ref: AccountRef, run: () => Promise<void>): Promise<void> {
    const name = `look ${ref.account}`;
    try {
      await run();
    } catch (error) {
      const { code, why, tellAfter } = explained(error);
      deps.logger.warn({ err: error, account: ref.account }, 'a look failed');
      if (await deps.incidents.record(ref.workspace, name, code, tellAfter)) await say(ref, cannotLook(why));
      return;
    }
    const trouble = await deps.incidents.clear(ref.workspace, name);
    if (trouble?.notified) await say(ref, looksAgain(trouble.since));
    if (trouble) await jobs.add('release', ref);
  }

  async function say(ref: AccountRef, message: ReturnType<typeof cannotLook>): Promise<void> {
    const subscription = await subscriptions.forInbox(ref);
    if (subscription === undefined) return;
    try {
      await deps.messengerOf(ref.workspace).post(subscription.channel, message);
    } catch (error) {
      deps.logger.warn({ err: error, channel: subscription.channel }, 'a notice could not be posted');
    }
  }

  return {
    jobs: {
      async look(ref: Payload<'look'>): Promise<void> {
        const lock = await deps.leases.acquire(ref, 'look', deps.timeouts.leaseMs);
        if (lock === undefined) return;
        try {
          const subscribed = await subscriptions.ofAccount(ref);
          if (subscribed.length > 0) {
            const isSure = await recall.triesToBeSure(ref);
            await mend(ref, isSure);
            await told(ref, () => look(ref, subscribed, isSure));
          } else if (await isAnythingLeft(ref)) {
            // The buttons of the cards that are there work on, and what they do is looked after.
            await mend(ref, false);
          } else await stopLooking(ref);
        } finally {
          await lock.release();
        }
      },
      read: ({ campaign, ...ref }: Payload<'read'>): Promise<void> => read(ref, campaign),
      sweep: (ref: Payload<'sweep'>): Promise<void> => sweep(ref),
    },

    /** Begins to look at an account every so often; asking again changes the pace only. */
    async startLooking(ref: AccountRef, pollSeconds: number): Promise<void> {
      // Jobs that post cards begin after this: what another run of Redis may not know of is found before.
      if (await recall.isServedAnew(ref)) {
        await recall.triesToBeSure(ref).catch((error: unknown) => {
          // Looks meet the same, and say so; no other account's start waits for it.
          deps.logger.warn({ err: error, account: ref.account }, 'cannot look for cards at the start');
        });
      }
      await alone(ref, async () => {
        await subscriptions.addPolledAccount(ref);
        await jobs.repeat('look', repeatId(ref), pollSeconds * 1_000, ref);
        await jobs.repeat('sweep', repeatId(ref), deps.sweepMs, ref);
      });
    },
  };
}

/** What a failed look is told as, and after how many of them. Throws what is a fault of ours. */
function explained(error: unknown): { code: string; why: string; tellAfter: number } {
  if (error instanceof NotConnected) return { code: 'NO_KEY', why: noKey, tellAfter: 1 };
  if (error instanceof TransportError) return { code: 'UNREACHABLE', why: noAnswer, tellAfter: failedLooks };
  if (!(error instanceof MarketplaceError)) throw error;
  const tellAfter = error.isAuthentication ? 1 : failedLooks;
  return { code: error.code, why: sentenceFor(error), tellAfter };
}

function repeatId({ workspace, account }: AccountRef): string {
  return `${workspace} ${account}`;
}

function isWanted(subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  return subscribed.some(
    (subscription) => subscription.campaign === undefined || subscription.campaign === campaign,
  );
}
