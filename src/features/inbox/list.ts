import { z } from 'zod';
import { daysSpan } from '../../domain/days.ts';
import { chunksOf } from '../../domain/group.ts';
import { type AccountRef, MessageId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { hasUnknownOutcome, isCallFailure, type MessageSummary } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type {
  Authorized,
  Click,
  Command,
  CommandRoute,
  Entry,
  Feature,
  Origin,
} from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { chosenUnder } from '../../slack/paging.ts';
import { createProgress } from '../../slack/progress.ts';
import { clickedList, listOrOutcome } from '../../ui/list.ts';
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

  async function render(ref: AccountRef, list: InboxList, outcome?: string): Promise<Message> {
    const messages = await loadMessages(ref, list);
    const done = outcome === undefined ? {} : { outcome };
    return inboxMessage({ list, messages, zone: marketplace.zone, renderedAt: clock.now(), ...done });
  }

  const open = (readFilter: ReadFilter) => async (actor: Authorized) => {
    const ref = await actor.authorize();
    await actor.answer(await render(ref, firstList(ref.account, readFilter)));
  };

  const show =
    (change: (value: string) => Partial<Record<keyof InboxList, string>>) => async (click: Click) => {
      const { ref, list } = await clickedList(click, inboxListCodec);
      await click.replace(await render(ref, inboxListCodec.update(list, change(click.value))));
    };
  const showPage = show((page) => ({ page }));

  /** Moves messages to the trash, showing the progress and finally the failures with their reasons. */
  async function trash(click: Click, ids: readonly MessageId[]): Promise<void> {
    const { ref, list } = await clickedList(click, inboxListCodec);
    if (ids.length === 0) return click.answer(notice(nothingChosen));
    const subjects = new Map((await loadMessages(ref, list)).map(({ id, subject }) => [id, subject]));
    const progress = createProgress((done: number) => click.replace(trashProgressMessage(done, ids.length)), {
      limit: maxProgressUpdates,
    });
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
    const outcome = trashResultText(ids.length - failed.length, failed);
    await click.show(await listOrOutcome(render(ref, list, outcome), outcome, '/inbox'), outcome);
  }

  const clicks: Feature['clicks'] = {
    'inbox.open': {
      needs: 'see',
      isSlow: true,
      once: true,
      run: open('all'),
    },
    'inbox.folder': see(show((folder) => ({ folder }))),
    'inbox.reading': see(show((readFilter) => ({ readFilter }))),
    'inbox.from': see(show((from) => ({ from }))),
    'inbox.to': see(show((to) => ({ to }))),
    'inbox.anyday': see(show(() => ({ from: '', to: '' }))),
    'inbox.page.previous': see(showPage),
    'inbox.page.next': see(showPage),
    'inbox.trash.chosen': {
      needs: 'trash',
      once: true,
      run: (click) => trash(click, messageIds.parse(chosenUnder(click.values, click.value))),
    },
    'inbox.trash.page': {
      needs: 'trash',
      once: true,
      run(click) {
        const ids = click.value.split(' ').filter((id) => id !== '');
        return trash(click, messageIds.parse(ids));
      },
    },
  };

  return {
    commands: [
      route('', 'Shows your marketplace inbox, with filters by folder, day and what is unread.', open('all')),
      route('unread', 'Shows the unread messages in your inbox.', open('unread')),
    ],
    clicks,
    /**
     * Re-renders the list in which a message was opened, if it was opened in one. The click's action is complete by then,
     * so a list that cannot be loaded stays unchanged.
     */
    async refresh(click: Click, origin: Origin, list: InboxList | undefined): Promise<void> {
      if (list === undefined) return;
      const ref = await click.authorize({ account: list.account });
      try {
        await click.replaceAt(origin, await render(ref, list));
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    },
  };
}

function route(word: string, help: string, run: (command: Command) => Promise<void>): CommandRoute {
  return { command: '/inbox', word, usage: '', help, needs: 'see', run };
}

/** Declares the right to view. */
function see(run: (click: Click) => Promise<void>): Entry<Click> {
  return { needs: 'see', run };
}
