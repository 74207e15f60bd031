import type { ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { editableMoney, money } from '../../domain/money.ts';
import {
  newBelow,
  noSecondLooks,
  type SecondLookSettings,
  settingsText,
  shares,
} from '../../domain/second-look/settings.ts';
import { parseLimit } from '../../domain/spending.ts';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { context, input, modal, option, plainText, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { chosen, chosenMany, typed, type Values } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';

export const secondLookForm = 'second-look.settings';

/** State of the form, and of the settings below it. */
export const secondLookState = codec('form', z.object({ account: AccountId }), 'Type `/proofdesk settings`.');

/** A campaign in the form. */
export interface LookCampaign {
  readonly id: CampaignId;
  readonly title: string;
  /** Its own settings, if any. */
  readonly own?: SecondLookSettings | undefined;
}

const all = '*';
const asAccount = 'account';
/** A select has 100 options, one of which stands for all. */
const mostCampaigns = 99;
/** Maximum number of campaigns listed with their own settings. */
const mostListed = 20;

const shareOptions: PlainTextOption[] = [
  ...shares.map((share) =>
    option(share === 0 ? 'None' : `${share} % of decisions, ${2 * share} % of new reviewers’`, String(share)),
  ),
  option('As in all campaigns', asAccount, 'Only for a campaign: removes its own settings'),
];
const bulkOption = option('Every NOK of a bulk rating', 'bulk');

/** Returns the form for which decisions wait for a second look. */
export function secondLookModal(
  state: string,
  account: SecondLookSettings,
  campaigns: readonly LookCampaign[],
): ModalView {
  const own = campaigns.filter((one) => one.own !== undefined);
  const lines = own
    .slice(0, mostListed)
    .map((one) => `*${inline(one.title, 60)}*: ${settingsText(one.own ?? noSecondLooks)}`);
  const more = own.length > mostListed ? [`and ${own.length - mostListed} more campaigns`] : [];
  const current = shareOptions.find(({ value }) => value === String(account.share));
  const everywhere = option('All campaigns without settings of their own', all);
  return modal({
    callbackId: secondLookForm,
    title: 'Second looks',
    submit: 'Save',
    state,
    blocks: [
      section(
        'Some decisions can wait, before they are sent, until another reviewer has decided on the task without knowing the first verdict. If the two differ, a third decides.',
      ),
      section([`*All campaigns*: ${settingsText(account)}`, ...lines, ...more].join('\n')),
      input('campaign', 'Change it for', {
        type: 'static_select',
        options: [everywhere, ...campaigns.slice(0, mostCampaigns).map(({ id, title }) => option(title, id))],
        initial_option: everywhere,
      }),
      input('share', 'How many decisions wait', {
        type: 'radio_buttons',
        options: shareOptions,
        ...(current ? { initial_option: current } : {}),
      }),
      input(
        'bonus',
        'Also every bonus above',
        {
          type: 'plain_text_input',
          placeholder: plainText('No amount'),
          ...(account.bonusAbove === undefined
            ? {}
            : { initial_value: editableMoney(money(account.bonusAbove)) }),
        },
        { isOptional: true },
      ),
      input(
        'bulk',
        'Bulk ratings',
        {
          type: 'checkboxes',
          options: [bulkOption],
          ...(account.bulkNok ? { initial_options: [bulkOption] } : {}),
        },
        { isOptional: true },
      ),
      context(
        `A reviewer with fewer than ${newBelow} decisions in two weeks counts as new. Decisions wait for at most 24 hours, and are sent at the latest 2 hours before the task is due. If fewer than two reviewers were active this week, none of them wait.`,
      ),
    ],
  });
}

/** Values chosen in the form; without `settings`: the campaign no longer has its own. */
export interface ChosenSettings {
  readonly campaign: CampaignId | undefined;
  readonly settings: SecondLookSettings | undefined;
}

/** Returns the values chosen in the form, or errors by input. */
export function chosenSettings(
  values: Values,
): ChosenSettings | { readonly errors: Readonly<Record<string, string>> } {
  const where = chosen(values, 'campaign') ?? all;
  const campaign = where === all ? undefined : CampaignId.parse(where);
  const share = chosen(values, 'share');
  if (share === asAccount)
    return campaign === undefined ? { errors: { share: notForAll } } : { campaign, settings: undefined };
  const bonus = parseLimit(typed(values, 'bonus'));
  if ('problem' in bonus) return { errors: { bonus: bonus.problem } };
  const settings: SecondLookSettings = {
    share: shares.find((one) => String(one) === share) ?? 0,
    ...(bonus.amount === undefined ? {} : { bonusAbove: bonus.amount }),
    bulkNok: chosenMany(values, 'bulk').includes('bulk'),
  };
  return { campaign, settings };
}

export const notForAll = 'Choose a campaign, or choose how many decisions wait.';
