import { countsOf } from '../../domain/campaign.ts';
import type { SeenRow, TaskEvent, TransitionResult } from '../../domain/events.ts';
import { placesOf } from '../../domain/live-message.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { describeResultsProblems, type MarketplaceClient } from '../../marketplace/index.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';
import { retireFormer } from '../shared/former-places.ts';
import { openCardsLimit } from '../shared/open-cards.ts';
import { createRowConfirmation } from './confirm-rows.ts';
import type { PollingContext } from './context.ts';
import { type ResultsDiff, type RowOfDiff, readChanges } from './diff-results.ts';
import type { createIncompleteReadReports } from './incomplete-reads.ts';

/** Results smaller than this do not count against the budget of bytes. */
const smallCsvBytes = 256_000;
/** While cards may exist without a record, an import is tried again after this (ms). */
const recoveryRetryMs = 1_000;
/** A first import that was so often not complete ends with what could be read. */
const firstImportAttempts = 3;
/** How many earlier tasks are asked about, of which new ones may be the correction. */
const maxCorrectionsAsked = 50;

interface StoredChanges {
  readonly isUpToDate: boolean;
  readonly hasProgressed: boolean;
}

type Found = ReadonlyMap<string, FoundCard>;

/** Imports the results of one campaign: what is new becomes task records and jobs for cards. */
export function createCampaignImport(
  context: PollingContext,
  incompleteReads: ReturnType<typeof createIncompleteReadReports>,
) {
  const { campaigns, faults, jobs, rateLimiter, recovery, tasks } = context;
  const confirmation = createRowConfirmation(context);

  /**
   * Imports a campaign. Throws {@link Reschedule} while the bytes read before exceed the budget: how large these results
   * are is only known once they are here, so they are counted then, and later imports wait.
   * @returns whether it was part of a first import
   */
  async function run(ref: AccountRef, campaign: CampaignId): Promise<boolean> {
    const epoch = await recovery.recovered(ref);
    if (epoch === undefined) throw new Reschedule(recoveryRetryMs);
    const last = await campaigns.lastImport(ref, campaign);
    if (last === undefined || last.bytes > smallCsvBytes) {
      const wait = await rateLimiter.acquireCsv(ref, 0);
      if (wait > 0) throw new Reschedule(wait);
    }
    const reading = await announceReading(ref, campaign);
    try {
      return await importNow(ref, campaign, epoch);
    } finally {
      await reading.end();
    }
  }

  /** Lets polls know that a campaign is being read: they do not ask for the same again. */
  async function announceReading(ref: AccountRef, campaign: CampaignId) {
    const listed = await campaigns.get(ref, campaign);
    const { leaseMs } = context.timeouts;
    const announce = () => campaigns.recordReading(ref, campaign, listed ? countsOf(listed) : '', leaseMs);
    await announce();
    const renewing = setInterval(() => void announce().catch(() => undefined), leaseMs / 3);
    return {
      async end(): Promise<void> {
        clearInterval(renewing);
        // It is forgotten by itself shortly after.
        await campaigns.forgetReading(ref, campaign).catch(() => undefined);
      },
    };
  }

  async function importNow(ref: AccountRef, campaign: CampaignId, epoch: DataEpoch): Promise<boolean> {
    const isFirst = (await campaigns.firstImports(ref)).has(campaign);
    const found = await campaigns.foundCards(ref);
    const marketplace = await context.marketplaceOf(ref);
    const diff = await readChanges(context, marketplace, ref, campaign, found);
    if (diff.bytes > smallCsvBytes) await rateLimiter.acquireCsv(ref, diff.bytes);
    await faults('results read, nothing stored');
    const stored = await storeChanges(ref, marketplace, diff, await wantFor(ref, campaign, isFirst), found);
    await faults('rows stored, import not recorded');
    if (!(await recordImport(ref, diff, stored, epoch))) return false;
    if (isFirst) await finishFirstImport(ref, diff);
    return isFirst;
  }

  /** Returns what a new task gets: without a limit of open cards its card at once, else what the window has room for. */
  async function wantFor(
    ref: AccountRef,
    campaign: CampaignId,
    isFirst: boolean,
  ): Promise<'card' | 'backlog'> {
    const channel = isFirst ? undefined : (await context.subscriptions.forCampaign(ref, campaign))?.channel;
    if (channel === undefined) return 'backlog';
    return (await openCardsLimit(context, ref, channel)) === 0 ? 'card' : 'backlog';
  }

  /**
   * Applies what differs, and queues the cards that follow from it: what is new at once, what would change a known task
   * once get_task_info agrees. Returns whether the records are now as the results, and whether any came closer.
   */
  async function storeChanges(
    ref: AccountRef,
    marketplace: MarketplaceClient,
    diff: ResultsDiff,
    want: 'card' | 'backlog',
    found: Found,
  ): Promise<StoredChanges> {
    let isUpToDate = diff.stale === 0;
    const isAfterLoss = await recovery.mayHaveLostDecisions(ref);
    const apply = async (row: SeenRow, type: TaskEvent & { readonly type: 'seen' | 'confirmed' }) => {
      // A rating made here may have reached the marketplace, and its decision been lost before its card showed it.
      if (isAfterLoss && row.rating !== 'NOTRATED')
        await tasks.apply(ref, row.id, { type: 'decision-may-be-lost' });
      if (!(await applyRow(ref, diff, row, type, found.get(row.id)))) isUpToDate = false;
    };
    const wanted = (row: RowOfDiff): SeenRow => ({ ...row, want: found.get(row.id) ?? want });
    let asked = 0;
    for (const row of diff.rows) {
      const earlier = diff.corrected.get(row.id);
      const mayAsk = earlier !== undefined && asked++ < maxCorrectionsAsked;
      const corrects = mayAsk && (await confirmation.hasRating(marketplace, earlier.id, 'REVISE'));
      const seen = { ...wanted(row), ...(corrects ? { corrects: earlier.round } : {}) };
      await apply(seen, { type: 'seen', ...seen });
    }
    const turn = (await incompleteReads.get(ref, diff.campaign))?.times ?? 0;
    const suspicions = diff.suspicions.map(wanted);
    const confirmed = await confirmation.confirmRows(marketplace, suspicions, turn, (row) =>
      apply(row, { type: 'confirmed', ...row }),
    );
    return { isUpToDate: isUpToDate && confirmed === suspicions.length, hasProgressed: confirmed > 0 };
  }

  /** Applies a row and queues the card that follows. Returns false when its source must be read again. */
  async function applyRow(
    ref: AccountRef,
    diff: ResultsDiff,
    row: SeenRow,
    event: TaskEvent,
    card: FoundCard | undefined,
  ): Promise<boolean> {
    const result = await applyToTask(ref, row, event, card);
    if (result.kind !== 'stale' && card) await campaigns.removeFoundCards(ref, [row.id]);
    if (result.task === undefined)
      await tasks.recordRatings(ref, diff.campaign, new Map([[row.id, row.rating]]), diff.known);
    await faults('task stored, card job not queued');
    if (result.kind !== 'done') return result.kind !== 'stale';
    const payload = { ...ref, task: row.id };
    if (result.task.card.state !== 'posted') await context.outages.count(ref, { tasks: 1 });
    if (result.task.card.state === 'wanted')
      await jobs.add('post', payload, { uniqueKey: cardJobKey(payload) });
    if (result.task.card.state === 'posted') await jobs.add('redraw', payload);
    return true;
  }

  async function applyToTask(
    ref: AccountRef,
    row: SeenRow,
    event: TaskEvent,
    card: FoundCard | undefined,
  ): Promise<TransitionResult> {
    const result = await tasks.apply(ref, row.id, event);
    const { task } = result;
    if (card === undefined || task === undefined || task.round !== card.round) return result;
    const { round, decision, former = [] } = card;
    // It may have been known, but not that it has come back since, with its new card already posted.
    let posted = result;
    for (const messageRef of placesOf(card)) {
      const after = await tasks.apply(ref, row.id, { type: 'posted', messageRef, round });
      if (after.kind === 'done') posted = after;
    }
    await retireFormer(context, ref, former);
    if (decision === undefined) return posted;
    const at = context.now();
    const until = at + context.timeouts.marketplaceMs;
    const restored = await tasks.apply(ref, row.id, { type: 'restored', round, shown: decision, at, until });
    await jobs.add('send', ref, { uniqueKey: `${ref.account} restored` });
    return restored.kind === 'done' ? restored : posted;
  }

  /**
   * Records the import as complete, or what it lacks and when it is repeated. Resolves false when the data are no longer
   * those that it began with: then it is repeated in any case.
   */
  async function recordImport(
    ref: AccountRef,
    diff: ResultsDiff,
    { isUpToDate, hasProgressed }: StoredChanges,
    epoch: DataEpoch,
  ): Promise<boolean> {
    const { campaign, problems, bytes, readAt: at } = diff;
    const { listed, read } = diff.counts;
    const hasSameCounts = listed === '' || listed === read;
    const shortcoming = {
      wrong: problems.length === 0 ? undefined : describeResultsProblems(problems),
      listed,
      read,
      isCountsOnly: problems.length === 0 && isUpToDate,
      hasProgressed,
    };
    const isComplete =
      problems.length === 0 &&
      isUpToDate &&
      (hasSameCounts || (await incompleteReads.isUsualDifference(ref, campaign, shortcoming)));
    const last = { counts: isComplete ? listed : '', at, bytes };
    if (!(await campaigns.recordImport(ref, campaign, last, epoch))) return false;
    if (isComplete) await incompleteReads.resultsRead(ref, campaign);
    else await incompleteReads.results(ref, campaign, shortcoming);
    return true;
  }

  /** Ends a first import, unless something was wrong with the results: what they lack is imported like the rest. */
  async function finishFirstImport(
    ref: AccountRef,
    { campaign, problems, size }: ResultsDiff,
  ): Promise<void> {
    if (problems.length > 0) {
      await campaigns.recordFirstImportFailure(ref, campaign);
      const failures = (await campaigns.firstImports(ref)).get(campaign) ?? 0;
      if (failures < firstImportAttempts || size === 0) return;
    }
    await campaigns.finishFirstImport(ref, campaign);
  }

  return { run };
}
