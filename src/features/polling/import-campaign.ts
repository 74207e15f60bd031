import { type Campaign, countsOf, tasksIn } from '../../domain/campaign.ts';
import type { SeenRow, TaskEvent } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Again } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import { describeResultsProblems, type MarketplaceClient } from '../../marketplace/index.ts';
import { openCardsLimit } from '../channels/public.ts';
import { createRowConfirmation, type ResultsDiff, type RowOfDiff, readChanges } from './diff-results.ts';
import type { createIncompleteReadReports } from './incomplete-reads.ts';

/** Results smaller than this do not count against the byte budget. */
const smallCsvBytes = 256_000;
/** After this many incomplete attempts, a first import ends with the data it could read. */
const firstImportAttempts = 3;
/** Maximum number of earlier tasks verified as possibly corrected by new ones. */
const maxCorrectionsAsked = 50;

interface StoredChanges {
  /** Whether new tasks have to wait until Redis has room. */
  readonly isFull: boolean;
  readonly isUpToDate: boolean;
  readonly hasProgressed: boolean;
}

/** What is known of a campaign before its results are read. */
interface Known {
  /** As of the last poll. */
  readonly listed: Campaign | undefined;
  /** Whether this is its first import. */
  readonly isFirst: boolean;
}

/** Creates the import of a campaign's results: new rows become task records and card jobs. */
export function createCampaignImport(
  context: Modules,
  incompleteReads: ReturnType<typeof createIncompleteReadReports>,
) {
  const { campaigns, slack, tasks } = context;
  const confirmation = createRowConfirmation(context);

  /**
   * Imports a campaign, unless it has to wait because earlier reads exceed the byte budget: the size of results is known
   * only after reading, so it is charged afterwards.
   * @returns whether it was part of a first import
   */
  async function run(ref: AccountRef, campaign: CampaignId): Promise<Again | { readonly isFirst: boolean }> {
    const [last, listed, firstImports] = await Promise.all([
      campaigns.lastImport(ref, campaign),
      campaigns.get(ref, campaign),
      campaigns.firstImports(ref),
    ]);
    if (last === undefined || last.bytes > smallCsvBytes) {
      const wait = await slack.rateLimiter.acquireCsv(ref, 0);
      if (wait > 0) return { again: wait };
    }
    const reading = await announceReading(ref, campaign, listed);
    try {
      const isFirst = firstImports.has(campaign);
      const isFull = await importNow(ref, campaign, { listed, isFirst });
      return isFull ? { again: context.marketplace.pollSeconds * 1_000 } : { isFirst };
    } finally {
      await reading.end();
    }
  }

  /** Marks the campaign as being read, so that polls do not request the same import. */
  async function announceReading(ref: AccountRef, campaign: CampaignId, listed: Campaign | undefined) {
    const { leaseMs } = context.jobs.timeouts;
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

  /** Reads and stores the results. Returns whether the rest has to wait until Redis has room. */
  async function importNow(
    ref: AccountRef,
    campaign: CampaignId,
    { listed, isFirst }: Known,
  ): Promise<boolean> {
    const client = await context.marketplace.of(ref);
    const diff = await readChanges(context, client, ref, campaign, listed);
    if (diff.bytes > smallCsvBytes) await slack.rateLimiter.acquireCsv(ref, diff.bytes);
    const stored = await storeChanges(ref, client, diff, await wantFor(ref, campaign, isFirst), listed);
    if (stored.isFull) return true;
    await recordImport(ref, diff, stored);
    if (isFirst) await finishFirstImport(ref, diff);
    return false;
  }

  /** Returns what a new task gets: a card at once if open cards are unlimited, else a place in the queue. */
  async function wantFor(
    ref: AccountRef,
    campaign: CampaignId,
    isFirst: boolean,
  ): Promise<'card' | 'backlog'> {
    const channel = isFirst
      ? undefined
      : (await context.channels.subscriptions.forCampaign(ref, campaign))?.channel;
    if (channel === undefined) return 'backlog';
    return (await openCardsLimit(context, ref, channel)) === 0 ? 'card' : 'backlog';
  }

  /**
   * Applies the differences and queues the resulting cards: new tasks at once, changes to known tasks once get_task_info
   * agrees. New tasks wait while Redis is nearly full. Returns whether the records now match the results, and whether there
   * was progress.
   */
  async function storeChanges(
    ref: AccountRef,
    marketplace: MarketplaceClient,
    diff: ResultsDiff,
    want: 'card' | 'backlog',
    listed: Campaign | undefined,
  ): Promise<StoredChanges> {
    let isUpToDate = diff.stale === 0;
    const apply = async (row: SeenRow, type: TaskEvent & { readonly type: 'seen' | 'confirmed' }) => {
      if (!(await applyRow(ref, diff, row, type))) isUpToDate = false;
    };
    const wanted = (row: RowOfDiff): SeenRow => ({ ...row, want });
    let asked = 0;
    let isFull = false;
    for (const row of diff.rows) {
      isFull = await context.jobs.redisMemory.isNearlyFull();
      if (isFull) break;
      const earlier = diff.corrected.get(row.id);
      const mayAsk = earlier !== undefined && asked++ < maxCorrectionsAsked;
      const corrects = mayAsk && (await confirmation.hasRating(marketplace, earlier.id, 'REVISE'));
      const seen = { ...wanted(row), ...(corrects ? { corrects: earlier.round } : {}) };
      await apply(seen, { type: 'seen', ...seen });
    }
    const suspicions = diff.suspicions.map(wanted);
    if (suspicions.length === 0) return { isUpToDate, hasProgressed: false, isFull };
    const turn = (await context.campaigns.incompleteReads.get(ref, diff.campaign))?.times ?? 0;
    // Another read of large results costs more of the byte budget than new tasks would wait.
    const hasNewTasks = async () =>
      diff.bytes <= smallCsvBytes && (await hasGrown(ref, diff.campaign, listed));
    const confirmed = await confirmation.confirmRows(marketplace, suspicions, turn, hasNewTasks, (row) =>
      apply(row, { type: 'confirmed', ...row }),
    );
    return {
      isUpToDate: isUpToDate && confirmed === suspicions.length,
      hasProgressed: confirmed > 0,
      isFull,
    };
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
  ): Promise<boolean> {
    const result = await tasks.apply(ref, row.id, event);
    if (result.task === undefined)
      await tasks.recordRatings(ref, diff.campaign, new Map([[row.id, row.rating]]), diff.known);
    if (result.kind !== 'done') return result.kind !== 'stale';
    await context.slack.cards.changed(ref, [result.task]);
    return true;
  }

  /** Records the import as complete, or with its shortcomings and the retry. */
  async function recordImport(
    ref: AccountRef,
    diff: ResultsDiff,
    { isUpToDate, hasProgressed }: StoredChanges,
  ): Promise<void> {
    const { campaign, problems, bytes, readAt: at } = diff;
    const { listed, read } = diff.counts;
    const hasSameCounts = listed === '' || listed === read;
    const shortcoming = {
      wrong: problems.length === 0 ? undefined : `they ${describeResultsProblems(problems)}`,
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
    await campaigns.recordImport(ref, campaign, last);
    await incompleteReads.results(ref, campaign, isComplete ? undefined : shortcoming);
  }

  /** Ends a first import unless the results had errors; rows that are only missing are imported later like any others. */
  async function finishFirstImport(ref: AccountRef, { campaign, problems }: ResultsDiff): Promise<void> {
    if (problems.length > 0) {
      await campaigns.recordFirstImportFailure(ref, campaign);
      const failures = (await campaigns.firstImports(ref)).get(campaign) ?? 0;
      if (failures < firstImportAttempts) return;
    }
    await campaigns.finishFirstImport(ref, campaign);
  }

  return { run };
}
