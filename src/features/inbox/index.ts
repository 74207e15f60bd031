import type { Announcement } from '../../domain/announcement.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type JobContext, Reschedule } from '../../jobs/runner.ts';
import type { Logger } from '../../logger.ts';
import { isCallFailure, type MarketplaceClient } from '../../marketplace/index.ts';
import { answerInModal } from '../../slack/answers.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import type { MessageTag, Messenger } from '../../slack/messenger.ts';
import { isChannelError, isWorkspaceError, mayArriveLate, SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { CallSlack, CallSlackOf } from '../../store/rate-limiter.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { Timeouts } from '../../store/timeouts.ts';
import { requireAccess } from '../shared/access.ts';
import type { ChannelHealth } from '../shared/channel-health.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import {
  announcementMessage,
  loadingMessage,
  movedToTrash,
  noteMessage,
  openedMessage,
  readUnseen,
} from './announcement.view.ts';
import { createInboxList } from './list.ts';
import { decodeInboxBlock } from './list-state.ts';
import { createMailbox } from './mailbox.ts';
import { messageState } from './message-state.ts';

export interface InboxDeps {
  readonly accounts: Accounts;
  readonly announcements: Announcements;
  readonly subscriptions: Subscriptions;
  readonly callSlackOf: CallSlackOf;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: string) => Messenger;
  readonly channelHealth: ChannelHealth;
  readonly logger: Logger;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly claimOnce: (workspace: string, id: string) => Promise<boolean>;
  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
  readonly timeouts: Timeouts;
  readonly now: () => number;
}

/** Before each step that others would see: throws {@link Reschedule} when another process draws this announcement by now. */
type StillOurs = () => Promise<void>;

/** Clocks of ours and Slack's may differ by this much when a post is looked for. */
const searchMarginMs = 60_000;

