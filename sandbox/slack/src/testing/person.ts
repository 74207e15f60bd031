import type { Flexpane } from '../entities.ts';
import type {
  ActResult,
  Block,
  Found,
  Option,
  OptionsResult,
  SandboxState,
  SlackFile,
  View,
} from '../index.ts';
import { pressed, type SandboxClient } from './client.ts';
import { type SeenView, seenView } from './modal.ts';
import {
  buttonBeside,
  buttonsOf,
  elementNamed,
  isButton,
  linksOf,
  type Press,
  picturesOf,
  pingsOf,
  pressesOf,
} from './seen-blocks.ts';
import { type Names, readMrkdwn, visibleText } from './visible-text.ts';

/** A message as `GET /_sandbox/channels/<id>/messages` returns it. */
type RawMessage = {
  ts: string;
  channel: string;
  user: string;
  text: string;
  blocks: Block[];
  attachments: { text?: string; blocks?: Block[] }[];
  files: SlackFile[];
  thread_ts?: string;
  edited?: { ts: string };
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  ephemeral?: boolean;
  replies: RawMessage[];
};

/** A message that somebody sees. `refresh`, `until` and `untilText` update the object in place. */
export type Seen = {
  channel: string;
  ts: string;
  /** All readable text. */
  text: string;
  blocks: Block[];
  buttons: string[];
  /** The descriptions of the pictures. */
  pictures: string[];
  /** The addresses that can be followed. */
  links: string[];
  /** Whom it notifies: `@channel`, `@U01ANN`. */
  pings: string[];
  /** What its buttons and menus told the app when they were last seen. */
  presses: Map<string, Press>;
  files: SlackFile[];
  ephemeral: boolean;
  /** Whether it was deleted, or replaced by nothing. */
  gone: boolean;
  raw: RawMessage;
  /** Returns all that was sent to Slack for it, seen or not. */
  sent: () => string;
  /** Returns its replies, oldest first. */
  thread: () => Promise<Seen[]>;
  refresh: () => Promise<Seen>;
  until: (holds: (message: Seen) => boolean, timeoutMs?: number) => Promise<Seen>;
  untilText: (pattern: RegExp, timeoutMs?: number) => Promise<Seen>;
};

export type Person = ReturnType<typeof person>;

/** Where commands are typed unless a test says otherwise. */
const review = 'C01REVIEW';

