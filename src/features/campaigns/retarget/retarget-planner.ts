import { randomUUID } from 'node:crypto';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import { leastRole, may } from '../../../domain/permissions.ts';
import type { AccountRef, CampaignId } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import type { Payload } from '../../../jobs/catalogue.ts';
import { Reschedule } from '../../../jobs/runner.ts';
import {
  type CallFailure,
  hasUnknownOutcome,
  isCallFailure,
  MarketplaceError,
} from '../../../marketplace/index.ts';
import type { Click } from '../../../slack/feature.ts';
import { escaped } from '../../../slack/mrkdwn.ts';
import { SlackError } from '../../../slack/slack-error.ts';
import type { PlannedRetarget, RetargetEnd } from '../../../store/planned-retargets.ts';
import { doneBy } from '../../shared/audited-act.ts';
import type { CampaignListings } from '../../shared/campaign-listings.ts';
import type { FeatureContext } from '../../shared/context.ts';
import { marketplaceErrorText } from '../../shared/marketplace-error.ts';
import { answerBudget } from '../../shared/time-budget.ts';
import { campaignValue } from '../button-values.ts';
import { runForModal } from '../campaign-form.ts';
import { campaignFormState, resultView } from '../campaign-form.view.ts';
import { replaceOrAnswer } from '../requester.ts';
import { type Countries, codesText } from '../targeting.ts';
import { countriesIn, validateCountries } from './country-input.ts';
import { retargetForm } from './retarget.view.ts';
import {
  canceledText,
  changeUnderWay,
  endMessage,
  noLongerAllowed,
  nothingPlanned,
  plannedInFormText,
  plannedText,
  planOfferValue,
  plansMessage,
} from './retarget-planner.view.ts';

/** The marketplace's clock may be slightly behind ours. */
const clockSkewMs = 1_000;
/** Retry interval and total time while the marketplace is unreachable. */
const retryMs = 60_000;
const retryForMs = 3_600_000;

export type RetargetPlanner = ReturnType<typeof createRetargetPlanner>;

/** Returns when a refused change becomes possible (ms), if the refusal says so. */
export function nextRetargetAt(error: CallFailure): number | undefined {
  return error instanceof MarketplaceError ? error.details.nextRetargetAt?.getTime() : undefined;
}

