import { randomUUID } from 'node:crypto';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { Reschedule } from '../../jobs/runner.ts';
import { MarketplaceError } from '../../marketplace/index.ts';
import { type Click, chosenMany } from '../../slack/feature.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { PlannedRetarget, RetargetEnd } from '../../store/planned-retargets.ts';
import { askerIn, type CampaignsDeps } from './deps.ts';
import type { Listings } from './listing.ts';
import { carryOut, replaceOrSay } from './outcome.ts';
import { excludeInput, includeInput } from './retarget.view.ts';
import {
  beingSent,
  cancelledSentence,
  endedMessage,
  nothingPlanned,
  plannedInForm,
  plannedMessage,
  plannedSentence,
  plannedView,
} from './retarget-later.view.ts';
import { type Countries, problemsOf } from './targeting.ts';
import { type CallFailure, isCallFailure, isUnsure, told } from './told.ts';
import { campaignValue, formState, laterValue } from './values.ts';
import { answerWait } from './waits.ts';

/** The marketplace's clock may be a little behind ours. */
const marginMs = 1_000;
/** While the marketplace cannot be reached, a change is tried again so often, for so long. */
const againMs = 60_000;
const giveUpMs = 3_600_000;

export type RetargetLater = ReturnType<typeof createRetargetLater>;

/** When a refused change may be made (ms), if the refusal says so. */
export function nextRetargetAt(error: CallFailure): number | undefined {
  return error instanceof MarketplaceError ? error.details.nextRetargetAt?.getTime() : undefined;
}

