import type { KnownBlock } from '@slack/types';
import { may, type Role } from '../../domain/permissions.ts';
import { isPending } from '../../domain/task.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Decisions } from '../../kit/decisions.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton } from '../../kit/on.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { roleWords } from '../../ui/words.ts';
import { createAttention } from './attention.ts';
import { createBoard } from './board.ts';
import { campaignPageAction } from './campaigns.view.ts';
import { createLastDecisions } from './decisions.ts';
import { type DecisionRow, decisionPageAction, undoAction, undoValue } from './decisions.view.ts';
import { type AccountSummary, helpAction, homeView } from './home.view.ts';
import type { MineSummary } from './mine.view.ts';
import { createPages, type Pages } from './pages.ts';
import { createRefresh } from './refresh.ts';

/** Expiry of a tab's render number; a tab without one is no longer updated automatically. */
export const revisionSeconds = 30 * 86_400;

/** Delay of the refresh after a waiting decision is due (ms), and of one for a held or slow decision. */
const sentAfterMs = 1_500;
const slowAfterMs = 60_000;
/** A decision being sent counts as slow once it is older than this (ms). */
const quickMs = 60_000;

/** Minimum interval of looking whether home tabs are due whose job was lost (ms). */
const resumeMs = 1_000;

type Deps = Modules & {
  /** Returns who has which role in an account, in mrkdwn. */
  readonly rolesOf: (ref: AccountRef) => Promise<string>;
  /** Undoes a decision, with the same checks as a card's button. */
  readonly decisions: Pick<Decisions, 'undo'>;
  /** Returns help for every command. */
  readonly help: () => Message;
};

/** Creates the home tab: a summary of the member's account, and buttons to everything else. */
export function createHome(deps: Deps) {
  const { people, slack, clock } = deps;
  const attention = createAttention(deps);
  const board = createBoard(deps);
  const lastDecisions = createLastDecisions(deps);
  const mine = createMine(deps);
  const pages = createPages(deps);
  const nameOf = (member: MemberId) => `home ${member}`;

  /** Returns the waiting work: from the store if the account is polled, else from the marketplace. */
  async function waitingIn(
    ref: AccountRef,
    member: MemberId,
    page: number,
  ): Promise<Pick<AccountSummary, 'board' | 'waiting' | 'problem'>> {
    const known = await board.of(ref, member, page);
    if (known !== undefined) return { board: known };
    try {
      const { campaigns, lastSeen } = await deps.campaigns.listings.list(ref);
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

  /** Returns the member's account, if they may see it. */
  async function seen(
    workspace: WorkspaceId,
    member: MemberId,
  ): Promise<{ readonly ref?: AccountRef; readonly role?: Role }> {
    const someone = { workspace, team: workspace, member };
    const ref = await deps.people.access.accountOf(someone);
    if (ref === undefined) return {};
    const { role } = await deps.people.access.standing(someone, ref);
    return role !== undefined && may(role, 'see') ? { ref, role } : {};
  }

  /** Returns the requests in an account that a member may approve; never their own. */
  async function approvalsFor(ref: AccountRef, member: MemberId) {
    const waiting = (await deps.people.approvals.all(ref)).filter(
      ({ by, stage, until }) => stage.state === 'waiting' && by !== member && until > clock.now(),
    );
    const someone = { workspace: ref.workspace, team: ref.workspace, member };
    const mayApprove = waiting.length > 0 && (await deps.people.access.has(someone, ref, 'approve'));
    return mayApprove ? waiting.map((request) => ({ account: ref.account, request })) : [];
  }

  /** Returns a member's home tab data, and when they will change (ms), if known. */
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
      name: (await people.accounts.nameOf(ref)) ?? '',
      isOwn: await people.accounts.hasOwnKey(workspace, member),
      ...(await waitingIn(ref, member, at.campaigns)),
      ...(await unreadForHome(deps, ref)),
      ...(role === undefined ? {} : { role: roleWords[role] }),
      mayRate,
      ...(decisions === undefined ? {} : { decisions: { ...decisions, said } }),
      ...(mayRate ? { mine: await mine.of(ref, member) } : {}),
      ...(may(role, 'settings') ? { roles: await deps.rolesOf(ref) } : {}),
      needsAttention: await attention.forMember(workspace, member),
      approvals: await approvalsFor(ref, member),
    };
    return { summary, changesAt: changesAt(decisions?.rows ?? [], clock.now()) };
  }

  async function turn(
    { workspace, member, value }: Pick<Click, 'workspace' | 'member' | 'value'>,
    list: keyof Pages,
  ): Promise<void> {
    await pages.turn(workspace, member, list, value);
    await publish(workspace, member);
  }

  /**
   * Publishes the home tab. If an earlier rendering overtakes a later one, the tab is published again.
   * @param due since when it was due, if requested; absent: somebody is waiting for it
   * @param said a one-time answer shown in the tab
   */
  async function publish(
    workspace: WorkspaceId,
    member: MemberId,
    { due, said = [] }: { readonly due?: number; readonly said?: readonly KnownBlock[] } = {},
  ): Promise<void> {
    const last = () => slack.renderNumbers.last(workspace, nameOf(member));
    let revision = await slack.renderNumbers.next(workspace, nameOf(member), revisionSeconds);
    for (;;) {
      const began = clock.now();
      const { summary, changesAt: next } = await summaryOf(workspace, member, said);
      // A later rendering publishes, or already has.
      if ((await last()) !== revision) return;
      await deps.slack.messengerOf(workspace).publishHome(member, homeView(summary, clock.now()));
      await deps.people.openedHomes.published(workspace, member, began, due);
      if (next !== undefined) await deps.slack.homes.at(workspace, member, next);
      // This call may have reached Slack after a later one.
      const latest = await last();
      if (latest === revision) return;
      revision = latest;
    }
  }

  const refreshing = createRefresh({
    ...deps,
    publish: (workspace, member, due) => publish(workspace, member, { due }),
  });

  /** Undoes a decision, and shows the outcome where Undo was pressed. */
  const undo = onButton(
    undoValue,
    'rate',
    async (click) => {
      const {
        ref,
        workspace,
        member,
        value: { task, decision },
      } = click;
      const said: KnownBlock[] = [];
      const answer = async ({ blocks }: Message) => void said.push(...blocks);
      await deps.decisions.undo({ ...click, answer }, ref, task, decision);
      await publish(workspace, member, { said });
    },
    { also: ['undo'] },
  );

  const feature: Feature = {
    async homeOpened({ workspace, member }) {
      await deps.people.openedHomes.record(workspace, member, clock.now());
      await pages.reset(workspace, member);
      await publish(workspace, member);
    },
    clicks: {
      [undoAction]: undo,
      [`${campaignPageAction}.previous`]: { needs: 'anyone', run: (click) => turn(click, 'campaigns') },
      [`${campaignPageAction}.next`]: { needs: 'anyone', run: (click) => turn(click, 'campaigns') },
      [`${decisionPageAction}.previous`]: { needs: 'anyone', run: (click) => turn(click, 'decisions') },
      [`${decisionPageAction}.next`]: { needs: 'anyone', run: (click) => turn(click, 'decisions') },
      [helpAction]: {
        needs: 'anyone',
        once: true,
        run: ({ answer }) => answer(deps.help()),
      },
    },
  };

  /** Updates a member's home tab, if they have opened one. */
  async function refresh(workspace: WorkspaceId, member: MemberId): Promise<void> {
    if ((await slack.renderNumbers.last(workspace, nameOf(member))) === 0) return;
    try {
      await publish(workspace, member);
    } catch (error) {
      // Opening the tab publishes it again.
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ err: error, member }, 'home tab not updated');
    }
  }

  /** The waiting work this process last saw in an account; changes are shown in open tabs. */
  const seenWaiting = new Map<string, string>();
  /** When each workspace's work was last resumed (ms): a thousand accounts of one are polled, each every few seconds. */
  const resumedAt = new Map<string, number>();

  return {
    feature,
    /** Called when a member's account has changed. */
    refresh,
    /** Refreshes open tabs if the waiting work has changed, and resumes what a process died over. */
    async afterPoll(ref: AccountRef): Promise<void> {
      const name = `${ref.workspace}/${ref.account}`;
      const counts = [
        deps.tasks.open.count(ref),
        deps.tasks.open.campaignCount(ref),
        deps.tasks.lowest(ref, 'open'),
      ];
      const waiting = (await Promise.all(counts)).join(' ');
      const before = seenWaiting.get(name);
      seenWaiting.set(name, waiting);
      if (before !== undefined && before !== waiting) await deps.slack.homes.others(ref.workspace);
      else if (deps.clock.now() - (resumedAt.get(ref.workspace) ?? 0) >= resumeMs) {
        resumedAt.set(ref.workspace, deps.clock.now());
        await deps.slack.homes.resume(ref.workspace);
      }
    },
    jobs: { 'refresh-homes': refreshing.run },
  };
}

