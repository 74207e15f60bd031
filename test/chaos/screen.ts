import { setTimeout as wait } from 'node:timers/promises';
import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import { elementsOf } from '../../src/sandbox/slack/index.ts';
import { sandboxClient } from '../harness/slack-client.ts';

export type Values = Record<string, Record<string, unknown>>;

/** How long a person waits for the result of a press before giving up (ms). */
export const patienceMs = 2_500;
const lookEveryMs = 100;

/** A person's screen and their acts on it. Failed acts and missing views change nothing. */
export type Screen = ReturnType<typeof createScreen>;

/** @param isOver once it returns true, all waits end */
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

    /** Waits for a modal. Resolves with undefined if it does not appear. */
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

    /** Closes all modals. */
    async closeAll(): Promise<void> {
      const open = await view();
      if (open) await act('close', { view_id: open.id, all: true });
    },

    command: (channel: string, command: string, text = '') => act('command', { channel, command, text }),

    writes: (channel: string, text: string, thread_ts: string) =>
      slack
        .act<ActResult & { ts: string }>('message', { user, channel, text, thread_ts })
        .catch((): undefined => undefined),

    /** Presses a button that the person sees on a message, even if it no longer exists. */
    clicks: (
      { channel, ts }: { readonly channel: string; readonly ts: string },
      action_id: string,
      { block_id, value }: { readonly block_id: string; readonly value: string },
    ) => act('click', { channel, ts, action_id, block_id, value, stale: true }),
  };
}

/** Returns the submitted values for a text typed into a modal's input; none if it has no such input. */
export function typedInto({ blocks }: View, name: RegExp, text: string | readonly string[]): Values {
  const found = elementsOf(blocks).find(({ block }) => name.test(String(block.block_id)));
  return found === undefined
    ? {}
    : { [String(found.block.block_id)]: { [String(found.element.action_id)]: text } };
}

/** Returns the value of a button; undefined if the modal or message has no such button. */
export function buttonValue(blocks: View['blocks'], action: string): string | undefined {
  const found = elementsOf(blocks).find(({ element }) => element.action_id === action);
  const value = found?.element.value;
  return typeof value === 'string' ? value : undefined;
}
