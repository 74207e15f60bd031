import {
  type ApprovalEnd,
  type ApprovalRequest,
  costsTheSame,
  type SpendingAct,
  subjectOf,
} from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import { type Capability, leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type Again, isAgain, type JobEnd } from '../../jobs/queue.ts';
import { requestKind } from '../../kit/live-message.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onForm, onView } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { plain } from '../../slack/mrkdwn.ts';
import type { AuditStep } from '../../store/audit.ts';
import {
  answeredBefore,
  answeredMeanwhile,
  approvedText,
  approverMayNot,
  askerHasNoRole,
  askerMessage,
  declinedText,
  limitsIn,
  limitsModal,
  limitsSavedModal,
  limitsState,
  limitsText,
  nobodyApproves,
  ownRequestText,
  paymentChanged,
  requestMessage,
} from './approvals.view.ts';
import {
  type ActOutcome,
  type ApprovedAct,
  type ApprovedActs,
  aboutRequest,
  approvedBy,
  approversOf,
  queueApproval,
} from './spending.ts';
import { approvalValue } from './spending.view.ts';

type Deps = Modules & {
  /** How approved acts run, provided by their features. */
  readonly acts: ApprovedActs;
};

/** Retry interval of an approved act while rights or the marketplace cannot be checked (ms). */
const retryMs = 30_000;
/** The request has changed since it was read. */
const outdated: Again = { again: 1 };
/** Timeout of creating a campaign (ms), which includes file uploads. */
const createMs = 120_000;

