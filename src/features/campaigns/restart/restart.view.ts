import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../../domain/campaign.ts';
import { campaignFacts } from '../../../domain/campaign-search.ts';
import { formatMoney, tryMoney } from '../../../domain/money.ts';
import { partOf } from '../../../domain/text.ts';
import { button, context, input, section } from '../../../slack/blocks.ts';
import { inline } from '../../../slack/mrkdwn.ts';
import { confirmView } from '../../../ui/draft-form.view.ts';
import { campaignCodec } from '../button-values.ts';
import {
  type CampaignFormContent,
  type CampaignFormFrame,
  type CampaignFormState,
  campaignFormState,
  campaignFormView,
  resultView,
} from '../campaign-form.view.ts';
import { payment, statusCommand, title } from '../campaign-text.ts';
import { count, counted, shortfall, statusWords } from '../figures.ts';

export const restartForm: CampaignFormFrame = {
  callbackId: 'campaign.restart',
  title: 'Restart a campaign',
  submit: 'Next',
};
export const positionsInput = 'positions';
export const confirmRestart = 'campaign.restart.confirm';
export const changeRestart = 'campaign.restart.change';

/** Value of the button that confirms a restart: the positions, and the cost that it says. */
export const restartValue = campaignCodec(
  'button',
  z.object({ positions: z.number().int().positive(), shown: z.string() }),
);

/**
 * Renders the form for the number of positions to add, or why the campaign cannot be restarted. Stored data may be
 * outdated, so they never block a restart. Its problem is mrkdwn.
 */
export function restartView(content: CampaignFormContent<number, string>): ModalView {
  const { campaign, input: positions, lastSeen, problem, isConfirming, isCorrecting, state } = content;
  if (isConfirming && positions !== undefined) return costView(campaign, positions, state);
  // The form was open already, so this is what was last seen.
  if (campaign.status !== 'FINISHED' && lastSeen === undefined && !isCorrecting)
    return notFinishedView(campaign, problem);
  const missing = shortfall(campaign);
  const proposed = positions ?? (missing > 0 ? missing : undefined);
  const wanted = counted(campaign.availablePositions, 'position');
  const noun = campaign.availablePositions === 1 ? 'position' : 'positions';
  const accepted = partOf(campaign.tasksOk, campaign.availablePositions, `${noun} accepted`);
  const hints = [
    missing > 0
      ? `${count(missing)} of ${wanted} still ${missing === 1 ? 'lacks' : 'lack'} an accepted task.`
      : `All ${wanted} have an accepted task.`,
    ...(proposed === undefined ? [] : costSentences(campaign, proposed)),
  ];
  return campaignFormView(
    restartForm,
    content,
    `${statusWords[campaign.status]} · ${accepted} · ${payment(campaign)}\n${inline(campaignFacts(campaign), 150)}`,
    [
      ...(campaign.status === 'FINISHED'
        ? []
        : [
            context(
              'This campaign was not finished when last checked. Only finished campaigns can be restarted.',
            ),
          ]),
      input(
        positionsInput,
        'Positions to add',
        {
          type: 'number_input',
          is_decimal_allowed: false,
          min_value: '1',
          ...(proposed === undefined ? {} : { initial_value: String(proposed) }),
        },
        { hint: hints.join(' ') },
      ),
      ...(problem === undefined ? [] : [section(problem)]),
    ],
  );
}

/** Renders what a restart costs. */
function costView(campaign: Campaign, positions: number, state: CampaignFormState): ModalView {
  const cost = tryMoney(campaign.paymentPerTask)?.times(positions);
  const value = restartValue.encode({ positions, shown: shownCost(campaign, positions) });
  const act = `Add ${count(positions)}${cost === undefined ? '' : ` for ${formatMoney(cost)}`}`;
  return confirmView(
    { ...restartForm, state: campaignFormState.encode(state) },
    [section(`*${title(campaign)}*\n${costSentences(campaign, positions).join(' ')}`)],
    { text: act, actionId: confirmRestart, value },
    button('Change the number', changeRestart, value),
  );
}

/** Why a confirmed restart was not made, in mrkdwn. */
export const costChanged =
  '*Nothing was restarted.* The payment per task has changed since. Check what it costs now.';

function notFinishedView(campaign: Campaign, problem: string | undefined): ModalView {
  return resultView(
    restartForm,
    `*${title(campaign)}*\n${statusWords[campaign.status]}`,
    problem ?? 'Only finished campaigns can be restarted, and this one is not finished yet.',
  );
}

/** Returns the confirmation of a restart, with its cost. */
export function restartedText(campaign: Campaign, added: number): string {
  return [
    `*${title(campaign)}* got ${counted(added, 'more position', 'more positions')}.`,
    ...costSentences(campaign, added),
    `The marketplace decides when it runs again: check with ${statusCommand(campaign)}.`,
  ].join(' ');
}

/** Returns what to check when the outcome of a restart is unknown. */
export function restartUnknownText(campaign: Campaign, positions: number): string {
  const { availablePositions: before } = campaign;
  return [
    `The marketplace gave no clear answer, so *${title(campaign)}* may or may not have got ${counted(positions, 'more position', 'more positions')}. The request was not repeated.`,
    ...costSentences(campaign, positions),
    `Check ${statusCommand(campaign)} in a minute: it had ${counted(before, 'position')} when last seen, and has ${count(before + positions)} if the restart was made. Restart it again only if nothing has changed.`,
  ].join(' ');
}

/** Returns `4 positions × 0.25 = 1.00, fees not included.`, or nothing if the payment is no decimal. */
function costSentences({ paymentPerTask }: Campaign, positions: number): string[] {
  const price = tryMoney(paymentPerTask);
  if (price === undefined) return [];
  const cost = formatMoney(price.times(positions));
  return [`${counted(positions, 'position')} × ${formatMoney(price)} = ${cost}, fees not included.`];
}

/** Identifies the cost of a restart as shown in the form. */
export function shownCost({ paymentPerTask }: Pick<Campaign, 'paymentPerTask'>, positions: number): string {
  return `${positions} × ${paymentPerTask}`;
}

/** Why a campaign cannot be restarted from here, in mrkdwn. */
export const unknownPayment =
  'Nothing was restarted: the marketplace gives no payment per task for this campaign, so what it would cost is not known. Restart it at the marketplace.';

/** Returns that a campaign with an approved restart is no longer finished. */
export function notFinishedText(campaign: Campaign): string {
  return `*${title(campaign)}* is not finished any more (${statusWords[campaign.status].toLowerCase()}), so it was not restarted.`;
}

/** Error for an invalid number, in plain text. */
export const positionsProblem = 'Enter how many positions to add: a whole number above 0, in digits only.';
