import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { ActOfKind } from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { tryMoney } from '../../domain/money.ts';
import { may } from '../../domain/permissions.ts';
import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { ResolvedCampaign } from '../../kit/campaign-listings.ts';
import { auditedAct, doneBy, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm, onView } from '../../kit/on.ts';
import { type ApprovedAct, createSpending } from '../../kit/spending.ts';
import {
  type CallFailure,
  hasUnknownOutcome,
  isCallFailure,
  type MarketplaceClient,
  MarketplaceError,
} from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type { Asker, Click, Feature, Origin } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import {
  type CampaignFormContent,
  type CampaignFormFrame,
  campaignFormState,
  costChanged,
  costUnknown,
  costView,
  countryOptions,
  failedText,
  isAsShown,
  notFinishedText,
  openedRestartView,
  positionsInput,
  positionsProblem,
  restartedText,
  restartForm,
  restartUnknownText,
  restartValue,
  restartView,
  resultView,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
  roleChanged,
  sendingView,
  shownCost,
  unknownPayment,
} from './change.view.ts';
import type { CampaignChooser, ChosenHandler } from './choose.ts';
import {
  type Countries,
  countriesIn,
  includeInput,
  isUnlistedCode,
  parseCountries,
  retargetEntry,
  validateCountries,
} from './countries.ts';
import { parseWholeNumber } from './create-fields.ts';
import { campaignValue } from './words.ts';

/** A change of a campaign at the marketplace. Its sentences are mrkdwn. */
export interface Change {
  readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
  /** Makes it, and returns a confirmation. */
  readonly send: (client: MarketplaceClient) => Promise<string>;
  /** What to check when its outcome is unknown. */
  readonly unknownText: string;
  /** The command that makes the same change. */
  readonly command: string;
}

/** Outcome of a change; the sentence is mrkdwn. */
type ChangeResult =
  | { readonly kind: 'done' | 'unknown'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly error: CallFailure };

/**
 * Makes a change. A request of unknown outcome is never repeated.
 * @param by who makes it, and its `act` if that is claimed already
 */
async function makeChange(
  modules: Modules,
  ref: AccountRef,
  { entry, send, unknownText }: Change,
  by: Pick<NewAuditEntry, 'by' | 'how' | 'member' | 'act'>,
): Promise<ChangeResult> {
  try {
    const sent = async () => send(await modules.marketplace.of(ref));
    return { kind: 'done', sentence: await auditedAct(modules, ref, { ...entry, ...by }, sent) };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return hasUnknownOutcome(error)
      ? { kind: 'unknown', sentence: unknownText }
      : { kind: 'failed', sentence: marketplaceErrorText(error), error };
  }
}

/** Creates what the forms that change a campaign do alike. */
function createChangeForm<Input>(
  { campaigns: { listings } }: Modules,
  frame: CampaignFormFrame,
  view: (content: CampaignFormContent<Input>) => ModalView,
  openedView = view,
) {
  async function firstView(
    ref: AccountRef,
    resolved: ResolvedCampaign,
    channel: ChannelId | undefined,
    input?: Input,
  ): Promise<ModalView> {
    const { campaign, lastSeen } = await listings.refresh(ref, resolved);
    return openedView({ campaign, channel, input, lastSeen });
  }

  return {
    /** Opens the form, with what was typed already. */
    async open(
      { channel, open }: Pick<Click, 'channel' | 'open'>,
      ref: AccountRef,
      resolved: ResolvedCampaign,
      input?: Input,
    ): Promise<void> {
      await open(await firstView(ref, resolved, channel, input));
    },

    /** Replaces the form in which the campaign was chosen. */
    chosen: (async ({ channel }, ref, resolved) => ({
      update: await firstView(ref, resolved, channel),
    })) satisfies ChosenHandler,

    /** Shows in the form what became of a change. */
    async showResult(
      { show }: Asker,
      at: Origin,
      { campaign, input, command }: Pick<Change, 'command'> & { campaign: Campaign; input: Input },
      result: ChangeResult,
    ): Promise<void> {
      const { kind, sentence } = result;
      if (kind !== 'failed') return show(resultView(frame, sentence), sentence, at);
      const problem = `*Not changed.* ${sentence}`;
      const again = view({ campaign, channel: at.channel, input, problem });
      await show(again, failedText(campaign, command, sentence), at);
    },
  };
}

