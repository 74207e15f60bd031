import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { ChannelId } from '../../src/domain/terms.ts';
import {
  loadingModal,
  messageModal,
  messageStatusModal,
} from '../../src/features/inbox/announcement.view.ts';
import { trashResultText } from '../../src/features/inbox/list.view.ts';
import {
  decodeInboxBlock,
  firstList,
  type InboxList,
  inboxListCodec,
} from '../../src/features/inbox/list-state.ts';
import type { MessageSummary } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const list: InboxList = {
  account: asId('0123456789abcdef'),
  folder: 'ALL',
  readFilter: 'unread',
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
/** Where a message was opened. */
const opened = { origin: { channel: asId<ChannelId>('C01REVIEW') } };

describe('the inbox', () => {
  test('tells messages of which nobody knows apart from those that were not moved', () => {
    const refused = { subject: 'One', sentence: 'The marketplace could not.', isUnsure: false };
    const unsure = { subject: 'Two', sentence: 'The marketplace gave no answer.', isUnsure: true };
    const notKnown =
      ':warning: It is unclear whether these were moved, since the marketplace gave no clear answer: “Two”. Check their folder, and move those still there again.';
    expect(trashResultText(0, [unsure])).toBe(notKnown);
    expect(trashResultText(2, [unsure])).toBe(
      `:white_check_mark: 2 messages moved to the trash.\n${notKnown}`,
    );
    expect(trashResultText(0, [unsure, refused])).toBe(
      `:warning: 1 message not moved:\n• “One”: The marketplace could not.\n${notKnown}`,
    );
    expect(trashResultText(1, [unsure, refused])).toBe(
      `:warning: 1 message moved to the trash, 1 not:\n• “One”: The marketplace could not.\n${notKnown}`,
    );
    const many = Array.from({ length: 30 }, () => [refused, unsure]).flat();
    const told = trashResultText(0, many);
    expect(told).toMatch(/and 22 more\n.* and 25 more\. Check/);
    expectGoodMessage(notice(told));
  });

  test('shows all of a message, piece by piece', () => {
    const body = Array.from({ length: 1_500 }, (_, index) => String(index)).join(' ');
    const { blocks } = messageModal(list.account, { ...longest(0), body }, opened);
    const texts = (blocks as KnownBlock[]).map((block) => (block.type === 'section' ? block.text?.text : ''));
    const shown = texts.flatMap((text) => (text?.startsWith('```') ? [text.slice(3, -3)] : []));
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.join('')).toBe(body);
  });

  test('shows a message of any length within what a modal may weigh', () => {
    const message = { ...longest(0), body: `${hostile}\n${'漢'.repeat(400_000)}` };
    expectGoodView(messageModal(list.account, message, opened));
    expect(JSON.stringify(messageModal(list.account, message, opened))).toContain('The rest is too long');
    expectGoodView(messageModal(list.account, { ...message, body: '' }, opened));
    expectGoodView(loadingModal());
    expectGoodView(messageStatusModal('It is gone.'));
  });
});

describe('the state in a block id', () => {
  test('is read back', () => {
    expect(decodeInboxBlock(inboxListCodec.encode('inbox.row1', list))).toEqual({
      account: list.account,
      list,
    });
    const first = firstList(asId('a1'), 'all');
    expect(decodeInboxBlock(inboxListCodec.encode('inbox.row1', first)).list).toEqual(first);
  });

  test('of an announcement names its account only, and nonsense none', () => {
    expect(decodeInboxBlock('inbox/a1')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('x')).toEqual({ account: '' });
    expect(decodeInboxBlock('inbox.row/a1/NOWHERE/all/x/y/z')).toEqual({ account: 'a1' });
    expect(decodeInboxBlock('inbox.row/a1/INBOX/all/x/y/z').list).toEqual(firstList(asId('a1'), 'all'));
  });

  test('begins at the first page when a filter changes, and takes days out', () => {
    expect(inboxListCodec.update(list, { folder: 'TRASH' })).toEqual({ ...list, folder: 'TRASH', page: 0 });
    const { from: _, to: __, ...open } = list;
    expect(inboxListCodec.update(list, { from: '', to: '' })).toEqual({ ...open, page: 0 });
    expect(inboxListCodec.update(list, { folder: 'nowhere', from: 'tomorrow' }).folder).toBe('ALL');
  });
});
