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
  notice,
  option,
  plainText,
} from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { counted, joined } from '../../ui/words.ts';
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

const titles: Readonly<Record<Purpose, string>> = {
  status: 'Campaign status',
  restart: 'Restart a campaign',
  retarget: 'Change countries',
  results: 'Campaign results',
};

/** Returns a select of the account's campaigns. Slack requests the options under an action id of its own. */
export function campaignSelect(more: Partial<ExternalSelect> = {}): InputBlock {
  const placeholder = plainText('Choose a campaign');
  const select = { type: 'external_select' as const, placeholder, min_query_length: 0, ...more };
  return input(campaignInput, 'Campaign', select, {
    hint: 'Type part of its title.',
    actionId: 'campaign.pick',
  });
}

/** Renders the form that asks for a campaign. */
export function chooseView(purpose: Purpose, from: ChannelId | undefined): ModalView {
  return modal({
    callbackId: 'campaign.pick',
    title: titles[purpose],
    submit: purpose === 'status' ? 'Show' : purpose === 'results' ? 'Get the file' : 'Next',
    state: chooseFormState.encode({ purpose, channel: from }),
    blocks: [campaignSelect({ focus_on_load: true })],
  });
}

/** Returns campaigns to choose from, up to Slack's limit; for a restart, finished ones first. */
export function campaignOptions(
  campaigns: readonly Campaign[],
  purpose: Purpose | undefined,
): PlainTextOption[] {
  const isLater = ({ status }: Campaign) => Number(purpose === 'restart' && status !== 'FINISHED');
  const sorted = campaigns.toSorted((a, b) => isLater(a) - isLater(b));
  return optionsOf(sorted, ({ id }) => id).slice(0, limits.options);
}

/** Returns the options whose values Slack can hold: first what tells a campaign apart from others of the same title. */
function optionsOf(campaigns: readonly Campaign[], encode: (campaign: Campaign) => string) {
  const told = tellApart(campaigns);
  return campaigns.flatMap((campaign) => {
    const { id, title, status, tasksNotRated } = campaign;
    const value = encode(campaign);
    if (value.length > limits.optionValue) return [];
    const waiting = tasksNotRated > 0 ? `, ${tasksNotRated} waiting` : '';
    const about = joined([told(campaign), `${statusWords[status]}${waiting}`]);
    return option(normalizeSpace(campaignTitleOf(id, title)), value, about);
  });
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
  const encode = ({ id }: Campaign) => campaignValue.encode({ campaign: id, positions });
  const options = optionsOf(campaigns, encode).slice(0, maxChoices);
  const more =
    campaigns.length > options.length
      ? ` Only the first ${options.length} are listed: type more of the title to narrow them down.`
      : '';
  const sentence = `${counted(campaigns.length, 'campaign')} have “${inline(text, 80)}” in their titles. Choose the one you mean.${more}`;
  const select = {
    type: 'static_select' as const,
    action_id: clickFor[purpose],
    placeholder: plainText('Choose a campaign'),
    options,
  };
  return notice(sentence, actions('choose', [select]));
}
