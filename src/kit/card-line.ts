import type { Task } from '../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId } from '../domain/terms.ts';
import type { Jobs } from '../jobs/queue.ts';
import type { CardLines, LineName, WaitingCard } from '../store/cards.ts';
import type { ChannelRouting } from './channels.ts';

/**
 * Creates the queuing of cards: each waits in the line of updates, or of its channel's posts, until a job draws it. Cards
 * that somebody has clicked come first, the latest click before the others, and then the others in the order they came.
 */
export function createCardLine({
  cardLines,
  jobs,
  now,
  routing,
}: {
  readonly cardLines: CardLines;
  readonly jobs: Jobs;
  readonly now: () => number;
  readonly routing: ChannelRouting;
}) {
  /** Queues the job that draws a line. @param isClicked whether somebody waits for it */
  async function queueJob({ workspace, account }: AccountRef, line: LineName, isClicked: boolean) {
    const ref = { workspace, account };
    if (line !== 'updates')
      return jobs.add('post-cards', { ...ref, channel: line }, { uniqueKey: `${account} ${line}` });
    // A clicked card waits for no job of another process, which may have been killed.
    return jobs.add('update-cards', { ...ref, isClicked }, isClicked ? {} : { uniqueKey: account });
  }

  async function add(ref: AccountRef, tasks: readonly Task[], rank: number): Promise<void> {
    const lines = new Map<LineName, WaitingCard[]>();
    const routes = new Map<CampaignId, ChannelId | undefined>();
    for (const { id: task, card, campaign } of tasks) {
      if (card.state !== 'posted' && card.state !== 'wanted') continue;
      if (card.state === 'wanted' && !routes.has(campaign))
        routes.set(campaign, await routing.forCampaign(ref, campaign));
      const channel = card.state === 'posted' ? card.channel : routes.get(campaign);
      if (channel === undefined) continue;
      const line = card.state === 'posted' ? 'updates' : channel;
      const waiting = lines.get(line) ?? [];
      waiting.push({ task, channel, rank });
      lines.set(line, waiting);
    }
    for (const [line, cards] of lines) {
      await cardLines.add(ref, line, cards);
      await queueJob(ref, line, rank > 0);
    }
  }

  return {
    /** Queues the card of a task that somebody has just clicked, ahead of all others. */
    clicked: (ref: AccountRef, task: Task) => add(ref, [task], now()),

    /** Queues cards whose tasks changed without a click. */
    changed: (ref: AccountRef, tasks: readonly Task[]) => add(ref, tasks, -now()),
  };
}
