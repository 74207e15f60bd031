import type { Announcement } from '../../domain/live-message.ts';
import { daysSpan } from '../../domain/task.ts';
import { type AccountRef, MessageId, TaskId } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import { auditedAct, caughtMarketplaceErrorText, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { type ListClick, onList } from '../../kit/on.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Message, MessageSummary } from '../../marketplace/types.ts';
import type { Actor, Command, CommandRoute, Feature } from '../../slack/feature.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { createList } from '../../ui/list.ts';
import {
  announcementMessage,
  type InboxBlock,
  type InboxList,
  inboxBlock,
  inboxListCodec,
  inboxMessage,
  loading,
  messageModal,
  messageState,
  messageStatusModal,
  movedToTrash,
  type NamedTask,
  type ReadFilter,
  readButNotShown,
} from './inbox.view.ts';

/**
 * Creates the inbox: announces new messages once, with buttons to read it and to move it to the trash; and `/inbox`, an
 * account's messages by folder, read or unread, and days.
 */
export function createInbox(deps: Modules) {
  const { marketplace, slack, channels } = deps;
  const mailbox = createMailbox(deps);

  async function loadMessages(ref: AccountRef, list: InboxList): Promise<MessageSummary[]> {
    const client = await marketplace.of(ref);
    const messages = await client.listMessages({
      folder: list.folder,
      ...(list.readFilter === 'all' ? {} : { unread: list.readFilter === 'unread' }),
      ...daysSpan(list.from, list.to, marketplace.zone),
    });
    return messages.sort((a, b) => (b.sentAt?.getTime() ?? 0) - (a.sentAt?.getTime() ?? 0));
  }

  const list = createList<InboxList>({
    codec: inboxListCodec,
    render: async (ref, shown) => inboxMessage(shown, await loadMessages(ref, shown), marketplace.zone),
  });
  const { change } = list;
  const open = (readFilter: ReadFilter) =>
    list.open((account) => ({ account, folder: 'INBOX', readFilter, page: 0 }));

  const read = onList(inboxBlock, 'see', async (click) => {
    const { channel, origin, ref } = click;
    const { account, below } = click.list;
    const view = await click.open(messageStatusModal(loading));
    const at = { view, channel };
    try {
      const message = await mailbox.read(ref, MessageId.parse(click.value), click);
      const named = await namedTasks(deps, ref, `${message.subject}\n${message.body}`);
      const shown = messageModal(account, message, { origin, list: below }, named);
      await click.show(shown, readButNotShown, at);
    } catch (error) {
      const sentence = caughtMarketplaceErrorText(error);
      await click.show(messageStatusModal(sentence), sentence, at);
    }
    if (below !== undefined) await list.refresh(click, origin, ref, below);
  });

  const trash = async (click: ListClick<InboxBlock>): Promise<void> => {
    const { ref, view } = click;
    const id = MessageId.parse(click.value);
    if (view === undefined) return mailbox.trash(ref, id, click);
    const { origin, list: below } = messageState.decode(view.state);
    const sentence = await mailbox.trash(ref, id, click).then(() => movedToTrash, caughtMarketplaceErrorText);
    await click.show(messageStatusModal(sentence), sentence, { view: view.id, channel: origin.channel });
    if (below !== undefined) await list.refresh(click, origin, ref, below);
  };

  const feature: Feature = {
    commands: [
      route('', 'Shows your marketplace inbox.', open('all')),
      route('unread', 'Shows unread messages.', open('unread')),
    ],
    clicks: {
      'inbox.read': read,
      'inbox.trash': onList(inboxBlock, { needs: 'trash', once: true }, trash),
      'inbox.open': { needs: 'see', isSlow: true, once: true, run: open('all') },
      'inbox.folder': change((folder) => ({ folder })),
      'inbox.reading': change((readFilter) => ({ readFilter })),
      'inbox.from': change((from) => ({ from })),
      'inbox.to': change((to) => ({ to })),
      'inbox.anyday': change(() => ({ from: '', to: '' })),
      ...list.pages('inbox.page'),
    },
  };

  const message: LiveMessageKind<Announcement, MessageId> = {
    records: slack.announcements,
    isForChannel: true,
    channelFor: (ref) => channels.routing.forInbox(ref),
    tagFor: ({ account }, { id }) => messageTag('inbox', account, { message: id }),
    render: async (ref, announcement) =>
      announcementMessage(ref.account, announcement, await namedTasks(deps, ref, announcement.subject)),
  };

  return { feature, message };
}

function route(word: string, help: string, run: (command: Command) => Promise<void>): CommandRoute {
  return { command: '/inbox', word, usage: '', help, needs: 'see', run };
}

type DoneBy = Pick<Actor, 'member' | 'how'>;

/** Creates reading and trashing of messages, with updates of their announcements. */
export function createMailbox(deps: Modules) {
  const { announcements } = deps.slack;

  /**
   * Makes a call about a message, and records what it did. If the marketplace no longer knows the message, its
   * announcement says so. Throws the call's errors.
   */
  async function act<T>(
    ref: AccountRef,
    message: MessageId,
    actor: DoneBy,
    [what, type]: readonly ['read message', 'read'] | readonly ['trash message', 'trashed'],
    call: (client: MarketplaceClient) => Promise<T>,
  ): Promise<T> {
    const entry = { what, message, ...doneBy(actor) };
    try {
      const client = await deps.marketplace.of(ref);
      return await auditedAct(deps, ref, entry, () => call(client), {
        async store(_, step) {
          const { changed } = await announcements.apply(ref, message, { type, by: actor.member }, step);
          if (!changed) await deps.audit.add(step);
        },
      });
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === 'NO_SUCH_MESSAGE')
        await announcements.apply(ref, message, { type: 'left' });
      throw error;
    }
  }

  return {
    read: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<Message> =>
      act(ref, id, actor, ['read message', 'read'], (client) => client.readMessage(id)),

    trash: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<void> =>
      act(ref, id, actor, ['trash message', 'trashed'], (client) => client.deleteMessage(id)),
  };
}

/** Maximum number of tasks shown, and of words of a message looked up. */
const mostShown = 3;
const mostWords = 40;
const wordLike = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu;

/** Returns the words of a message that may be the id of a task: those with a digit, as written and in lower case. */
export function idsIn(text: string): TaskId[] {
  const words = [...text.slice(0, 20_000).matchAll(wordLike)]
    .map(([word]) => word)
    .filter((word) => /\d/u.test(word) && word.length >= 3 && word.length <= 64);
  return [...new Set(words)]
    .slice(0, mostWords)
    .flatMap((word) => [...new Set([word, word.toLowerCase()])].map((id) => TaskId.parse(id)));
}

/** Returns the tasks whose id a message names and that have a card, with links to their cards. */
export async function namedTasks(
  { campaigns, slack, tasks }: Modules,
  ref: AccountRef,
  text: string,
): Promise<NamedTask[]> {
  const ids = idsIn(text);
  if (ids.length === 0) return [];
  const found = (await tasks.getMany(ref, ids)).slice(0, mostShown);
  const named = await Promise.all(
    found.map(async (task) => {
      const { campaign, worker } = task;
      const card = await slack.cards.linkTo(ref, task);
      const campaignTitle = await campaigns.titleOf(ref, campaign);
      return card === undefined ? [] : [{ campaignTitle, worker: worker.name ?? worker.id, card }];
    }),
  );
  return named.flat();
}