/** Retry interval of an approved restart while the marketplace does not answer (ms). */
const retryMs = 30_000;

/** Creates `/campaign restart <id> <positions>`, its form, and the Restart button. */
export function createRestart(context: Modules, chooser: CampaignChooser) {
  const { audit, campaigns, clock, jobs, people } = context;
  const { listings } = campaigns;
  const form = createChangeForm(context, restartForm, restartView, openedRestartView);

  /** Returns the campaign's current data from the marketplace; undefined while it does not answer. */
  async function campaignNow(...[ref, { campaign: id }]: Parameters<typeof approved.current>) {
    const { campaign, lastSeen } = await listings.snapshot(ref, id);
    return lastSeen === undefined ? campaign : undefined;
  }

  const approved: ApprovedAct<ActOfKind<'restart'>> = {
    async current(ref, act) {
      try {
        const campaign = await campaignNow(ref, act);
        if (campaign === undefined) return { again: retryMs };
        if (campaign.status !== 'FINISHED') return { canceled: notFinishedText(campaign) };
        return actOf(campaign, act.positions);
      } catch (error) {
        if (error instanceof UserError) return { canceled: error.message };
        throw error;
      }
    },
    claim: ({ campaign: id, before, payment, positions }) =>
      entryOf({ id, availablePositions: before, paymentPerTask: payment }, positions),
    async perform(ref, act, id, by) {
      const campaign = await listings.byId(ref, act.campaign);
      // It was restarted already, and has finished since: Redis has lost that.
      if (campaign.availablePositions === act.before + act.positions)
        return { kind: 'done', sentence: restartedText(campaign, act.positions) };
      const result = await makeChange(context, ref, restartOf(campaign, act.positions), { ...by, act: id });
      const { kind, sentence } = result;
      if (kind !== 'failed') return { kind, sentence };
      return { kind: result.error instanceof MarketplaceError ? 'refused' : 'unanswered', sentence };
    },
    /**
     * Sends nothing again: the number of positions shows whether the restart happened, unless it has not been seen yet.
     */
    async settle(ref, act) {
      const campaign = await campaignNow(ref, act);
      if (campaign === undefined) return { again: retryMs };
      return campaign.availablePositions === act.before + act.positions
        ? { kind: 'done', sentence: restartedText(campaign, act.positions) }
        : {
            kind: 'unknown',
            sentence: restartUnknownText({ ...campaign, availablePositions: act.before }, act.positions),
          };
    },
  };

  const preparing = { needs: 'restart', isPreparing: true, isAsking: true } as const;

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'restart',
          usage: '<id> <positions>',
          help: 'Adds positions to a finished campaign. Type it alone for a form.',
          needs: 'restart',
        },
        async (command) => {
          const { ref, text } = command;
          const { campaign, positions } = await parseRestartArguments(
            text,
            async (id) => (await campaigns.get(ref, CampaignId.parse(id))) !== undefined,
          );
          const resolved = await chooser.resolve(command, ref, campaign, 'restart', undefined, positions);
          // Positions cost money, so the form shows the cost even if everything was typed.
          if (resolved !== undefined) await form.open(command, ref, resolved, positions);
        },
        preparing,
      ),
    ],
    clicks: {
      'campaign.restart': onButton(campaignValue, preparing, async (click) => {
        const { ref, value } = click;
        await form.open(click, ref, await listings.resolve(ref, value.campaign), value.positions);
      }),

      /** Restarts a campaign once, however often Slack delivers the click, when the cost is still what the button says. */
      'campaign.restart.confirm': onView(
        campaignFormState,
        { needs: 'restart', isAsking: true },
        async (click) => {
          const { ref, state, view, workspace, team, member } = click;
          const { channel } = state;
          const { positions, shown, mayRestart, id: asked } = restartValue.decode(click.value);
          // Asked again: the payment may have changed since the last poll.
          const { campaign, lastSeen } = await listings.snapshot(ref, state.campaign);
          const { role } = await people.access.roleIn(click, ref, { isFresh: true });
          const origin = { view: view.id, channel };
          const problem =
            lastSeen !== undefined
              ? costUnknown
              : shown !== shownCost(campaign, positions)
                ? costChanged
                : mayRestart !== may(role, 'restart')
                  ? roleChanged
                  : undefined;
          if (problem !== undefined) {
            const again = restartView({ campaign, channel, input: positions, problem });
            return click.show(again, problem, origin);
          }
          const act = actOf(campaign, positions);
          const id = `restart ${asked}`;
          // An approval request claims nothing, and nothing is sent.
          if (!(await jobs.claimOnce(workspace, id))) return;
          await click.replaceAt(origin, sendingView(restartForm));
          const by = { workspace, team, member, how: 'form' } as const;
          const spending = await createSpending(context).begin(by, ref, act, { id, at: clock.now() });
          if (spending.kind !== 'granted')
            return click.show(resultView(restartForm, spending.sentence), spending.sentence, origin);
          const change = restartOf(campaign, positions);
          const doer = { ...doneBy(by), act: randomUUID() };
          await audit.append(ref, { ...change.entry, ...doer, stage: 'claimed' });
          await spending.keep();
          const result = await makeChange(context, ref, change, doer);
          if (result.kind === 'failed') await spending.giveBack();
          await form.showResult(click, origin, { ...change, campaign, input: positions }, result);
        },
      ),

      /** Shows the form again, instead of what its input costs. */
      'campaign.restart.change': onView(
        campaignFormState,
        preparing,
        async ({ ref, state, view, value, replaceAt }) => {
          const campaign = await listings.byId(ref, state.campaign);
          const { positions: input } = restartValue.decode(value);
          const { channel } = state;
          await replaceAt({ view: view.id }, restartView({ campaign, channel, input }));
        },
      ),
    },
    submissions: {
      /** Shows what it costs. */
      [restartForm.callbackId]: onForm(
        campaignFormState,
        { needs: 'restart', isAsking: true },
        async (submission) => {
          const { ref, state, values } = submission;
          const positions = parseWholeNumber(typed(values, positionsInput));
          if (positions === undefined) return { errors: { [positionsInput]: positionsProblem } };
          const campaign = await listings.byId(ref, state.campaign);
          actOf(campaign, positions);
          const { role } = await people.access.roleIn(submission, ref);
          const who = { channel: state.channel, mayRestart: may(role, 'restart'), id: randomUUID() };
          return { update: costView(campaign, positions, who) };
        },
      ),
    },
  };

  return { feature, chosen: form.chosen, approved };
}

