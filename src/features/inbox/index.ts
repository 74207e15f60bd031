import type { Announcement } from '../../domain/announcement.ts';
import { type AccountRef, MessageId } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message-kind.ts';
import { caughtMarketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { announcementTag } from '../../slack/message-tags.ts';
import {
  announcementMessage,
  loadingModal,
  messageModal,
  messageStatusModal,
  movedToTrash,
  readButNotShown,
} from './announcement.view.ts';
import { createInboxList } from './list.ts';
import { decodeInboxBlock } from './list-state.ts';
import { createMailbox } from './mailbox.ts';
import { messageState } from './message-state.ts';
import { namedTasks } from './named-tasks.ts';

/** Creates the inbox: announces new messages once, with buttons to read it and to move it to the trash, and lists all messages. */
export function createInbox(deps: Modules) {
  const mailbox = createMailbox(deps);
  const list = createInboxList({ ...deps, mailbox });

  /** Returns the account of the clicked message. Throws if the person may not act for it. */
  async function accountOf(click: Click): Promise<AccountRef> {
    return click.authorize({ account: decodeInboxBlock(click.blockId).account });
  }

  const feature: Feature = {
    commands: list.commands,
    clicks: {
      ...list.clicks,
      'inbox.read': { needs: 'see', run: read },
      'inbox.trash': { needs: 'trash', once: true, run: trash },
    },
  };

  async function read(click: Click): Promise<void> {
    const ref = await accountOf(click);
    const viewId = await click.open(loadingModal());
    const { view, sentence } = await mailbox.read(ref, MessageId.parse(click.value), click).then(
      async (message) => ({
        view: messageModal(
          ref.account,
          message,
          { origin: click.origin, list: decodeInboxBlock(click.blockId).list },
          await namedTasks(deps, ref, `${message.subject}\n${message.body}`),
        ),
        sentence: readButNotShown,
      }),
      (error: unknown) => statusOf(caughtMarketplaceErrorText(error)),
    );
    await click.show(view, sentence, { view: viewId, channel: click.channel });
    await list.refresh(click, click.origin, decodeInboxBlock(click.blockId).list);
  }

  async function trash(click: Click): Promise<void> {
    const ref = await accountOf(click);
    const { view: opened } = click;
    if (opened === undefined) return mailbox.trash(ref, MessageId.parse(click.value), click);
    const { origin, list: below } = messageState.decode(opened.state);
    const result = await mailbox
      .trash(ref, MessageId.parse(click.value), click)
      .then(() => movedToTrash, caughtMarketplaceErrorText);
    const { view, sentence } = statusOf(result);
    await click.show(view, sentence, { view: opened.id, channel: origin.channel });
    await list.refresh(click, origin, below);
  }

  return { feature, message: announcementKind(deps) };
}

/** Returns a sentence, and the modal that shows it. @param sentence mrkdwn */
function statusOf(sentence: string) {
  return { view: messageStatusModal(sentence), sentence };
}

/** Returns the message kind that mirrors an inbox announcement. */
function announcementKind(deps: Modules): LiveMessageKind<Announcement, MessageId> {
  const { slack, channels } = deps;
  return {
    records: slack.announcements,
    isForChannel: true,
    channelFor: (ref) => channels.routing.forInbox(ref),
    tagFor: ({ account }, { id }) => announcementTag(account, id),
    async render(ref, announcement) {
      const named = await namedTasks(deps, ref, announcement.subject);
      return announcementMessage(ref.account, announcement, named);
    },
  };
}
