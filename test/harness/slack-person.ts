import type {
  ActResult,
  Block,
  Found,
  Option,
  OptionsResult,
  SandboxState,
  SlackFile,
  View,
} from '../../src/sandbox/slack/index.ts';
import { noteLabel } from './endpoint-usage.ts';
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
import type { SandboxClient } from './slack-client.ts';
import { type SeenView, seenView } from './slack-modal.ts';
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

export type Person = {
  id: string;
  /** Types into the composer: a line that starts with `/` is a slash command, other text a message. */
  types: (channel: string, text: string) => Promise<ActResult>;
  /** Types a command, and waits for an answer that reads so: a message that was not there before. */
  asks: (text: string, answer: RegExp, channel?: string) => Promise<Seen>;
  /** Types a command, in #review unless told otherwise, and waits for the modal that reads so. */
  enters: (command: string, pattern: RegExp, channel?: string) => Promise<SeenView>;
  /** Presses a button of a message, and waits for the modal that reads so. */
  opens: (message: Seen, button: string, pattern: RegExp) => Promise<SeenView>;
  /** Chooses an entry of the menu `…` of a message, and waits for the modal that reads so. */
  picks: (message: Seen, entry: string, pattern: RegExp) => Promise<SeenView>;
  /** Writes a message, in a thread if one is given. */
  says: (channel: string, text: string, thread?: Seen | string) => Promise<ActResult & { ts: string }>;
  /** Edits a message of theirs. */
  edits: (channel: string, ts: string, text: string) => Promise<ActResult>;
  /** Waits for a matching message, reply or private message there. Returns the newest. */
  sees: (channel: string, pattern: RegExp, options?: { after?: string; timeoutMs?: number }) => Promise<Seen>;
  /** Returns everything that this person sees there now, including replies, oldest first. */
  reads: (channel: string) => Promise<Seen[]>;
  /** Clicks a button, by its text, and waits until the message reads so, if a pattern is given. */
  clicks: (message: Seen, button: string, then?: RegExp) => Promise<ActResult>;
  /** Clicks the button in the row that mentions something. */
  clicksBeside: (message: Seen, button: string, beside: string) => Promise<ActResult>;
  /** Clicks what this message showed before, as somebody does whose screen is behind. */
  clicksOldButton: (message: Seen, button: string) => Promise<ActResult>;
  /**
   * Sends a click that nobody could make: on a message without this button, which is known from another message (`of`),
   * with other content, or for another act (`as`, its hidden name) with another value.
   */
  forgesClick: (
    message: Seen,
    button: string,
    forgery: { of?: Seen; change?: (hidden: string) => string; as?: string; value?: string },
  ) => Promise<ActResult>;
  /** Sends a click with hidden names of which no message is left. */
  clicksStale: (message: Seen, actionId: string, value: string, blockId?: string) => Promise<ActResult>;
  /** Chooses in a select or date picker of a message, by its placeholder, or in its menu (`…`). */
  chooses: (message: Seen, menu: string, option: string | readonly string[]) => Promise<ActResult>;
  /** Waits for a matching modal of this person. Acting outside a modal closes it. */
  modal: (pattern: RegExp, timeoutMs?: number) => Promise<SeenView>;
  /** Returns the open modals, bottom first. */
  modals: () => Promise<View[]>;
  /** Closes all modals, if there are any. */
  closesAll: () => Promise<void>;
  /** Returns the time stamp of the newest message there, for `after`. */
  lastIn: (channel: string) => Promise<string>;
  opensHome: () => Promise<ActResult>;
  home: (pattern: RegExp, timeoutMs?: number) => Promise<SeenView>;
  shortcut: (callbackId: string, message?: Seen) => Promise<ActResult>;
  uploads: (
    filename: string,
    bytes: Uint8Array,
    contentType?: string,
    /** Where it is stored, if not on Slack. */
    storedAt?: string,
  ) => Promise<SlackFile>;
};

/** Where commands are typed unless a test says otherwise. */
const review = 'C01REVIEW';

