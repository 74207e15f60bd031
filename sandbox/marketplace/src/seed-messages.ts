import type { Message, World } from './model.ts';
import { freshId } from './model.ts';
import { employerKey, workerKey } from './new-world.ts';

const hour = 3_600_000;

const inbox: readonly (Pick<Message, 'subject' | 'message' | 'message_type' | 'folder'> & {
  hours: number;
  unread?: boolean;
  has_attachment?: boolean;
})[] = [
  {
    hours: 2,
    unread: true,
    folder: 'INBOX',
    message_type: 'WORKER',
    subject: 'About my refused task in "Photograph the tea shelf"',
    message:
      'Hello,\n\nmy photo was refused because of the price labels. I can go again tomorrow morning and take a closer one – may I?\n\nThank you,\nKofi',
  },
  {
    hours: 7,
    unread: true,
    has_attachment: true,
    folder: 'INBOX',
    message_type: 'WORKER',
    subject: 'The survey link opens an empty page 😕',
    message:
      'On my phone (Android 12) the page stays white. I attached a picture of it. On the computer it works.',
  },
  {
    hours: 26,
    folder: 'INBOX',
    message_type: 'SYSTEM',
    subject: 'Your campaign is in review',
    message: 'We look at new campaigns within one working day. You need do nothing.',
  },
  {
    hours: 50,
    folder: 'INBOX',
    message_type: '',
    subject: 'شكراً <!channel> & *welcome* back',
    message: 'The subject of this message is <@U123> hostile on purpose: `code`, &lt;tags&gt; and a "quote".',
  },
  {
    hours: 49,
    folder: 'SENT',
    message_type: '',
    subject: 'Re: Which language should I translate into?',
    message: 'Into the language that you speak at home.',
  },
  {
    hours: 90,
    folder: 'TRASH',
    message_type: 'SYSTEM',
    subject: 'Planned maintenance',
    message: 'The service will be slower on Sunday morning.',
  },
];

/** Fills the inboxes of the two demo keys: read and unread, sent and deleted messages. */
export function addMessages(world: World, start: number): void {
  for (const [key, messages] of [
    [employerKey, inbox],
    [workerKey, inbox.slice(2, 3)],
  ] as const) {
    const owner = world.accounts.get(key);
    for (const { hours, ...message } of owner ? messages : []) {
      const message_id = freshId(world.random, world.messages);
      world.messages.set(message_id, {
        unread: false,
        has_attachment: false,
        ...message,
        message_id,
        owner: owner?.id ?? '',
        datetime: start - hours * hour,
      });
    }
  }
}
