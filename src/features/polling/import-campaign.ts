import type { SeenRow, TransitionResult } from '../../domain/events.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { PollingContext } from './context.ts';
import { type ResultsDiff, readChanges } from './diff-results.ts';

/** Results smaller than this do not count against the budget of bytes. */
const smallCsvBytes = 256_000;
/** While cards may exist without a record, an import is tried again after this (ms). */
const recoveryRetryMs = 1_000;

/** Imports the results of one campaign: what is new becomes task records and jobs for cards. */
export function createCampaignImport(context: PollingContext) {
  const { campaigns, faults, jobs, rateLimiter, recovery, tasks } = context;

  /**
   * Imports a campaign. Throws {@link Reschedule} while the bytes read before exceed the budget: how large these results
   * are is only known once they are here, so they are counted then, and later imports wait.
   * @returns whether it was part of a first import
   */
  async function run(ref: AccountRef, campaign: CampaignId): Promise<boolean> {
    const epoch = await recovery.recovered(ref);
    if (epoch === undefined) throw new Reschedule(recoveryRetryMs);
    const last = (await campaigns.lastImports(ref)).get(campaign);
    if (last === undefined || last.bytes > smallCsvBytes) {
      const wait = await rateLimiter.acquireCsv(ref, 0);
      if (wait > 0) throw new Reschedule(wait);
    }
    const isFirst = (await campaigns.firstImports(ref)).has(campaign);
    const found = await campaigns.foundCards(ref);
    const diff = await readChanges(context, await context.marketplaceOf(ref), ref, campaign, found, epoch);
    if (diff.bytes > smallCsvBytes) await rateLimiter.acquireCsv(ref, diff.bytes);
    await faults('results read, nothing stored');
    const isRecorded = await storeChanges(ref, diff, isFirst ? 'backlog' : 'card', found);
    if (!isRecorded) return false;
    if (isFirst) await campaigns.finishFirstImport(ref, campaign);
    return isFirst;
  }

  /** Applies what differs, and queues the cards that follow from it. Returns whether the import is recorded. */
  async function storeChanges(
    ref: AccountRef,
    diff: ResultsDiff,
    want: 'card' | 'backlog',
    found: ReadonlyMap<string, FoundCard>,
  ): Promise<boolean> {
    let isComplete = true;
    for (const row of diff.rows) {
      const card = found.get(row.id);
      const result = await applyRow(ref, { ...row, want: card ?? want }, card);
      if (result.kind === 'stale') isComplete = false;
      else if (card) await campaigns.removeFoundCards(ref, [row.id]);
      if (result.task === undefined)
        await tasks.recordRatings(ref, diff.campaign, new Map([[row.id, row.rating]]), diff.known);
      await faults('task stored, card job not queued');
      if (result.kind !== 'done') continue;
      const payload = { ...ref, task: row.id };
      if (result.task.card.state === 'wanted')
        await jobs.add('post', payload, { uniqueKey: cardJobKey(payload) });
      if (result.task.card.state === 'posted') await jobs.add('redraw', payload);
    }
    await faults('rows stored, import not recorded');
    return diff.recordImport(isComplete);
  }

  async function applyRow(
    ref: AccountRef,
    row: SeenRow,
    card: FoundCard | undefined,
  ): Promise<TransitionResult> {
    const result = await tasks.apply(ref, row.id, { type: 'seen', ...row });
    const { task } = result;
    if (card === undefined || task === undefined || task.round !== card.round) return result;
    const { channel, ts, round, decision } = card;
    // The task was known, but not that it has come back since, with its new card already posted.
    const posted =
      task.card.state === 'wanted'
        ? await tasks.apply(ref, row.id, { type: 'posted', messageRef: { channel, ts }, round })
        : result;
    if (decision === undefined) return posted;
    const at = context.now();
    const until = at + context.timeouts.marketplaceMs;
    const restored = await tasks.apply(ref, row.id, { type: 'restored', round, shown: decision, at, until });
    await jobs.add('send', ref, { uniqueKey: `${ref.account} restored` });
    return restored.kind === 'done' ? restored : posted;
  }

  return { run };
}
