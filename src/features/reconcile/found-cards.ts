import { verdictsOn } from '../../domain/second-look/transition.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import { CardTag } from '../../slack/card-tag.ts';
import type { FoundCard } from '../../store/campaigns.ts';
import type { FeatureContext } from '../shared/context.ts';

/** What the cards of a page of history say about the records. */
export interface FoundInCards {
  /** Tasks whose card and record agree, or were made to: nothing is to be rendered for them. */
  readonly current: ReadonlySet<TaskId>;
  /** How many cards show what no record knows: the records are older. */
  readonly newer: number;
  /** How many decisions that cards show contradict those of the records, and were left as they are. */
  readonly contradicted: number;
}

export type FoundCardsParts = Pick<FeatureContext, 'campaigns' | 'now' | 'tasks' | 'timeouts'>;

interface TaggedCard extends CardTag {
  readonly ts: string;
}

/** Creates what takes up cards that were found in a channel: each becomes its task's card, and gives back its decision. */
export function createFoundCards({ campaigns, now, tasks, timeouts }: FoundCardsParts) {
  /** Records a card as the task's own, so that it is updated and not posted again. */
  async function adopt(ref: AccountRef, task: Task, card: TaggedCard, channel: ChannelId): Promise<void> {
    // It moved there after the record was written, because its channel was lost.
    if (task.card.state === 'posted' && task.card.channel !== channel && task.card.ts < card.ts)
      await tasks.apply(ref, card.task, { type: 'channel-lost', channel: task.card.channel });
    await tasks.apply(ref, card.task, { type: 'card-wanted' });
    const messageRef = { channel, ts: card.ts };
    await tasks.apply(ref, card.task, { type: 'posted', messageRef, round: card.round });
  }

  /** Gives back to a record what its card shows of the decision. Returns whether the two contradict each other. */
  async function giveBack(ref: AccountRef, task: Task, card: TaggedCard): Promise<boolean> {
    for (const { id: decision } of verdictsOn(task).toReversed())
      if (undoneOf(card).includes(decision))
        await tasks.apply(ref, task.id, { type: 'undone', decision, wasUndone: true });
    const { decision: shown, second, revision = 0, round } = card;
    // A card that shows an earlier revision than its record's was not rendered again yet.
    if (shown === undefined || !isAccepted(shown) || revision < task.revision) return false;
    const at = now();
    const until = at + timeouts.marketplaceMs;
    const restored = await tasks.apply(ref, task.id, {
      ...({ type: 'restored', round, shown, at, until } as const),
      ...(second === undefined ? {} : { second }),
    });
    return restored.kind === 'rejected';
  }

  return {
    /** Takes up the cards of a page of a channel's history. */
    async takeUp(
      ref: AccountRef,
      channel: ChannelId,
      found: readonly { readonly ts: string; readonly payload: unknown }[],
    ): Promise<FoundInCards> {
      const cards = found.flatMap(({ ts, payload }): TaggedCard[] => {
        const tag = CardTag.safeParse(payload).data;
        return tag?.account === ref.account ? [{ ...tag, ts }] : [];
      });
      const ids = [...new Set(cards.map(({ task }) => task))];
      const known = new Map((await tasks.getMany(ref, ids)).map((task) => [task.id, task]));
      const stored = await campaigns.foundCardsOf(ref, ids);
      const unknown = new Map<TaskId, FoundCard>();
      const current = new Set<TaskId>();
      let [newer, contradicted] = [0, 0];
      for (const card of cards) {
        const task = known.get(card.task);
        if (task === undefined || card.round > task.round) {
          const before = unknown.get(card.task) ?? stored.get(card.task) ?? { round: 0, ts: '' };
          // Of two cards of a round, the later one is where the task continues.
          if (card.round > before.round || (card.round === before.round && card.ts > before.ts))
            unknown.set(card.task, asFound(card, channel));
          newer++;
        } else if (isShowing(card, task, channel)) {
          // Of a thousand cards most are such, and taking one up waits for Redis several times.
          current.add(task.id);
        } else if (card.round === task.round) {
          await adopt(ref, task, card, channel);
          if (isNewer(card, task)) newer++;
          if (await giveBack(ref, task, card)) contradicted++;
          // Cards of earlier versions do not say what they show.
          if (card.revision !== undefined) await tasks.markNeedsRender(ref, [task.id]);
        }
      }
      await campaigns.storeFoundCards(ref, unknown);
      return { current, newer, contradicted };
    },
  };
}

function asFound({ ts, round, decision }: TaggedCard, channel: ChannelId): FoundCard {
  return { channel, ts, round, ...(decision && isAccepted(decision) ? { decision } : {}) };
}

/** Returns whether a decision waits for the marketplace or is a rating: one that was refused or overtaken is over. */
function isAccepted({ state }: NonNullable<CardTag['decision']>): boolean {
  return state !== 'refused' && state !== 'overtaken';
}

/** Returns the id of a task's decision, or of the one that waits for a second look: a card's tag has either. */
function decisionOn({ decision, look }: Task): string | undefined {
  return decision?.id ?? look?.first.id;
}

function undoneOf({ undone = '' }: CardTag): readonly string[] {
  return undone === '' ? [] : undone.split('\n');
}

/** Returns whether a card shows something that the record does not know. */
function isNewer(card: TaggedCard, task: Task): boolean {
  const { decision, revision = 0 } = card;
  if (revision > task.revision) return true;
  return decision !== undefined && decision.id !== decisionOn(task) && !task.undone?.includes(decision.id);
}

/** Returns whether a card shows its record as it is. */
function isShowing(card: TaggedCard, task: Task, channel: ChannelId): boolean {
  const { card: place, revision, round } = task;
  const isSame = card.round === round && card.revision === revision && card.decision?.id === decisionOn(task);
  return isSame && place.state === 'posted' && place.ts === card.ts && place.channel === channel;
}