/** Creates the scheduling of country changes, each made at most once: planned by a click, listed, canceled. */
export function createRetargetPlanner(
  context: Pick<
    FeatureContext,
    | 'access'
    | 'audit'
    | 'claimOnce'
    | 'jobs'
    | 'logger'
    | 'marketplaceOf'
    | 'messengerOf'
    | 'now'
    | 'timeouts'
    | 'plannedRetargets'
  >,
  listings: CampaignListings,
) {
  const { access, claimOnce, jobs, logger, marketplaceOf, messengerOf, now, plannedRetargets, timeouts } =
    context;
  const { writer } = context.audit;

  /** Returns the audit entry of a plan. All entries about one plan share its id. */
  function entryOf(plan: PlannedRetarget): Omit<NewAuditEntry, 'what'> {
    return { campaign: plan.campaign, act: plan.id, after: codesText(plan) };
  }

  /** Returns an account's plans, the next first; excludes those being sent, and ended ones. */
  async function list(ref: AccountRef): Promise<PlannedRetarget[]> {
    return (await plannedRetargets.all(ref)).filter(({ stage }) => stage.state === 'planned');
  }

  async function enqueue(ref: AccountRef, { campaign, id, dueAt }: PlannedRetarget): Promise<void> {
    const delayMs = Math.max(0, dueAt + clockSkewMs - now());
    await jobs.add('retarget-later', { ...ref, campaign, plan: id }, { delayMs, uniqueKey: id });
  }

  /** Replaces a campaign's plan, and queues its job. Throws a UserError while the old one is being sent. */
  async function schedule(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    for (;;) {
      const stored = await plannedRetargets.get(ref, plan.campaign);
      if (stored !== undefined && stored.stage.state !== 'planned') throw new UserError(changeUnderWay);
      const step = writer.step(ref, { what: 'plan retarget', by: plan.by, how: 'click', ...entryOf(plan) });
      if (await plannedRetargets.swap(ref, plan.campaign, stored, plan, step)) break;
    }
    await enqueue(ref, plan);
  }

  /** Removes a plan that has not begun, and returns a sentence about it. */
  async function cancel(
    ref: AccountRef,
    campaign: CampaignId,
    actor: Pick<NewAuditEntry, 'by' | 'how'>,
  ): Promise<string> {
    for (;;) {
      const plan = await plannedRetargets.get(ref, campaign);
      if (plan?.stage.state !== 'planned') return nothingPlanned;
      const member = plan.by === actor.by ? {} : { member: plan.by };
      const step = writer.step(ref, { what: 'cancel retarget', ...actor, ...member, ...entryOf(plan) });
      if (await plannedRetargets.swap(ref, campaign, plan, undefined, step)) return canceledText(plan);
    }
  }

  async function end(ref: AccountRef, plan: PlannedRetarget, how: RetargetEnd): Promise<void> {
    const ended: PlannedRetarget = { ...plan, stage: { state: 'ended', end: how } };
    const step = writer.step(ref, {
      what: 'retarget',
      by: plan.by,
      how: 'job',
      ...entryOf(plan),
      ...endOf(how),
    });
    if (!(await plannedRetargets.swap(ref, plan.campaign, plan, ended, step))) throw new Reschedule(1);
    await notifyAndRemove(ref, ended);
  }

  /** Notifies the planner of the outcome, then removes the plan. */
  async function notifyAndRemove(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    const message = endMessage(plan);
    try {
      if (message) await messengerOf(ref.workspace).direct(plan.by, message);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') throw new Reschedule(error.retryAfterMs);
      if (error.kind === 'unreachable') throw error;
      logger.warn({ err: error, member: plan.by, campaign: plan.campaign }, 'planned retarget: not notified');
    }
    await plannedRetargets.swap(ref, plan.campaign, plan, undefined);
  }

  async function send(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    const { role, refusal } = await access.standing(
      { workspace: ref.workspace, team: ref.workspace, member: plan.by },
      ref,
      { enough: leastRole('retarget') },
    );
    if (refusal === 'unchecked') throw new Reschedule(retryMs);
    if (!may(role, 'retarget')) {
      return end(ref, plan, { kind: 'refused', sentence: noLongerAllowed });
    }
    const client = await marketplaceOf(ref);
    const sending: PlannedRetarget = {
      ...plan,
      stage: { state: 'sending', until: now() + timeouts.sendLeaseMs },
    };
    const claimed = {
      what: 'retarget',
      by: plan.by,
      how: 'job',
      ...entryOf(plan),
      stage: 'claimed',
    } as const;
    if (!(await plannedRetargets.swap(ref, plan.campaign, plan, sending, writer.step(ref, claimed))))
      throw new Reschedule(1);
    let how: RetargetEnd = { kind: 'done' };
    try {
      await client.retargetCampaign(plan.campaign, plan);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isUnanswered = !(error instanceof MarketplaceError) && !hasUnknownOutcome(error);
      if (isUnanswered && now() < plan.firstDueAt + retryForMs) {
        const retry = { ...plan, dueAt: now() + retryMs };
        const refused = { ...claimed, stage: 'failed', answer: error.message } as const;
        await plannedRetargets.swap(ref, plan.campaign, sending, retry, writer.step(ref, refused));
        throw new Reschedule(retryMs);
      }
      const nextAt = nextRetargetAt(error);
      how = hasUnknownOutcome(error)
        ? { kind: 'unsure' }
        : {
            kind: 'refused',
            sentence: marketplaceErrorText(error),
            ...(nextAt === undefined ? {} : { nextAt }),
          };
    }
    await end(ref, sending, how);
  }

  return {
    list,

    cancel,

    /** Returns a campaign's plan, even while it is being sent. */
    async planOf(ref: AccountRef, campaign: CampaignId): Promise<PlannedRetarget | undefined> {
      const plan = await plannedRetargets.get(ref, campaign);
      return plan?.stage.state === 'ended' ? undefined : plan;
    },

    /** Ensures that every plan of an account has its job, in case a process died between storing and queuing. */
    async resume(ref: AccountRef): Promise<void> {
      for (const plan of await plannedRetargets.all(ref)) await enqueue(ref, plan);
    },

    /** Plans the change a refusal offers; from the form, with its current countries. */
    async planClick(click: Click): Promise<void> {
      const { workspace, member, value, view } = click;
      const { campaign, at: offered, countries: refused } = planOfferValue.decode(value);
      const ref = await click.authorize();
      const { title } = await listings.byId(ref, campaign, answerBudget());
      const countries: Countries = view ? countriesIn(view.values) : refused;
      const problems = Object.values(validateCountries(countries));
      if (problems.length > 0) throw new UserError(`Nothing was planned. ${escaped(problems.join(' '))}`);
      // The offer may be clicked after its time.
      const at = Math.max(offered, now());
      const idempotencyKey = `retarget then ${click.id}`;
      const plan: PlannedRetarget = {
        id: randomUUID(),
        campaign,
        title,
        ...countries,
        by: member,
        firstDueAt: at,
        dueAt: at,
        stage: { state: 'planned' },
      };
      if (view === undefined) {
        if (!(await claimOnce(workspace, idempotencyKey))) return;
        await schedule(ref, plan);
        await replaceOrAnswer(click, plansMessage([plan], plannedText(plan)));
        return;
      }
      const { channel } = campaignFormState.decode(view.state);
      const requester = { workspace, member, channel };
      const claim = () => claimOnce(workspace, idempotencyKey);
      await runForModal(context, requester, { viewId: view.id, claim }, async () => {
        await schedule(ref, plan);
        const sentence = plannedInFormText(plan);
        return { view: resultView(retargetForm, sentence), sentence };
      });
    },

    async cancelClick(click: Click): Promise<void> {
      const ref = await click.authorize();
      const { campaign } = campaignValue.decode(click.value);
      if (!(await claimOnce(click.workspace, `retarget cancel ${click.id}`))) return;
      const sentence = await cancel(ref, campaign, doneBy(click));
      await replaceOrAnswer(click, plansMessage(await list(ref), sentence));
    },

    /** Runs the job. Does nothing if the plan was canceled, replaced or made; never sends one twice. */
    async run({ campaign, plan: id, ...ref }: Payload<'retarget-later'>): Promise<void> {
      const plan = await plannedRetargets.get(ref, campaign);
      if (plan?.id !== id) return;
      const { stage } = plan;
      if (stage.state === 'ended') return notifyAndRemove(ref, plan);
      const delayMs = stage.state === 'sending' ? stage.until - now() : plan.dueAt + clockSkewMs - now();
      if (delayMs > 0) throw new Reschedule(delayMs);
      // The process that sent it died before storing the outcome.
      if (stage.state === 'sending') return end(ref, plan, { kind: 'unsure' });
      return send(ref, plan);
    },
  };
}

/** Returns the outcome of a planned change, for the audit. */
function endOf(how: RetargetEnd): Pick<NewAuditEntry, 'stage' | 'answer'> {
  if (how.kind === 'done') return { stage: 'done', answer: 'OK' };
  return how.kind === 'unsure' ? { stage: 'unknown' } : { stage: 'failed', answer: how.sentence };
}
