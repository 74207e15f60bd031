import type { KnownBlock } from '@slack/types';
import { may } from '../../domain/permissions.ts';
import { isPending } from '../../domain/task.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { slackPause } from '../../store/pauses.ts';
import { roleWords } from '../../ui/words.ts';
import { type Decisions, undoAnswer } from '../decide/public.ts';
import { attentionFor } from './attention.ts';
import { boardOf, lastDecisionsOf } from './board.ts';
import { type DecisionRow, standing, undoValue } from './board.view.ts';
import { type AccountSummary, homeView } from './home.view.ts';

/** Expiry of a tab's render number; a tab without one is no longer updated automatically. */
const revisionSeconds = 30 * 86_400;

/** Delay of the refresh after a waiting decision is due (ms), and of one for a held or slow decision. */
const sentAfterMs = 1_500;
const slowAfterMs = 60_000;
/** A decision being sent counts as slow once it is older than this (ms). */
const quickMs = 60_000;

/** Number of home tabs one job publishes; the next job continues. */
const atOnce = 25;
const method = 'views.publish';

/** Minimum interval of looking whether home tabs are due whose job was lost (ms). */
const resumeMs = 1_000;

type Deps = Modules & {
  /** Undoes a decision, with the same checks as a card's button. */
  readonly decisions: Pick<Decisions, 'undo'>;
  /** Returns help for every command. */
  readonly help: () => Message;
};

/** Creates the home tab: a summary of the member's account, and buttons to everything else. */
export function createHome(deps: Deps) {
  const { people, slack, clock } = deps;
  const nameOf = (member: MemberId) => `home ${member}`;

  /** Returns the requests in an account that a member may approve; never their own. */
  async function approvalsFor(ref: AccountRef, member: MemberId) {
    const waiting = (await deps.people.approvals.all(ref)).filter(
      ({ by, stage }) => stage.state === 'waiting' && by !== member,
    );
    const someone = { workspace: ref.workspace, team: ref.workspace, member };
    const mayApprove = waiting.length > 0 && (await deps.people.access.has(someone, ref, 'approve'));
    return mayApprove ? waiting : [];
  }

  /** Returns a member's home tab data; undefined if they are not connected. */
  async function summaryOf(
    workspace: WorkspaceId,
    member: MemberId,
    said: readonly KnownBlock[],
  ): Promise<AccountSummary | undefined> {
    const someone = { workspace, team: workspace, member };
    const ref = await people.access.accountOf(someone);
    if (ref === undefined) return undefined;
    const { role } = await people.access.roleIn(someone, ref);
    if (!may(role, 'see')) return undefined;
    const mayRate = may(role, 'rate');
    return {
      account: ref.account,
      name: (await people.accounts.nameOf(ref)) ?? '',
      isOwn: (await people.accounts.keySourceOf(ref, member)) === 'own',
      board: await boardOf(deps, ref, member),
      unread: await slack.announcements.unreadCount(ref),
      role: role && roleWords[role],
      mayRate,
      hasDesk: people.desk.url !== undefined,
      decisions: mayRate ? { member, rows: await lastDecisionsOf(deps, ref, member), said } : undefined,
      mine: mayRate ? await deps.tasks.assignments.allOf(ref, member) : [],
      mayChangeSettings: may(role, 'settings'),
      needsAttention: await attentionFor(deps, workspace, member),
      approvals: await approvalsFor(ref, member),
    };
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
      const summary = await summaryOf(workspace, member, said);
      const next = changesAt(summary?.decisions?.rows ?? [], clock.now());
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

  async function publishDue(workspace: WorkspaceId, member: MemberId, due: number): Promise<void> {
    try {
      await publish(workspace, member, { due });
    } catch (error) {
      if (error instanceof SlackError && error.kind === 'rate-limited')
        return slack.rateLimiter.blockFor({ workspace, method, isBackground: true }, error.retryAfterMs);
      // Opening the tab publishes it again; the remaining due tabs must not wait for this one.
      await people.openedHomes.published(workspace, member, clock.now(), due);
      notUpdated(member)(error);
    }
  }

  const notUpdated = (member: MemberId) => (error: unknown) => {
    if (!(error instanceof SlackError)) throw error;
    deps.log.warn({ err: error, member }, 'home tab not updated');
  };

  /** Publishes changed home tabs, within Slack's limit. */
  async function refreshDue({ workspace }: Payload<'refresh-homes'>): Promise<void> {
    for (const [member, since] of await people.openedHomes.due(workspace, clock.now(), atOnce)) {
      const waitMs = await slack.rateLimiter.acquire({ workspace, method, isBackground: true });
      if (waitMs > 0) return slack.homes.later(workspace, clock.now() + waitMs);
      const pause = await deps.marketplace.pauses.enter(workspace, [slackPause]);
      if (pause.waitMs > 0) return slack.homes.later(workspace, clock.now() + pause.waitMs);
      await publishDue(workspace, member, since);
      await pause.release();
    }
    await slack.homes.resume(workspace);
  }

  /** Undoes a decision, and shows the outcome where Undo was pressed. */
  const undo = onButton(undoValue, { needs: 'rate', also: ['undo'] }, async (click) => {
    const { ref, value } = click;
    const outcome = await deps.decisions.undo(click, { ref, task: value.task }, value.decision);
    await publish(ref.workspace, click.member, { said: undoAnswer(outcome)?.blocks ?? [] });
  });

  const feature: Feature = {
    async homeOpened({ workspace, member }) {
      await deps.people.openedHomes.record(workspace, member, clock.now());
      await publish(workspace, member);
    },
    clicks: {
      'home.undo': undo,
      'home.help': { needs: 'anyone', once: true, run: ({ answer }) => answer(deps.help()) },
    },
  };

  /** Updates a member's home tab, if they have opened one. */
  async function refresh(workspace: WorkspaceId, member: MemberId): Promise<void> {
    if ((await slack.renderNumbers.last(workspace, nameOf(member))) === 0) return;
    // Opening the tab publishes it again.
    await publish(workspace, member).catch(notUpdated(member));
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
    jobs: { 'refresh-homes': refreshDue },
  };
}

/** Returns when displayed decisions will change (ms); undefined if unknown. */
function changesAt(rows: readonly DecisionRow[], now: number): number | undefined {
  const times = rows.flatMap((row) => {
    const decision = standing(row);
    if (decision === undefined || !isPending({ decision })) return [];
    const { state, at, dueAt = now } = decision;
    // Sending usually ends within a moment; if not, a viewer watches for a while, not for hours.
    if (state === 'sending' && now < at + quickMs) return [now + sentAfterMs];
    return [state === 'waiting' ? Math.max(now, dueAt) + sentAfterMs : now + slowAfterMs];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
