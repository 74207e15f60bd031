import { formerOf, isSame, type MessageRef, withPlace } from '../../domain/live-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { CardTag } from '../../slack/card-tag.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { FeatureContext } from '../shared/context.ts';
import { retireFormer } from '../shared/former-places.ts';

/** Result of comparing a page's cards with the records. */
export interface FoundInCards {
  /** Tasks whose card and record agree, or were reconciled: nothing needs rendering. */
  readonly current: ReadonlySet<TaskId>;
  /** Number of cards with state missing from the records, which are older. */
  readonly newer: number;
  /** Number of decisions on cards that were lost: the records have others, and were left unchanged. */
  readonly contradicted: number;
}

export type FoundCardsParts = Pick<
  FeatureContext,
  'audit' | 'campaigns' | 'jobs' | 'now' | 'tasks' | 'timeouts'
>;

/** Maximum difference between Redis's clock, by which audit entries are found, and the clock of a card's writer. */
const clockMarginMs = 2 * 86_400_000;

interface TaggedCard extends CardTag {
  readonly ts: string;
}

type TaggedDecision = NonNullable<CardTag['decision']>;

/** Creates the adoption of cards found in a channel: each becomes its task's card, and restores its decision. */
export function createFoundCards({ audit, campaigns, jobs, now, tasks, timeouts }: FoundCardsParts) {
  /**
   * Restores the decision shown on a card to its record. Returns the decision if the record has another one: either it
   * was lost, or it is over and the card was not rendered since.
   */
  async function giveBack(
    ref: AccountRef,
    task: Task,
    card: TaggedCard,
  ): Promise<TaggedDecision | undefined> {
    const decision = task.decision?.id;
    if (decision !== undefined && undoneOf(card).includes(decision))
      await tasks.apply(ref, task.id, { type: 'undone', decision, wasUndone: true });
    const { decision: shown, revision = 0, round } = card;
    if (shown === undefined || !isAccepted(shown)) return undefined;
    // A card with an older revision than its record has not been rendered since.
    if (revision < task.revision) return knowsDecision(task, shown.id) ? undefined : shown;
    const at = now();
    const until = at + timeouts.marketplaceMs;
    const restored = await tasks.apply(ref, task.id, { type: 'restored', round, shown, at, until });
    return restored.kind === 'rejected' ? shown : undefined;
  }

  /** Returns how many of these decisions are missing from the audit too, and so were lost with part of the database. */
  async function countLost(ref: AccountRef, replaced: readonly TaggedDecision[]): Promise<number> {
    const missing = new Set(replaced.map(({ id }) => id));
    const since = replaced.reduce((earliest, { at }) => Math.min(earliest, at), now()) - clockMarginMs;
    if (missing.size === 0) return 0;
    for await (const { entry } of audit.newestFirst(ref)) {
      if (entry.decision !== undefined) missing.delete(entry.decision);
      if (missing.size === 0 || entry.at < since) break;
    }
    return missing.size;
  }

  return {
    /** Adopts the cards on a page of a channel's history. */
    async takeUp(
      ref: AccountRef,
      channel: ChannelId,
      found: readonly { readonly ts: string; readonly payload: unknown }[],
    ): Promise<FoundInCards> {
      const cards = found.flatMap(({ ts, payload }): TaggedCard[] => {
        const tag = CardTag.safeParse(payload).data;
        return tag?.account === ref.account && !tag.moved ? [{ ...tag, ts }] : [];
      });
      const ids = [...new Set(cards.map(({ task }) => task))];
      const known = new Map((await tasks.getMany(ref, ids)).map((task) => [task.id, task]));
      const stored = await campaigns.foundCardsOf(ref, ids);
      const unknown = new Map<TaskId, FoundCard>();
      const current = new Set<TaskId>();
      const replaced: TaggedDecision[] = [];
      const former: MessageRef[] = [];
      let newer = 0;
      for (const card of cards) {
        const task = known.get(card.task);
        if (task === undefined || card.round > task.round) {
          const before = unknown.get(card.task) ?? stored.get(card.task);
          unknown.set(card.task, withFound(before, asFound(card, channel)));
          newer++;
        } else if (isShowing(card, task, channel)) {
          // Most of a thousand cards are like this, and adopting one takes several Redis round trips.
          current.add(task.id);
        } else if (card.round === task.round) {
          const messageRef = { channel, ts: card.ts };
          const after = await tasks.apply(ref, card.task, { type: 'posted', messageRef, round: card.round });
          if (after.task) former.push(...formerOf(after.task.card));
          if (isNewer(card, task)) newer++;
          const other = await giveBack(ref, task, card);
          if (other) replaced.push(other);
          await tasks.markNeedsRender(ref, [task.id]);
        }
      }
      await campaigns.storeFoundCards(ref, unknown);
      await retireFormer({ jobs }, ref, former);
      return { current, newer, contradicted: await countLost(ref, replaced) };
    },
  };
}

function asFound({ ts, round, decision }: TaggedCard, channel: ChannelId): FoundCard {
  return { channel, ts, round, ...(decision && isAccepted(decision) ? { decision } : {}) };
}

/** Merges a found card into a task's found cards; those of the latest round count. */
function withFound(before: FoundCard | undefined, card: FoundCard): FoundCard {
  if (before === undefined || card.round > before.round) return card;
  if (card.round < before.round) return before;
  const places = withPlace(before, card) ?? before;
  return { ...(isSame(places, card) ? card : before), ...places };
}

/** Returns whether a decision is pending or a rating; refused and overtaken ones are over. */
function isAccepted({ state }: TaggedDecision): boolean {
  return state !== 'refused' && state !== 'overtaken';
}

/** Returns whether a record has a decision, or its undo. */
function knowsDecision(task: Task, id: string): boolean {
  return task.decision?.id === id || task.undone?.includes(id) === true;
}

function undoneOf({ undone = '' }: CardTag): readonly string[] {
  return undone === '' ? [] : undone.split('\n');
}

/** Returns whether a card shows state missing from the record. */
function isNewer(card: TaggedCard, task: Task): boolean {
  const { decision, revision = 0 } = card;
  if (revision > task.revision) return true;
  return decision !== undefined && decision.id !== task.decision?.id && !task.undone?.includes(decision.id);
}

/** Returns whether a card shows its current record. */
function isShowing(card: TaggedCard, task: Task, channel: ChannelId): boolean {
  const { card: place, revision, round } = task;
  const isSame =
    card.round === round && card.revision === revision && card.decision?.id === task.decision?.id;
  return isSame && place.state === 'posted' && place.ts === card.ts && place.channel === channel;
}
