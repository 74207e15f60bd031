import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Channel, Message, SandboxState, Updates } from '../../src/model.ts';
import { merge } from '../../src/page/merge.ts';
import { dayNames, fromWallTime, wallTime } from '../../src/page/text/date.ts';
import { arrange, rowsOf, timeline, unreadOf } from '../../src/page/timeline.ts';

const message = (ts: number, more: Partial<Message> = {}): Message => ({
  type: 'message',
  ts: ts.toFixed(6),
  channel: 'C1',
  user: 'U0BOT',
  text: `Message ${ts}`,
  blocks: [],
  attachments: [],
  replies: [],
  files: [],
  reactions: [],
  ...more,
});

const channel = (messages: Message[], more: Partial<Channel> = {}): Channel => ({
  id: 'C1',
  name: 'review',
  is_im: false,
  is_private: false,
  is_archived: false,
  is_ext_shared: false,
  is_pending_ext_shared: false,
  members: [],
  topic: '',
  messages,
  ephemerals: [],
  ...more,
});

const dayOf = dayNames('UTC');
const midnight = Date.UTC(2026, 10, 22) / 1000;
const rows = (messages: Message[], readTo?: number) =>
  arrange(timeline(channel(messages), 'U1', []), dayOf, readTo);

describe('the list of messages', () => {
  it('gives one head to what somebody writes within five minutes', () => {
    const noon = midnight + 43_200;
    const heads = rows([
      message(noon),
      message(noon + 10),
      message(noon + 20, { user: 'U1' }),
      message(noon + 30),
      message(noon + 330),
      message(noon + 340, { username: 'Another name' }),
    ]).map(({ isFollowUp }) => isFollowUp);
    expect(heads).toEqual([false, true, false, false, false, false]);
  });

  it('divides days, with a head after the divider', () => {
    const [before, after] = rows([message(midnight - 1), message(midnight + 1)]);
    expect([before?.day, after?.day].every((day) => day !== undefined)).toBe(true);
    expect(after).toMatchObject({ isFollowUp: false });
  });

  it('puts one line above the first that is new', () => {
    const noon = midnight + 43_200;
    const marked = rows([message(noon), message(noon + 1), message(noon + 2)], noon + 0.5);
    expect(marked.map(({ isFirstNew }) => isFirstNew)).toEqual([false, true, false]);
    expect(marked[1]?.isFollowUp).toBe(false);
    expect(rows([message(noon)]).some(({ isFirstNew }) => isFirstNew)).toBe(false);
  });

  it('arranges what has changed as it would arrange all of it anew', () => {
    const gap = fc.constantFrom(1, 200, 400, 90_000);
    const author = fc.constantFrom('U0BOT', 'U1');
    const messages = fc.array(fc.tuple(gap, author), { maxLength: 12 }).map((all) => {
      let at = midnight;
      return all.map(([seconds, user]) => {
        at += seconds;
        return message(at, { user });
      });
    });
    const change = fc.tuple(fc.nat(12), fc.constantFrom('change', 'remove', 'add'));
    fc.assert(
      fc.property(
        messages,
        fc.array(change, { maxLength: 3 }),
        fc.option(fc.nat(200_000)),
        (first, changes, read) => {
          const readTo = read === null ? undefined : midnight + read;
          const items = timeline(channel(first), 'U1', []);
          rowsOf(items, dayOf, readTo);
          const next = [...first];
          for (const [at, what] of changes) {
            const known = next[at];
            if (what === 'add') next.push(message(Number(next.at(-1)?.ts ?? midnight) + 30));
            else if (known && what === 'remove') next.splice(at, 1);
            else if (known) next[at] = { ...known, user: 'U2' };
          }
          const later = timeline(channel(next), 'U1', []);
          const rows = rowsOf(later, dayOf, readTo, items);
          expect(rows).toEqual(arrange(later, dayOf, readTo));
        },
      ),
      { examples: [[[message(midnight + 1)], [[0, 'add']], 0]] },
    );
  });

  it('counts what others wrote, and of that what names the person', () => {
    const messages = [message(1), message(2, { user: 'U1' }), message(3, { text: 'Hello <@U1>' })];
    expect(unreadOf(channel(messages), 'U1', 1)).toEqual({ messages: 1, mentions: 1 });
    expect(unreadOf(channel(messages, { is_im: true }), 'U1', 0)).toEqual({ messages: 2, mentions: 2 });
  });
});

describe('an update of the workspace', () => {
  const state = (messages: Message[]) =>
    ({ channels: [channel(messages), channel([], { id: 'C2' })], users: [] }) as unknown as SandboxState;
  const update = (messages: Message[], gone: string[] = []): Updates => ({
    changes: 2,
    state: state([]),
    whole: false,
    messages,
    gone,
  });
  const before = state([message(1), message(2), message(3)]);

  it('keeps every object that did not change', () => {
    const after = merge(before, update([message(2, { text: 'Changed' })]));
    expect(after.channels[0]?.messages.map(({ text }) => text)).toEqual([
      'Message 1',
      'Changed',
      'Message 3',
    ]);
    expect(after.channels[0]?.messages[0]).toBe(before.channels[0]?.messages[0]);
    expect(after.channels[1]).toBe(before.channels[1]);
    expect(merge(before, update([message(2)])).channels[0]?.messages[1]).toBe(
      before.channels[0]?.messages[1],
    );
  });

  it('adds what is new in order, replies to their threads, and removes what is gone', () => {
    const reply = message(4, { thread_ts: message(1).ts });
    const both = message(5, { thread_ts: message(1).ts, subtype: 'thread_broadcast' });
    const after = merge(before, update([reply, both, message(6)], [`C1:${message(3).ts}`]));
    expect(after.channels[0]?.messages.map(({ ts }) => Number(ts))).toEqual([1, 2, 5, 6]);
    expect(after.channels[0]?.messages[0]?.replies.map(({ ts }) => Number(ts))).toEqual([4, 5]);
    const later = merge(after, update([], [`C1:${reply.ts}`]));
    expect(later.channels[0]?.messages[0]?.replies.map(({ ts }) => Number(ts))).toEqual([5]);
  });

  it('takes everything anew after a reset', () => {
    const after = merge(before, { ...update([]), state: state([message(9)]), whole: true });
    expect(after.channels[0]?.messages.map(({ ts }) => Number(ts))).toEqual([9]);
  });
});

describe('a time of day in a zone', () => {
  it('is the same in both directions, also around a change of the clocks', () => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Europe/Paris']) {
      for (const text of ['2026-12-24T17:30', '2026-03-29T03:30', '2026-10-25T12:00', '2026-03-08T12:00'])
        expect(wallTime(fromWallTime(text, zone), zone)).toBe(text);
    }
  });
});
