import { describe, expect, test } from 'vitest';
import { loadingMessage, noteMessage, openedMessage } from '../../src/features/inbox/announcement.view.ts';
import { inboxMessage, trashedSentence, trashingMessage } from '../../src/features/inbox/list.view.ts';
import {
  decodeInboxBlock,
  encodeInboxBlock,
  filtered,
  firstList,
  type InboxList,
} from '../../src/features/inbox/list-state.ts';
import type { MessageSummary } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const list: InboxList = {
  account: '0123456789abcdef',
  folder: 'ALL',
  reading: 'unread',
  from: '2026-01-31',
  to: '2026-02-28',
  page: 7,
};

const longest = (index: number): MessageSummary => ({
  id: `${index}`.padEnd(150, 'f'),
  type: hostile.repeat(20),
  sentAt: new Date(Date.UTC(2026, 0, 31)),
  folder: 'INBOX',
  subject: `${hostile} ${'𝔘'.repeat(3_000)}`,
  unread: true,
  hasAttachment: true,
});
const page = (messages: readonly MessageSummary[], shown: InboxList = list) =>
  inboxMessage({ list: shown, messages, zone: 'America/Argentina/Buenos_Aires', drawnAt: Date.UTC(2030, 0) });

describe('the inbox', () => {
  test('of 1,000 of the longest messages keeps to the limits on every kind of page', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => longest(index));
    for (const wanted of [0, 50, 99, 5_000]) expectGoodMessage(page(many, { ...list, page: wanted }));
    expectGoodMessage(page([]));
    expectGoodMessage(page([{ ...longest(0), subject: ' \n ', type: '', sentAt: undefined }]));
    // Ids that are too long for an option can be read, not chosen.
    expectGoodMessage(page([{ ...longest(0), id: 'f'.repeat(2_000) }]));
  });

  test('tells the outcome of trashing many, with why some were not moved', () => {
    const failed = Array.from({ length: 30 }, () => ({
      subject: hostile,
      sentence: 'It could not be moved. Try later.',
    }));
    const sentence = trashedSentence(3, failed);
    expect(sentence).toMatch(/^:warning: 3 messages moved to the trash, 30 not:/);
    expectGoodMessage(notice(sentence));
    expect(trashedSentence(1, [])).toContain('1 message moved');
    expect(trashedSentence(0, failed.slice(0, 1))).toContain('No message was moved');
    expectGoodMessage(trashingMessage(5, 10));
  });

  test('shows a message of any length within what a modal may weigh', () => {
    const message = { ...longest(0), body: `${hostile}\n${'漢'.repeat(400_000)}` };
    expectGoodView(openedMessage(list.account, message));
    expect(JSON.stringify(openedMessage(list.account, message))).toContain('The rest is too long');
    expectGoodView(openedMessage(list.account, { ...message, body: '' }));
    expectGoodView(loadingMessage());
    expectGoodView(noteMessage('It is gone.'));
  });
});

describe('the state in a block id', () => {
  test('is read back', () => {
    expect(decodeInboxBlock(encodeInboxBlock('inbox.row1', list))).toEqual({ account: list.account, list });
    const first = firstList('a1', 'all');
    expect(decodeInboxBlock(encodeInboxBlock('inbox.row1', first)).list).toEqual(first);
  });

  test('of an announcement names its account only, and nonsense none', () => {
    expect(decodeInboxBlock('inbox/a1')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('x')).toEqual({ account: '' });
    expect(decodeInboxBlock('inbox.row/a1/NOWHERE/all/x/y/z')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('inbox.row/a1/INBOX/all/x/y/z').list).toEqual(firstList('a1', 'all'));
  });

  test('begins at the first page when a filter changes, and takes days out', () => {
    expect(filtered(list, { folder: 'TRASH' })).toEqual({ ...list, folder: 'TRASH', page: 0 });
    const { from: _, to: __, ...open } = list;
    expect(filtered(list, { from: '', to: '' })).toEqual({ ...open, page: 0 });
    expect(filtered(list, { folder: 'nowhere', from: 'tomorrow' }).folder).toBe('ALL');
  });
});