/** Returns the acts and views of the person `id`. */
export function person(client: SandboxClient, id: string, loadNames: () => Promise<Names>): Person {
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

  const reads = async (channel: string): Promise<Seen[]> => {
    const names = await loadNames();
    return flat(await load(channel)).map((message) => seeing(message, names));
  };

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
    timeoutMs: number | undefined,
  ): Promise<SeenView> => {
    const names = await loadNames();
    const seeingView = (view: View): SeenView =>
      seenView(
        client,
        id,
        view,
        {
          load: async () => (await candidates()).find((other) => other.id === view.id),
          modal: (then) => waitForView(views, then, undefined),
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

  const menuClick: Person['chooses'] = async (message, menu, option) => {
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
    noteLabel(found.element, option);
    let value: string | readonly string[] | Option = option;
    if (typeof option === 'string' && found.element.type.endsWith('external_select')) {
      const answer = await client.act<OptionsResult>('options', { ...place, value: option });
      value = answer.options?.find(({ text }) => text.text === option) ?? option;
    }
    // What the person saw, in case the message is redrawn before the click arrives.
    return client.act('click', { ...place, value, stale: true, element: found.element });
  };

  const forges: Person['forgesClick'] = (message, button, forgery) => {
    const { of = message, change = (hidden) => hidden, as, value } = forgery;
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

  const types: Person['types'] = async (channel, text) => {
    await behindModals();
    const [, command, rest] = /^(\/\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    return command === undefined
      ? client.act('message', { user: id, channel, text })
      : client.act('command', { user: id, channel, command, text: rest });
  };

  const sees: Person['sees'] = (channel, pattern, { after = '', timeoutMs } = {}) =>
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

  const lastIn = async (channel: string): Promise<string> =>
    (await reads(channel))
      .map(({ ts }) => ts)
      .sort()
      .at(-1) ?? '';

  const press = async (message: Seen, find: () => Found): Promise<ActResult> => {
    await behindModals();
    if (message.blocks.length === 0) await message.refresh();
    const { block, element } = find();
    noteLabel(element);
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

  const clicks: Person['clicks'] = async (message, button, then) => {
    const clicked = await press(message, () => elementNamed(message.blocks, button, isButton));
    if (then !== undefined) await message.untilText(then);
    return clicked;
  };

  return {
    id,
    types,
    asks: async (text, answer, channel = review) => {
      const after = await lastIn(channel);
      await types(channel, text);
      return sees(channel, answer, { after });
    },
    enters: async (command, pattern, channel = review) => {
      await types(channel, command);
      return waitForView(views, pattern, undefined);
    },
    opens: async (message, button, pattern) => {
      await clicks(message, button);
      return waitForView(views, pattern, undefined);
    },
    picks: async (message, entry, pattern) => {
      await menuClick(message, '…', entry);
      return waitForView(views, pattern, undefined);
    },
    says: (channel, text, thread) =>
      client.act('message', {
        user: id,
        channel,
        text,
        ...(thread === undefined ? {} : { thread_ts: typeof thread === 'string' ? thread : thread.ts }),
      }),
    edits: (channel, ts, text) => client.act('edit', { user: id, channel, ts, text }),
    sees,
    reads,
    clicks,
    clicksBeside: (message, button, beside) =>
      press(message, () => buttonBeside(message.blocks, button, beside)),
    clicksOldButton: (message, button) => forges(message, button, {}),
    forgesClick: forges,
    clicksStale: (message, actionId, value, blockId) =>
      client.act('click', {
        user: id,
        channel: message.channel,
        ts: message.ts,
        action_id: actionId,
        block_id: blockId ?? 'gone',
        value,
        stale: true,
      }),
    chooses: menuClick,
    modal: (pattern, timeoutMs) => waitForView(views, pattern, timeoutMs),
    modals: views,
    closesAll: behindModals,
    lastIn,
    opensHome: async () => {
      await behindModals();
      return client.act('home', { user: id });
    },
    home: (pattern, timeoutMs) =>
      waitForView(
        async () => {
          const home = (await client.get<SandboxState>('state')).homes[id];
          return home === undefined ? [] : [home];
        },
        pattern,
        timeoutMs,
      ),
    shortcut: async (callbackId, message) => {
      await behindModals();
      return client.act('shortcut', {
        user: id,
        callback_id: callbackId,
        ...(message === undefined ? {} : { channel: message.channel, ts: message.ts }),
      });
    },
    uploads: async (filename, bytes, contentType, storedAt) => {
      const { file } = await client.act<ActResult & { file: SlackFile }>('upload', {
        user: id,
        filename,
        base64: Buffer.from(bytes).toString('base64'),
        ...(contentType === undefined ? {} : { content_type: contentType }),
        ...(storedAt === undefined ? {} : { stored_at: storedAt }),
      });
      return file;
    },
  };
}
