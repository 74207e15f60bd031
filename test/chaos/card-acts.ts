import type { Verdict } from '../../src/domain/terms.ts';
import { approveAction } from '../../src/features/shared/approval.view.ts';
import { takeAction } from '../../src/features/shared/assign-buttons.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import type { ChannelView, SeenCard } from './channel-view.ts';
import type { ReviewLog } from './log.ts';
import { bonusFor } from './money.ts';
import { buttonValue, type Screen, typedInto } from './screen.ts';

/** One in so many decisions to accept a task is with a bonus. */
const bonusEvery = 2;

export interface ActParts {
  readonly log: ReviewLog;
  readonly random: Random;
  readonly view: ChannelView;
}

/** Creates what people do with cards and in their threads, and with what they are asked to approve. */
export function createCardActs({ log, random, view }: ActParts) {
  /** Presses a button of a card, or chooses in its menu: their values are the task. */
  const click = (screen: Screen, card: SeenCard, action: string, block: string) =>
    screen.clicks(card, action, { block_id: block, value: card.task });

  /** Decides with the buttons of a card. */
  async function decide(screen: Screen, card: SeenCard, verdict: Verdict): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    log.tried += 1;
    const comment = `Reason ${log.tried} by ${screen.user}`;
    const hasBonus = verdict === 'OK' && log.tried % bonusEvery === 0;
    await click(screen, card, hasBonus ? 'task.more.extras' : `task.${verdict.toLowerCase()}`, block);
    if (verdict === 'OK' && !hasBonus) return;
    const form = await screen.until(({ private_metadata: state }) => state.includes(`"${card.task}"`));
    if (form === undefined) return;
    const bonus = hasBonus ? typedInto(form, /^bonus$/, bonusFor(log.tried)) : {};
    const values = { ...typedInto(form, /^comment\.\d+$/, comment), ...bonus };
    await screen.submit(form, values);
    if (hasBonus) {
      // What it costs is shown first.
      const shown = await screen.until(({ private_metadata: state }) => state.includes('"shown"'));
      if (shown)
        await screen.submit(shown, {
          ...typedInto(shown, /^comment\.\d+$/, comment),
          ...typedInto(shown, /^bonus$/, bonusFor(log.tried)),
        });
    }
    await screen.closeAll();
  }

  /** Decides, or leaves a note, by a reply in the thread of a card. */
  async function reply(screen: Screen, card: SeenCard, verdict: Verdict | 'note'): Promise<void> {
    if (verdict !== 'note') log.tried += 1;
    const text = verdict === 'OK' ? 'ok' : `${verdict.toLowerCase()} Reply ${log.tried} by ${screen.user}`;
    if (await screen.writes(card.channel, text, card.ts)) log.replies += 1;
  }

  /** Takes a task. */
  async function take(screen: Screen, card: SeenCard): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    await click(screen, card, 'task.more.acts', block);
    const menu = await screen.until(({ callback_id }) => callback_id === 'task.more');
    const value = menu && buttonValue(menu.blocks, takeAction);
    if (menu && value !== undefined) {
      await screen.press(menu, takeAction, value);
      log.taken += 1;
    }
    await screen.closeAll();
  }

  return {
    click,
    decide,
    reply,
    take,

    /** Approves what this person is asked for, if anything. */
    async approve(screen: Screen): Promise<void> {
      const asked = [...view.requests.values()].filter(({ channel }) => channel === directOf(screen));
      if (asked.length === 0) return;
      const request = random.pick(asked);
      await screen.clicks(request, approveAction, { block_id: request.block, value: request.value });
      log.approved += 1;
    },
  };
}

/** Returns the direct messages of a person with the app. */
function directOf({ user }: Screen): string {
  return `D${user.slice(1)}`;
}
