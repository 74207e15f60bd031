import type { ActionsBlock } from '@slack/types';
import { z } from 'zod';
import type { CampaignId } from '../../../domain/terms.ts';
import { actions, button, type Message, section } from '../../../slack/blocks.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { date, plain, user } from '../../../slack/mrkdwn.ts';
import { notice } from '../../../slack/notice.ts';
import type { PlannedRetarget } from '../../../store/planned-retargets.ts';
import { campaignCodec, campaignId, campaignValue } from '../button-values.ts';
import { title } from '../campaign-text.ts';
import { count, counted } from '../figures.ts';
import { type Countries, countriesText } from '../targeting.ts';
import { unlistedNote } from './country-input.ts';
import { retargetedText, retargetUnknownText } from './retarget.view.ts';

/** Action ids: plan the change for when it becomes possible; cancel it. */
export const planRetarget = 'campaign.retarget.then';
export const cancelRetarget = 'campaign.retarget.cancel';

/** Slack's limit for a button's value. */
const maxValueLength = 2_000;
/** Maximum number of plans, and of countries per plan, within Slack's message limits. */
const maxPlans = 10;
const maxCountries = 12;

const offerSchema = campaignCodec(
  'button',
  z.object({ campaign: campaignId, include: z.string(), exclude: z.string(), at: z.number().int() }),
);

/** A country change that is possible from a certain time on (ms); codes are separated by spaces. */
export const planOfferValue = {
  encode: (campaign: CampaignId, { include, exclude }: Countries, at: number): string =>
    offerSchema.encode({ campaign, include: include.join(' '), exclude: exclude.join(' '), at }),

  decode(value: string) {
    const { campaign, include, exclude, at } = offerSchema.decode(value);
    return { campaign, countries: { include: splitCodes(include), exclude: splitCodes(exclude) }, at };
  },
};

function splitCodes(codes: string): string[] {
  return codes.split(' ').filter((code) => code !== '');
}

/** Renders the button that offers to make a change later; nothing if its value would be too long. */
export function planOffer(campaign: CampaignId, countries: Countries, at: number): ActionsBlock[] {
  const value = planOfferValue.encode(campaign, countries, at);
  if (value.length > maxValueLength) return [];
  return [
    actions('retarget-then', [button('Schedule this change', planRetarget, value, { style: 'primary' })]),
  ];
}

/** Renders the refusal of a change. @param sentence mrkdwn, says until when */
export function refusedMessage(sentence: string, offer: readonly ActionsBlock[]): Message {
  return { text: plain(sentence), blocks: [section(sentence), ...offer] };
}

/** Renders all planned changes. @param done outcome of the last action, a sentence in mrkdwn */
export function plansMessage(plans: readonly PlannedRetarget[], done?: string): Message {
  if (plans.length === 0) return notice(done ?? 'No country change is planned.');
  const heading = `*${counted(plans.length, 'country change')} ${plans.length === 1 ? 'is' : 'are'} planned:*`;
  const shown = plans.slice(0, maxPlans).map((plan) => ({ plan, line: planLine(plan) }));
  const rest = plans.length - shown.length;
  const first = done === undefined ? [] : [done];
  return {
    text: cut(plain([...first, heading, ...shown.map(({ line }) => line)].join('\n')), limits.fallbackText),
    blocks: [
      ...first.map((text) => section(text)),
      section(heading),
      ...shown.map(({ plan, line }) =>
        section(line, {
          accessory: button('Cancel', cancelRetarget, campaignValue.encode({ campaign: plan.campaign }), {
            label: `Cancel the country change of ${plan.title}`,
          }),
        }),
      ),
      ...(rest > 0 ? [section(`${count(rest)} more ${rest === 1 ? 'is' : 'are'} planned after these.`)] : []),
    ],
  };
}

function planLine(plan: PlannedRetarget): string {
  return `*${titleOf(plan)}*: ${date(plan.dueAt)}, to ${countriesText(plan, maxCountries)}. Requested by ${user(plan.by)}.`;
}

/** For a planner who may no longer make the change. */
export const noLongerAllowed =
  'You are no longer a manager of this account. Ask an owner or a manager to change the countries.';

/** Returns the confirmation of a plan. */
export function plannedText(plan: PlannedRetarget): string {
  return `The countries of *${titleOf(plan)}* will be changed ${date(plan.dueAt)}. You will get the result in a direct message.${unlistedNote(plan)}`;
}

/** Returns the same confirmation for a place without a cancel button. */
export function plannedInFormText(plan: PlannedRetarget): string {
  return `${plannedText(plan)} To cancel it, type \`/campaign retarget\`.`;
}

/** Returns a campaign's plan, for its status. */
export function planNote(plan: PlannedRetarget): string {
  return plan.stage.state === 'planned'
    ? `*Its countries will be changed* ${date(plan.dueAt)}, to ${countriesText(plan, maxCountries)}. Requested by ${user(plan.by)}. Cancel it here or with \`/campaign retarget\`.`
    : `*Its countries are being changed* right now, as planned. ${user(plan.by)} will get the result in a direct message.`;
}

/** Returns that a planned change was canceled. */
export function canceledText(plan: PlannedRetarget): string {
  return `The planned country change of *${titleOf(plan)}* is canceled. Nothing was changed.`;
}

export const nothingPlanned =
  'This change is no longer planned: it was made or canceled. Check with `/campaign status`.';

export const changeUnderWay =
  'A planned country change of this campaign is being made right now. Wait for the result, then try again.';

/** Renders the outcome of a planned change for its planner; if refused until a later time, with the offer again. */
export function endMessage(plan: PlannedRetarget): Message | undefined {
  if (plan.stage.state !== 'ended') return undefined;
  const { end } = plan.stage;
  const campaign = { id: plan.campaign, title: plan.title };
  if (end.kind === 'done') {
    return notice(`As planned: ${retargetedText(campaign, plan)}${unlistedNote(plan)}`);
  }
  if (end.kind === 'unsure') return notice(retargetUnknownText(campaign, plan));
  const sentence = `The planned country change of *${title(campaign)}* was not made. ${end.sentence}`;
  return refusedMessage(sentence, end.nextAt === undefined ? [] : planOffer(plan.campaign, plan, end.nextAt));
}

function titleOf({ campaign, title: text }: PlannedRetarget): string {
  return title({ id: campaign, title: text }, 100);
}
