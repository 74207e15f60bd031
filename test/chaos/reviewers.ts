import { setTimeout as wait } from 'node:timers/promises';
import type { Verdict } from '../../src/domain/terms.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { readBoard, reviewChannel, type SeenBoard, type SeenCard, type ShownDecision } from './board.ts';

export const reviewers = ['U01ANN', 'U02BEN', 'U03CHLOE', 'U04DAN'] as const;

/** A decision that somebody saw on a card: from then on it counts as accepted. */
export type Witnessed = Pick<ShownDecision, 'verdict' | 'by' | 'comment'> & Pick<SeenCard, 'task' | 'round'>;

/** What people did and saw. */
export interface Record {
  /** Decisions that people tried to make. */
  tried: number;
  readonly witnessed: Map<string, Witnessed>;
  /** Witnessed decisions that a card then showed as refused. */
  readonly refused: Set<string>;
  /** Rounds on whose cards Undo was clicked: `task round`. */
  readonly undone: Set<string>;
  /** Rounds that were rated on the website. */
  readonly elsewhere: Set<string>;
  corrected: number;
}

export const keyOf = ({ task, round, verdict, by, comment }: Witnessed): string =>
  `${task} ${round} ${verdict} ${by} ${comment}`;

export const roundOf = ({ task, round }: Pick<SeenCard, 'task' | 'round'>): string => `${task} ${round}`;

/**
 * People who review, undo, rate on the website and correct, all at once, until `decisions` were tried. They go on
 * watching what cards show until the signal; `watching` is over then.
 */
export async function review(
  parts: {
    readonly slackUrl: string;
    readonly marketplace: MarketplaceHandle;
    readonly campaigns: readonly string[];
    readonly random: Random;
  },
  { decisions, spanMs }: { readonly decisions: number; readonly spanMs: number },
  signal: AbortSignal,
): Promise<{ readonly record: Record; readonly watching: Promise<void> }> {
  const { slackUrl, marketplace, campaigns, random } = parts;
  const slack = sandboxClient(slackUrl);
  const record: Record = {
    tried: 0,
    witnessed: new Map(),
    refused: new Set(),
    undone: new Set(),
    elsewhere: new Set(),
    corrected: 0,
  };
  let board: SeenBoard = { cards: [], announced: [] };
  /** Cards somebody is busy with, until when. */
  const busy = new Map<string, number>();
  const isOver = () => signal.aborted || record.tried >= decisions;

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      board = await readBoard(slackUrl);
      for (const card of board.cards) witness(record, card);
      await wait(400);
    }
  }

  function openCards(): SeenCard[] {
    const now = Date.now();
    return board.cards.filter((card) => card.buttons['task.ok'] && (busy.get(card.ts) ?? 0) < now);
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
      // A card that was replaced meanwhile.
      .catch(() => undefined);
  }

  async function decide(user: string, card: SeenCard, verdict: Verdict): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    record.tried += 1;
    await click(user, card, `task.${verdict.toLowerCase()}`, block);
    if (verdict === 'OK') return;
    const comment = `Reason ${record.tried} by ${user}`;
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
    const undoable = board.cards.filter((card) => card.buttons['task.undo']);
    if (undoable.length === 0) return;
    const card = random.pick(undoable);
    record.undone.add(roundOf(card));
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

  /** Somebody rates in the marketplace's own panel. */
  async function website(card: SeenCard): Promise<void> {
    record.elsewhere.add(roundOf(card));
    await marketplace.rate(card.task, 'NOK', 'rated on the website').catch(() => undefined);
  }

  /** Workers correct what they were asked to, once the card says so. */
  async function correct(): Promise<void> {
    const seenAt = new Map<string, number>();
    while (!isOver()) {
      for (const card of board.cards) {
        if (card.decision?.verdict !== 'REVISE' || card.decision.state !== 'applied') continue;
        const at = seenAt.get(card.ts) ?? Date.now();
        seenAt.set(card.ts, at);
        if (card.superseded || Date.now() - at < 2_500 || random.next() > 0.1) continue;
        await marketplace.correct(card.task, [`corrected ${random.id()}`]).then(
          () => {
            record.corrected += 1;
          },
          // Corrected already, or not REVISE any more.
          () => undefined,
        );
      }
      await wait(500);
    }
  }

  /** Now and then a campaign takes no ratings for a while. */
  async function pause(): Promise<void> {
    while (!isOver()) {
      await wait(random.between(2_000, 6_000));
      const campaign = random.pick(campaigns);
      await marketplace.patchCampaign(campaign, { status: 'PAUSED_ADMIN' });
      await wait(random.between(1_000, 4_000));
      await marketplace.patchCampaign(campaign, { status: 'RUNNING' });
    }
  }

  const watching = watch().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await Promise.all([...reviewers.map(work), correct(), pause()]);
  return { record, watching };
}

/** Notes what a card shows. */
export function witness(record: Record, card: SeenCard): void {
  if (card.decision === undefined) return;
  const seen = { ...card.decision, task: card.task, round: card.round };
  record.witnessed.set(keyOf(seen), seen);
  if (card.decision.state === 'refused') record.refused.add(keyOf(seen));
}

function verdictOf(random: Random): Verdict {
  const drawn = random.next();
  return drawn < 0.6 ? 'OK' : drawn < 0.8 ? 'NOK' : 'REVISE';
}
