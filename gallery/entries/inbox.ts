import type { Announcement } from '../../src/domain/live-message.ts';
import { MessageId } from '../../src/domain/terms.ts';
import {
  announcementMessage,
  inboxMessage,
  loading,
  messageModal,
  messageStatusModal,
  movedToTrash,
  namedTaskBlocks,
  readButNotShown,
} from '../../src/features/inbox/inbox.view.ts';
import type { MessageSummary } from '../../src/marketplace/index.ts';
import { listMessage } from '../../src/ui/list.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { hostile, longest, paragraph, rightToLeft } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const announcement = (fields: Partial<Announcement> = {}): Announcement => ({
  id: asId('m1'),
  subject: 'Your campaign “Photograph a shelf” is running',
  messageType: 'CAMPAIGN',
  sentAt: ago(hour),
  hasAttachment: false,
  unread: true,
  trashed: false,
  card: { state: 'wanted' },
  revision: 1,
  ...fields,
});

const summary = (index: number, fields: Partial<MessageSummary> = {}): MessageSummary => ({
  id: asId(`m${index}`),
  type: 'CAMPAIGN',
  sentAt: new Date(ago(index * 7 * hour)),
  folder: 'INBOX',
  subject: `Question about a rating of your campaign, number ${index}`,
  unread: index % 3 === 0,
  hasAttachment: index % 4 === 0,
  ...fields,
});
const messages = [
  summary(0, { subject: rightToLeft }),
  summary(1, { subject: hostile, type: hostile }),
  summary(2, { subject: '', sentAt: undefined, type: '' }),
  ...Array.from({ length: 30 }, (_, index) => summary(index + 3)),
];
const longestMessages = Array.from({ length: 40 }, (_, index) =>
  summary(index, { id: asId(`${index}${'f'.repeat(140)}`), subject: longest(), type: longest() }),
);
const first = { account, folder: 'INBOX', readFilter: 'all', page: 0 } as const;
const draw = (list: Parameters<typeof inboxMessage>[0], shown: readonly MessageSummary[]) =>
  inboxMessage(list, shown, 'UTC');
const opened = {
  id: MessageId.parse('m1'),
  subject: 'Question about a rating',
  sentAt: new Date(ago(day)),
  body: `Hello,\n\n${paragraph}\n\nKind regards\nInès`,
  hasAttachment: true,
  folder: 'INBOX',
} as const;

const named = {
  campaignTitle: 'Photograph a shelf in your supermarket',
  worker: 'amina_demo',
  card: 'https://sandbox.slack.com/archives/C01REVIEW/p1',
};

export const inbox = [
  ...entriesOf('Inbox', announcementMessage, {
    'New message': () => announcementMessage(account, announcement()),
    'New message with an attachment, no time': () => {
      const { sentAt: _, ...rest } = announcement({ hasAttachment: true });
      return announcementMessage(account, rest);
    },
    'Read here': () => announcementMessage(account, announcement({ unread: false, readBy: ann })),
    'It names a task': () =>
      announcementMessage(account, announcement({ subject: 'My task a1b2c3 was refused' }), [named]),
    'Read elsewhere': () => announcementMessage(account, announcement({ unread: false })),
    'Read long ago, subject no longer stored': () =>
      announcementMessage(account, announcement({ unread: false, subject: '', subjectRemovedAt: now })),
    'In the trash': () =>
      announcementMessage(account, announcement({ unread: false, trashed: true, trashedBy: ann })),
    'No longer in the inbox': () => announcementMessage(account, announcement({ trashed: true })),
    'Hostile and long': () =>
      announcementMessage(account, announcement({ subject: longest(), messageType: hostile })),
  }),
  ...entriesOf('Inbox', [inboxMessage, listMessage], {
    'List: first page': () => draw(first, messages),
    'List: filtered': () =>
      draw(
        { ...first, readFilter: 'unread', from: '2026-01-01', to: '2026-12-31', page: 1 },
        messages.map((message) => ({ ...message, unread: true })),
      ),
    'List: empty': () => draw(first, []),
    'List: nothing fits': () => draw({ ...first, readFilter: 'read' }, []),
    'List: everything as long as it comes': () => draw(first, longestMessages),
  }),
  ...entriesOf('Inbox', messageModal, {
    Message: () => messageModal(account, opened, { origin: { channel: reviewChannel } }),
    'Message: in the trash, without text': () =>
      messageModal(account, { ...opened, body: '', subject: '', folder: 'TRASH' }, { origin: {} }),
    'Message: hostile and too long for Slack': () =>
      messageModal(account, { ...opened, subject: longest(), body: longest(300_000) }, { origin: {} }),
  }),
  ...entriesOf('Inbox', namedTaskBlocks, {
    'Message: it names tasks, with hostile texts': () =>
      messageModal(account, opened, { origin: {} }, [
        named,
        { ...named, campaignTitle: hostile, worker: longest() },
        { ...named, worker: '' },
      ]),
  }),
  ...entriesOf('Inbox', messageStatusModal, {
    'Message: loading': () => messageStatusModal(loading),
    'Message: moved to the trash': () => messageStatusModal(movedToTrash),
    'Message: could not be shown': () => messageStatusModal(readButNotShown),
  }),
];