/** Changes of countries that are made later, each at most once: planned by a click, listed, cancelled. */
export function createRetargetLater(deps: CampaignsDeps, listings: Listings) {
  const { accounts, claimOnce, jobs, logger, marketplaceOf, messengerOf, now, timeouts, plannedRetargets } =
    deps;

  /** What is planned for an account, the next first; without what is being made or has ended. */
  async function planned(ref: AccountRef): Promise<PlannedRetarget[]> {
    return (await plannedRetargets.all(ref)).filter(({ stage }) => stage.state === 'planned');
  }

  async function arm(ref: AccountRef, { campaign, id, dueAt }: PlannedRetarget): Promise<void> {
    const delayMs = Math.max(0, dueAt + marginMs - now());
    await jobs.add('retarget-later', { ...ref, campaign, plan: id }, { delayMs, once: id });
  }

  /** Keeps a plan in place of the one the campaign has. Throws a UserError while that one is being carried out. */
  async function keep(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    for (;;) {
      const had = await plannedRetargets.get(ref, plan.campaign);
      if (had !== undefined && had.stage.state !== 'planned') throw new UserError(beingSent);
      if (await plannedRetargets.swap(ref, plan.campaign, had, plan)) return;
    }
  }

  /** Takes a plan back. Gives it, or undefined when there is none that has not been begun. */
  async function takeBack(ref: AccountRef, campaign: CampaignId): Promise<PlannedRetarget | undefined> {
    for (;;) {
      const plan = await plannedRetargets.get(ref, campaign);
      if (plan?.stage.state !== 'planned') return undefined;
      if (await plannedRetargets.swap(ref, campaign, plan, undefined)) return plan;
    }
  }

  async function end(ref: AccountRef, plan: PlannedRetarget, how: RetargetEnd): Promise<void> {
    const ended: PlannedRetarget = { ...plan, stage: { state: 'ended', end: how } };
    if (!(await plannedRetargets.swap(ref, plan.campaign, plan, ended))) throw new Reschedule(1);
    await tell(ref, ended);
  }

  /** Tells whoever asked for it how it ended, then forgets it. */
  async function tell(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    const message = endedMessage(plan);
    try {
      if (message) await messengerOf(ref.workspace).direct(plan.by, message);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') throw new Reschedule(error.retryAfterMs);
      if (error.kind === 'unreachable') throw error;
      logger.warn({ err: error, member: plan.by }, 'the end of a planned retarget could not be told');
    }
    await plannedRetargets.swap(ref, plan.campaign, plan, undefined);
  }

  /** Makes the change, now. */
  async function make(ref: AccountRef, plan: PlannedRetarget): Promise<void> {
    if (!(await accounts.mayUse(ref, plan.by))) {
      return end(ref, plan, {
        kind: 'refused',
        sentence:
          'You are no longer connected to its account. Connect with `/proofdesk connect`, then change them.',
      });
    }
    const client = await marketplaceOf(ref);
    const sending: PlannedRetarget = {
      ...plan,
      stage: { state: 'sending', until: now() + timeouts.sendLeaseMs },
    };
    if (!(await plannedRetargets.swap(ref, plan.campaign, plan, sending))) throw new Reschedule(1);
    let how: RetargetEnd = { kind: 'done' };
    try {
      await client.retargetCampaign(plan.campaign, plan);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isUnanswered = !(error instanceof MarketplaceError) && !isUnsure(error);
      if (isUnanswered && now() < plan.firstDueAt + giveUpMs) {
        const again = { ...plan, dueAt: now() + againMs };
        await plannedRetargets.swap(ref, plan.campaign, sending, again);
        throw new Reschedule(againMs);
      }
      const nextAt = nextRetargetAt(error);
      how = isUnsure(error)
        ? { kind: 'unsure' }
        : { kind: 'refused', sentence: told(error), ...(nextAt === undefined ? {} : { nextAt }) };
    }
    await end(ref, sending, how);
  }

  /** Takes a plan back, and gives what to say of it. */
  async function cancelled(ref: AccountRef, campaign: CampaignId): Promise<string> {
    const plan = await takeBack(ref, campaign);
    return plan === undefined ? nothingPlanned : cancelledSentence(plan);
  }

  return {
    planned,

    cancelled,

    /** What is planned for a campaign, or being made right now. */
    async planOf(ref: AccountRef, campaign: CampaignId): Promise<PlannedRetarget | undefined> {
      const plan = await plannedRetargets.get(ref, campaign);
      return plan?.stage.state === 'ended' ? undefined : plan;
    },

    /** Makes sure that every plan of an account has its job, also when a process died between the two. */
    async resume(ref: AccountRef): Promise<void> {
      for (const plan of await plannedRetargets.all(ref)) await arm(ref, plan);
    },

    /** `Do it then`: in the form with the countries that are chosen there by now. */
    async plan(click: Click): Promise<void> {
      const { workspace, member, value, view } = click;
      const { campaign: id, at: offered, ...refused } = laterValue.decode(value);
      const ref = await accounts.require(workspace, member);
      const { title } = await listings.byId(ref, id, answerWait());
      const countries: Countries = view
        ? { include: chosenMany(view.values, includeInput), exclude: chosenMany(view.values, excludeInput) }
        : { include: codesIn(refused.include), exclude: codesIn(refused.exclude) };
      const problems = Object.values(problemsOf(countries));
      if (problems.length > 0) throw new UserError(`Nothing was planned. ${escaped(problems.join(' '))}`);
      // The offer may have been left lying until its time was past.
      const at = Math.max(offered, now());
      const once = `retarget then ${click.id}`;
      const plan: PlannedRetarget = {
        id: randomUUID(),
        campaign: id,
        title,
        ...countries,
        by: member,
        firstDueAt: at,
        dueAt: at,
        stage: { state: 'planned' },
      };
      const keepAndArm = async () => {
        await keep(ref, plan);
        await arm(ref, plan);
      };
      if (view === undefined) {
        if (!(await claimOnce(click.workspace, once))) return;
        await keepAndArm();
        await replaceOrSay(click, plannedMessage([plan], plannedSentence(plan)));
        return;
      }
      const asker = askerIn(deps, click, formState.decode(view.state).channel);
      await carryOut(deps, asker, { viewId: view.id, once }, async () => {
        await keepAndArm();
        return { view: plannedView(plan), sentence: plannedInForm(plan) };
      });
    },

    async cancel(click: Click): Promise<void> {
      const ref = await accounts.require(click.workspace, click.member);
      const { campaign } = campaignValue.decode(click.value);
      if (!(await claimOnce(click.workspace, `retarget cancel ${click.id}`))) return;
      const done = await cancelled(ref, campaign);
      await replaceOrSay(click, plannedMessage(await planned(ref), done));
    },

    /** The job. Does nothing when the plan was cancelled, replaced or carried out; never sends one twice. */
    async carryOut({ campaign, plan: id, ...ref }: Payload<'retarget-later'>): Promise<void> {
      const plan = await plannedRetargets.get(ref, campaign);
      if (plan?.id !== id) return;
      const { stage } = plan;
      if (stage.state === 'ended') return tell(ref, plan);
      const wait = stage.state === 'sending' ? stage.until - now() : plan.dueAt + marginMs - now();
      if (wait > 0) throw new Reschedule(wait);
      // Whoever sent it has died before its end was noted.
      if (stage.state === 'sending') return end(ref, plan, { kind: 'unsure' });
      return make(ref, plan);
    },
  };
}

function codesIn(words: string): string[] {
  return words.split(' ').filter((word) => word !== '');
}