/** Returns when displayed decisions will change (ms); undefined if unknown. */
function changesAt(rows: readonly DecisionRow[], now: number): number | undefined {
  const times = rows.flatMap(({ outcome }) => {
    if (outcome.kind !== 'decision' || !isPending(outcome)) return [];
    const { state, at, dueAt = now } = outcome.decision;
    // Sending usually ends within a moment; if not, a viewer watches for a while, not for hours.
    if (state === 'sending' && now < at + quickMs) return [now + sentAfterMs];
    return [state === 'waiting' ? Math.max(now, dueAt) + sentAfterMs : now + slowAfterMs];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Returns an account's unread inbox messages as of the last poll, if no channel receives them or that channel is lost;
 * nothing if one does, or if the account is not polled.
 */
async function unreadForHome(
  { slack, channels }: Modules,
  ref: AccountRef,
): Promise<{ readonly unread?: number }> {
  const channel = await channels.routing.forInbox(ref);
  if (channel !== undefined && (await channels.lost.get(ref.workspace, channel)) === undefined) return {};
  if ((await channels.subscriptions.ofAccount(ref)).length === 0) return {};
  return { unread: await slack.announcements.unreadCount(ref) };
}

/** Number of the member's tasks named in Home. */
const named = 3;

/** Creates the summary of a member's own tasks: their count, and the first of them. */
function createMine({ tasks, campaigns }: Modules) {
  return {
    async of(ref: AccountRef, member: MemberId): Promise<MineSummary> {
      const { count, tasks: ids } = await tasks.assignments.mine(ref, member, { limit: named });
      const found = count === 0 ? [] : await tasks.getMany(ref, ids);
      const [titles, dueTimes] = await Promise.all([
        campaigns.getMany(ref, [...new Set(found.map(({ campaign }) => campaign))]),
        tasks.deadlines.dueAt(ref, found),
      ]);
      const first = found.map(({ id, campaign, worker }) => {
        const at = dueTimes.get(id);
        return {
          campaignTitle: titles.get(campaign)?.title.trim() || `Campaign ${campaign}`,
          worker: worker.name ?? worker.id,
          ...(at === undefined ? {} : { dueAt: at }),
        };
      });
      return { account: ref.account, count, first };
    },
  };
}
