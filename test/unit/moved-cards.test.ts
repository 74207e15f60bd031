import type { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import {
  type CardState,
  type MessageRef,
  type PostEvent,
  postTransition,
} from '../../src/domain/live-message.ts';
import { createMessenger } from '../../src/slack/messenger.ts';
import { asId } from '../harness/ids.ts';

const place = (channel: string, ts: string): MessageRef => ({ channel: asId(channel), ts });
const old = place('C05SHELVES', '1.000001');
const moved = place('C01REVIEW', '2.000001');

/** Applies events one after the other; one that does not apply changes nothing. */
function after(card: CardState, ...events: readonly PostEvent[]): CardState {
  return events.reduce((state, event) => postTransition(state, event, { isNeeded: true }) ?? state, card);
}

const lost = { type: 'channel-lost', channel: old.channel } as const;
const posted = { type: 'posted', messageRef: moved } as const;
const posting = { type: 'posting', channel: moved.channel, at: 5 } as const;

test('a card whose channel is lost is wanted once, and its former place is remembered until it says so', () => {
  const wanted = after({ state: 'posted', ...old }, lost, lost);
  expect(wanted).toEqual({ state: 'wanted', former: [old] });
  const there = after(wanted, posting, { type: 'not-posted' }, posting, posted, lost);
  expect(there).toEqual({ state: 'posted', ...moved, former: [old] });
  const gone = after(there, { type: 'card-gone', messageRef: moved });
  expect(gone).toEqual({ state: 'wanted', channel: moved.channel, former: [old] });
  expect(after(there, { type: 'former-retired', messageRef: old })).toEqual({ state: 'posted', ...moved });
});

test('a card follows its channel to another id: its place, an unanswered post and former places', () => {
  const to = place('C09NEW', old.ts).channel;
  const changed = { type: 'channel-id-changed', from: old.channel, to } as const;
  const there = { channel: to, ts: old.ts };
  expect(after({ state: 'posted', ...old }, changed)).toEqual({ state: 'posted', ...there });
  const former = after({ state: 'posted', ...moved, former: [old] }, changed);
  expect(former).toEqual({ state: 'posted', ...moved, former: [there] });
  const attempt = { channel: old.channel, at: 5 };
  expect(after({ state: 'wanted', attempt }, changed)).toEqual({
    state: 'wanted',
    attempt: { ...attempt, channel: to },
  });
  expect(postTransition({ state: 'posted', ...moved }, changed, { isNeeded: true })).toBeUndefined();
});

test('a card in another channel stays, and one that is found where it was is no former one any more', () => {
  expect(after({ state: 'posted', ...moved }, lost)).toEqual({ state: 'posted', ...moved });
  expect(after({ state: 'backlog' }, lost)).toEqual({ state: 'backlog' });
  const back = after({ state: 'posted', ...old }, lost, { type: 'posted', messageRef: old });
  expect(back).toEqual({ state: 'posted', ...old });
});

const found = (messageRef: MessageRef) => ({ type: 'posted', messageRef }) as const;
const cardStates: readonly CardState[] = [
  { state: 'backlog' },
  { state: 'wanted' },
  { state: 'gone' },
  { state: 'posted', ...old },
  { state: 'posted', ...moved },
];

test('a second card that is found becomes a former one: the first stays the task’s', () => {
  for (const before of cardStates) {
    const first = before.state === 'posted' ? { channel: before.channel, ts: before.ts } : moved;
    const second = first.ts === old.ts ? moved : old;
    const both = { state: 'posted', ...first, former: [second] };
    expect(after(before, found(first), found(second))).toEqual(both);
    expect(after(before, found(first), found(second), found(first), found(second))).toEqual(both);
  }
});

test('one that was found where it is known to stand, or to have stood, changes nothing', () => {
  const there: CardState = { state: 'posted', ...moved, former: [old] };
  expect(postTransition(there, found(old), { isNeeded: true })).toBeUndefined();
  expect(postTransition(there, found(moved), { isNeeded: true })).toBeUndefined();
});

/** The bot's messages in a channel in which one message is, with this tag and of this user. */
async function messengerWith(user: string, payload: Record<string, string | boolean>) {
  const message = { ts: '5.1', user, bot_id: 'B1', metadata: { event_type: 'card', event_payload: payload } };
  const messenger = createMessenger({
    auth: { test: async () => ({ team_id: 'T1', user_id: 'U0BOT', bot_id: 'B1' }) },
    conversations: { history: async () => ({ messages: [message] }) },
  } as unknown as WebClient);
  await messenger.identity();
  return messenger;
}

test('a card is found again by its tag, unless it says itself that it has moved or another app has posted it', async () => {
  const finds = async (user: string, payload: Record<string, string | boolean>) =>
    (await messengerWith(user, payload)).findTagged(asId('C1'), 0, { type: 'card', payload: { task: 't1' } });
  expect(await finds('U0BOT', { task: 't1' })).toEqual({ channel: 'C1', ts: '5.1' });
  expect(await finds('U0BOT', { task: 't1', moved: true })).toBeUndefined();
  expect(await finds('U0OTHER', { task: 't1' })).toBeUndefined();
});
