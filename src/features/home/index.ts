import type { KnownBlock } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import { may, type Role } from '../../domain/permissions.ts';
import { isPending } from '../../domain/task.ts';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../../domain/terms.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { Decisions } from '../shared/decisions.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { roleWords } from '../shared/role-words.ts';
import { unreadForHome } from '../shared/unread.ts';
import { createAttention } from './attention.ts';
import { doneAction } from './attention.view.ts';
import { createBoard } from './board.ts';
import { campaignPageAction } from './campaigns.view.ts';
import { createLastDecisions } from './decisions.ts';
import { type DecisionRow, decisionPageAction, undoAction, undoValue } from './decisions.view.ts';
import { type AccountSummary, helpAction, homeView } from './home.view.ts';
import { createMine } from './mine.ts';
import { createPages, type Pages } from './pages.ts';
import { createRefresh } from './refresh.ts';

/** A home tab that was not opened for this long is no longer updated by itself. */
const rememberSeconds = 30 * 86_400;

/** A decision that waits is shown again so long after it is due (ms), one that is held or on its way for long after this. */
const sentAfterMs = 1_500;
const slowAfterMs = 60_000;
/** A decision is on its way for long when it was made longer ago than this (ms). */
const quickMs = 60_000;

type Deps = Pick<
  FeatureContext,
  | 'access'
  | 'accounts'
  | 'announcements'
  | 'approvals'
  | 'assignments'
  | 'campaigns'
  | 'claimOnce'
  | 'deadlines'
  | 'expiringTexts'
  | 'homeRefresh'
  | 'incidents'
  | 'lostChannels'
  | 'openedHomes'
  | 'routing'
  | 'subscriptions'
  | 'tasks'
  | 'renderNumbers'
  | 'decisionCounts'
  | 'secondLooks'
  | 'memberDecisions'
  | 'rateLimiter'
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
  /** What takes a decision back, as a card's button does. */
  readonly decisions: Pick<Decisions, 'undo'>;
  /** Returns help for every command. */
  readonly help: () => Message;
};

