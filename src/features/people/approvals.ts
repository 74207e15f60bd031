import { randomUUID } from 'node:crypto';
import {
  type ApprovalEnd,
  type ApprovalRequest,
  costsTheSame,
  type SpendingAct,
  subjectOf,
  totalOf,
} from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import { type Capability, leastRole, may } from '../../domain/permissions.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { type Again, isAgain, type JobEnd } from '../../jobs/runner.ts';
import { requestKind } from '../../kit/live-message-kind.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onForm, onView } from '../../kit/on.ts';
import {
  type ActOutcome,
  type ApprovedAct,
  type ApprovedActs,
  aboutRequest,
  approvedBy,
  approversOf,
  queueApproval,
} from '../../kit/spending.ts';
import { notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { plain } from '../../slack/mrkdwn.ts';
import type { AuditStep } from '../../store/audit-entries.ts';
import { approvalValue, approveAction, declineAction } from '../../ui/approval.view.ts';
import {
  answeredBefore,
  answeredMeanwhile,
  approvedText,
  approverMayNot,
  askedAgainText,
  askerHasNoRole,
  askerMessage,
  declinedText,
  limitsAction,
  limitsForm,
  limitsIn,
  limitsModal,
  limitsSavedModal,
  limitsState,
  limitsText,
  nobodyApproves,
  ownRequestText,
  requestMessage,
} from './approvals.view.ts';

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
  const { people, jobs, clock } = deps;
  const limits = createLimits(deps);
  const messages = createRequestMessages(deps);

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

  /** Ends a request. @param entry its audit entry, if no other entry exists */
  async function end(
    ref: AccountRef,
    request: ApprovalRequest,
    how: ApprovalEnd,
    entry?: NewAuditEntry,
  ): Promise<JobEnd> {
    const step = entry && deps.audit.step(ref, entry);
    const ended = await moveOn(ref, request, { state: 'ended', end: how }, step);
    return ended === undefined ? outdated : tellAndRemove(ref, ended);
  }

  async function endByJob(ref: AccountRef, request: ApprovalRequest, how: ApprovalEnd): Promise<JobEnd> {
    const inTime = how.by === undefined ? 'nobody answered in time' : 'approved, but not carried out in time';
    const answer = how.sentence === undefined ? inTime : plain(how.sentence);
    return end(ref, request, how, {
      what: 'end request',
      how: 'job',
      member: request.by,
      ...aboutRequest(request),
      answer,
    });
  }

  /** Tells everybody a request's outcome, then removes it. */
  async function tellAndRemove(ref: AccountRef, request: ApprovalRequest): Promise<void> {
    await messages.end(ref, request);
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
      people.access.standing({ workspace, team: workspace, member }, ref, {
        enough: leastRole(capability),
        isFresh: true,
      });
    const least = act.kind === 'bonus' ? 'rate' : 'see';
    const [ofAsker, ofApprover] = [await standingOf(asker, least), await standingOf(approver, 'approve')];
    if (ofAsker.refusal === 'unchecked' || ofApprover.refusal === 'unchecked') return { again: retryMs };
    if (!may(ofAsker.role, least)) return askerHasNoRole;
    return may(ofApprover.role, 'approve') ? undefined : approverMayNot;
  }

  /** Ends a request whose total has changed, and creates another one with the new total. */
  async function askAgain(ref: AccountRef, request: ApprovalRequest, act: SpendingAct): Promise<JobEnd> {
    const { id: _, ...rest } = request;
    const again: ApprovalRequest = {
      ...rest,
      id: randomUUID(),
      act,
      total: totalOf(act),
      previousTotal: request.total,
      at: clock.now(),
      until: clock.now() + deps.jobs.timeouts.approvalMs,
      stage: { state: 'waiting' },
    };
    const entry = { what: 'ask approval', how: 'job', by: request.by, ...aboutRequest(again) } as const;
    if (!(await people.approvals.swap(ref, request, again, deps.audit.step(ref, entry)))) return outdated;
    await queueApproval(deps, ref, again, 'ask');
    await jobs.add(
      'approval',
      { ...ref, subject: subjectOf(act), request: again.id },
      { delayMs: deps.jobs.timeouts.approvalMs, uniqueKey: `${again.id} expiry` },
    );
    const canceled = { kind: 'canceled', sentence: askedAgainText } as const;
    await messages.end(ref, { ...request, stage: { state: 'ended', end: canceled } });
    return undefined;
  }

  async function perform(ref: AccountRef, request: ApprovalRequest, approver: MemberId): Promise<JobEnd> {
    const current = await actOf(request).current(ref, request.act);
    if (isAgain(current)) return current;
    if ('canceled' in current)
      return endByJob(ref, request, { kind: 'canceled', sentence: current.canceled });
    if (!costsTheSame(current, request.act)) return askAgain(ref, request, current);
    const problem = await rightsProblem(ref, request, approver);
    if (typeof problem === 'object') return problem;
    if (problem !== undefined) return endByJob(ref, request, { kind: 'canceled', sentence: problem });
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
    // The act writes its own entries.
    return end(ref, request, { kind, sentence, by });
  }

  /** Asks those who may approve a request; searches for them first if they are not known yet. */
  async function askApprovers(ref: AccountRef, request: ApprovalRequest): Promise<JobEnd> {
    if (request.asked !== undefined) return messages.askAll(ref, request);
    const found = await approversOf(deps, ref, request.by);
    if (found.members === undefined) return { again: found.waitMs };
    if (found.members.length === 0)
      return endByJob(ref, request, { kind: 'canceled', sentence: nobodyApproves });
    const known = { ...request, asked: found.members };
    if (!(await people.approvals.swap(ref, request, known))) return outdated;
    return messages.askAll(ref, known);
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
        if (clock.now() >= request.until) return endByJob(ref, request, { kind: 'expired', by: stage.by });
        await messages.update(ref, request);
        return perform(ref, request, stage.by);
      case 'waiting': {
        if (clock.now() >= request.until) return endByJob(ref, request, { kind: 'expired' });
        // Only for a task can it be determined without an external call whether others handled it meanwhile.
        const current = act.kind === 'bonus' ? await deps.acts.bonus.current(ref, act) : act;
        if (isAgain(current)) return current;
        if ('canceled' in current)
          return endByJob(ref, request, { kind: 'canceled', sentence: current.canceled });
        return askApprovers(ref, request);
      }
    }
  }

  const answer = (isApproved: boolean) =>
    onButton(approvalValue, 'approve', async (click) => {
      const {
        ref,
        member,
        value: { subject, request: id },
      } = click;
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

  const feature: Feature = {
    clicks: {
      [approveAction]: answer(true),
      [declineAction]: answer(false),
      [limitsAction]: limits.open,
    },
    submissions: { [limitsForm]: limits.save },
  };

  /** Requeues an account's request jobs, in case a process died before queuing them. */
  async function resume(ref: AccountRef): Promise<void> {
    for (const request of await people.approvals.all(ref)) {
      const { stage, until } = request;
      const isQuiet =
        stage.state === 'waiting' && clock.now() < until && (await messages.areAsked(ref, request));
      if (!isQuiet) await queueApproval(deps, ref, request, stage.state);
    }
  }

  return {
    feature,
    jobs: { approval: run },
    message: approvalMessage(deps),
    afterPoll: resume,
    /** Resumes the requests of all accounts of a workspace, after a start. */
    async start(workspace: WorkspaceId): Promise<void> {
      for (const ref of await deps.people.accounts.all(workspace)) await resume(ref);
    },
  };
}

/** Returns the kind of messages that ask managers about a request, and tell whoever asked what became of it. */
export function approvalMessage({ people, slack }: Modules) {
  return requestKind(slack, people.approvals.messages, ({ account }, { member, request }) =>
    member === request.by ? askerMessage(request) : requestMessage(account, request),
  );
}

/** Creates what tells people of requests. Each of them is told once, however often it is repeated. */
export function createRequestMessages({ people, slack }: Modules) {
  const { messages } = people.approvals;

  /** Shows the managers what has become of a request. */
  const update = (ref: AccountRef, request: ApprovalRequest): Promise<void> =>
    messages.goOn(ref, request, request.asked ?? []);

  return {
    update,

    /** Asks the managers. They read it if the request is answered meanwhile. */
    async askAll(ref: AccountRef, request: ApprovalRequest): Promise<void> {
      await messages.tell(ref, request, request.asked ?? []);
      const latest = await people.approvals.get(ref, subjectOf(request.act));
      const isOver = latest?.id !== request.id;
      const end = { kind: 'canceled', sentence: answeredMeanwhile } as const;
      await update(ref, isOver ? { ...request, stage: { state: 'ended', end } } : latest);
      await slack.homes.all(ref.workspace);
    },

    /** Returns whether all managers were asked. */
    async areAsked(ref: AccountRef, request: ApprovalRequest): Promise<boolean> {
      if (request.asked === undefined) return false;
      const ids = request.asked.map((member) => messages.idOf(request, member));
      return (await messages.getMany(ref, ids)).every((one) => one && one.card.state !== 'wanted');
    },

    /** Tells everybody that a request has ended. */
    async end(ref: AccountRef, request: ApprovalRequest): Promise<void> {
      await update(ref, request);
      await messages.tell(ref, request, [request.by]);
    },
  };
}

/** Creates the form for an account's spending limits, above its settings. */
export function createLimits({ audit, people, marketplace }: Modules) {
  return {
    open: onView(limitsState, 'settings', async ({ ref, open }) =>
      open(
        limitsModal(
          limitsState.encode({ account: ref.account }),
          await people.spending.limits(ref),
          marketplace.zone,
        ),
      ),
    ),

    save: onForm(limitsState, 'settings', async (submission) => {
      const { ref } = submission;
      const { account } = ref;
      const parsed = limitsIn(submission.values);
      if ('errors' in parsed) return parsed;
      const { limits } = parsed;
      // Limits belong to the workspace: their entry goes to its trail, where one Redis step writes both.
      const step = audit.step(
        { workspace: ref.workspace },
        {
          what: 'set limits',
          ...doneBy(submission),
          account,
          before: limitsText(await people.spending.limits(ref)),
          after: limitsText(limits),
        },
      );
      await people.spending.setLimits(ref, limits, step);
      return { update: limitsSavedModal(limits) };
    }),
  };
}
