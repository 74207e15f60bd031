import type { Verdict } from '../../src/domain/terms.ts';
import { approveAction } from '../../src/features/shared/approval.view.ts';
import { takeAction } from '../../src/features/shared/assign-buttons.ts';
import type { Random } from '../../src/sandbox/marketplace/index.ts';
import type { View } from '../../src/sandbox/slack/index.ts';
import type { ChannelView, SeenCard } from './channel-view.ts';
import type { ReviewLog } from './log.ts';
import { bonusFor } from './money.ts';
import { buttonValue, type Screen, typedInto } from './screen.ts';

/** One in this many decisions to accept a task has a bonus. */
const bonusEvery = 2;

/** How long people wait before they approve a request again that is still shown as open (ms). */
const pressedMs = 5_000;

export interface ActParts {
  readonly log: ReviewLog;
  readonly random: Random;
  readonly view: ChannelView;
}

/** Creates the acts on cards, in their threads, and on requests for approval. */
export function createCardActs({ log, random, view }: ActParts) {
  /** Approved requests, with the time until which people leave them alone: a job updates the message only later. */
  const pressedUntil = new Map<string, number>();

  /** Presses a button of a card, or chooses in its menu. Their values are the task. */
  const click = (screen: Screen, card: SeenCard, action: string, block: string) =>
    screen.clicks(card, action, { block_id: block, value: card.task });

  /** Opens the modal with the actions that do not fit in a card's menu. Resolves with undefined if it does not appear. */
  async function openMore(screen: Screen, card: SeenCard): Promise<View | undefined> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return undefined;
    await click(screen, card, 'task.more.acts', block);
    return screen.until(({ callback_id }) => callback_id === 'task.more');
  }

  /** Decides with the buttons of a card. @param given the bonus; absent: one now and then */
  async function decide(screen: Screen, card: SeenCard, verdict: Verdict, given?: string): Promise<void> {
    const block = card.buttons['task.ok'];
    if (block === undefined) return;
    log.tried += 1;
    const comment = `Reason ${log.tried} by ${screen.user}`;
    const hasBonus = verdict === 'OK' && (given !== undefined || log.tried % bonusEvery === 0);
    const amount = given ?? bonusFor(log.tried);
    await click(screen, card, hasBonus ? 'task.more.extras' : `task.${verdict.toLowerCase()}`, block);
    if (verdict === 'OK' && !hasBonus) return;
    const form = await screen.until(({ private_metadata: state }) => state.includes(`"${card.task}"`));
    if (form === undefined) return;
    const bonus = hasBonus ? typedInto(form, /^bonus$/, amount) : {};
    const values = { ...typedInto(form, /^comment\.\d+$/, comment), ...bonus };
    await screen.submit(form, values);
    if (hasBonus) {
      // The cost is shown first.
      const shown = await screen.until(({ private_metadata: state }) => state.includes('"shown"'));
      if (shown) await screen.press(shown, 'task.extras.confirm', 'confirm');
    }
    await screen.closeAll();
  }

  /** Leaves a note by replying in the thread of a card. */
  async function reply(screen: Screen, card: SeenCard): Promise<void> {
    if (await screen.writes(card.channel, `note by ${screen.user}`, card.ts)) log.replies += 1;
  }

  /** Takes a task. */
  async function take(screen: Screen, card: SeenCard): Promise<void> {
    const menu = await openMore(screen, card);
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
    openMore,
    reply,
    take,

    /** Approves a request to this person. Resolves with false if there is none. */
    async approve(screen: Screen): Promise<boolean> {
      const now = Date.now();
      const asked = [...view.requests].filter(
        ([place, { channel }]) => channel === directOf(screen) && (pressedUntil.get(place) ?? 0) < now,
      );
      if (asked.length === 0) return false;
      const [place, request] = random.pick(asked);
      pressedUntil.set(place, now + pressedMs);
      await screen.clicks(request, approveAction, { block_id: request.block, value: request.value });
      log.approved += 1;
      return true;
    },
  };
}

/** Returns the direct messages of a person with the app. */
export function directOf({ user }: Screen): string {
  return `D${user.slice(1)}`;
}
