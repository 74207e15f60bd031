import { setTimeout as wait } from 'node:timers/promises';
import { assignAction, takeAction } from '../../src/features/shared/assign-buttons.ts';
import { mineAction } from '../../src/features/shared/mine-button.ts';
import type { View } from '../../src/sandbox/slack/index.ts';
import { visibleText } from '../harness/visible-text.ts';
import { type ActParts, type createCardActs, directOf } from './card-acts.ts';
import type { SeenCard } from './channel-view.ts';
import type { createFocusActs } from './focus-acts.ts';
import { buttonValue, patienceMs, type Screen, typedInto } from './screen.ts';

/** Waits until a message shows something. Resolves with false on timeout. */
export async function shows(holds: () => boolean, waitsMs = patienceMs): Promise<boolean> {
  const end = Date.now() + waitsMs;
  while (!holds()) {
    if (Date.now() > end) return false;
    await wait(100);
  }
  return true;
}

/** Returns who has the task according to the card; undefined if nobody has it. */
export function holderOf({ text }: Pick<SeenCard, 'text'>): string | undefined {
  const [, taker, assignee] = /@(\w+) has taken this|Assigned to @(\w+)/.exec(text) ?? [];
  return taker ?? assignee;
}

/**
 * Creates the acts that assign tasks. Each resolves once it was tried; acts that a person read as done
 * are in the log.
 * @param colleagues the people to whom tasks are assigned
 */
export function createDeskActs(
  { log, random, view }: ActParts,
  { openMore }: Pick<ReturnType<typeof createCardActs>, 'openMore'>,
  review: ReturnType<typeof createFocusActs>,
  colleagues: readonly string[],
) {
  const says = (text: string) => (shown: View) =>
    shown.callback_id === 'task.more' && visibleText(shown.blocks).includes(text);

  return {
    /** Assigns the task of a card to somebody else. */
    async assign(screen: Screen, card: SeenCard): Promise<void> {
      const menu = await openMore(screen, card);
      const value = menu && buttonValue(menu.blocks, assignAction);
      if (menu && value !== undefined) {
        await screen.press(menu, assignAction, value);
        const form = await screen.until(({ callback_id }) => callback_id === 'assignment.assign');
        const others = colleagues.filter((one) => one !== screen.user && one !== holderOf(card));
        if (form) await screen.submit(form, typedInto(form, /^member$/, random.pick(others)));
        if (form && (await screen.until(says('Assigned to @')))) log.assigned += 1;
      }
      await screen.closeAll();
    },

    /** Takes over the task of a card from somebody else. */
    async takeOver(screen: Screen, card: SeenCard): Promise<void> {
      const menu = await openMore(screen, card);
      const value = menu && buttonValue(menu.blocks, takeAction);
      if (menu && value !== undefined) {
        await screen.press(menu, takeAction, value);
        if (await screen.until(says('You have taken this task'))) log.takenOver += 1;
      }
      await screen.closeAll();
    },

    /** Reviews the person's own tasks, from the message that lists them. Resolves with false if there is none. */
    async reviewMine(screen: Screen): Promise<boolean> {
      const told = [...view.mine.values()].findLast(({ channel }) => channel === directOf(screen));
      if (told === undefined) return false;
      await review(screen, () => screen.clicks(told, mineAction, told.review), log.mine);
      await screen.closeAll();
      return true;
    },
  };
}
