import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { RenderNumbers } from '../../store/render-numbers.ts';
import type { Tasks } from '../../store/tasks.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { homeView, type Standing, showHelp } from './home.view.ts';

/** A home that was not opened for so long is not redrawn by itself. */
const rememberSeconds = 30 * 86_400;

export interface HomeDeps {
  readonly accounts: Accounts;
  readonly tasks: Tasks;
  readonly renderNumbers: RenderNumbers;
  /** The account's campaigns as they are now, or as last seen (then with the time, in ms). */
  readonly listings: {
    fresh(ref: AccountRef): Promise<{ campaigns: readonly Campaign[]; lastSeen: number | undefined }>;
  };
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Help for every command. */
  readonly help: () => Message;
  readonly logger: Logger;
  readonly now: () => number;
}

/** The app's home: how one's account stands, and ways to everything else. Drawn whenever it is opened. */
export function createHome(deps: HomeDeps) {
  const { accounts, renderNumbers, tasks, now } = deps;
  const nameOf = (member: MemberId) => `home ${member}`;

  async function waitingIn(ref: AccountRef): Promise<Pick<Standing, 'waiting' | 'problem'>> {
    try {
      const { campaigns, lastSeen } = await deps.listings.fresh(ref);
      const busy = campaigns.filter(({ tasksNotRated }) => tasksNotRated > 0);
      const oldest = await tasks.lowest(ref, 'open');
      return {
        waiting: {
          tasks: busy.reduce((sum, { tasksNotRated }) => sum + tasksNotRated, 0),
          campaigns: busy.length,
          // 0 stands for a time that the marketplace did not tell.
          ...(oldest ? { oldest } : {}),
          ...(lastSeen === undefined ? {} : { lastSeen }),
        },
      };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return { problem: marketplaceErrorText(error) };
    }
  }

  /** Draws it as it is now. What a drawing that began earlier shows never stays in its place. */
  async function draw(workspace: WorkspaceId, member: MemberId): Promise<void> {
    const last = () => renderNumbers.last(workspace, nameOf(member));
    let revision = await renderNumbers.next(workspace, nameOf(member), rememberSeconds);
    for (;;) {
      const ref = await accounts.of(workspace, member);
      const standing = ref && {
        isOwn: await accounts.holdsKey(workspace, member),
        ...(await waitingIn(ref)),
      };
      // Whoever began later draws it, or has done so.
      if ((await last()) !== revision) return;
      await deps.messengerOf(workspace).publishHome(member, homeView(standing, now()));
      // A later drawing may have been overtaken by this one on its way to Slack.
      const latest = await last();
      if (latest === revision) return;
      revision = latest;
    }
  }

  const feature: Feature = {
    async homeOpened({ workspace, member }) {
      await draw(workspace, member);
    },
    clicks: {
      async [showHelp]({ answer }) {
        await answer(deps.help());
      },
    },
  };

  return {
    feature,

    /** Something about a member's account has changed: their home shows it, if they have one open. */
    async refresh(workspace: WorkspaceId, member: MemberId): Promise<void> {
      if ((await renderNumbers.last(workspace, nameOf(member))) === 0) return;
      try {
        await draw(workspace, member);
      } catch (error) {
        // It is drawn anew the next time it is opened.
        if (!(error instanceof SlackError)) throw error;
        deps.logger.warn({ err: error, member }, 'a home could not be redrawn');
      }
    },
  };
}
