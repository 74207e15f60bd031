import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { ActOfKind } from '../../domain/approval.ts';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { money, tryMoney } from '../../domain/money.ts';
import { may } from '../../domain/permissions.ts';
import { type AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { type ActEnd, auditedAct, doneBy, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm, onView } from '../../kit/on.ts';
import {
  hasUnknownOutcome,
  isCallFailure,
  type MarketplaceClient,
  MarketplaceError,
} from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type { Asker, Feature, Origin } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { type ActOutcome, type ApprovedAct, createSpending } from '../people/public.ts';
import {
  type CampaignFormFrame,
  campaignFormState,
  costChanged,
  costUnknown,
  costView,
  countryOptions,
  failedText,
  isAsShown,
  notFinishedText,
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
  unknownPayment,
} from './change.view.ts';
import type { CampaignChooser, ChosenHandler, Requester } from './choose.ts';
import {
  type Countries,
  countriesIn,
  includeInput,
  parseCountries,
  retargetEntry,
  validateCountries,
} from './countries.ts';
import { parseWholeNumber } from './create-fields.ts';
import type { ResolvedCampaign } from './listings.ts';
import { campaignValue } from './words.ts';

/** A change of a campaign at the marketplace. Its sentences are mrkdwn. */
export interface Change {
  readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
  /** Makes it, and returns a confirmation, and what that adds to the audit. */
  readonly send: (client: MarketplaceClient) => Promise<{ readonly sentence: string; readonly end?: ActEnd }>;
  /** What to check when its outcome is unknown. */
  readonly unknownText: string;
}

/** A change of a campaign, which a command can make too. */
interface CampaignChange extends Change {
  readonly campaign: Campaign;
  /** The command that makes the same change. */
  readonly command: string;
}

/** Who makes a change, and its `act` if that is claimed already. */
export type By = Pick<NewAuditEntry, 'by' | 'how' | 'member' | 'act'>;

/** Makes a change. A request of unknown outcome is never repeated. */
export async function makeChange(
  modules: Modules,
  ref: AccountRef,
  { entry, send, unknownText }: Change,
  by: By,
): Promise<ActOutcome> {
  try {
    const sent = async () => send(await modules.marketplace.of(ref));
    const endOf = ({ end = {} }: { readonly end?: ActEnd }) => end;
    const { sentence } = await auditedAct(modules, ref, { ...entry, ...by }, sent, { endOf });
    return { kind: 'done', sentence };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    if (hasUnknownOutcome(error)) return { kind: 'unknown', sentence: unknownText };
    const kind = error instanceof MarketplaceError ? 'refused' : 'unanswered';
    return { kind, sentence: marketplaceErrorText(error) };
  }
}

/** Returns whether a change was certainly not made. */
export const isFailed = ({ kind }: ActOutcome) => kind === 'refused' || kind === 'unanswered';

/** Shows in a form what became of its change. @param again renders the form with why it was not made */
async function showResult(
  { show }: Asker,
  at: Origin,
  frame: CampaignFormFrame,
  { campaign, command }: CampaignChange,
  result: ActOutcome,
  again: (problem: string) => ModalView,
): Promise<void> {
  const { sentence } = result;
  if (!isFailed(result)) return show(resultView(frame, sentence), sentence, at);
  await show(again(`*Not changed.* ${sentence}`), failedText(campaign, command, sentence), at);
}

/** Where the form of a campaign is opened. */
type OpenedBy = Pick<Requester, 'ref' | 'channel'>;

/** Retry interval of an approved restart while the marketplace does not answer (ms). */
const retryMs = 30_000;

/** Creates `/campaign restart <id> <positions>`, its form, and the Restart button. */
export function createRestart(context: Modules, chooser: CampaignChooser) {
  const { audit, campaigns, clock, jobs, people } = context;
  const { listings } = campaigns;

  /** Returns the form for a campaign that is finished, as far as that is known. */
  async function firstView({ ref, channel }: OpenedBy, resolved: ResolvedCampaign, input?: number) {
    const { campaign, lastSeen } = await listings.refresh(ref, resolved);
    if (campaign.status !== 'FINISHED' && lastSeen === undefined)
      throw new UserError(notFinishedText(campaign));
    return restartView({ campaign, channel, input, lastSeen });
  }

  /** Returns the campaign's current data from the marketplace; undefined while it does not answer. */
  async function campaignNow(ref: AccountRef, { campaign: id }: ActOfKind<'restart'>) {
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
    claim: entryOf,
    async perform(ref, act, id, by) {
      const campaign = await listings.byId(ref, act.campaign);
      // It was restarted already, and has finished since: Redis has lost that.
      if (campaign.availablePositions === act.before + act.positions)
        return { kind: 'done', sentence: restartedText(campaign, act.positions) };
      return makeChange(context, ref, restartOf(campaign, act), { ...by, act: id });
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
          const { campaign, positions } = parseRestartArguments(command.text);
          const resolved = await chooser.resolve(command, campaign, 'restart', positions);
          // Positions cost money, so the form shows the cost even if everything was typed.
          if (resolved) await command.open(await firstView(command, resolved, positions));
        },
        preparing,
      ),
    ],
    clicks: {
      'campaign.restart': onButton(campaignValue, preparing, async (click) => {
        const { campaign, positions } = click.value;
        await click.open(await firstView(click, await listings.resolve(click.ref, campaign), positions));
      }),

      /** Restarts a campaign once, however often Slack delivers the click, when the cost is still what the button says. */
      'campaign.restart.confirm': onView(
        campaignFormState,
        { needs: 'restart', isAsking: true },
        async (click) => {
          const { ref, state, view, workspace, team, member } = click;
          const { channel } = state;
          const { positions, payment, mayRestart, id: asked } = restartValue.decode(click.value);
          // Asked again: the payment may have changed since the last poll.
          const { campaign, lastSeen } = await listings.snapshot(ref, state.campaign);
          const { role } = await people.access.roleIn(click, ref, { isFresh: true });
          const origin = { view: view.id, channel };
          const problem =
            lastSeen !== undefined
              ? costUnknown
              : payment !== campaign.paymentPerTask
                ? costChanged
                : mayRestart !== may(role, 'restart')
                  ? roleChanged
                  : undefined;
          const again = (why: string) => restartView({ campaign, channel, input: positions, problem: why });
          if (problem !== undefined) return click.show(again(problem), problem, origin);
          const act = actOf(campaign, positions);
          const id = `restart ${asked}`;
          // An approval request claims nothing, and nothing is sent.
          if (!(await jobs.claimOnce(workspace, id))) return;
          await click.replaceAt(origin, sendingView(restartForm));
          const by = { workspace, team, member, how: 'form' } as const;
          const spending = await createSpending(context).begin(by, ref, act, { id, at: clock.now() });
          if (spending.kind !== 'granted')
            return click.show(resultView(restartForm, spending.sentence), spending.sentence, origin);
          const change = restartOf(campaign, act);
          const doer = { ...doneBy(by), act: randomUUID() };
          await audit.append(ref, { ...change.entry, ...doer, stage: 'claimed' });
          await spending.keep();
          const result = await makeChange(context, ref, change, doer);
          if (isFailed(result)) await spending.giveBack();
          await showResult(click, origin, restartForm, change, result, again);
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

  const chosen: ChosenHandler = async (requester, resolved) => ({
    update: await firstView(requester, resolved),
  });
  return { feature, chosen, approved };
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
function restartOf(campaign: Campaign, act: ActOfKind<'restart'>): CampaignChange {
  const { positions } = act;
  return {
    campaign,
    entry: entryOf(act),
    async send(client) {
      const { positionsAdded } = await client.restartCampaign(campaign.id, positions);
      return { sentence: restartedText(campaign, positionsAdded) };
    },
    unknownText: restartUnknownText(campaign, positions),
    command: `/campaign restart ${campaign.id} ${positions}`,
  };
}

/** Returns the audit entry of a restart. */
function entryOf({ campaign, before, payment, positions }: ActOfKind<'restart'>) {
  return {
    what: 'restart',
    campaign,
    before: counted(before, 'position'),
    after: counted(before + positions, 'position'),
    money: money(payment).times(positions).toFixed(),
  } as const;
}

/** Splits `<id> <positions>`: the last word, if it is a number. Throws a UserError if that is not valid. */
export function parseRestartArguments(text: string): { campaign: string; positions?: number } {
  const [, campaign = text, last = ''] = /^(.*\S)\s+([+-]?[\d.,']+)$/su.exec(text) ?? [];
  if (last === '') return { campaign };
  const positions = parseWholeNumber(last);
  if (positions !== undefined) return { campaign, positions };
  throw new UserError(
    `Nothing was restarted. ${positionsProblem} For example: \`/campaign restart &lt;id&gt; 20\`.`,
  );
}

/** Creates `/campaign retarget <id> [US GB -IN …]`, its form, and its button. */
export function createRetarget(context: Modules, chooser: CampaignChooser) {
  const { campaigns, marketplace } = context;
  const { listings } = campaigns;

  const firstView = async ({ ref, channel }: OpenedBy, resolved: ResolvedCampaign, input?: Countries) =>
    retargetView({ ...(await listings.refresh(ref, resolved)), channel, input });

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
          // Either `<id> us -IN`, or a title, whose last words are codes only if they look like some.
          const hasCodes =
            words.length > 0 &&
            (words.every((word) => looksLikeCodes.test(word)) ||
              (await campaigns.get(ref, CampaignId.parse(first))) !== undefined);
          const countries = parseCountries(words.join(' '), marketplace.excludeMark);
          const problems = Object.values(validateCountries(countries));
          const resolved = await chooser.resolve(command, hasCodes ? first : text, 'retarget');
          if (resolved === undefined) return;
          const { campaign } = resolved;
          if (!hasCodes || campaign.id !== first)
            return command.open(await firstView(command, resolved, hasCodes ? countries : undefined));
          if (problems.length > 0) throw new UserError(`Nothing was changed. ${escaped(problems.join(' '))}`);
          const change = retargetOf(campaign, countries);
          const result = await makeChange(context, ref, change, doneBy(command));
          const { sentence } = result;
          await answer(notice(isFailed(result) ? failedText(campaign, change.command, sentence) : sentence));
        },
      ),
    ],
    clicks: {
      'campaign.retarget': onButton(campaignValue, { needs: 'retarget', isPreparing: true }, async (click) =>
        click.open(await firstView(click, await listings.resolve(click.ref, click.value.campaign))),
      ),
    },
    submissions: {
      /** Makes the change once, however often Slack delivers the submission. */
      [retargetForm.callbackId]: onForm(campaignFormState, 'retarget', async (submission) => {
        const { ref, state, id } = submission;
        const countries = countriesIn(submission.values);
        const errors = validateCountries(countries);
        if (Object.keys(errors).length > 0) return { errors };
        const campaign = await listings.byId(ref, state.campaign);
        if (isAsShown(campaign, countries)) return { errors: { [includeInput]: unchanged } };
        return {
          update: sendingView(retargetForm),
          async afterwards() {
            const change = retargetOf(campaign, countries);
            const result = await makeChange(context, ref, change, doneBy(submission));
            const { channel } = state;
            await showResult(submission, { view: id, channel }, retargetForm, change, result, (problem) =>
              retargetView({ campaign, channel, input: countries, problem }),
            );
          },
        };
      }),
    },
    /** Returns options for text typed into one of the country selects. */
    typings: { 'country.pick': { needs: 'anyone', run: async ({ text }) => countryOptions(text) } },
  };

  const chosen: ChosenHandler = async (requester, resolved) => ({
    update: await firstView(requester, resolved),
  });
  return { feature, chosen };
}

/** Codes in capitals, with or without the mark of an exclude. */
export const looksLikeCodes = /^([^\p{L}\s]*[A-Z]{2})+[,;]?$/u;

const unchanged = 'These are its current countries. Change them first, or close this form.';

/** Returns the change of a campaign's countries. */
function retargetOf(campaign: Campaign, countries: Countries): CampaignChange {
  const { include, exclude } = countries;
  return {
    campaign,
    entry: retargetEntry(campaign, countries),
    async send(client) {
      const { retargeted } = await client.retargetCampaign(campaign.id, countries);
      return { sentence: retargetedText(campaign, retargeted) };
    },
    unknownText: retargetUnknownText(campaign, countries),
    command: ['/campaign retarget', campaign.id, ...include, ...exclude.map((code) => `-${code}`)].join(' '),
  };
}