/** The inbox: announces new messages once, with Read and Trash, and lists those there are. */
export function createInbox(deps: InboxDeps) {
  const { announcements, timeouts, now } = deps;
  const mailbox = createMailbox(deps);
  const list = createInboxList({ ...deps, mailbox });

  async function sync(ref: AccountRef, id: string, context: JobContext): Promise<void> {
    if (!(await announcements.needsRender(ref, id))) return;
    const drawer = await announcements.acquireRenderLease(ref, id, timeouts.renderLeaseMs);
    if (drawer === undefined) throw new Reschedule(1_000);
    const inTurn = deps.callSlackOf(ref.workspace, context.slot);
    let spokeAt = 0;
    const stillOurs = async () => {
      spokeAt = now();
      if (!(await drawer.renew())) throw new Reschedule(1_000);
    };
    try {
      for (;;) {
        const announcement = await announcements.get(ref, id);
        if (announcement === undefined) return;
        const drawn = await draw(ref, announcement, inTurn, stillOurs);
        if (drawn === 'later') return;
        if (drawn === 'done' && (await drawer.markRendered(announcement.revision))) return;
      }
    } catch (error) {
      // Were it redrawn now, what was sent before could arrive after that and stand there for good.
      if (mayArriveLate(error)) await drawer.releaseAfter(spokeAt + timeouts.lateArrivalMs - now());
      throw error;
    } finally {
      await drawer.release();
    }
  }

  /** Gives `done` when it now shows what is known, `again` when that is to be looked at, `later` when it cannot now. */
  async function draw(
    ref: AccountRef,
    announcement: Announcement,
    inTurn: CallSlack,
    stillOurs: StillOurs,
  ): Promise<'done' | 'again' | 'later'> {
    const { card, id } = announcement;
    const messenger = deps.messengerOf(ref.workspace);
    if (card.state === 'wanted') return post(ref, announcement, messenger, inTurn, stillOurs);
    if (card.state !== 'posted') return 'done';
    try {
      await inTurn({ method: 'chat.update', channel: card.channel }, async () => {
        await stillOurs();
        await messenger.update(card, announcementMessage(ref.account, announcement));
      });
    } catch (error) {
      if (!(error instanceof SlackError) || error.code !== 'message_not_found') throw error;
      await announcements.apply(ref, id, { type: 'card-gone' });
    }
    return 'done';
  }

  async function post(
    ref: AccountRef,
    announcement: Announcement,
    messenger: Messenger,
    inTurn: CallSlack,
    stillOurs: StillOurs,
  ): Promise<'done' | 'again' | 'later'> {
    const { id, card } = announcement;
    const tag: MessageTag = { type: 'proofdesk_inbox', payload: { account: ref.account, message: id } };
    const attempt = card.state === 'wanted' ? card.attempt : undefined;
    if (attempt) {
      const wait = attempt.at + timeouts.lateArrivalMs - now();
      if (wait > 0) throw new Reschedule(wait);
      const found = await inTurn({ method: 'conversations.history', channel: attempt.channel }, () =>
        messenger.findTagged(attempt.channel, attempt.at - searchMarginMs, tag),
      );
      if (found) {
        await announcements.apply(ref, id, { type: 'posted', place: found });
        return 'again';
      }
    }
    const channel = (await deps.subscriptions.forInbox(ref))?.channel;
    if (channel === undefined || (await deps.channelHealth.isPaused(ref.workspace, channel))) return 'later';
    return inTurn({ method: 'chat.postMessage', channel }, async () => {
      await stillOurs();
      await announcements.apply(ref, id, { type: 'posting', channel, at: now() });
      try {
        const place = await messenger.post(channel, announcementMessage(ref.account, announcement), { tag });
        await announcements.apply(ref, id, { type: 'posted', place });
        return 'done';
      } catch (error) {
        if (error instanceof SlackError && error.kind !== 'unreachable') {
          await announcements.apply(ref, id, { type: 'not-posted' });
          if (isChannelError(error)) {
            await deps.channelHealth.reportFailure(ref.workspace, channel, error.code);
            return 'later';
          }
        }
        throw error;
      }
    });
  }

  /** The account whose message was clicked, if the person may act for it. */
  async function accountOf(click: Click): Promise<AccountRef> {
    const { account } = decodeInboxBlock(click.blockId);
    const ref = { workspace: click.workspace, account };
    await requireAccess(deps.accounts, ref, click.member);
    return ref;
  }

  const feature: Feature = {
    commands: list.commands,
    clicks: {
      ...list.clicks,
      async 'inbox.read'(click) {
        const ref = await accountOf(click);
        const messenger = deps.messengerOf(click.workspace);
        const { channel, member } = click;
        const viewId = await messenger.openModal(click.triggerId, loadingMessage());
        const { view, sentence } = await mailbox.read(ref, click.value, member).then(
          (message) => ({ view: openedMessage(ref.account, message, channel), sentence: readUnseen }),
          (error: unknown) => noted(explained(error)),
        );
        await answerInModal(messenger, { viewId, member, channel }, view, sentence);
        await list.refresh(click);
      },
      async 'inbox.trash'(click) {
        const ref = await accountOf(click);
        if (!(await deps.claimOnce(click.workspace, `trash ${click.id}`))) return;
        const { view: opened, member } = click;
        if (opened === undefined) return mailbox.trash(ref, click.value, member);
        const { channel } = messageState.decode(opened.state);
        const said = await mailbox.trash(ref, click.value, member).then(() => movedToTrash, explained);
        const { view, sentence } = noted(said);
        const place = { viewId: opened.id, member, channel };
        await answerInModal(deps.messengerOf(click.workspace), place, view, sentence);
      },
    },
  };

  return {
    feature,
    jobs: {
      async announce({ message, ...ref }: Payload<'announce'>, context: JobContext): Promise<void> {
        try {
          await sync(ref, message, context);
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          if (isWorkspaceError(error)) throw new Reschedule(60_000);
          // It stays to be drawn: the next look asks for it again.
          if (isChannelError(error)) return;
          throw error;
        }
      },
    },
  };
}

/** A sentence alone, and the modal that says it. @param sentence mrkdwn */
function noted(sentence: string) {
  return { view: noteMessage(sentence), sentence };
}

/** What people are told of a call that failed, in mrkdwn. Throws what is no failed call. */
function explained(error: unknown): string {
  if (!isCallFailure(error)) throw error;
  return marketplaceErrorText(error);
}