/** Creates the home tab: a summary of the member's account, and buttons to everything else. */
export function createHome(deps: Deps) {
  const { accounts, renderNumbers, now } = deps;
  const attention = createAttention(deps);
  const board = createBoard(deps);
  const lastDecisions = createLastDecisions(deps);
  const mine = createMine(deps);
  const pages = createPages(deps);
  const nameOf = (member: MemberId) => `home ${member}`;

  /** Returns what waits: from what is stored of an account that is polled, else from the marketplace. */
  async function waitingIn(
    ref: AccountRef,
    member: MemberId,
    page: number,
  ): Promise<Pick<AccountSummary, 'board' | 'waiting' | 'problem'>> {
    const known = await board.of(ref, member, page);
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

  /** Returns what the tab of a member shows of their account, and when it will have changed (ms) if that is known. */
  async function summaryOf(
    workspace: WorkspaceId,
    member: MemberId,
    said: readonly KnownBlock[],
  ): Promise<{ readonly summary?: AccountSummary; readonly changesAt?: number | undefined }> {
    const { ref, role } = await seen(workspace, member);
    if (ref === undefined) return {};
    const at = await pages.of(workspace, member);
    const mayRate = may(role, 'rate');
    const decisions = mayRate ? await lastDecisions.of(ref, member, at.decisions) : undefined;
    const summary = {
      isOwn: await accounts.hasOwnKey(workspace, member),
      ...(await waitingIn(ref, member, at.campaigns)),
      ...(await unreadForHome(deps, ref)),
      hasLookFigures: await deps.secondLooks.isAny(ref, now()),
      ...(role === undefined ? {} : { role: roleWords[role] }),
      mayRate,
      ...(decisions === undefined ? {} : { decisions: { ...decisions, said } }),
      ...(mayRate ? { mine: await mine.of(ref, member) } : {}),
      ...(may(role, 'settings') ? { roles: await deps.rolesOf(ref) } : {}),
      needsAttention: await attention.forMember(workspace, member),
      approvals: await approvalsFor(ref, member),
    };
    return { summary, changesAt: changesAt(decisions?.rows ?? [], now()) };
  }

  async function turn(
    { workspace, member, value }: Pick<Click, 'workspace' | 'member' | 'value'>,
    list: keyof Pages,
  ): Promise<void> {
    await pages.turn(workspace, member, list, value);
    await publish(workspace, member);
  }

  /**
   * Publishes the home tab. A rendering that began earlier never replaces a later one for good.
   * @param due since when it was due, for one that was asked for; absent: somebody waits for it
   * @param said what the person is told in it, this time only
   */
  async function publish(
    workspace: WorkspaceId,
    member: MemberId,
    { due, said = [] }: { readonly due?: number; readonly said?: readonly KnownBlock[] } = {},
  ): Promise<void> {
    const last = () => renderNumbers.last(workspace, nameOf(member));
    await refreshing.count(workspace);
    let revision = await renderNumbers.next(workspace, nameOf(member), rememberSeconds);
    for (;;) {
      const began = now();
      const { summary, changesAt: next } = await summaryOf(workspace, member, said);
      // Whoever began later publishes, or has done so.
      if ((await last()) !== revision) return;
      await deps.messengerOf(workspace).publishHome(member, homeView(summary, now()));
      await deps.openedHomes.published(workspace, member, began, due);
      if (next !== undefined) await deps.homeRefresh.at(workspace, member, next);
      // This one may have overtaken a later one on its way to Slack.
      const latest = await last();
      if (latest === revision) return;
      revision = latest;
    }
  }

  const refreshing = createRefresh({
    ...deps,
    publish: (workspace, member, due) => publish(workspace, member, { due }),
  });

  /** Takes a decision back, and shows where it was pressed what came of that. */
  async function undo(click: Click): Promise<void> {
    const { workspace, member } = click;
    const { account, task, decision } = undoValue.decode(click.value);
    const ref = await click.authorize({ account });
    const said: KnownBlock[] = [];
    const answer = async ({ blocks }: Message) => void said.push(...blocks);
    await deps.decisions.undo({ ...click, answer }, ref, task, decision);
    await publish(workspace, member, { said });
  }

  const feature: Feature = {
    async homeOpened({ workspace, member }) {
      await deps.openedHomes.record(workspace, member, now());
      await pages.reset(workspace, member);
      await publish(workspace, member);
    },
    clicks: {
      [undoAction]: { needs: 'rate', also: ['undo'], run: undo },
      [`${campaignPageAction}.previous`]: { needs: 'anyone', run: (click) => turn(click, 'campaigns') },
      [`${campaignPageAction}.next`]: { needs: 'anyone', run: (click) => turn(click, 'campaigns') },
      [`${decisionPageAction}.previous`]: { needs: 'anyone', run: (click) => turn(click, 'decisions') },
      [`${decisionPageAction}.next`]: { needs: 'anyone', run: (click) => turn(click, 'decisions') },
      [doneAction]: {
        needs: 'rate',
        async run({ workspace, member, value, authorize }) {
          await attention.dismissLoss(await authorize({ account: AccountId.parse(value) }));
          await publish(workspace, member);
        },
      },
      [helpAction]: {
        needs: 'anyone',
        async run({ workspace, id, answer }) {
          if (await deps.claimOnce(workspace, `help ${id}`)) await answer(deps.help());
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

  /** What waited in an account when this process looked last: a change is shown to those who have their tab open. */
  const seenWaiting = new Map<string, string>();

  return {
    feature,
    /** For a member whose account has changed. */
    refresh,
    /** Shows everybody whose tab is open that something else waits than before, and goes on with what a process died over. */
    async afterPoll(ref: AccountRef): Promise<void> {
      const name = `${ref.workspace}/${ref.account}`;
      const counts = [
        deps.openTasks.count(ref),
        deps.openTasks.campaignCount(ref),
        deps.tasks.lowest(ref, 'open'),
      ];
      const waiting = (await Promise.all(counts)).join(' ');
      const before = seenWaiting.get(name);
      seenWaiting.set(name, waiting);
      if (before !== undefined && before !== waiting) await deps.homeRefresh.others(ref.workspace);
      else await deps.homeRefresh.resume(ref.workspace);
    },
    jobs: { 'refresh-homes': refreshing.run },
  };
}

/** Returns when decisions that are shown will be something else (ms); undefined when that is not known. */
function changesAt(rows: readonly DecisionRow[], now: number): number | undefined {
  const times = rows.flatMap(({ outcome }) => {
    if (outcome.kind !== 'decision' || !isPending(outcome)) return [];
    const { state, at, dueAt = now } = outcome.decision;
    // What is being sent is mostly there in a moment; when it is not, somebody looks for a while, not for hours.
    if (state === 'sending' && now < at + quickMs) return [now + sentAfterMs];
    return [state === 'waiting' ? Math.max(now, dueAt) + sentAfterMs : now + slowAfterMs];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
