import type { InputBlock, ModalView, OptionGroup, PlainTextOption } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelId } from '../../domain/terms.ts';
import { actions, input, type Message, modal, option, plainText, section } from '../../slack/blocks.ts';
import { limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';
import { counted, statusWords } from './figures.ts';
import { campaignValue, type Purpose, pickState } from './values.ts';

/** The form that asks for a campaign, and the select in it that asks us for options. */
export const pickForm = 'campaign.pick';
export const campaignInput = 'campaign';

/** Clicks that say for which campaign something shall be done; also what a choice among several says. */
export const openStatus = 'campaign.status';
export const openRestart = 'campaign.restart';
export const openRetarget = 'campaign.retarget';
export const sendResults = 'campaign.results';

const clickFor: Readonly<Record<Purpose, string>> = {
  status: openStatus,
  restart: openRestart,
  retarget: openRetarget,
  results: sendResults,
};

const wording: Readonly<Record<Purpose, { title: string; submit: string; hint: string }>> = {
  status: { title: 'Campaign status', submit: 'Show', hint: 'Type a part of its title.' },
  restart: {
    title: 'Restart a campaign',
    submit: 'Next',
    hint: 'Finished campaigns come first: only those can be restarted.',
  },
  retarget: {
    title: 'Change the countries',
    submit: 'Next',
    hint: 'Type a part of its title. The countries come next.',
  },
  results: {
    title: 'Campaign results',
    submit: 'Get the file',
    hint: 'The results come to you in a direct message.',
  },
};

/** Asks which campaign is meant. */
export function pickView(purpose: Purpose, channel: ChannelId | undefined): ModalView {
  const { title, submit, hint } = wording[purpose];
  const block: InputBlock = input(
    campaignInput,
    'Campaign',
    {
      type: 'external_select',
      placeholder: plainText('Choose a campaign'),
      min_query_length: 0,
      focus_on_load: true,
    },
    { hint },
  );
  return modal({
    callbackId: pickForm,
    title,
    submit,
    state: pickState.encode({ purpose, channel }),
    // Its own action id, by which Slack asks for the options.
    blocks: [{ ...block, element: { ...block.element, action_id: pickForm } }],
  });
}

/** Campaigns to choose from, at most as many as Slack shows; for a restart the finished ones first. */
export function pickOptions(
  campaigns: readonly Campaign[],
  purpose: Purpose | undefined,
): PlainTextOption[] | { groups: OptionGroup[] } {
  const choosable = campaigns.filter(({ id }) => id.length <= limits.optionValue);
  const optionOf = (campaign: Campaign) => option(label(campaign), campaign.id, describe(campaign));
  if (purpose !== 'restart') return choosable.slice(0, limits.options).map(optionOf);
  const finished = choosable.filter(({ status }) => status === 'FINISHED').slice(0, limits.options);
  const others = choosable
    .filter(({ status }) => status !== 'FINISHED')
    .slice(0, limits.options - finished.length);
  const groups = [
    { label: plainText('Finished'), options: finished.map(optionOf) },
    { label: plainText('Not finished yet'), options: others.map(optionOf) },
  ];
  return { groups: groups.filter(({ options }) => options.length > 0) };
}

/** All text of a message together has a limit too, which 100 options would exceed. */
const choicesShown = 50;

/** Several campaigns have what was typed in their titles: which one is meant? */
export function chooseMessage(
  campaigns: readonly Campaign[],
  text: string,
  purpose: Purpose,
  positions?: number,
): Message {
  const options = campaigns
    .map((campaign) => ({ campaign, value: campaignValue.encode({ campaign: campaign.id, positions }) }))
    .filter(({ value }) => value.length <= limits.optionValue)
    .slice(0, choicesShown)
    .map(({ campaign, value }) => option(label(campaign), value, describe(campaign)));
  const more =
    campaigns.length > options.length
      ? ` The first ${options.length} are listed; type more of the title.`
      : '';
  const sentence = `${counted(campaigns.length, 'campaign')} have “${inline(text, 80)}” in their titles. Choose the one you mean.${more}`;
  return {
    text: plain(sentence),
    blocks: [
      section(sentence),
      ...(options.length > 0
        ? [
            actions('choose', [
              {
                type: 'static_select' as const,
                action_id: clickFor[purpose],
                placeholder: plainText('Choose a campaign'),
                options,
              },
            ]),
          ]
        : []),
    ],
  };
}

function label({ title, id }: Campaign): string {
  const text = title.replace(/\s+/gu, ' ').trim();
  return text === '' ? `Campaign ${id}` : text;
}

function describe({ status, tasksNotRated }: Campaign): string {
  return tasksNotRated > 0 ? `${statusWords[status]}, ${tasksNotRated} waiting` : statusWords[status];
}
