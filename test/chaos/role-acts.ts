import { setTimeout as wait } from 'node:timers/promises';
import type { View } from '../../src/sandbox/slack/index.ts';
import { elementsOf } from '../../src/sandbox/slack/index.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import { visibleText } from '../harness/visible-text.ts';
import type { ActParts, createCardActs } from './card-acts.ts';
import type { SeenCard } from './channel-view.ts';
import { shows } from './desk-acts.ts';
import { bonusLimit } from './money.ts';
import { sharedChannel } from './places.ts';
import { type Screen, typedInto } from './screen.ts';

/** How long an owner tries to restore everything (ms). */
const amendMs = 30_000;

const settings = 'rights.settings';

/** Creates an owner's acts on the roles of people whose decisions wait. */
export function createRoleActs(
  { log, view }: ActParts,
  { click, decide }: Pick<ReturnType<typeof createCardActs>, 'click' | 'decide'>,
  marketplace: Pick<MarketplaceHandle, 'patchCampaign'>,
) {
  const says = (text: string) => (shown: View) =>
    shown.callback_id === settings && visibleText(shown.blocks).includes(text);

  async function openSettings(owner: Screen): Promise<View | undefined> {
    await owner.command(sharedChannel, '/proofdesk', 'settings');
    return owner.until(({ callback_id }) => callback_id === settings);
  }

  /** Withdraws a member's role. Resolves with true once that is read as done. */
  async function withdraw(owner: Screen, member: string): Promise<boolean> {
    const open = await openSettings(owner);
    const row = elementsOf(open?.blocks ?? []).find(
      ({ block, element }) =>
        block.block_id === `rights.grant/member/${member}` && element.action_id === 'rights.withdraw',
    );
    if (open === undefined || row === undefined) return false;
    log.withoutRole.add(member);
    await owner.press(open, 'rights.withdraw', row.element.value, String(row.block.block_id));
    const isDone = (await owner.until(says('this role is withdrawn'))) !== undefined;
    await owner.closeAll();
    return isDone;
  }

  /** Makes somebody a manager again. */
  async function giveBack(owner: Screen, member: string): Promise<void> {
    const open = await openSettings(owner);
    if (open) await owner.press(open, 'rights.give', 'none');
    const form = open && (await owner.until(({ callback_id }) => callback_id === 'rights.give'));
    if (form) {
      const [role, members] = [typedInto(form, /^role$/, 'manager'), typedInto(form, /^members$/, [member])];
      await owner.submit(form, { ...role, ...members });
      if (await owner.until(says('manager from now on'))) log.withoutRole.delete(member);
    }
    await owner.closeAll();
  }

  /** Undoes the decision on a card whose maker no longer has a role. */
  async function undo(owner: Screen, place: string): Promise<void> {
    const card = view.cards.get(place);
    const block = card?.buttons['task.undo'];
    if (card?.decision?.id === undefined || block === undefined) {
      log.barred.delete(place);
      return;
    }
    log.undone.add(card.decision.id);
    await click(owner, card, 'task.undo', block);
    if (await shows(() => view.cards.get(place)?.buttons['task.undo'] === undefined))
      log.barred.delete(place);
  }

  return {
    /**
     * Makes a member decide with a bonus while the campaign is paused, so that the decision waits; withdraws their role, so
     * that it may not be sent once the campaign runs; undoes it, and restores the role.
     */
    async withdrawWhileWaiting(owner: Screen, member: Screen, card: SeenCard): Promise<void> {
      const [, campaign] = /Shared (\d+)/.exec(card.text) ?? [];
      if (campaign === undefined) return;
      const place = `${card.channel}:${card.ts}`;
      const pause = (status: 'PAUSED_ADMIN' | 'RUNNING') =>
        marketplace.patchCampaign(`c${campaign}`, { status });
      const waits = () => {
        const { decision } = view.cards.get(place) ?? {};
        return decision?.by === member.user && decision.state === 'pending';
      };
      await pause('PAUSED_ADMIN');
      try {
        await decide(member, card, 'OK', bonusLimit);
        if (!(await shows(waits))) return;
        log.barred.add(place);
        if (await withdraw(owner, member.user)) log.withdrawn += 1;
      } finally {
        await pause('RUNNING');
      }
      await undo(owner, place);
      if (log.withoutRole.has(member.user)) await giveBack(owner, member.user);
    },

    /** Restores every role, and undoes the decisions that nobody else can end. */
    async amend(owner: Screen): Promise<void> {
      const end = Date.now() + amendMs;
      while (log.withoutRole.size + log.barred.size > 0 && Date.now() < end) {
        for (const member of log.withoutRole) await giveBack(owner, member);
        for (const place of log.barred) await undo(owner, place);
        await wait(200);
      }
    },
  };
}
