import type { Campaign } from '../../domain/campaign.ts';
import { may, type Role } from '../../domain/permissions.ts';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { roleWords } from '../shared/role-words.ts';
import { unreadForHome } from '../shared/unread.ts';
import { createAttention } from './attention.ts';
import { doneAction } from './attention.view.ts';
import { createBoard } from './board.ts';
import { type AccountSummary, helpAction, homeView } from './home.view.ts';

/** A home tab that was not opened for this long is no longer updated by itself. */
const rememberSeconds = 30 * 86_400;

/** Those who opened their home tab within this time (ms) see at once that something begins or ends to need them. */
const openMs = 8 * 3_600_000;
/** How many home tabs are updated then: the latest opened. */
const maxRefreshed = 50;

type Deps = Pick<
  FeatureContext,
  | 'access'
  | 'accounts'
  | 'announcements'
  | 'approvals'
  | 'campaigns'
  | 'incidents'
  | 'lostChannels'
  | 'openedHomes'
  | 'routing'
  | 'subscriptions'
  | 'tasks'
  | 'renderNumbers'
  | 'decisionCounts'
  | 'openTasks'
  | 'outages'
  | 'slackPeople'
  | 'timesToRate'
  | 'messengerOf'
  | 'logger'
  | 'now'
> & {
  /** Returns the account's campaigns as they are now, or as last seen (then with the time, in ms). */
  readonly listings: {
    list(ref: AccountRef): Promise<{ campaigns: readonly Campaign[]; lastSeen: number | undefined }>;
  };
  /** Returns who has which role in an account, in mrkdwn. */
  readonly rolesOf: (ref: AccountRef) => Promise<string>;
  /** Returns help for every command. */
  readonly help: () => Message;
};

/** Creates the home tab: a summary of the member's account, and buttons to everything else. */
export function createHome(deps: Deps) {
  const { accounts, renderNumbers, now } = deps;
  const attention = createAttention(deps);
  const board = createBoard(deps);
  const nameOf = (member: MemberId) => `home ${member}`;

  /** Returns what waits: from what is stored of an account that is polled, else from the marketplace. */
  async function waitingIn(
    ref: AccountRef,
    member: MemberId,
  ): Promise<Pick<AccountSummary, 'board' | 'waiting' | 'problem'>> {
    const known = await board.of(ref, member);
    if (known !== undefined) return { board: known };
    try {
      const { campaigns, lastSeen } = await deps.listings.list(ref);
      const reviewable = campaigns.filter(({ tasksNotRated }) => tasksNotRated > 0);
      return {
        waiting: {
          tasks: reviewable.reduce((sum, { tasksNotRated }) => sum + tasksNotRated, 0),
          campaigns: reviewable.length,
          ...(lastSeen === undefined ? {} : { lastSeen }),
        },
      };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return { problem: marketplaceErrorText(error) };
    }
  }

  /** Returns the account that a member acts for, if they may see it. */
  async function seen(
    workspace: WorkspaceId,
    member: MemberId,
  ): Promise<{ readonly ref?: AccountRef; readonly role?: Role }> {
    const someone = { workspace, team: workspace, member };
    const ref = await deps.access.accountOf(someone);
    if (ref === undefined) return {};
    const { role } = await deps.access.standing(someone, ref);
    return role !== undefined && may(role, 'see') ? { ref, role } : {};
  }

  /** Returns the requests in an account that a member may approve: not their own. */
  async function approvalsFor(ref: AccountRef, member: MemberId) {
    const waiting = (await deps.approvals.all(ref)).filter(
      ({ by, stage, until }) => stage.state === 'waiting' && by !== member && until > now(),
    );
    const someone = { workspace: ref.workspace, team: ref.workspace, member };
    const mayApprove = waiting.length > 0 && (await deps.access.has(someone, ref, 'approve'));
    return mayApprove ? waiting.map((request) => ({ account: ref.account, request })) : [];
  }

  /** Publishes the home tab. A rendering that began earlier never replaces a later one for good. */
  async function publish(workspace: WorkspaceId, member: MemberId): Promise<void> {
    const last = () => renderNumbers.last(workspace, nameOf(member));
    let revision = await renderNumbers.next(workspace, nameOf(member), rememberSeconds);
    for (;;) {
      const { ref, role } = await seen(workspace, member);
      const account = ref && {
        isOwn: await accounts.hasOwnKey(workspace, member),
        ...(await waitingIn(ref, member)),
        ...(await unreadForHome(deps, ref)),
        ...(role === undefined ? {} : { role: roleWords[role] }),
        mayRate: may(role, 'rate'),
        ...(may(role, 'settings') ? { roles: await deps.rolesOf(ref) } : {}),
        needsAttention: await attention.forMember(workspace, member),
        approvals: await approvalsFor(ref, member),
      };
      // Whoever began later publishes, or has done so.
      if ((await last()) !== revision) return;
      await deps.messengerOf(workspace).publishHome(member, homeView(account, now()));
      // This one may have overtaken a later one on its way to Slack.
      const latest = await last();
      if (latest === revision) return;
      revision = latest;
    }
  }

  const feature: Feature = {
    async homeOpened({ workspace, member }) {
      await deps.openedHomes.record(workspace, member, now());
      await publish(workspace, member);
    },
    clicks: {
      [doneAction]: {
        needs: 'rate',
        async run({ workspace, member, value, authorize }) {
          await attention.dismissLoss(await authorize({ account: AccountId.parse(value) }));
          await publish(workspace, member);
        },
      },
      [helpAction]: {
        needs: 'anyone',
        async run({ answer }) {
          await answer(deps.help());
        },
      },
    },
  };

  /** Updates a member's home tab, if they have opened one. */
  async function refresh(workspace: WorkspaceId, member: MemberId): Promise<void> {
    if ((await renderNumbers.last(workspace, nameOf(member))) === 0) return;
    try {
      await publish(workspace, member);
    } catch (error) {
      // Opening the tab publishes it again.
      if (!(error instanceof SlackError)) throw error;
      deps.logger.warn({ err: error, member }, 'home tab not updated');
    }
  }

  return {
    feature,
    /** For a member whose account has changed. */
    refresh,
    jobs: {
      async 'refresh-homes'({ workspace }: Payload<'refresh-homes'>): Promise<void> {
        const members = await deps.openedHomes.since(workspace, now() - openMs, maxRefreshed);
        for (const member of members) await refresh(workspace, member);
      },
    },
  };
}
