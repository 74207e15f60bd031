import type { Verdict } from '../../src/domain/terms.ts';
import type { ActParts, createCardActs } from './card-acts.ts';
import type { SeenCard } from './channel-view.ts';
import { shows } from './desk-acts.ts';
import { owners } from './money.ts';
import type { Screen } from './screen.ts';
import { bonusToLookAt, isDrawn, mayLookOn } from './second-looks.ts';

/**
 * Creates what people do about decisions that wait for a second look. Each resolves false when there is nothing that this
 * person can do.
 * @param pick returns an open card that is so, which is left to this person for a while
 * @param isOfLook whether a card's campaign has second looks
 * @param draw returns a verdict
 */
export function createLookActs(
  { log, view }: ActParts,
  { decide }: Pick<ReturnType<typeof createCardActs>, 'decide'>,
  pick: (user: string, holds: (card: SeenCard) => boolean) => SeenCard | undefined,
  isOfLook: (card: SeenCard) => boolean,
  draw: () => Verdict,
) {
  /** Returns what was decided first on a card, as whoever did remembers it. */
  const firstOn = ({ task, look }: SeenCard) => log.verdicts.get(`${task} ${look?.first}`);

  /** Decides what waits for a second look: an owner by a bonus, others on a task that is drawn. */
  async function hold(screen: Screen): Promise<boolean> {
    const isOwner = owners.includes(screen.user);
    const card = pick(
      screen.user,
      (one) => isOfLook(one) && one.look === undefined && (isOwner || isDrawn(one)),
    );
    if (card === undefined) return false;
    await (isOwner ? decide(screen, card, 'OK', bonusToLookAt) : decide(screen, card, draw()));
    return shows(() => view.cards.get(`${card.channel}:${card.ts}`)?.look !== undefined);
  }

  /** Looks at a task, and says what the first said, or something else. */
  async function look(screen: Screen, agrees: boolean): Promise<boolean> {
    const card = pick(
      screen.user,
      (one) => mayLookOn(one, screen.user) && one.look?.second === undefined && firstOn(one) !== undefined,
    );
    if (card === undefined) return hold(screen);
    const first = firstOn(card) ?? 'OK';
    await decide(screen, card, agrees ? first : first === 'OK' ? 'NOK' : 'OK');
    return true;
  }

  return {
    hold,
    agree: (screen: Screen) => look(screen, true),

    /** Decides between two who differ, or differs from somebody. */
    async decideBetween(screen: Screen): Promise<boolean> {
      const card = pick(screen.user, (one) => mayLookOn(one, screen.user) && one.look?.second !== undefined);
      if (card === undefined) return look(screen, false);
      await decide(screen, card, draw());
      return true;
    },
  };
}
