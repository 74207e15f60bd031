import { setTimeout as wait } from 'node:timers/promises';
import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import { elementsOf } from '../../src/sandbox/slack/index.ts';
import { sandboxClient } from '../harness/slack-client.ts';

export type Values = Record<string, Record<string, unknown>>;

/** How long a person waits for what they pressed, before they give up (ms). */
export const patienceMs = 2_500;
const lookEveryMs = 100;

/** What a person has in front of them, and does there. Whatever fails or does not come leaves things as they are. */
export type Screen = ReturnType<typeof createScreen>;

/** @param isOver once it is, nobody waits for anything any more */
export function createScreen(slackUrl: string, user: string, isOver: () => boolean, waitsMs = patienceMs) {
  const slack = sandboxClient(slackUrl);
  const act = (path: string, body: object) =>
    slack.act<SubmitResult>(path, { user, ...body }).catch((): undefined => undefined);

  /** Returns the modal on top. */
  async function view(): Promise<View | undefined> {
    return (await slack.get<{ views: View[] }>(`views/${user}`)).views.at(-1);
  }

  return {
    user,
    view,

    /** Waits for a modal. Resolves undefined when it does not come. */
    async until(holds: (view: View) => boolean): Promise<View | undefined> {
      const end = Date.now() + waitsMs;
      for (;;) {
        const found = await view();
        if (found && holds(found)) return found;
        if (Date.now() > end || isOver()) return undefined;
        await wait(lookEveryMs);
      }
    },

    press: ({ id }: View, action_id: string, value?: unknown, block_id?: string) =>
      act('click', { view_id: id, action_id, value, block_id }),

    submit: ({ id }: View, values: Values = {}) => act('submit', { view_id: id, values }),

    close: ({ id }: View) => act('close', { view_id: id, all: true }),

    /** Closes whatever is open. */
    async closeAll(): Promise<void> {
      const open = await view();
      if (open) await act('close', { view_id: open.id, all: true });
    },

    command: (channel: string, command: string, text = '') => act('command', { channel, command, text }),

    writes: (channel: string, text: string, thread_ts: string) =>
      slack
        .act<ActResult & { ts: string }>('message', { user, channel, text, thread_ts })
        .catch((): undefined => undefined),

    /** Presses a button of a message, as the person sees it, even if it is gone meanwhile. */
    clicks: (
      { channel, ts }: { readonly channel: string; readonly ts: string },
      action_id: string,
      { block_id, value }: { readonly block_id: string; readonly value: string },
    ) => act('click', { channel, ts, action_id, block_id, value, stale: true }),
  };
}

/** Returns what a text typed into an input of a modal is submitted as; none when it has no such input. */
export function typedInto({ blocks }: View, name: RegExp, text: string | readonly string[]): Values {
  const found = elementsOf(blocks).find(({ block }) => name.test(String(block.block_id)));
  return found === undefined
    ? {}
    : { [String(found.block.block_id)]: { [String(found.element.action_id)]: text } };
}

/** Returns the value of a button; undefined when the modal or message has none. */
export function buttonValue(blocks: View['blocks'], action: string): string | undefined {
  const found = elementsOf(blocks).find(({ element }) => element.action_id === action);
  const value = found?.element.value;
  return typeof value === 'string' ? value : undefined;
}