/** Returns the spending of a restart. Throws a UserError when the marketplace gives no payment. */
function actOf(
  { id, title, paymentPerTask, availablePositions }: Campaign,
  positions: number,
): ActOfKind<'restart'> {
  const payment = tryMoney(paymentPerTask);
  if (payment === undefined) throw new UserError(unknownPayment);
  return {
    kind: 'restart',
    campaign: id,
    title,
    positions,
    payment: payment.toFixed(),
    before: availablePositions,
  };
}

/** Returns the restart of a campaign. */
function restartOf(campaign: Campaign, positions: number): Change {
  return {
    entry: entryOf(campaign, positions),
    async send(client) {
      const { positionsAdded } = await client.restartCampaign(campaign.id, positions);
      return restartedText(campaign, positionsAdded);
    },
    unknownText: restartUnknownText(campaign, positions),
    command: `/campaign restart ${campaign.id} ${positions}`,
  };
}

/** Returns the audit entry of a restart. */
function entryOf(
  { id, availablePositions, paymentPerTask }: Pick<Campaign, 'id' | 'availablePositions' | 'paymentPerTask'>,
  positions: number,
) {
  const payment = tryMoney(paymentPerTask);
  return {
    what: 'restart',
    campaign: id,
    before: counted(availablePositions, 'position'),
    after: `${availablePositions + positions} positions`,
    ...(payment === undefined ? {} : { money: payment.times(positions).toFixed() }),
  } as const;
}

/**
 * Splits `<id> <positions>`: the last word is the number, unless the whole text is an id. Throws a UserError if the last
 * word is an invalid number.
 */
