import type { ExternalSelect, InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import { normalizeSpace } from '../../domain/evidence/texts.ts';
import type { ChannelId } from '../../domain/terms.ts';
import {
  actions,
  input,
  limits,
  type Message,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { campaignCodec, campaignValue, channel, type Purpose, purposes, statusWords } from './words.ts';

export const campaignInput = 'campaign';

/** State of the form: its purpose, and where it was opened. */
export const chooseFormState = campaignCodec('form', z.object({ purpose: z.enum(purposes), channel }));

const clickFor: Readonly<Record<Purpose, string>> = {
  status: 'campaign.status',
  restart: 'campaign.restart',
  retarget: 'campaign.retarget',
  results: 'campaign.results',
};

const wording: Readonly<Record<Purpose, { title: string; submit: string; hint: string }>> = {
  status: { title: 'Campaign status', submit: 'Show', hint: 'Type part of its title.' },
  restart: {
    title: 'Restart a campaign',
    submit: 'Next',
    hint: 'Only finished campaigns can be restarted. They come first.',
  },
  retarget: {
    title: 'Change countries',
    submit: 'Next',
    hint: 'Type part of its title. You choose the countries next.',
  },
  results: {
    title: 'Campaign results',
    submit: 'Get the file',
    hint: 'You will get the results in a direct message.',
  },
};

/** Returns a select of the account's campaigns. */
export function campaignSelect(
  more: Partial<ExternalSelect>,
  options?: { readonly hint: string },
): InputBlock {
  const select = { placeholder: plainText('Choose a campaign'), min_query_length: 0, ...more };
  const block = input(campaignInput, 'Campaign', { type: 'external_select', ...select }, options);
  // Slack requests the options under an action id of its own.
  return { ...block, element: { ...block.element, action_id: 'campaign.pick' } } as InputBlock;
}

/** Renders the form that asks for a campaign. */
export function chooseView(purpose: Purpose, from: ChannelId | undefined): ModalView {
  const { title, submit, hint } = wording[purpose];
  return modal({
    callbackId: 'campaign.pick',
    title,
    submit,
    state: chooseFormState.encode({ purpose, channel: from }),
    blocks: [campaignSelect({ focus_on_load: true }, { hint })],
  });
}

/** Returns campaigns to choose from, up to Slack's limit; for a restart, finished ones first. */
export function campaignOptions(
  campaigns: readonly Campaign[],
  purpose: Purpose | undefined,
): PlainTextOption[] {
  const describe = describer(campaigns);
  const isLater = ({ status }: Campaign) => Number(purpose === 'restart' && status !== 'FINISHED');
  return campaigns
    .filter(({ id }) => id.length <= limits.optionValue)
    .sort((a, b) => isLater(a) - isLater(b))
    .slice(0, limits.options)
    .map((campaign) => option(label(campaign), campaign.id, describe(campaign)));
}

/** Slack also limits the total text of a message, which 100 options would exceed. */
const maxChoices = 50;

/** Renders the choice among campaigns whose titles match the typed text. */
export function chooseMessage(
  campaigns: readonly Campaign[],
  text: string,
  purpose: Purpose,
  positions?: number,
): Message {
  const describe = describer(campaigns);
  const options = campaigns
    .map((campaign) => ({ campaign, value: campaignValue.encode({ campaign: campaign.id, positions }) }))
    .filter(({ value }) => value.length <= limits.optionValue)
    .slice(0, maxChoices)
    .map(({ campaign, value }) => option(label(campaign), value, describe(campaign)));
  const more =
    campaigns.length > options.length
      ? ` Only the first ${options.length} are listed: type more of the title to narrow them down.`
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
  return normalizeSpace(campaignTitleOf(id, title));
}

/** Returns what is said of a campaign below its title: first what tells it apart from others of the same title. */
function describer(campaigns: readonly Campaign[]): (campaign: Campaign) => string {
  const told = tellApart(campaigns);
  return (campaign) => {
    const { status, tasksNotRated } = campaign;
    const now = tasksNotRated > 0 ? `${statusWords[status]}, ${tasksNotRated} waiting` : statusWords[status];
    return [told(campaign), now].filter((part) => part !== '').join(' · ');
  };
}
