import { setTimeout as wait } from 'node:timers/promises';
import type { Verdict } from '../../src/domain/terms.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import {
  type ChannelView,
  readChannel,
  reviewChannel,
  type SeenCard,
  type ShownDecision,
} from './channel-view.ts';
import type { ChaosSettings } from './settings.ts';

export const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE', 'U04DAN'] as const;

/** A decision that somebody has seen on a card: from then on it counts as accepted. */
export type SeenDecision = Pick<ShownDecision, 'verdict' | 'by' | 'comment'> &
  Pick<SeenCard, 'task' | 'round'>;

/** What people did and saw. */
export interface ReviewLog {
  /** Decisions that people tried to make. */
  tried: number;
  readonly accepted: Map<string, SeenDecision>;
  /** Accepted decisions that a card then showed as refused. */
  readonly refused: Set<string>;
  /** Rounds whose cards had Undo clicked: `task round`. */
  readonly undone: Set<string>;
  /** Rounds that were rated on the website. */
  readonly elsewhere: Set<string>;
  corrected: number;
  /** Clicks for more cards, and summaries that somebody deleted. */
  moreCardsClicked: number;
  summariesDeleted: number;
}

export const keyOf = ({ task, round, verdict, by, comment }: SeenDecision): string =>
  `${task} ${round} ${verdict} ${by} ${comment}`;

export const roundOf = ({ task, round }: Pick<SeenCard, 'task' | 'round'>): string => `${task} ${round}`;

/** A summary is only deleted when it is this old (ms): by then its bot has recorded the post, or has died. */
const deletableAfterMs = 10_000;
/** A summary is only deleted while it counts more tasks than this, so that later clicks still test the new one. */
const deletableCount = 60;

/**
 * Simulates people who review, undo, rate on the website and correct, all at once, until they have made `decisions`.
 * They watch the channel, and click for more cards of the backlog, until the signal; then `watching` resolves.
 */
