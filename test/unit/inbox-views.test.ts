import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { loadingMessage, noteMessage, openedMessage } from '../../src/features/inbox/announcement.view.ts';
import {
  inboxMessage,
  listAway,
  trashedSentence,
  trashingMessage,
} from '../../src/features/inbox/list.view.ts';
import {
  decodeInboxBlock,
  encodeInboxBlock,
  filtered,
  firstList,
  type InboxList,
} from '../../src/features/inbox/list-state.ts';
import type { MessageSummary } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const list: InboxList = {
  account: asId('0123456789abcdef'),
  folder: 'ALL',
  reading: 'unread',
  from: '2026-01-31',
  to: '2026-02-28',
  page: 7,
};

const longest = (index: number): MessageSummary => ({
  id: asId(`${index}`.padEnd(150, 'f')),
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
    expectGoodMessage(page([{ ...longest(0), id: asId('f'.repeat(2_000)) }]));
  });

  test('tells the outcome of trashing many, with why some were not moved', () => {
    const failed = Array.from({ length: 30 }, () => ({
      subject: hostile,
      sentence: 'It could not be moved. Try later.',
      isUnsure: false,
    }));
    const sentence = trashedSentence(3, failed);
    expect(sentence).toMatch(/^:warning: 3 messages moved to the trash, 30 not:/);
    expectGoodMessage(notice(sentence));
    expect(trashedSentence(1, [])).toContain('1 message moved');
    expect(trashedSentence(0, failed.slice(0, 1))).toContain('No message was moved');
    expectGoodMessage(notice(listAway(sentence)));
    expectGoodMessage(trashingMessage(5, 10));
  });

  test('tells messages of which nobody knows apart from those that were not moved', () => {
    const refused = { subject: 'One', sentence: 'The marketplace could not.', isUnsure: false };
    const unsure = { subject: 'Two', sentence: 'The marketplace gave no answer.', isUnsure: true };
    const notKnown =
      ':warning: Not known whether moved, since the marketplace gave no clear answer: “Two”. Look at their folder, then move again what is still there.';
    expect(trashedSentence(0, [unsure])).toBe(notKnown);
    expect(trashedSentence(2, [unsure])).toBe(
      `:white_check_mark: 2 messages moved to the trash.\n${notKnown}`,
    );
    expect(trashedSentence(0, [unsure, refused])).toBe(
      `:warning: 1 message not moved:\n• “One”: The marketplace could not.\n${notKnown}`,
    );
    expect(trashedSentence(1, [unsure, refused])).toBe(
      `:warning: 1 message moved to the trash, 1 not:\n• “One”: The marketplace could not.\n${notKnown}`,
    );
    const many = Array.from({ length: 30 }, () => [refused, unsure]).flat();
    const told = trashedSentence(0, many);
    expect(told).toMatch(/and 22 more\n.* and 25 more\. Look/);
    expectGoodMessage(notice(told));
  });

  test('shows all of a message, piece by piece', () => {
    const body = Array.from({ length: 1_500 }, (_, index) => String(index)).join(' ');
    const { blocks } = openedMessage(list.account, { ...longest(0), body }, asId('C01REVIEW'));
    const texts = (blocks as KnownBlock[]).map((block) => (block.type === 'section' ? block.text?.text : ''));
    const shown = texts.flatMap((text) => (text?.startsWith('```') ? [text.slice(3, -3)] : []));
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.join('')).toBe(body);
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
    const first = firstList(asId('a1'), 'all');
    expect(decodeInboxBlock(encodeInboxBlock('inbox.row1', first)).list).toEqual(first);
  });

  test('of an announcement names its account only, and nonsense none', () => {
    expect(decodeInboxBlock('inbox/a1')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('x')).toEqual({ account: '' });
    expect(decodeInboxBlock('inbox.row/a1/NOWHERE/all/x/y/z')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('inbox.row/a1/INBOX/all/x/y/z').list).toEqual(firstList(asId('a1'), 'all'));
  });

  test('begins at the first page when a filter changes, and takes days out', () => {
    expect(filtered(list, { folder: 'TRASH' })).toEqual({ ...list, folder: 'TRASH', page: 0 });
    const { from: _, to: __, ...open } = list;
    expect(filtered(list, { from: '', to: '' })).toEqual({ ...open, page: 0 });
    expect(filtered(list, { folder: 'nowhere', from: 'tomorrow' }).folder).toBe('ALL');
  });
});