export async function parseRestartArguments(
  text: string,
  isId: (text: string) => Promise<boolean>,
): Promise<{ campaign: string; positions?: number }> {
  const words = text.trim().split(/\s+/u);
  const last = words.at(-1) ?? '';
  const campaign = words.slice(0, -1).join(' ');
  if (campaign === '' || (await isId(text.trim()))) return { campaign: text.trim() };
  const positions = parseWholeNumber(last);
  if (positions !== undefined) return { campaign, positions };
  if (/^[+-]?[\d.,']+$/u.test(last) || (await isId(campaign))) {
    throw new UserError(
      `Nothing was restarted. ${positionsProblem} For example: \`/campaign restart &lt;id&gt; 20\`.`,
    );
  }
  return { campaign: text.trim() };
}

/** Creates `/campaign retarget <id> [US GB -IN …]`, its form, and its button. */
export function createRetarget(context: Modules, chooser: CampaignChooser) {
  const { campaigns, marketplace } = context;
  const form = createChangeForm(context, retargetForm, retargetView);

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'retarget',
          usage: '<id> [US GB -IN …]',
          help: 'Changes the countries of a campaign. Type it alone for a form.',
          needs: 'retarget',
        },
        async (command) => {
          const { ref, text, answer } = command;
          const [, quoted, codes = ''] = /^(["“„«].*["”“»])\s+(.+)$/u.exec(text) ?? [];
          const [first = '', ...words] = quoted ? [quoted, ...codes.split(/\s+/u)] : text.split(/\s+/u);
          const countries = parseCountries(words.join(' '), marketplace.excludeMark);
          const problems = Object.values(validateCountries(countries));
          // Either `<id> US -IN`, or a title without codes after it.
          const all = [...countries.include, ...countries.exclude];
          const areAllListed = problems.length === 0 && !all.some(isUnlistedCode);
          const hasCodes =
            words.length > 0 &&
            (areAllListed || (await campaigns.get(ref, CampaignId.parse(first))) !== undefined);
          const resolved = await chooser.resolve(command, ref, hasCodes ? first : text, 'retarget');
          if (resolved === undefined) return;
          const { campaign } = resolved;
          if (!hasCodes || campaign.id !== first)
            return form.open(command, ref, resolved, hasCodes ? countries : undefined);
          if (problems.length > 0) throw new UserError(`Nothing was changed. ${escaped(problems.join(' '))}`);
          const change = retargetOf(campaign, countries);
          const { kind, sentence } = await makeChange(context, ref, change, doneBy(command));
          if (kind === 'failed') throw new UserError(failedText(campaign, change.command, sentence));
          if (kind === 'unknown') throw new UserError(sentence);
          await answer(notice(sentence));
        },
      ),
    ],
    clicks: {
      'campaign.retarget': onButton(
        campaignValue,
        { needs: 'retarget', isPreparing: true },
        async (click) => {
          const { ref, value } = click;
          await form.open(click, ref, await campaigns.listings.resolve(ref, value.campaign));
        },
      ),
    },
    submissions: {
      /** Makes the change once, however often Slack delivers the submission. */
      [retargetForm.callbackId]: onForm(campaignFormState, 'retarget', async (submission) => {
        const { ref, state, id } = submission;
        const countries = countriesIn(submission.values);
        const errors = validateCountries(countries);
        if (Object.keys(errors).length > 0) return { errors };
        const campaign = await campaigns.listings.byId(ref, state.campaign);
        if (isAsShown(campaign, countries)) return { errors: { [includeInput]: unchanged } };
        return {
          update: sendingView(retargetForm),
          async afterwards() {
            const change = retargetOf(campaign, countries);
            const result = await makeChange(context, ref, change, doneBy(submission));
            const origin = { view: id, channel: state.channel };
            await form.showResult(submission, origin, { ...change, campaign, input: countries }, result);
          },
        };
      }),
    },
    /** Returns options for text typed into one of the country selects. */
    typings: { 'country.pick': { needs: 'anyone', run: async ({ text }) => countryOptions(text) } },
  };

  return { feature, chosen: form.chosen };
}

const unchanged = 'These are its current countries. Change them first, or close this form.';

/** Returns the change of a campaign's countries. */
function retargetOf(campaign: Campaign, countries: Countries): Change {
  const { include, exclude } = countries;
  return {
    entry: retargetEntry(campaign, countries),
    async send(client) {
      const { retargeted } = await client.retargetCampaign(campaign.id, countries);
      return retargetedText(campaign, retargeted);
    },
    unknownText: retargetUnknownText(campaign, countries),
    command: ['/campaign retarget', campaign.id, ...include, ...exclude.map((code) => `-${code}`)].join(' '),
  };
}
