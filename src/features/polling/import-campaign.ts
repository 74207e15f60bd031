import { type Campaign, countsOf, tasksIn } from '../../domain/campaign.ts';
import type { SeenRow, TaskEvent, TransitionResult } from '../../domain/events.ts';
import { placesOf } from '../../domain/live-message.ts';
import type { AccountRef, CampaignId, TaskId } from '../../domain/terms.ts';
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

/** Results smaller than this do not count against the byte budget. */
const smallCsvBytes = 256_000;
/** Retry interval while cards may exist without a record (ms). */
const recoveryRetryMs = 1_000;
/** After this many incomplete attempts, a first import ends with the data it could read. */
const firstImportAttempts = 3;
/** Maximum number of earlier tasks verified as possibly corrected by new ones. */
const maxCorrectionsAsked = 50;

interface StoredChanges {
  readonly isUpToDate: boolean;
  readonly hasProgressed: boolean;
}

type Found = ReadonlyMap<TaskId, FoundCard>;

/** What is known of a campaign before its results are read. */
interface Known {
  /** As of the last poll. */
  readonly listed: Campaign | undefined;
  /** Whether this is its first import. */
  readonly isFirst: boolean;
  /** Cards of the account without a record. */
  readonly found: Found;
}

/** Creates the import of a campaign's results: new rows become task records and card jobs. */
export function createCampaignImport(
  context: PollingContext,
  incompleteReads: ReturnType<typeof createIncompleteReadReports>,
) {
  const { campaigns, jobs, rateLimiter, recovery, tasks } = context;
  const confirmation = createRowConfirmation(context);

  /**
   * Imports a campaign. Throws {@link Reschedule} while earlier reads exceed the byte budget: the size of results is
   * known only after reading, so it is charged afterwards, and later imports wait.
   * @returns whether it was part of a first import
   */
  async function run(ref: AccountRef, campaign: CampaignId): Promise<boolean> {
    const epoch = await recovery.recovered(ref);
    if (epoch === undefined) throw new Reschedule(recoveryRetryMs);
    // Not before the data are recovered: recovery changes them, and finds cards.
    const [last, listed, firstImports, found] = await Promise.all([
      campaigns.lastImport(ref, campaign),
      campaigns.get(ref, campaign),
      campaigns.firstImports(ref),
      campaigns.foundCards(ref),
    ]);
    if (last === undefined || last.bytes > smallCsvBytes) {
      const wait = await rateLimiter.acquireCsv(ref, 0);
      if (wait > 0) throw new Reschedule(wait);
    }
    const reading = await announceReading(ref, campaign, listed);
    try {
      return await importNow(ref, campaign, epoch, { listed, isFirst: firstImports.has(campaign), found });
    } finally {
      await reading.end();
    }
  }

  /** Marks the campaign as being read, so that polls do not request the same import. */
  async function announceReading(ref: AccountRef, campaign: CampaignId, listed: Campaign | undefined) {
    const { leaseMs } = context.timeouts;
    const announce = () => campaigns.recordReading(ref, campaign, listed ? countsOf(listed) : '', leaseMs);
    await announce();
    const renewing = setInterval(() => void announce().catch(() => undefined), leaseMs / 3);
    return {
      async end(): Promise<void> {
        clearInterval(renewing);
        // The mark expires shortly after anyway.
        await campaigns.forgetReading(ref, campaign).catch(() => undefined);
      },
    };
  }

  async function importNow(
    ref: AccountRef,
    campaign: CampaignId,
    epoch: DataEpoch,
    known: Known,
  ): Promise<boolean> {
    const { listed, isFirst, found } = known;
    const marketplace = await context.marketplaceOf(ref);
    const diff = await readChanges(context, marketplace, ref, campaign, { listed, found });
    if (diff.bytes > smallCsvBytes) await rateLimiter.acquireCsv(ref, diff.bytes);
    const stored = await storeChanges(ref, marketplace, diff, await wantFor(ref, campaign, isFirst), known);
    if (!(await recordImport(ref, diff, stored, epoch))) return false;
    if (isFirst) await finishFirstImport(ref, diff);
    return isFirst;
  }

  /** Returns what a new task gets: a card at once if open cards are unlimited, else a place in the queue. */
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
   * Applies the differences and queues the resulting cards: new tasks at once, changes to known tasks once get_task_info
   * agrees. Returns whether the records now match the results, and whether there was progress.
   */
  async function storeChanges(
    ref: AccountRef,
    marketplace: MarketplaceClient,
    diff: ResultsDiff,
    want: 'card' | 'backlog',
    { found, listed }: Known,
  ): Promise<StoredChanges> {
    let isUpToDate = diff.stale === 0;
    const isAnyRated = [...diff.rows, ...diff.suspicions].some(({ rating }) => rating !== 'NOTRATED');
    const isAfterLoss = isAnyRated && (await recovery.mayHaveLostDecisions(ref));
    const apply = async (row: SeenRow, type: TaskEvent & { readonly type: 'seen' | 'confirmed' }) => {
      // A rating made here may have reached the marketplace although its decision was lost before its card showed it.
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
    const suspicions = diff.suspicions.map(wanted);
    if (suspicions.length === 0) return { isUpToDate, hasProgressed: false };
    const turn = (await incompleteReads.get(ref, diff.campaign))?.times ?? 0;
    // Another read of large results costs more of the byte budget than new tasks would wait.
    const hasNewTasks = async () =>
      diff.bytes <= smallCsvBytes && (await hasGrown(ref, diff.campaign, listed));
    const confirmed = await confirmation.confirmRows(marketplace, suspicions, turn, hasNewTasks, (row) =>
      apply(row, { type: 'confirmed', ...row }),
    );
    return { isUpToDate: isUpToDate && confirmed === suspicions.length, hasProgressed: confirmed > 0 };
  }

  /** Returns whether polls have found more tasks in a campaign since its results were requested. */
  async function hasGrown(ref: AccountRef, id: CampaignId, before: Campaign | undefined): Promise<boolean> {
    const campaign = await campaigns.get(ref, id);
    return before !== undefined && campaign !== undefined && tasksIn(campaign) > tasksIn(before);
  }

  /** Applies a row and queues its card. Returns false if the source must be read again. */
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
    if (result.kind !== 'done') return result.kind !== 'stale';
    const payload = { ...ref, task: row.id };
    if (result.task.card.state !== 'posted') await context.outages.count(ref, { tasks: 1 });
    if (result.task.card.state === 'wanted')
      await jobs.add('post', payload, { uniqueKey: cardJobKey(payload) });
    if (result.task.card.state === 'posted')
      await jobs.addAll('redraw', [{ ...payload, isBackground: true }], cardJobKey);
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
    // The task may be known, but its return not yet recorded although its new card is already posted.
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
   * Records the import as complete, or with its shortcomings and the retry. Resolves false if the data epoch changed, in
   * which case it is repeated anyway.
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

  /** Ends a first import unless the results had errors; rows that are only missing are imported later like any others. */
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
