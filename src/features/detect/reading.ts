import type { SeenRow, TransitionResult } from '../../domain/events.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { DetectDeps } from './deps.ts';
import { type News, readCampaign } from './read.ts';
import type { Recall } from './recall.ts';

/** Results smaller than this do not count against the budget of bytes. */
const smallCsv = 256_000;
/** Until it is known which cards stand already, a read is tried again after this (ms). */
const restMs = 2_000;

/** Reads campaigns in full, one at a time, and takes in what is new. */
export function createReading(deps: DetectDeps, recall: Recall) {
  const { tasks, campaigns, jobs, rateLimiter } = deps;

  /**
   * Reads a campaign. Throws {@link Reschedule} as long as the bytes read before are more than the budget: how many these
   * will be is not known until they are there, so they are counted then, and what comes after them waits.
   * Gives whether it was part of a first look.
   */
  async function read(ref: AccountRef, campaign: CampaignId): Promise<boolean> {
    if (!(await recall.triesToBeSure(ref))) throw new Reschedule(restMs);
    const last = (await campaigns.lastImports(ref)).get(campaign);
    if (last === undefined || last.bytes > smallCsv) {
      const wait = await rateLimiter.acquireCsv(ref, 0);
      if (wait > 0) throw new Reschedule(wait);
    }
    const isFirst = (await campaigns.firstImports(ref)).has(campaign);
    const found = await campaigns.foundCards(ref);
    const news = await readCampaign(deps, await deps.marketplaceOf(ref), ref, campaign, found);
    if (news.bytes > smallCsv) await rateLimiter.acquireCsv(ref, news.bytes);
    await deps.faults('results read, nothing stored');
    await takeIn(ref, news, isFirst ? 'backlog' : 'card', found);
    if (isFirst) await campaigns.finishFirstImport(ref, campaign);
    return isFirst;
  }

  /** Applies what a read found, and asks for the cards that come of it. */
  async function takeIn(
    ref: AccountRef,
    news: News,
    want: 'card' | 'backlog',
    found: ReadonlyMap<string, FoundCard>,
  ): Promise<void> {
    let complete = true;
    for (const row of news.rows) {
      const card = found.get(row.id);
      const outcome = await apply(ref, { ...row, want: card ?? want }, card);
      if (outcome.kind === 'stale') complete = false;
      else if (card) await campaigns.removeFoundCards(ref, [row.id]);
      if (outcome.task === undefined)
        await tasks.recordRatings(ref, news.campaign, new Map([[row.id, row.rating]]), news.known);
      await deps.faults('task stored, card job not queued');
      if (outcome.kind !== 'done') continue;
      const payload = { ...ref, task: row.id };
      if (outcome.task.card.state === 'wanted')
        await jobs.add('post', payload, { once: cardJobKey(payload) });
      if (outcome.task.card.state === 'posted') await jobs.add('redraw', payload);
    }
    await deps.faults('rows stored, import not recorded');
    await news.done(complete);
  }

  async function apply(
    ref: AccountRef,
    row: SeenRow,
    card: FoundCard | undefined,
  ): Promise<TransitionResult> {
    const outcome = await tasks.apply(ref, row.id, { type: 'seen', ...row });
    const { task } = outcome;
    if (card === undefined || task?.card.state !== 'wanted' || task.round !== card.round) return outcome;
    // It was known, but not that it has come back since, and that its new card stands there already.
    const place = { channel: card.channel, ts: card.ts };
    return tasks.apply(ref, row.id, { type: 'posted', place, round: card.round });
  }

  return { read };
}
