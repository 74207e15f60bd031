import { setTimeout as wait } from 'node:timers/promises';
import type { Verdict } from '../../src/domain/terms.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import { decodeCardBlock } from '../../src/slack/card-block.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import type { ChannelView, SeenCard, ShownDecision } from './channel-view.ts';

export const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE', 'U04DAN'] as const;
/** The only one who is connected with a key of his own. */
export const ownKeyReviewer = 'U04DAN';

/** Begins the titles of campaigns of the account that only that one may use. */
export const ownTitle = 'Own';
const isOwn = ({ text }: SeenCard): boolean => new RegExp(`\\*?${ownTitle} \\d`).test(text);

/** A decision that somebody has read on a card: from then on it counts as accepted. */
export interface SeenDecision extends Pick<ShownDecision, 'verdict' | 'by' | 'comment'> {
  readonly id: string;
  readonly task: string;
  readonly round: number;
  /** What a card said of it last. */
  readonly state: ShownDecision['state'];
}

/** What people did and saw. */
export interface ReviewLog {
  /** Decisions that people tried to make. */
  tried: number;
  /** By the decision's id. */
  readonly accepted: Map<string, SeenDecision>;
  /** Ids of decisions whose Undo was clicked. */
  readonly undone: Set<string>;
  corrected: number;
  /** Summaries of what waits that somebody deleted. */
  summariesDeleted: number;
}

export function createReviewLog(): ReviewLog {
  return {
    tried: 0,
    accepted: new Map(),
    undone: new Set(),
    corrected: 0,
    summariesDeleted: 0,
  };
}

/** One in so many decisions to accept a task is with a bonus. */
const bonusEvery = 3;

/** How often people look at their channels (ms). */
const lookEveryMs = 250;
/** A summary is only deleted when it is this old (ms): by then its bot has recorded the post, or has died. */
const deletableAfterMs = 10_000;
/** A summary is only deleted while it counts at least this many tasks: then it has to come back. */
const deletableCount = 3;

export interface ReviewParts {
  readonly slackUrl: string;
  readonly marketplace: MarketplaceHandle;
  readonly campaigns: readonly string[];
  readonly view: ChannelView;
  readonly log: ReviewLog;
  readonly random: Random;
  /** Reviewers who are doing something else at present. */
  readonly absent: ReadonlySet<string>;
}

/** Looks at the channels, and deletes a summary of what waits now and then, until the signal. */
export async function watchChannels(
  { view, log, slackUrl, random }: ReviewParts,
  signal: AbortSignal,
): Promise<void> {
  const slack = sandboxClient(slackUrl);

  async function look(): Promise<void> {
    while (!signal.aborted) {
      for (const card of await view.refresh()) logDecision(log, card);
      await wait(lookEveryMs);
    }
  }

  /** Now and then somebody deletes what counts the tasks that wait. */
  async function deleteSummaries(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!signal.aborted) {
      await wait(1_000 + 2_000 * random.next());
      for (const { channel, ts, count } of view.summaries.values()) {
        const at = seenAt.get(ts) ?? Date.now();
        seenAt.set(ts, at);
        const isDeletable = count >= deletableCount && Date.now() - at > deletableAfterMs;
        if (!isDeletable || random.next() > 0.1) continue;
        log.summariesDeleted += 1;
        // Fails when it was replaced meanwhile.
        await slack.act('delete', { channel, ts }).catch(() => undefined);
      }
    }
  }

  await Promise.all([look(), deleteSummaries()]);
}

/**
 * Simulates people who review, undo, rate on the website and correct, all at once, for `spanMs` or until they have made
 * so many decisions.
 */
