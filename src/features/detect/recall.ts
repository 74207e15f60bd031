import type { CardPlace } from '../../domain/task.ts';
import type { AccountRef, ChannelId, TaskId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import { cardTagType } from '../../slack/card-block.ts';
import { SlackFailure } from '../../slack/failure.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Tasks } from '../../store/tasks.ts';

/** A card that stands in a channel, and the round of its task that it shows. */
export type ShownCard = CardPlace & { readonly round: number };

/** Looks further apart than this may mean that Redis was restored from an older copy in between. */
const gapMs = 300_000;
/** With no look on record at all, cards are looked for so far back. */
const farthestMs = 30 * 86_400_000;

/**
 * Cards that stand in the channels but of whose tasks nothing is known: their bookkeeping was lost. Each of our
 * messages says itself what it belongs to, so the channels' history is asked when the last look on record is long ago.
 * @param lookedAt when the last whole look was (ms)
 */
export async function recallCards(
  {
    tasks,
    messenger,
    logger,
    now,
  }: { tasks: Tasks; messenger: Messenger; logger: Logger; now: () => number },
  ref: AccountRef,
  channels: readonly ChannelId[],
  lookedAt: number | undefined,
): Promise<Map<TaskId, ShownCard>> {
  const cards = new Map<TaskId, ShownCard>();
  if (lookedAt !== undefined && now() - lookedAt < gapMs) return cards;
  const since = (lookedAt ?? now() - farthestMs) - gapMs;
  for (const channel of channels) {
    try {
      for await (const { ts, payload } of messenger.tagged(channel, since, cardTagType)) {
        const { account, task, round } = payload;
        if (account !== ref.account || typeof task !== 'string' || typeof round !== 'number') continue;
        if (round >= (cards.get(task)?.round ?? 0)) cards.set(task, { channel, ts, round });
      }
    } catch (error) {
      if (!(error instanceof SlackFailure) || error.kind !== 'refused') throw error;
      logger.warn({ channel, code: error.code }, 'cannot look for cards in the channel');
    }
  }
  for (const { id } of await tasks.getMany(ref, [...cards.keys()])) cards.delete(id);
  return cards;
}