export async function review(
  parts: {
    readonly slackUrl: string;
    readonly marketplace: MarketplaceHandle;
    readonly campaigns: readonly string[];
    readonly random: Random;
  },
  { backlog, decisions, spanMs }: Pick<ChaosSettings, 'backlog' | 'decisions' | 'spanMs'>,
  signal: AbortSignal,
): Promise<{ readonly log: ReviewLog; readonly watching: Promise<void> }> {
  const { slackUrl, marketplace, campaigns, random } = parts;
  const slack = sandboxClient(slackUrl);
  const log: ReviewLog = {
    tried: 0,
    accepted: new Map(),
    refused: new Set(),
    undone: new Set(),
    elsewhere: new Set(),
    corrected: 0,
    moreCardsClicked: 0,
    summariesDeleted: 0,
  };
  let view: ChannelView = { cards: [], announced: [], summaries: [] };
  /** Cards that somebody is deciding on, and until when. */
  const busy = new Map<string, number>();
  const isOver = () => signal.aborted || log.tried >= decisions;

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      view = await readChannel(slackUrl);
      for (const card of view.cards) logDecision(log, card);
      await wait(400);
    }
  }

  function openCards(): SeenCard[] {
    const now = Date.now();
    return view.cards.filter((card) => card.buttons['task.ok'] && (busy.get(card.ts) ?? 0) < now);
  }

  async function click(user: string, card: SeenCard, action: string, block: string): Promise<void> {
    await slack
      .act<ActResult>('click', {
        user,
        channel: reviewChannel,
        ts: card.ts,
        action_id: action,
        block_id: block,
        value: card.task,
        stale: true,
      })
      // The card was replaced meanwhile.
      .catch(() => undefined);
  }

  async function decide(user: string, card: SeenCard, verdict: Verdict): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    log.tried += 1;
    await click(user, card, `task.${verdict.toLowerCase()}`, block);
    if (verdict === 'OK') return;
    const comment = `Reason ${log.tried} by ${user}`;
    const modal = await opened(user, card.task);
    if (modal === undefined) return;
    const values = { comment: { value: comment } };
    await slack.act<SubmitResult>('submit', { user, view_id: modal.id, values }).catch(() => undefined);
    await slack.act('close', { user, view_id: modal.id, all: true }).catch(() => undefined);
  }

  async function opened(user: string, task: string): Promise<View | undefined> {
    const end = Date.now() + 2_500;
    while (Date.now() < end) {
      const { views } = await slack.get<{ views: View[] }>(`views/${user}`);
      const found = views.find(({ private_metadata: state }) => state.includes(`"${task}"`));
      if (found) return found;
      await wait(100);
    }
    return undefined;
  }

  async function undo(user: string): Promise<void> {
    const undoable = view.cards.filter((card) => card.buttons['task.undo']);
    if (undoable.length === 0) return;
    const card = random.pick(undoable);
    log.undone.add(roundOf(card));
    await click(user, card, 'task.undo', card.buttons['task.undo'] ?? '');
  }

  async function work(user: string): Promise<void> {
    const pauseMs = (spanMs / decisions) * reviewers.length;
    while (!isOver()) {
      const began = Date.now();
      const open = openCards();
      if (open.length > 0) {
        const card = random.pick(open);
        busy.set(card.ts, Date.now() + 4_000);
        const other = random.pick(reviewers.filter((name) => name !== user));
        const [first, second] = [verdictOf(random), verdictOf(random)];
        await Promise.all([
          decide(user, card, first),
          ...(random.next() < 0.1 ? [decide(other, card, second)] : []),
          ...(random.next() < 0.03 ? [website(card)] : []),
        ]);
        if (random.next() < 0.08) await undo(user);
      }
      await wait(Math.max(30, pauseMs * (0.5 + random.next()) - (Date.now() - began)));
    }
  }

  /** Somebody rates on the marketplace's website. */
  async function website(card: SeenCard): Promise<void> {
    log.elsewhere.add(roundOf(card));
    await marketplace.rate(card.task, 'NOK', 'rated on the website').catch(() => undefined);
  }

  /** Workers correct their tasks once the card says REVISE. */
  async function correct(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!isOver()) {
      for (const card of view.cards) {
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

  /** Somebody clicks for more cards of the backlog until there are none, and now and then deletes the summary. */
  async function showBacklog(): Promise<void> {
    const pauseMs = spanMs / (backlog / 20 + 2);
    const seenAt = new Map<string, number>();
    while (!signal.aborted) {
      await wait(isOver() ? 1_000 : pauseMs * (0.5 + random.next()), undefined, { signal });
      const [summary] = view.summaries;
      if (summary?.button === undefined) continue;
      const { ts, button, count } = summary;
      const at = seenAt.get(ts) ?? Date.now();
      seenAt.set(ts, at);
      const isDeletable = !isOver() && count > deletableCount && Date.now() - at > deletableAfterMs;
      // Both fail when the summary was replaced meanwhile.
      if (isDeletable && random.next() < 0.4) {
        log.summariesDeleted += 1;
        await slack.act('delete', { channel: reviewChannel, ts }).catch(() => undefined);
      } else {
        log.moreCardsClicked += 1;
        const user = random.pick(reviewers);
        const clicked = {
          user,
          channel: reviewChannel,
          ts,
          action_id: 'backlog.more',
          ...button,
          stale: true,
        };
        await slack.act<ActResult>('click', clicked).catch(() => undefined);
      }
    }
  }

  const watching = Promise.all([watch(), showBacklog()]).then(
    () => undefined,
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  await Promise.all([...reviewers.map(work), correct(), pause()]);
  return { log, watching };
}

/** Adds the decision that a card shows to the log. */
export function logDecision(log: ReviewLog, card: SeenCard): void {
  if (card.decision === undefined) return;
  const seen = { ...card.decision, task: card.task, round: card.round };
  log.accepted.set(keyOf(seen), seen);
  if (card.decision.state === 'refused') log.refused.add(keyOf(seen));
}

function verdictOf(random: Random): Verdict {
  const drawn = random.next();
  return drawn < 0.6 ? 'OK' : drawn < 0.8 ? 'NOK' : 'REVISE';
}