export async function review(
  { slackUrl, marketplace, campaigns, view, log, random, absent }: ReviewParts,
  { decisions, spanMs }: { readonly decisions: number; readonly spanMs: number },
): Promise<void> {
  const slack = sandboxClient(slackUrl);
  /** Cards that somebody is deciding on, and until when. */
  const busy = new Map<string, number>();
  const end = Date.now() + spanMs;
  const last = log.tried + decisions;
  const isOver = () => Date.now() > end || log.tried >= last;

  function openCards(user: string): SeenCard[] {
    const now = Date.now();
    const mayDecide = (card: SeenCard) => user === ownKeyReviewer || !isOwn(card);
    return [...view.cards.values()].filter(
      (card) => card.buttons['task.ok'] && (busy.get(card.ts) ?? 0) < now && mayDecide(card),
    );
  }

  async function click(user: string, card: SeenCard, action: string, block: string): Promise<void> {
    const { channel, ts, task } = card;
    await slack
      .act<ActResult>('click', {
        user,
        channel,
        ts,
        action_id: action,
        block_id: block,
        value: task,
        stale: true,
      })
      // The card was replaced meanwhile.
      .catch(() => undefined);
  }

  async function decide(user: string, card: SeenCard, verdict: Verdict): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    log.tried += 1;
    const comment = `Reason ${log.tried} by ${user}`;
    const bonus = verdict === 'OK' && log.tried % bonusEvery === 0 ? `0.0${(log.tried % 9) + 1}` : '';
    await click(user, card, bonus === '' ? `task.${verdict.toLowerCase()}` : 'task.more.extras', block);
    if (verdict === 'OK' && bonus === '') return;
    const modal = await opened(user, card.task);
    if (modal === undefined) return;
    const values = {
      comment: { value: comment },
      ...(bonus === '' ? {} : { bonus: { value: bonus } }),
    };
    await slack.act<SubmitResult>('submit', { user, view_id: modal.id, values }).catch(() => undefined);
    await slack.act('close', { user, view_id: modal.id, all: true }).catch(() => undefined);
  }

  async function opened(user: string, task: string): Promise<View | undefined> {
    const until = Date.now() + 2_500;
    while (Date.now() < until) {
      const { views } = await slack.get<{ views: View[] }>(`views/${user}`);
      const found = views.find(({ private_metadata: state }) => state.includes(`"${task}"`));
      if (found) return found;
      await wait(100);
    }
    return undefined;
  }

  async function undo(user: string): Promise<void> {
    const undoable = [...view.cards.values()].filter(
      (card) => card.buttons['task.undo'] && (user === ownKeyReviewer || !isOwn(card)),
    );
    if (undoable.length === 0) return;
    const card = random.pick(undoable);
    const block = card.buttons['task.undo'] ?? '';
    const decision = decodeCardBlock(block)?.decision;
    if (decision !== undefined) log.undone.add(decision);
    await click(user, card, 'task.undo', block);
  }

  async function work(user: string): Promise<void> {
    const pauseMs = (spanMs / decisions) * reviewers.length;
    while (!isOver()) {
      const began = Date.now();
      const open = absent.has(user) ? [] : openCards(user);
      if (open.length > 0) {
        const card = random.pick(open);
        busy.set(card.ts, Date.now() + 4_000);
        const others = reviewers.filter((name) => name !== user);
        const other = isOwn(card) ? user : random.pick(others);
        await Promise.all([
          decide(user, card, verdictOf(random)),
          ...(random.next() < 0.1 ? [decide(other, card, verdictOf(random))] : []),
          ...(random.next() < 0.03 ? [website(card)] : []),
        ]);
        if (random.next() < 0.08) await undo(user);
      }
      await wait(Math.max(30, pauseMs * (0.5 + random.next()) - (Date.now() - began)));
    }
  }

  /** Somebody rates on the marketplace's website. */
  async function website(card: SeenCard): Promise<void> {
    await marketplace.rate(card.task, 'NOK', 'rated on the website').catch(() => undefined);
  }

  /** Workers correct their tasks once the card says REVISE. */
  async function correct(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!isOver()) {
      for (const card of view.cards.values()) {
        if (card.decision?.verdict !== 'REVISE' || card.decision.state !== 'applied') continue;
        const at = seenAt.get(card.ts) ?? Date.now();
        seenAt.set(card.ts, at);
        if (card.superseded || Date.now() - at < 2_500 || random.next() > 0.1) continue;
        await marketplace.correct(card.task, [`corrected ${random.id()}`]).then(
          () => {
            log.corrected += 1;
          },
          // It was corrected already, or its rating has changed.
          () => undefined,
        );
      }
      await wait(500);
    }
  }

  /** Now and then a campaign is paused, and accepts no ratings. */
  async function pause(): Promise<void> {
    while (!isOver()) {
      await wait(random.between(2_000, 6_000));
      const campaign = random.pick(campaigns);
      await marketplace.patchCampaign(campaign, { status: 'PAUSED_ADMIN' });
      await wait(random.between(1_000, 4_000));
      await marketplace.patchCampaign(campaign, { status: 'RUNNING' });
    }
  }

  await Promise.all([...reviewers.map(work), correct(), pause()]);
}

/** Adds the decision that a card shows to the log. */
export function logDecision(log: ReviewLog, { task, round, decision }: SeenCard): void {
  if (decision?.id === undefined) return;
  const { id, verdict, by, comment, state } = decision;
  const known = log.accepted.get(id);
  // A card that was overtaken no longer shows the words of the decision.
  const words = known?.comment ?? comment;
  log.accepted.set(id, { id, task, round, verdict, by, comment: words, state });
}

function verdictOf(random: Random): Verdict {
  const drawn = random.next();
  return drawn < 0.6 ? 'OK' : drawn < 0.8 ? 'NOK' : 'REVISE';
}
