import { z } from 'zod';
import { daysSpan } from '../../domain/days.ts';
import { chunksOf } from '../../domain/group.ts';
import { AccountId, type AccountRef, MessageId, type WorkspaceId } from '../../domain/terms.ts';
import { NotConnected } from '../../errors.ts';
import {
  isCallFailure,
  isUnsure,
  type MarketplaceClient,
  type MessageSummary,
} from '../../marketplace/index.ts';
import { answerInPlace } from '../../slack/answers.ts';
import type { Actor, Click, CommandRoute, Feature } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { chosenUnder, pageAsked } from '../../slack/paging.ts';
import { createProgress } from '../../slack/progress.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import {
  inboxMessage,
  listAway,
  type NotMoved,
  nothingChosen,
  trashedSentence,
  trashingMessage,
} from './list.view.ts';
import { decodeInboxBlock, filtered, firstList, type InboxList } from './list-state.ts';
import type { Mailbox } from './mailbox.ts';

const messageIds = z.array(MessageId);

/** Messages that are moved to the trash at the same time. */
const atOnce = 4;
/** An ephemeral message can be changed five times by one click: the last two are kept for the end. */
const mostProgress = 3;

export interface ListDeps {
  readonly accounts: Accounts;
  readonly mailbox: Mailbox;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly claimOnce: (workspace: WorkspaceId, id: string) => Promise<boolean>;
  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
  readonly now: () => number;
}

/** `/inbox`: the messages of an account by folder, reading and days; replaced in place by every click in it. */
export function createInboxList(deps: ListDeps) {
  const { accounts, mailbox, marketplaceOf, zone, now } = deps;
  async function fetch(ref: AccountRef, list: InboxList): Promise<MessageSummary[]> {
    const marketplace = await marketplaceOf(ref);
    const messages = await marketplace.listMessages({
      ...(list.folder === 'ALL' ? {} : { folder: list.folder }),
      ...(list.reading === 'all' ? {} : { unread: list.reading === 'unread' }),
      ...daysSpan(list.from, list.to, zone),
    });
    return messages.sort((a, b) => (b.sentAt?.getTime() ?? 0) - (a.sentAt?.getTime() ?? 0));
  }

  async function draw(workspace: WorkspaceId, list: InboxList, done?: string) {
    const messages = await fetch({ workspace, account: list.account }, list);
    return inboxMessage({ list, messages, zone, drawnAt: now(), ...(done === undefined ? {} : { done }) });
  }

  const command = (reading: InboxList['reading']) => async (asked: Actor) => {
    const { account } = await accounts.require(asked.workspace, asked.member);
    await asked.answer(await draw(asked.workspace, firstList(account, reading)));
  };

  /** The list that was clicked in, if the person may (still) see its account's messages. */
  async function listOf(click: Click): Promise<InboxList | undefined> {
    const { list } = decodeInboxBlock(click.blockId);
    const ref = { workspace: click.workspace, account: list?.account ?? AccountId.parse('') };
    if (list && !(await accounts.mayUse(ref, click.member))) throw new NotConnected();
    return list;
  }

  const redrawn = (change: (list: InboxList, value: string) => InboxList) => async (click: Click) => {
    const list = await listOf(click);
    if (list) await click.replace(await draw(click.workspace, change(list, click.value)));
  };

  /** Moves messages to the trash, telling how far it is and in the end what was not moved and why. */
  async function trash(click: Click, ids: readonly MessageId[]): Promise<void> {
    const list = await listOf(click);
    if (list === undefined) return;
    if (ids.length === 0) return click.answer(notice(nothingChosen));
    if (!(await deps.claimOnce(click.workspace, `trash ${click.id}`))) return;
    const ref = { workspace: click.workspace, account: list.account };
    const subjects = new Map((await fetch(ref, list)).map(({ id, subject }) => [id, subject]));
    const progress = createProgress((done) => click.replace(trashingMessage(done, ids.length)), {
      now,
      most: mostProgress,
    });
    const failed: NotMoved[] = [];
    let ended = 0;
    for (const group of chunksOf(ids, atOnce)) {
      await Promise.all(
        group.map(async (id) => {
          try {
            await mailbox.trash(ref, id, click.member);
          } catch (error) {
            if (!isCallFailure(error)) throw error;
            const sentence = marketplaceErrorText(error);
            failed.push({ subject: subjects.get(id) ?? '', sentence, isUnsure: isUnsure(error) });
          }
        }),
      );
      ended += group.length;
      progress.reached(ended);
    }
    await progress.settled();
    const done = trashedSentence(ids.length - failed.length, failed);
    const shown = await draw(click.workspace, list, done).catch((error: unknown) => {
      // What was done is done: a list that cannot be read now must not take its telling away.
      if (!isCallFailure(error)) throw error;
      return notice(listAway(done));
    });
    await answerInPlace(click, shown, done);
  }

  const redraw = redrawn((list) => list);

  const clicks: Feature['clicks'] = {
    async 'inbox.open'(click) {
      if (await deps.claimOnce(click.workspace, `inbox ${click.id}`)) await command('all')(click);
    },
    'inbox.folder': redrawn((list, folder) => filtered(list, { folder })),
    'inbox.reading': redrawn((list, reading) => filtered(list, { reading })),
    'inbox.from': redrawn((list, from) => filtered(list, { from })),
    'inbox.to': redrawn((list, to) => filtered(list, { to })),
    'inbox.anyday': redrawn((list) => filtered(list, { from: '', to: '' })),
    'inbox.page.previous': redrawn((list, page) => ({ ...list, page: pageAsked(page) })),
    'inbox.page.next': redrawn((list, page) => ({ ...list, page: pageAsked(page) })),
    'inbox.trash.chosen': (click) => trash(click, messageIds.parse(chosenUnder(click.values, click.value))),
    'inbox.trash.page': (click) =>
      trash(click, messageIds.parse(click.value.split(' ').filter((id) => id !== ''))),
  };

  return {
    commands: [
      row('', 'Shows your inbox at the marketplace: folders, unread, days.', command('all')),
      row('unread', 'Shows the unread messages of your inbox.', command('unread')),
    ],
    clicks,
    /**
     * Draws the list again in which something was clicked; does nothing for clicks elsewhere. What was clicked for is
     * done and told by then: a list that cannot be drawn stays as it was.
     */
    async refresh(click: Click): Promise<void> {
      try {
        await redraw(click);
      } catch (error) {
        if (!isCallFailure(error) && !(error instanceof SlackError)) throw error;
      }
    },
  };
}

function row(word: string, help: string, run: CommandRoute['run']): CommandRoute {
  return { command: '/inbox', word, usage: '', help, run };
}
