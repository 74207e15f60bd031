import type { Verdict } from '../../src/domain/terms.ts';
import type { ActParts, createCardActs } from './card-acts.ts';
import type { SeenCard } from './channel-view.ts';
import { shows } from './desk-acts.ts';
import { owners } from './money.ts';
import type { Screen } from './screen.ts';
import { bonusToLookAt, isDrawn, mayLookOn } from './second-looks.ts';

/**
 * Creates the acts on decisions that wait for a second look. Each resolves with false if this person can do nothing.
 * @param pick returns an open card that satisfies the condition, and reserves it for this person for a while
 * @param isOfLook returns whether a card's campaign has second looks
 * @param draw returns a verdict
 */
export function createLookActs(
  { log, view }: ActParts,
  { decide }: Pick<ReturnType<typeof createCardActs>, 'decide'>,
  pick: (user: string, holds: (card: SeenCard) => boolean) => SeenCard | undefined,
  isOfLook: (card: SeenCard) => boolean,
  draw: () => Verdict,
) {
  /** Returns the first decision on a card, as its maker remembers it. */
  const firstOn = ({ task, look }: SeenCard) => log.verdicts.get(`${task} ${look?.first}`);

  /** Makes a decision that waits for a second look: owners give a bonus, others decide on a sampled task. */
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

  /** Gives a second look at a task: the first verdict, or another one. */
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

    /** Decides between two who differ, or disagrees with a first decision. */
    async decideBetween(screen: Screen): Promise<boolean> {
      const card = pick(screen.user, (one) => mayLookOn(one, screen.user) && one.look?.second !== undefined);
      if (card === undefined) return look(screen, false);
      await decide(screen, card, draw());
      return true;
    },
  };
}
