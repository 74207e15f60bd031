import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { SpendingAct } from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { modalBudget, type TimeBudget } from '../../kit/budgets.ts';
import type { CampaignListings, ResolvedCampaign } from '../../kit/campaign-listings.ts';
import { auditedAct, doneBy, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { type ApprovedBy, createSpending } from '../../kit/spending.ts';
import {
  type CallFailure,
  hasUnknownOutcome,
  isCallFailure,
  type MarketplaceClient,
} from '../../marketplace/index.ts';
import type { Actor, Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import type { Values } from '../../slack/form-values.ts';
import {
  type CampaignFormContent,
  type CampaignFormFrame,
  type CampaignFormState,
  campaignFormState,
  failedText,
  resultView,
  sendingView,
} from './change.view.ts';
import type { Requester } from './choose.ts';

/** The parts in which forms that change a campaign differ. */
export interface CampaignFormDefinition<Input, Problem> {
  /** Prefix of its idempotency keys. */
  readonly name: string;
  readonly frame: CampaignFormFrame;
  readonly view: (content: CampaignFormContent<Input, Problem>) => ModalView;
  readonly parse: (
    values: Values,
  ) => { readonly input: Input } | { readonly errors: Readonly<Record<string, string>> };
  /** Returns why an input needs no change; a second click on the button that opened the form submits it as it is. */
  readonly unchanged?: (campaign: Campaign, input: Input) => Readonly<Record<string, string>> | undefined;
  /** Makes the change, and returns a confirmation sentence (mrkdwn). */
  readonly send: (client: MarketplaceClient, campaign: Campaign, input: Input) => Promise<string>;
  /** Returns what to check when the outcome of the change is unknown, in mrkdwn. */
  readonly unknownOutcomeText: (campaign: Campaign, input: Input) => string;
  /** Returns the audit entry of the change. */
  readonly entryOf: (campaign: Campaign, input: Input) => Omit<NewAuditEntry, 'by' | 'how'>;
  /** Returns the command that makes the same change. */
  readonly commandOf: (campaign: Campaign, input: Input) => string;
  readonly problemOf: (error: CallFailure, sentence: string, input: Input) => Problem;
  /** For a change that costs money: a button that says the cost confirms it, elsewhere than the one that was pressed before. */
  readonly spending?: {
    /** Returns the spending. Throws a UserError if the cost is unknown. */
    readonly actOf: (campaign: Campaign, input: Input) => SpendingAct;
    /** Identifies the cost that the button says. */
    readonly shownAs: (campaign: Campaign, input: Input) => string;
    /** Decodes the value of the button. */
    readonly decode: (value: string) => { readonly input: Input; readonly shown: string };
    /** Says that the cost has changed since the button was shown. */
    readonly costChanged: Problem;
  };
}

/** Outcome of a request to change a campaign; the sentence is mrkdwn. */
export type ChangeResult =
  | { readonly kind: 'done' | 'unknown'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly error: CallFailure };

/** Creates a form that changes a campaign at the marketplace: opened, submitted, sent once, its result shown. */
export function createCampaignForm<Input, Problem>(
  context: Modules,
  listings: CampaignListings,
  {
    name,
    frame,
    view,
    parse,
    unchanged,
    send,
    unknownOutcomeText,
    entryOf,
    commandOf,
    problemOf,
    spending,
  }: CampaignFormDefinition<Input, Problem>,
) {
  const { marketplace, slack } = context;

  async function firstView(
    ref: AccountRef,
    resolved: ResolvedCampaign,
    budget: TimeBudget,
    { channel, input }: { readonly channel: ChannelId | undefined; readonly input?: Input | undefined },
  ): Promise<ModalView> {
    const { campaign, lastSeen } = await listings.refresh(ref, resolved, budget);
    return view({ campaign, state: { campaign: campaign.id, channel, attempt: 1 }, input, lastSeen });
  }

  /** Opens the form for a command or a button click. */
  async function open(
    { channel, open: openModal }: Pick<Click, 'channel' | 'open'>,
    ref: AccountRef,
    resolved: ResolvedCampaign,
    budget: TimeBudget,
    input?: Input,
  ): Promise<void> {
    await openModal(await firstView(ref, resolved, budget, { channel, input }));
  }

  /**
   * Makes the change. A request of unknown outcome is never repeated.
   * @param entry its audit entry
   */
  async function make(
    ref: AccountRef,
    campaign: Campaign,
    input: Input,
    entry: NewAuditEntry,
  ): Promise<ChangeResult> {
    try {
      const sent = async () => send(await marketplace.of(ref), campaign, input);
      return { kind: 'done', sentence: await auditedAct(context, ref, entry, sent) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return hasUnknownOutcome(error)
        ? { kind: 'unknown', sentence: unknownOutcomeText(campaign, input) }
        : { kind: 'failed', sentence: marketplaceErrorText(error), error };
    }
  }

  /**
   * Carries out a submission or a confirmation once, however often Slack delivers it, and shows the result in its modal;
   * privately if the modal was closed meanwhile.
   */
  async function carryOut(
    actor: Click | Submission,
    ref: AccountRef,
    {
      viewId,
      campaign,
      state,
      input,
    }: { viewId: string; campaign: Campaign; state: CampaignFormState; input: Input },
  ): Promise<void> {
    const { workspace, team, member, how } = actor;
    const origin = { view: viewId, channel: state.channel };
    const show = (form: ModalView, sentence: string) => actor.show(form, sentence, origin);
    const idempotencyKey = `${name} ${viewId} ${state.attempt}`;
    const entry = { ...entryOf(campaign, input), ...doneBy({ member, how }), act: randomUUID() };
    const act = spending?.actOf(campaign, input);
    const claimAct = () => context.audit.claim(ref, idempotencyKey, { ...entry, stage: 'claimed' });
    // An approval request claims nothing, and nothing is sent.
    if (!(await (act ? context.jobs.claimOnce(workspace, idempotencyKey) : claimAct()))) return;
    // A submission was answered with it.
    if (act) await actor.replaceAt(origin, sendingView(frame));
    const spender = { workspace, team, member, how };
    const at = context.clock.now();
    const answer =
      act && (await createSpending(context).begin(spender, ref, act, { id: idempotencyKey, at }));
    if (answer !== undefined && answer.kind !== 'granted')
      return show(resultView(frame, answer.sentence), answer.sentence);
    if (act !== undefined) await claimAct();
    await answer?.keep();
    const result = await make(ref, campaign, input, entry);
    if (result.kind !== 'failed') return show(resultView(frame, result.sentence), result.sentence);
    await answer?.giveBack();
    const problem = problemOf(result.error, result.sentence, input);
    const next = { ...state, attempt: state.attempt + 1 };
    await show(
      view({ campaign, state: next, input, problem }),
      failedText(campaign, commandOf(campaign, input), result.sentence),
    );
  }

  return {
    open,

    /** Makes a change requested by a command, and returns a confirmation sentence (mrkdwn). Throws a UserError otherwise. */
    async change(
      actor: Pick<Actor, 'member' | 'how'>,
      ref: AccountRef,
      campaign: Campaign,
      input: Input,
    ): Promise<string> {
      const entry = { ...entryOf(campaign, input), ...doneBy(actor) };
      const { kind, sentence } = await make(ref, campaign, input, entry);
      if (kind === 'failed') throw new UserError(failedText(campaign, commandOf(campaign, input), sentence));
      if (kind === 'unknown') throw new UserError(sentence);
      return sentence;
    },

    /** Makes an approved change. */
    changeApproved: (ref: AccountRef, campaign: Campaign, input: Input, by: ApprovedBy, act: string) =>
      make(ref, campaign, input, { ...entryOf(campaign, input), ...by, act }),

    /** Opens the form from a button. */
    async click(click: Click, id: CampaignId, input?: Input): Promise<void> {
      const budget = modalBudget();
      const ref = await click.authorize({ isPreparing: true, isAsking: spending !== undefined });
      await open(click, ref, await listings.resolve(ref, id, budget), budget, input);
    },

    /** Replaces the form in which the campaign was chosen with this one. */
    async chosen(
      { channel }: Requester,
      ref: AccountRef,
      resolved: ResolvedCampaign,
      budget: TimeBudget,
    ): Promise<SubmissionAnswer> {
      return { update: await firstView(ref, resolved, budget, { channel }) };
    },

    /** Makes the change, or shows what it costs first. */
    async submitted(submission: Submission): Promise<SubmissionAnswer> {
      const state = campaignFormState.decode(submission.state);
      const parsed = parse(submission.values);
      if ('errors' in parsed) return parsed;
      const { input } = parsed;
      const ref = await submission.authorize({ isAsking: spending !== undefined });
      const campaign = await listings.byId(ref, state.campaign);
      const errors = unchanged?.(campaign, input);
      if (errors !== undefined) return { errors };
      if (spending !== undefined) {
        spending.actOf(campaign, input);
        return { update: view({ campaign, state, input, isConfirming: true }) };
      }
      const { id: viewId } = submission;
      return {
        update: sendingView(frame),
        afterwards: () => carryOut(submission, ref, { viewId, campaign, state, input }),
      };
    },

    /** Makes a change whose cost was confirmed. */
    async confirmed(click: Click): Promise<void> {
      if (click.view === undefined || spending === undefined) return;
      const state = campaignFormState.decode(click.view.state);
      const { input, shown } = spending.decode(click.value);
      const ref = await click.authorize({ isAsking: true });
      const campaign = await listings.byId(ref, state.campaign);
      const { id: viewId } = click.view;
      if (shown === spending.shownAs(campaign, input))
        return carryOut({ ...click, how: 'form' }, ref, { viewId, campaign, state, input });
      const form = view({ campaign, state, input, problem: spending.costChanged });
      await slack.messengerOf(click.workspace).updateModal(viewId, form);
    },

    /** Shows the form again, instead of what its input costs. */
    async changed(click: Click): Promise<void> {
      if (click.view === undefined || spending === undefined) return;
      const state = campaignFormState.decode(click.view.state);
      const ref = await click.authorize({ isPreparing: true, isAsking: true });
      const campaign = await listings.byId(ref, state.campaign);
      const form = view({ campaign, state, input: spending.decode(click.value).input, isCorrecting: true });
      await slack.messengerOf(click.workspace).updateModal(click.view.id, form);
    },
  };
}
