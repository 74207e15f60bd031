import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignFacts } from '../../domain/campaign.ts';
import { formatMoney, money } from '../../domain/money.ts';
import type { ChannelId } from '../../domain/terms.ts';
import {
  button,
  confirmView,
  context,
  input,
  limits,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { code, inline } from '../../slack/mrkdwn.ts';
import { counted, number, partOf } from '../../ui/words.ts';
import {
  type Countries,
  countriesText,
  countryLabel,
  currentCountries,
  excludeInput,
  includeInput,
  isUnlistedCode,
  maxExcludes,
  searchCountries,
  targetingLine,
} from './countries.ts';
import { numberInput } from './inputs.view.ts';
import {
  campaignCodec,
  campaignId,
  channel,
  outdatedNote,
  payment,
  shortfall,
  statusCommand,
  statusWords,
  title,
} from './words.ts';

/** The state of a form that changes a campaign: the campaign, and where the form was opened. */
export const campaignFormState = campaignCodec('form', z.object({ campaign: campaignId, channel }));

/** The fixed parts of a form that changes a campaign. */
export interface CampaignFormFrame {
  readonly callbackId: string;
  readonly title: string;
  readonly submit: string;
}

/** Content of a form that changes a campaign. */
export interface CampaignFormContent<Input> {
  readonly campaign: Campaign;
  /** Where the form was opened. */
  readonly channel: ChannelId | undefined;
  /** The filled-in input; absent: the form's suggestion. */
  readonly input?: Input | undefined;
  /** Set when the marketplace did not answer: the time of the stored data (ms). */
  readonly lastSeen?: number | undefined;
  /** Why the last attempt changed nothing, in mrkdwn. */
  readonly problem?: string;
}

/** Renders a form that changes a campaign. @param facts about the campaign, in mrkdwn */
function campaignFormView(
  frame: CampaignFormFrame,
  { campaign, channel, lastSeen, problem }: CampaignFormContent<unknown>,
  facts: string,
  blocks: readonly KnownBlock[],
): ModalView {
  return modal({
    ...frame,
    submit: problem === undefined ? frame.submit : 'Try again',
    state: campaignFormState.encode({ campaign: campaign.id, channel }),
    blocks: [
      section(`*${title(campaign)}*\n${facts}`),
      ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
      ...(problem === undefined ? [] : [section(problem)]),
      ...blocks,
    ],
  });
}

/**
 * Returns why a change was not made, for a place without its form: the campaign, and what was asked for to send it again.
 * @param sentence the reason, in mrkdwn
 */
export function failedText(
  campaign: Pick<Campaign, 'id' | 'title'>,
  command: string,
  sentence: string,
): string {
  return `*${title(campaign)}* was not changed. ${sentence}\nTo try again: ${code(command, 1_500)}`;
}

/** Renders the view shown right after submission. */
export function sendingView(frame: CampaignFormFrame): ModalView {
  return resultView(
    frame,
    'Sending to the marketplace…',
    'If this is still here in a minute, check `/campaign status` before you try again.',
  );
}

/** Renders the view shown after the request has ended. */
export function resultView(frame: CampaignFormFrame, ...paragraphs: readonly string[]): ModalView {
  const { callbackId, title: heading } = frame;
  return modal({ callbackId, title: heading, blocks: paragraphs.map((text) => section(text)) });
}

export const restartForm: CampaignFormFrame = {
  callbackId: 'campaign.restart',
  title: 'Restart a campaign',
  submit: 'Next',
};
export const positionsInput = 'positions';

/** Value of the button that confirms a restart: the positions, the payment and who restarts as it says, and the act's id. */
export const restartValue = campaignCodec(
  'button',
  z.object({
    positions: z.number().int().positive(),
    payment: z.string(),
    mayRestart: z.boolean(),
    id: z.string(),
  }),
);

/** Renders the form for the number of positions to add. */
export function restartView(content: CampaignFormContent<number>): ModalView {
  const { campaign, input: positions = shortfall(campaign) } = content;
  const accepted = partOf(campaign.tasksOk, campaign.availablePositions, 'accepted');
  return campaignFormView(
    restartForm,
    content,
    `${statusWords[campaign.status]} · ${accepted} · ${payment(campaign)}\n${inline(campaignFacts(campaign))}`,
    [
      numberInput(
        positionsInput,
        'Positions to add',
        positions > 0 ? String(positions) : '',
        positions > 0 ? { hint: costSentence(campaign, positions) } : {},
      ),
      ...(campaign.status === 'FINISHED' ? [] : [context('Only finished campaigns can be restarted.')]),
    ],
  );
}

/** Renders what a restart costs. @param mayRestart whether the person's role allows it */
export function costView(
  campaign: Campaign,
  positions: number,
  asked: { readonly channel: ChannelId | undefined; readonly mayRestart: boolean; readonly id: string },
): ModalView {
  const { channel, mayRestart, id } = asked;
  const value = restartValue.encode({ positions, payment: campaign.paymentPerTask, mayRestart, id });
  const act = `Add ${number(positions)} for ${formatMoney(money(campaign.paymentPerTask).times(positions))}`;
  return confirmView(
    { ...restartForm, state: campaignFormState.encode({ campaign: campaign.id, channel }) },
    [section(`*${title(campaign)}*\n${costSentence(campaign, positions)}`)],
    { text: mayRestart ? act : 'Ask for approval', actionId: 'campaign.restart.confirm', value },
    button('Change the number', 'campaign.restart.change', value),
  );
}

/** Why a confirmed restart was not made, in mrkdwn. */
export const costChanged = '*Nothing was restarted.* The payment per task has changed. Check the new cost.';
export const costUnknown =
  '*Nothing was restarted.* The marketplace doesn’t answer, so the cost can’t be checked. Try again in a minute.';
export const roleChanged =
  '*Nothing was restarted.* Your role has changed. Check again what the button says.';

/** Returns the confirmation of a restart, with its cost. */
export function restartedText(campaign: Campaign, added: number): string {
  return [
    `*${title(campaign)}* now has ${counted(added, 'more position')}.`,
    costSentence(campaign, added),
    `The marketplace decides when it runs again: check with ${statusCommand(campaign)}.`,
  ].join(' ');
}

/** Returns what to check when the outcome of a restart is unknown. */
export function restartUnknownText(campaign: Campaign, positions: number): string {
  const { availablePositions: before } = campaign;
  return [
    `The marketplace gave no clear answer, so *${title(campaign)}* may or may not have ${counted(positions, 'more position')} now. The request was not repeated.`,
    costSentence(campaign, positions),
    `Check ${statusCommand(campaign)} in a minute: it had ${counted(before, 'position')} when last seen, and has ${number(before + positions)} if the restart worked. Restart it again only if nothing changed.`,
  ].join(' ');
}

/** Returns `4 positions × 0.25 = 1.00, fees not included.` */
function costSentence({ paymentPerTask }: Campaign, positions: number): string {
  const price = money(paymentPerTask);
  const cost = formatMoney(price.times(positions));
  return `${counted(positions, 'position')} × ${formatMoney(price)} = ${cost}, fees not included.`;
}

/** Why a campaign cannot be restarted from here, in mrkdwn: what it pays is below 0, and would count so in limits. */
export const unknownPayment =
  'Nothing was restarted: the marketplace doesn’t say what this campaign pays, so the cost is unknown. Restart it at the marketplace.';

/** Returns why a campaign is not restarted, in mrkdwn. */
export function notFinishedText(campaign: Campaign): string {
  return `*${title(campaign)}* was not restarted: its status is “${statusWords[campaign.status]}”. Only finished campaigns can be restarted.`;
}

/** Error for an invalid number, in plain text. */
export const positionsProblem = 'Enter how many positions to add: a whole number above 0, in digits only.';

export const retargetForm: CampaignFormFrame = {
  callbackId: 'campaign.retarget',
  title: 'Change countries',
  submit: 'Change',
};

/** Renders the form for a campaign's countries, filled with the current ones. */
export function retargetView(content: CampaignFormContent<Countries>): ModalView {
  const { campaign, input: chosen } = content;
  const { include, exclude } = chosen ?? currentCountries(campaign);
  // Described in words by the marketplace, or too many: no field can show them.
  const areHidden = (text: string, codes: readonly string[]) => text !== '' && codes.length === 0;
  const isIncomplete =
    areHidden(campaign.targetedCountries, include) || areHidden(campaign.excludedCountries, exclude);
  return campaignFormView(retargetForm, content, targetingLine(campaign), [
    ...(chosen === undefined && isIncomplete ? [section(incompleteNote)] : []),
    countryInput(
      includeInput,
      'Countries to include',
      include,
      'Choose at least one. Type a name or a code.',
    ),
    countryInput(excludeInput, 'Countries to exclude', exclude, `Choose at most ${maxExcludes}.`),
  ]);
}

const incompleteNote =
  'Some current countries aren’t shown below. A change replaces all countries: choose every one to include and to exclude.';

/** Returns whether countries are those with which the form opens. */
export function isAsShown(campaign: Campaign, chosen: Countries): boolean {
  const key = ({ include, exclude }: Countries) =>
    [include, exclude].map((codes) => codes.toSorted().join(' ')).join(' - ');
  return key(currentCountries(campaign)) === key(chosen);
}

function countryInput(name: string, label: string, codes: readonly string[], hint: string): InputBlock {
  const initial = codes.slice(0, limits.options).map(countryOption);
  return input(
    name,
    label,
    {
      type: 'multi_external_select',
      placeholder: plainText('Choose countries'),
      min_query_length: 0,
      ...(initial.length > 0 ? { initial_options: initial } : {}),
    },
    { hint, isOptional: name === excludeInput, actionId: 'country.pick' },
  );
}

/** Returns country options, ending with the typed code itself if it may be missing from our list. */
export function countryOptions(text: string): PlainTextOption[] {
  const typed = text.trim().toUpperCase();
  const listed = searchCountries(text).map(({ code }) => code);
  // What may be a code is in the names of fewer countries than Slack takes.
  return [...listed, ...(isUnlistedCode(typed) ? [typed] : [])].slice(0, limits.options).map(countryOption);
}

function countryOption(code: string): PlainTextOption {
  return option(isUnlistedCode(code) ? `${code} (not in our list)` : countryLabel(code), code);
}

/** Returns the confirmation of the change. */
export function retargetedText(campaign: Pick<Campaign, 'id' | 'title'>, countries: Countries): string {
  return `The countries of *${title(campaign)}* were changed. It is now open to workers in ${countriesText(countries)}.`;
}

/** Returns what to check when the outcome of the change is unknown. */
export function retargetUnknownText(campaign: Pick<Campaign, 'id' | 'title'>, countries: Countries): string {
  return `The marketplace gave no clear answer, so the countries of *${title(campaign)}* may or may not have been changed. The request was not repeated. Check ${statusCommand(campaign)} in a minute: if the change was made, it is open to workers in ${countriesText(countries)}. Change them again only if it was not.`;
}
