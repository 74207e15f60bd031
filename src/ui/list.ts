import type { Capability } from '../domain/permissions.ts';
import type { AccountId, AccountRef } from '../domain/terms.ts';
import { type ListClick, onList } from '../kit/on.ts';
import { isCallFailure } from '../marketplace/index.ts';
import type { Message } from '../slack/blocks.ts';
import type { Actor, Asker, Authorized, Click, Entries, Entry, Origin } from '../slack/feature.ts';
import type { BlockStateCodec } from './list.view.ts';

/**
 * Creates a list in a message: the ids of its blocks carry what it shows, and each click renders it again.
 * @param list.render `outcome`: of the last action, in mrkdwn
 */
export function createList<List extends { readonly account: AccountId }>({
  codec,
  render,
}: {
  readonly codec: BlockStateCodec<List>;
  readonly render: (ref: AccountRef, list: List, actor: Actor, outcome?: string) => Promise<Message>;
}) {
  type Change = Partial<Record<keyof List, string>>;

  const change = (changeOf: (value: string) => Change, needs: Capability = 'see'): Entry<Click> =>
    onList(codec, needs, async (click) =>
      click.replace(await render(click.ref, codec.update(click.list, changeOf(click.value)), click)),
    );

  return {
    render,

    /** Shows the list as it is at first, for a command or a button outside of it. */
    open: (first: (account: AccountId) => List) => async (actor: Authorized) => {
      const ref = await actor.authorize();
      await actor.answer(await render(ref, first(ref.account), actor));
    },

    /** A click that changes what is listed. */
    change,

    /** The buttons to other pages (`pageButtons`). */
    pages(actionId: string): Entries<Click> {
      const turn = change((page) => ({ page }) as Change);
      return { [`${actionId}.previous`]: turn, [`${actionId}.next`]: turn };
    },

    /** A click that acts, and returns its outcome, in mrkdwn: the list then shows it. */
    act: (needs: Capability, run: (click: ListClick<List>) => Promise<string>): Entry<Click> =>
      onList(codec, { needs, once: true }, async (click) => {
        const outcome = await run(click);
        await click.show(await render(click.ref, click.list, click, outcome), outcome);
      }),

    /** Renders the list again where a form above it was opened. A list that cannot be loaded stays as it is. */
    async refresh(actor: Actor & Asker, origin: Origin, ref: AccountRef, list: List): Promise<void> {
      try {
        await actor.replaceAt(origin, await render(ref, list, actor));
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    },
  };
}
