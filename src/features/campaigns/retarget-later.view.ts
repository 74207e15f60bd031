import type { ActionsBlock, ModalView } from '@slack/types';
import type { CampaignId } from '../../domain/terms.ts';
import { actions, button, type Message, modal, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, plain, user } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import type { PlannedRetarget } from '../../store/planned-retargets.ts';
import { count, counted } from './figures.ts';
import { title } from './lines.ts';
import { retargetedSentence, retargetHeading, retargetUnsureSentence } from './retarget.view.ts';
import type { Countries } from './targeting.ts';
import { inWords } from './targeting.view.ts';
import { campaignValue, laterValue } from './values.ts';

/** Clicks: change the countries when it is possible again; do not, after all. */
export const retargetThen = 'campaign.retarget.then';
export const cancelRetarget = 'campaign.retarget.cancel';

/** A button's value has so much room. */
const valueRoom = 2_000;
/** So many plans are listed, with so many of their countries, so that the message keeps to its limits. */
const plansShown = 10;
const countriesShown = 12;

/** The button that offers to change the countries once that is possible; none when they do not fit into it. */
export function thenOffer(campaign: CampaignId, countries: Countries, at: number): ActionsBlock[] {
  const value = laterValue.encode({
    campaign,
    include: countries.include.join(' '),
    exclude: countries.exclude.join(' '),
    at,
  });
  if (value.length > valueRoom) return [];
  return [actions('retarget-then', [button('Do it then', retargetThen, value, { style: 'primary' })])];
}

/** A change was refused until a time. @param sentence mrkdwn, which says when */
export function refusedMessage(sentence: string, offer: readonly ActionsBlock[]): Message {
  return { text: plain(sentence), blocks: [section(sentence), ...offer] };
}

/** All changes that wait for their time. @param done what was done just now, a sentence in mrkdwn */
export function plannedMessage(plans: readonly PlannedRetarget[], done?: string): Message {
  if (plans.length === 0) return notice(done ?? 'No change of countries is planned.');
  const heading = `*${counted(plans.length, 'change')} of countries ${plans.length === 1 ? 'is' : 'are'} planned:*`;
  const shown = plans.slice(0, plansShown);
  const rest = plans.length - shown.length;
  const lines = shown.map(planLine);
  return {
    text: cut(
      plain([...(done === undefined ? [] : [done]), heading, ...lines].join('\n')),
      limits.fallbackText,
    ),
    blocks: [
      ...(done === undefined ? [] : [section(done)]),
      section(heading),
      ...shown.map((plan, index) =>
        section(lines[index] ?? '', {
          accessory: button('Cancel', cancelRetarget, campaignValue.encode({ campaign: plan.campaign }), {
            label: `Cancel the change of ${plan.title}`,
          }),
        }),
      ),
      ...(rest > 0
        ? [section(`${count(rest)} more ${rest === 1 ? 'comes' : 'come'} later than these.`)]
        : []),
    ],
  };
}

function planLine(plan: PlannedRetarget): string {
  return `*${named(plan)}*: ${date(plan.dueAt)}, for ${inWords(plan, countriesShown)}. Asked for by ${user(plan.by)}.`;
}

export function plannedSentence(plan: PlannedRetarget): string {
  return `The countries of *${named(plan)}* will be changed ${date(plan.dueAt)}. You will be told in a direct message how that went.`;
}

/** The same where there is no button to cancel it. */
export function plannedInForm(plan: PlannedRetarget): string {
  return `${plannedSentence(plan)} To cancel it, type \`/campaign retarget\`.`;
}

/** Said of a campaign for which a change is planned, or being made. */
export function planNote(plan: PlannedRetarget): string {
  return plan.stage.state === 'planned'
    ? `*Its countries will be changed* ${date(plan.dueAt)}, to ${inWords(plan, countriesShown)}. Asked for by ${user(plan.by)}. Cancel it here, or in the list of what is planned: \`/campaign retarget\`.`
    : '*Its countries are being changed* right now, as planned. Whoever asked for it is told how that went.';
}

export function cancelledSentence(plan: PlannedRetarget): string {
  return `The change of the countries of *${named(plan)}* is cancelled. Nothing was changed.`;
}

export const nothingPlanned =
  'That change is not planned any more: it was made, or cancelled. Look at `/campaign status`.';

export const beingSent =
  'A planned change of this campaign’s countries is being made right now. Wait for its outcome, then try again.';

/** The form after the change was planned. */
export function plannedView(plan: PlannedRetarget): ModalView {
  return modal({
    callbackId: 'campaign.retarget',
    title: retargetHeading,
    blocks: [section(plannedInForm(plan))],
  });
}

/** How a planned change ended, for whoever asked for it. Refused until a later time: with the offer again. */
export function endedMessage(plan: PlannedRetarget): Message | undefined {
  if (plan.stage.state !== 'ended') return undefined;
  const { end } = plan.stage;
  const campaign = { id: plan.campaign, title: plan.title };
  if (end.kind === 'done') return notice(`As planned: ${retargetedSentence(campaign, plan)}`);
  if (end.kind === 'unsure') return notice(retargetUnsureSentence(campaign, plan));
  const sentence = `The planned change of the countries of *${title(campaign)}* was not made. ${end.sentence}`;
  const offer = end.nextAt === undefined ? [] : thenOffer(plan.campaign, plan, end.nextAt);
  return refusedMessage(sentence, offer);
}

function named({ campaign, title: text }: PlannedRetarget): string {
  return title({ id: campaign, title: text }, 100);
}
