import { z } from 'zod';
import { daysSpan } from '../../domain/days.ts';
import { chunksOf } from '../../domain/group.ts';
import { type AccountRef, MessageId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { hasUnknownOutcome, isCallFailure, type MessageSummary } from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type { Click, Command, CommandRoute, Feature, Origin } from '../../slack/feature.ts';
import { chosenUnder } from '../../slack/paging.ts';
import { createProgress } from '../../slack/progress.ts';
import { createList } from '../../ui/list.ts';
import {
  inboxMessage,
  type NotMoved,
  nothingChosen,
  trashProgressMessage,
  trashResultText,
} from './list.view.ts';
import { firstList, type InboxList, inboxListCodec, type ReadFilter } from './list-state.ts';
import type { Mailbox } from './mailbox.ts';

const messageIds = z.array(MessageId);

/** Maximum number of messages moved to the trash concurrently. */
const concurrency = 4;
/** One click can update an ephemeral message five times: two are reserved for the end. */
const maxProgressUpdates = 3;

type Deps = Modules & {
  readonly mailbox: Mailbox;
};

/** Creates `/inbox`: an account's messages by folder, read or unread, and days; every click replaces the list. */
export function createInboxList(deps: Deps) {
  const { marketplace, clock, mailbox } = deps;

  async function loadMessages(ref: AccountRef, list: InboxList): Promise<MessageSummary[]> {
    const client = await marketplace.of(ref);
    const messages = await client.listMessages({
      ...(list.folder === 'ALL' ? {} : { folder: list.folder }),
      ...(list.readFilter === 'all' ? {} : { unread: list.readFilter === 'unread' }),
      ...daysSpan(list.from, list.to, marketplace.zone),
    });
    return messages.sort((a, b) => (b.sentAt?.getTime() ?? 0) - (a.sentAt?.getTime() ?? 0));
  }

  const list = createList<InboxList>({
    codec: inboxListCodec,
    command: '/inbox',
    async render(ref, shown, _, outcome) {
      const messages = await loadMessages(ref, shown);
      const done = outcome === undefined ? {} : { outcome };
      return inboxMessage({
        list: shown,
        messages,
        zone: marketplace.zone,
        renderedAt: clock.now(),
        ...done,
      });
    },
  });
  const { change } = list;
  const open = (readFilter: ReadFilter) => list.open((account) => firstList(account, readFilter));

  /** Moves messages to the trash, showing the progress and finally the failures with their reasons. */
  const trash = (idsOf: (click: Click) => readonly string[]) =>
    list.act('trash', async (click) => {
      const { ref } = click;
      const ids = messageIds.parse(idsOf(click));
      if (ids.length === 0) {
        await click.answer(notice(nothingChosen));
        return undefined;
      }
      const subjects = new Map((await loadMessages(ref, click.list)).map(({ id, subject }) => [id, subject]));
      const progress = createProgress(
        (done: number) => click.replace(trashProgressMessage(done, ids.length)),
        { limit: maxProgressUpdates },
      );
      const failed: NotMoved[] = [];
      let ended = 0;
      for (const group of chunksOf(ids, concurrency)) {
        await Promise.all(
          group.map(async (id) => {
            try {
              await mailbox.trash(ref, id, click);
            } catch (error) {
              if (!isCallFailure(error)) throw error;
              const sentence = marketplaceErrorText(error);
              failed.push({ subject: subjects.get(id) ?? '', sentence, isUnsure: hasUnknownOutcome(error) });
            }
          }),
        );
        ended += group.length;
        progress.report(ended);
      }
      await progress.stop();
      return trashResultText(ids.length - failed.length, failed);
    });

  const clicks: Feature['clicks'] = {
    'inbox.open': {
      needs: 'see',
      isSlow: true,
      once: true,
      run: open('all'),
    },
    'inbox.folder': change((folder) => ({ folder })),
    'inbox.reading': change((readFilter) => ({ readFilter })),
    'inbox.from': change((from) => ({ from })),
    'inbox.to': change((to) => ({ to })),
    'inbox.anyday': change(() => ({ from: '', to: '' })),
    ...list.pages('inbox.page'),
    'inbox.trash.chosen': trash(({ values, value }) => chosenUnder(values, value)),
    'inbox.trash.page': trash(({ value }) => value.split(' ').filter((id) => id !== '')),
  };

  return {
    commands: [
      route('', 'Shows your marketplace inbox, with filters by folder, day and what is unread.', open('all')),
      route('unread', 'Shows the unread messages in your inbox.', open('unread')),
    ],
    clicks,
    /** Renders the list again in which a message was opened, if it was opened in one. */
    async refresh(click: Click, origin: Origin, shown: InboxList | undefined): Promise<void> {
      if (shown === undefined) return;
      await list.refresh(click, origin, await click.authorize({ account: shown.account }), shown);
    },
  };
}

function route(word: string, help: string, run: (command: Command) => Promise<void>): CommandRoute {
  return { command: '/inbox', word, usage: '', help, needs: 'see', run };
}