/** Returns the acts and views of the person `id`. */
export function person(client: SandboxClient, id: string, loadNames: () => Promise<Names>) {
  const load = async (channel: string): Promise<RawMessage[]> => {
    const { messages } = await client.get<{ messages: RawMessage[] }>(
      `channels/${channel}/messages?user=${id}`,
    );
    return messages;
  };
  const flat = (messages: RawMessage[]): RawMessage[] => messages.flatMap((one) => [one, ...one.replies]);

  const read = (message: RawMessage, names: Names): string => {
    const shown = [
      message.blocks.length > 0 ? visibleText(message.blocks, names) : readMrkdwn(message.text, names),
      ...message.attachments.map((one) =>
        one.blocks === undefined ? readMrkdwn(one.text ?? '', names) : visibleText(one.blocks, names),
      ),
      ...message.files.map((file) => file.title),
    ];
    return shown.filter((part) => part !== '').join('\n');
  };

  const seeing = (first: RawMessage, names: Names): Seen => {
    const take = (message: RawMessage | undefined): Seen =>
      Object.assign(
        seen,
        message === undefined
          ? { gone: true, text: '', blocks: [], buttons: [], pictures: [], links: [], pings: [], files: [] }
          : {
              raw: message,
              text: read(message, names),
              blocks: message.blocks,
              buttons: buttonsOf(message.blocks),
              pictures: picturesOf(message.blocks),
              links: linksOf(message.blocks),
              pings: pingsOf(message.blocks, [
                message.text,
                ...message.attachments.map(({ text = '' }) => text),
              ]),
              presses: new Map([...seen.presses, ...pressesOf(message.blocks)]),
              files: message.files,
              gone: false,
            },
      );
    const refresh = async (): Promise<Seen> =>
      take(flat(await load(first.channel)).find(({ ts }) => ts === first.ts));
    const seen: Seen = {
      channel: first.channel,
      ts: first.ts,
      ephemeral: first.ephemeral === true,
      text: '',
      blocks: [],
      buttons: [],
      pictures: [],
      links: [],
      pings: [],
      presses: new Map(),
      sent: () => JSON.stringify(seen.raw),
      files: [],
      gone: false,
      raw: first,
      thread: async () => {
        const found = flat(await load(first.channel)).find(({ ts }) => ts === first.ts);
        return (found?.replies ?? []).map((reply) => seeing(reply, names));
      },
      refresh,
      until: (holds, timeoutMs) =>
        client.waitFor(
          async () => (holds(await refresh()) ? seen : undefined),
          () =>
            `What was waited for did not come. The message reads:\n${seen.text}\nButtons: ${seen.buttons.join(', ')}`,
          timeoutMs,
        ),
      untilText: (pattern, timeoutMs) => seen.until((message) => pattern.test(message.text), timeoutMs),
    };
    return take(first);
  };

  /** Returns everything that this person sees there now, including replies, oldest first. */
  const reads = async (channel: string): Promise<Seen[]> => {
    const names = await loadNames();
    return flat(await load(channel)).map((message) => seeing(message, names));
  };

  /** Returns the open modals, bottom first. */
  const views = async (): Promise<View[]> => (await client.get<{ views: View[] }>(`views/${id}`)).views;

  /** Closes open modals, because they cover everything else: a person closes them before acting behind them. */
  const behindModals = async (): Promise<void> => {
    const top = (await views()).at(-1);
    if (top === undefined) return;
    const closed = await client.send<ActResult>('POST', 'close', { user: id, view_id: top.id, all: true });
    if (!closed.ok && (await views()).some((view) => view.id === top.id))
      throw new Error(`close: ${closed.error}`);
  };

  const waitForView = async (
    candidates: () => Promise<View[]>,
    pattern: RegExp,
    timeoutMs?: number,
  ): Promise<SeenView> => {
    const names = await loadNames();
    const seeingView = (view: View): SeenView =>
      seenView(
        client,
        id,
        view,
        {
          load: async () => (await candidates()).find((other) => other.id === view.id),
          modal: (then) => waitForView(views, then),
        },
        names,
      );
    return client.waitFor(
      async () => {
        const top = (await candidates()).at(-1);
        const seen = top === undefined ? undefined : seeingView(top);
        return seen !== undefined && pattern.test(seen.text) ? seen : undefined;
      },
      async () => {
        const open = (await candidates()).map((view) => seeingView(view).text);
        return `${id} sees nothing like ${pattern}. Open: ${open.join('\n---\n') || 'nothing'}`;
      },
      timeoutMs,
    );
  };

  /** Chooses in a select or date picker of a message, by its placeholder, or in its menu (`…`). */
  const chooses = async (
    message: Seen,
    menu: string,
    option: string | readonly string[],
  ): Promise<ActResult> => {
    await behindModals();
    await message.refresh();
    const found = elementNamed(message.blocks, menu, (type) => !isButton(type));
    const place = {
      user: id,
      channel: message.channel,
      ts: message.ts,
      block_id: found.block.block_id,
      action_id: found.element.action_id,
    };
    pressed(found.element, option);
    let value: string | readonly string[] | Option = option;
    if (typeof option === 'string' && found.element.type.endsWith('external_select')) {
      const answer = await client.act<OptionsResult>('options', { ...place, value: option });
      value = answer.options?.find(({ text }) => text.text === option) ?? option;
    }
    // What the person saw, in case the message is redrawn before the click arrives.
    return client.act('click', { ...place, value, stale: true, element: found.element });
  };

  /**
   * Sends a click that nobody could make: on a message without this button, which is known from another message (`of`),
   * with other content, or for another act (`as`, its hidden name) with another value.
   */
  const forgesClick = (
    message: Seen,
    button: string,
    forgery: { of?: Seen; change?: (hidden: string) => string; as?: string; value?: string },
  ): Promise<ActResult> => {
    const { of = message, change = (hidden: string) => hidden, as, value } = forgery;
    const press = of.presses.get(button);
    if (press === undefined)
      throw new Error(`It never showed "${button}", but: ${[...of.presses.keys()].join(', ') || 'nothing'}`);
    return client.act('click', {
      user: id,
      channel: message.channel,
      ts: message.ts,
      action_id: as ?? press.action_id,
      block_id: change(press.block_id),
      value: value ?? change(press.value),
      stale: true,
    });
  };

  /** Types into the composer: a line that starts with `/` is a slash command, other text a message. */
  const types = async (channel: string, text: string): Promise<ActResult> => {
    await behindModals();
    const [, command, rest] = /^(\/\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    return command === undefined
      ? client.act('message', { user: id, channel, text })
      : client.act('command', { user: id, channel, command, text: rest });
  };

  /** Waits for a matching message, reply or private message there. Returns the newest. */
  const sees = (
    channel: string,
    pattern: RegExp,
    { after = '', timeoutMs }: { after?: string; timeoutMs?: number } = {},
  ): Promise<Seen> =>
    client.waitFor(
      async () =>
        (await reads(channel))
          .sort((a, b) => (a.ts < b.ts ? -1 : 1))
          .findLast((message) => message.ts > after && pattern.test(message.text)),
      async () => {
        const seen = (await reads(channel)).slice(-20).map((message) => message.text);
        return `${id} sees nothing like ${pattern} in ${channel}. What is there:\n${seen.join('\n---\n') || 'nothing'}`;
      },
      timeoutMs,
    );

  /** Returns the time stamp of the newest message there, for `after`. */
  const lastIn = async (channel: string): Promise<string> =>
    (await reads(channel))
      .map(({ ts }) => ts)
      .sort()
      .at(-1) ?? '';

  const press = async (message: Seen, find: () => Found): Promise<ActResult> => {
    await behindModals();
    if (message.blocks.length === 0) await message.refresh();
    const { block, element } = find();
    pressed(element);
    return client.act('click', {
      user: id,
      channel: message.channel,
      ts: message.ts,
      block_id: block.block_id,
      action_id: element.action_id,
      // The value that the person saw, in case the button is gone when the click arrives.
      value: element.value,
      stale: true,
    });
  };

  /** Clicks a button, by its text, and waits until the message reads so, if a pattern is given. */
  const clicks = async (message: Seen, button: string, then?: RegExp): Promise<ActResult> => {
    const clicked = await press(message, () => elementNamed(message.blocks, button, isButton));
    if (then !== undefined) await message.untilText(then);
    return clicked;
  };

  /** Waits for a matching modal of this person. Acting outside a modal closes it. */
  const modal = (pattern: RegExp, timeoutMs?: number) => waitForView(views, pattern, timeoutMs);

  const opensHome = async (): Promise<ActResult> => {
    await behindModals();
    return client.act('home', { user: id });
  };

  const home = (pattern: RegExp, timeoutMs?: number) =>
    waitForView(
      async () => {
        const shown = (await client.get<SandboxState>('state')).homes[id];
        return shown === undefined ? [] : [shown];
      },
      pattern,
      timeoutMs,
    );

  return {
    id,
    types,
    /** Types a command, and waits for an answer that reads so: a message that was not there before. */
    asks: async (text: string, answer: RegExp, channel = review) => {
      const after = await lastIn(channel);
      await types(channel, text);
      return sees(channel, answer, { after });
    },
    /** Types a command, and waits for the modal that reads so. */
    enters: async (command: string, pattern: RegExp, channel = review) => {
      await types(channel, command);
      return modal(pattern);
    },
    /** Presses a button of a message, and waits for the modal that reads so. */
    opens: async (message: Seen, button: string, pattern: RegExp) => {
      await clicks(message, button);
      return modal(pattern);
    },
    /** Chooses an entry of the menu `…` of a message, and waits for the modal that reads so. */
    picks: async (message: Seen, entry: string, pattern: RegExp) => {
      await chooses(message, '…', entry);
      return modal(pattern);
    },
    /** Writes a message, in a thread if one is given. */
    says: (channel: string, text: string, thread?: Seen) =>
      client.act<ActResult & { ts: string }>('message', { user: id, channel, text, thread_ts: thread?.ts }),
    /** Edits a message of theirs. */
    edits: (channel: string, ts: string, text: string) => client.act('edit', { user: id, channel, ts, text }),
    sees,
    reads,
    clicks,
    /** Clicks the button in the row that mentions something. */
    clicksBeside: (message: Seen, button: string, beside: string) =>
      press(message, () => buttonBeside(message.blocks, button, beside)),
    /** Clicks what this message showed before, as somebody does whose screen is behind. */
    clicksOldButton: (message: Seen, button: string) => forgesClick(message, button, {}),
    forgesClick,
    /** Sends a click with hidden names of which no message is left. */
    clicksStale: (message: Seen, actionId: string, value: string, blockId = 'gone') => {
      const place = { user: id, channel: message.channel, ts: message.ts };
      return client.act('click', { ...place, action_id: actionId, block_id: blockId, value, stale: true });
    },
    chooses,
    modal,
    modals: views,
    /** Closes all modals, if there are any. */
    closesAll: behindModals,
    lastIn,
    opensHome,
    /** Opens Home, and waits until it reads so. */
    looksAtHome: async (pattern: RegExp) => {
      await opensHome();
      return home(pattern);
    },
    /** Opens the Work Object of a message. Returns what the app shows beside the messages. */
    opensEntity: async (message: Seen) => {
      await client.act('entity', { user: id, channel: message.channel, ts: message.ts });
      return client.waitFor(
        async () => {
          const { flexpane } = await client.get<{ flexpane: Flexpane }>(`views/${id}`);
          return flexpane.shown || flexpane.error ? flexpane : undefined;
        },
        () => 'The app shows nothing for this Work Object',
      );
    },
    home,
    shortcut: async (callbackId: string, message?: Seen) => {
      await behindModals();
      return client.act('shortcut', {
        user: id,
        callback_id: callbackId,
        channel: message?.channel,
        ts: message?.ts,
      });
    },
    /** @param storedAt where it is stored, if not on Slack */
    uploads: async (filename: string, bytes: Uint8Array, contentType?: string, storedAt?: string) => {
      const { file } = await client.act<ActResult & { file: SlackFile }>('upload', {
        user: id,
        filename,
        base64: Buffer.from(bytes).toString('base64'),
        content_type: contentType,
        stored_at: storedAt,
      });
      return file;
    },
  };
}