/** Creates approvals: managers answer requests, and a job performs approved ones. */
export function createApprovalsFeature(deps: Deps) {
  const { people, clock } = deps;
  const { messages } = people.approvals;

  /** Returns the implementation of a request's act. */
  const actOf = ({ act }: ApprovalRequest): ApprovedAct<SpendingAct> =>
    deps.acts[act.kind] as ApprovedAct<SpendingAct>;

  /** Stores a request's next stage. Returns undefined if the request has changed. */
  async function moveOn(
    ref: AccountRef,
    request: ApprovalRequest,
    stage: ApprovalRequest['stage'],
    step?: AuditStep,
  ): Promise<ApprovalRequest | undefined> {
    const after = { ...request, stage };
    return (await people.approvals.swap(ref, request, after, step)) ? after : undefined;
  }

  /** Ends a request. An act that was carried out has written its own entries. */
  async function end(ref: AccountRef, request: ApprovalRequest, how: ApprovalEnd): Promise<JobEnd> {
    const isByJob = how.kind === 'canceled' || how.kind === 'expired';
    const inTime = how.by === undefined ? 'nobody answered in time' : 'approved, but not carried out in time';
    const entry: NewAuditEntry = {
      what: 'end request',
      how: 'job',
      member: request.by,
      ...aboutRequest(request),
      answer: how.sentence === undefined ? inTime : plain(how.sentence),
    };
    const step = isByJob ? deps.audit.step(ref, entry) : undefined;
    const ended = await moveOn(ref, request, { state: 'ended', end: how }, step);
    return ended === undefined ? outdated : tellAndRemove(ref, ended);
  }

  const cancel = (ref: AccountRef, request: ApprovalRequest, sentence: string) =>
    end(ref, request, { kind: 'canceled', sentence });

  /** Shows the managers what has become of a request. */
  const update = (ref: AccountRef, request: ApprovalRequest): Promise<void> =>
    messages.goOn(ref, request, request.asked ?? []);

  /** Tells everybody a request's outcome, each of them once, then removes it. */
  async function tellAndRemove(ref: AccountRef, request: ApprovalRequest): Promise<void> {
    await update(ref, request);
    await messages.tell(ref, request, [request.by]);
    await people.approvals.swap(ref, request, undefined);
    await deps.slack.homes.all(ref.workspace);
  }

  /** Returns why an approved act is no longer allowed, by the current rights of requester and approver, or when to ask again. */
  async function rightsProblem(
    ref: AccountRef,
    { act, by: asker }: ApprovalRequest,
    approver: MemberId,
  ): Promise<string | Again | undefined> {
    const { workspace } = ref;
    const standingOf = (member: MemberId, capability: Capability) =>
      people.access.roleIn({ workspace, team: workspace, member }, ref, {
        enough: leastRole(capability),
        isFresh: true,
      });
    const least = act.kind === 'bonus' ? 'rate' : 'see';
    const [ofAsker, ofApprover] = [await standingOf(asker, least), await standingOf(approver, 'approve')];
    if (ofAsker.refusal === 'unchecked' || ofApprover.refusal === 'unchecked') return { again: retryMs };
    if (!may(ofAsker.role, least)) return askerHasNoRole;
    return may(ofApprover.role, 'approve') ? undefined : approverMayNot;
  }

  async function perform(ref: AccountRef, request: ApprovalRequest, approver: MemberId): Promise<JobEnd> {
    const current = await actOf(request).current(ref, request.act);
    if (isAgain(current)) return current;
    if ('canceled' in current) return cancel(ref, request, current.canceled);
    if (!costsTheSame(current, request.act)) return cancel(ref, request, paymentChanged);
    const problem = await rightsProblem(ref, request, approver);
    if (typeof problem === 'object') return problem;
    if (problem !== undefined) return cancel(ref, request, problem);
    const by = approvedBy(approver, request);
    const claim = actOf(request).claim(request.act);
    const step = claim && deps.audit.step(ref, { ...claim, ...by, act: request.id, stage: 'claimed' });
    const leaseMs = request.act.kind === 'create' ? createMs : deps.jobs.timeouts.sendLeaseMs;
    const until = clock.now() + leaseMs;
    const sending = await moveOn(ref, request, { state: 'sending', by: approver, until }, step);
    if (sending === undefined) return outdated;
    await deps.jobs.faults('act claimed, not sent');
    const outcome = await actOf(request).perform(ref, request.act, request.id, by);
    await deps.jobs.faults('act sent, not recorded');
    return finish(ref, sending, approver, outcome);
  }

  async function finish(
    ref: AccountRef,
    request: ApprovalRequest,
    by: MemberId,
    { kind, sentence }: ActOutcome,
  ): Promise<JobEnd> {
    if (kind === 'unanswered')
      return (await moveOn(ref, request, { state: 'approved', by })) ? { again: retryMs } : outdated;
    return end(ref, request, { kind, sentence, by });
  }

  /** Asks the managers. They read it if the request is answered meanwhile. */
  async function askAll(ref: AccountRef, request: ApprovalRequest): Promise<void> {
    await messages.tell(ref, request, request.asked ?? []);
    const latest = await people.approvals.get(ref, subjectOf(request.act));
    const isOver = latest?.id !== request.id;
    const end = { kind: 'canceled', sentence: answeredMeanwhile } as const;
    await update(ref, isOver ? { ...request, stage: { state: 'ended', end } } : latest);
    await deps.slack.homes.all(ref.workspace);
  }

  /** Returns whether all managers were asked. */
  async function areAsked(ref: AccountRef, request: ApprovalRequest): Promise<boolean> {
    if (request.asked === undefined) return false;
    const ids = request.asked.map((member) => messages.idOf(request, member));
    return (await messages.getMany(ref, ids)).every((one) => one && one.card.state !== 'wanted');
  }

  /** Asks those who may approve a request; searches for them first if they are not known yet. */
  async function askApprovers(ref: AccountRef, request: ApprovalRequest): Promise<JobEnd> {
    if (request.asked !== undefined) return askAll(ref, request);
    const found = await approversOf(deps, ref, request.by);
    if (found.members === undefined) return { again: found.waitMs };
    if (found.members.length === 0) return cancel(ref, request, nobodyApproves);
    const known = { ...request, asked: found.members };
    if (!(await people.approvals.swap(ref, request, known))) return outdated;
    return askAll(ref, known);
  }

  /** Continues a request; does nothing if it was answered or ended, and never performs an act twice. */
  async function run({ subject, request: id, ...ref }: Payload<'approval'>): Promise<JobEnd> {
    const request = await people.approvals.get(ref, subject);
    if (request?.id !== id) return;
    const { stage } = request;
    const { act } = request;
    switch (stage.state) {
      case 'ended':
        return tellAndRemove(ref, request);
      case 'sending': {
        if (stage.until > clock.now()) return { again: stage.until - clock.now() };
        const outcome = await actOf(request).settle(ref, act, id, approvedBy(stage.by, request));
        return isAgain(outcome) ? outcome : finish(ref, request, stage.by, outcome);
      }
      case 'approved':
        if (clock.now() >= request.until) return end(ref, request, { kind: 'expired', by: stage.by });
        await update(ref, request);
        return perform(ref, request, stage.by);
      case 'waiting': {
        if (clock.now() >= request.until) return end(ref, request, { kind: 'expired' });
        // Only for a task can it be determined without an external call whether others handled it meanwhile.
        const current = act.kind === 'bonus' ? await deps.acts.bonus.current(ref, act) : act;
        if (isAgain(current)) return current;
        if ('canceled' in current) return cancel(ref, request, current.canceled);
        return askApprovers(ref, request);
      }
    }
  }

  const answer = (isApproved: boolean) =>
    onButton(approvalValue, 'approve', async (click) => {
      const { ref, member } = click;
      const { subject, request: id } = click.value;
      for (;;) {
        const request = await people.approvals.get(ref, subject);
        if (request?.id !== id || request.stage.state !== 'waiting' || clock.now() >= request.until)
          return click.answer(notice(answeredBefore));
        if (request.by === member && isApproved) return click.answer(notice(ownRequestText(request)));
        const stage: ApprovalRequest['stage'] = isApproved
          ? { state: 'approved', by: member }
          : { state: 'ended', end: { kind: 'declined', by: member } };
        const answered: ApprovalRequest = { ...request, stage };
        const entry = {
          what: isApproved ? 'approve' : 'decline',
          ...doneBy(click),
          member: request.by,
          ...aboutRequest(request),
        } as const;
        if (!(await people.approvals.swap(ref, request, answered, deps.audit.step(ref, entry)))) continue;
        await queueApproval(deps, ref, answered, stage.state);
        // The home tab has no message that shows it.
        if (click.message === undefined) await click.answer(notice(isApproved ? approvedText : declinedText));
        return;
      }
    });

  /** Opens the spending limits above the settings. */
  const openLimits = onView(limitsState, 'settings', async ({ ref, open }) => {
    const limits = await people.spending.limits(ref);
    await open(limitsModal(limitsState.encode({ account: ref.account }), limits, deps.marketplace.zone));
  });

  const saveLimits = onForm(limitsState, 'settings', async (submission) => {
    const { workspace, account } = submission.ref;
    const parsed = limitsIn(submission.values);
    if ('errors' in parsed) return parsed;
    const before = limitsText(await people.spending.limits(submission.ref));
    const about = { account, before, after: limitsText(parsed.limits), ...doneBy(submission) };
    // Limits belong to the workspace: their entry goes to its trail, where one Redis step writes both.
    const step = deps.audit.step({ workspace }, { what: 'set limits', ...about });
    await people.spending.setLimits(submission.ref, parsed.limits, step);
    return { update: limitsSavedModal(parsed.limits) };
  });

  const feature: Feature = {
    clicks: {
      'approval.approve': answer(true),
      'approval.decline': answer(false),
      'spending.limits': openLimits,
    },
    submissions: { 'spending.limits': saveLimits },
  };

  /** Requeues an account's request jobs, in case a process died before queuing them. */
  async function resume(ref: AccountRef): Promise<void> {
    for (const request of await people.approvals.all(ref)) {
      const { stage, until } = request;
      const isQuiet = stage.state === 'waiting' && clock.now() < until && (await areAsked(ref, request));
      if (!isQuiet) await queueApproval(deps, ref, request, stage.state);
    }
  }

  return {
    feature,
    jobs: { approval: run },
    message: requestKind(deps.slack, messages, ({ account }, { member, request }) =>
      member === request.by ? askerMessage(request) : requestMessage(account, request),
    ),
    afterPoll: resume,
    /** Resumes the requests of all accounts of a workspace, after a start. */
    async start(workspace: WorkspaceId): Promise<void> {
      for (const ref of await deps.people.accounts.all(workspace)) await resume(ref);
    },
  };
}
