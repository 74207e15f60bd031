import type { PlainTextOption } from '@slack/types';
import { CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { modalBudget } from '../../kit/budgets.ts';
import type { CampaignListings } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import { type CallFailure, MarketplaceError } from '../../marketplace/index.ts';
import type { Click, Command, Typing, Unchecked } from '../../slack/feature.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import { campaignValue } from './campaign.view.ts';
import { createCampaignForm } from './change.ts';
import {
  countryOptions,
  isAsShown,
  type RetargetProblem,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
} from './change.view.ts';
import type { CampaignChooser } from './choose.ts';
import {
  type Countries,
  countriesIn,
  excludeInput,
  includeInput,
  parseCountries,
  retargetEntry,
  unlistedCodes,
  unlistedNote,
  validateCountries,
} from './countries.ts';

/** Creates `/campaign retarget <id> [US GB -IN …]`, its form, and its button. */
export function createRetarget(context: Modules, listings: CampaignListings, chooser: CampaignChooser) {
  const { campaigns, marketplace } = context;

  const form = createCampaignForm<Countries, RetargetProblem>(context, listings, {
    name: 'retarget',
    frame: retargetForm,
    view: retargetView,
    parse(values) {
      const countries = countriesIn(values);
      const { include, exclude } = validateCountries(countries);
      if (include === undefined && exclude === undefined) return { input: countries };
      return {
        errors: {
          ...(include === undefined ? {} : { [includeInput]: include }),
          ...(exclude === undefined ? {} : { [excludeInput]: exclude }),
        },
      };
    },
    unchanged: (campaign, countries) =>
      isAsShown(campaign, countries)
        ? { [includeInput]: 'These are the countries it has now. Change them first, or close this form.' }
        : undefined,
    async send(client, campaign, countries) {
      const { retargeted } = await client.retargetCampaign(campaign.id, countries);
      return retargetedText(campaign, retargeted) + unlistedNote(countries);
    },
    unknownOutcomeText: (campaign, countries) =>
      retargetUnknownText(campaign, countries) + unlistedNote(countries),
    entryOf: retargetEntry,
    commandOf: ({ id }, { include, exclude }) =>
      ['/campaign retarget', id, ...include, ...exclude.map((code) => `-${code}`)].join(' '),
    problemOf: (error, sentence, countries) => ({ field: fieldOf(error, countries), text: sentence }),
  });

  return {
    chosen: form.chosen,
    submitted: form.submitted,

    async command(command: Command): Promise<void> {
      const { text, answer } = command;
      const budget = modalBudget();
      const ref = await command.authorize();
      if (text === '') return chooser.open(command, 'retarget');
      const [, quoted, codes = ''] = /^(["“„«].*["”“»])\s+(.+)$/u.exec(text) ?? [];
      const [first = '', ...words] = quoted ? [quoted, ...codes.split(/\s+/u)] : text.split(/\s+/u);
      const countries = parseCountries(words.join(' '), marketplace.excludeMark);
      const problems = Object.values(validateCountries(countries));
      // Either `<id> US -IN`, or a title without codes after it.
      const areAllListed = problems.length === 0 && unlistedCodes(countries).length === 0;
      const hasCodes =
        words.length > 0 &&
        (areAllListed || (await campaigns.get(ref, CampaignId.parse(first))) !== undefined);
      const resolved = await chooser.resolve(command, ref, hasCodes ? first : text, 'retarget', { budget });
      if (resolved === undefined) return;
      if (!hasCodes || !resolved.byId) {
        return form.open(command, ref, resolved, budget, hasCodes ? countries : undefined);
      }
      if (problems.length > 0) throw new UserError(`Nothing was changed. ${escaped(problems.join(' '))}`);
      await answer(notice(await form.change(command, ref, resolved.campaign, countries)));
    },

    async click(click: Click): Promise<void> {
      await form.click(click, campaignValue.decode(click.value).campaign);
    },

    /** Returns options for text typed into one of the country selects. */
    async options({ text }: Unchecked<Typing>): Promise<PlainTextOption[]> {
      return countryOptions(text);
    },
  };
}

/** Returns the field a refusal refers to. */
function fieldOf(error: CallFailure, { exclude }: Countries): RetargetProblem['field'] {
  if (!(error instanceof MarketplaceError)) return 'both';
  switch (error.code) {
    case 'TOO_MANY_EXCLUDES':
      return 'exclude';
    case 'INCLUDES_NECESSARY':
    case 'NO_INPUT':
      return 'include';
    case 'UNKNOWN_COUNTRY_CODE':
      return exclude.includes(error.details.unknownCountry ?? '') ? 'exclude' : 'include';
    case 'COUNTRIES_NOT_AVAILABLE': {
      const codes = error.details.unavailableCountries ?? [];
      return codes.length > 0 && codes.every((code) => exclude.includes(code)) ? 'exclude' : 'include';
    }
    default:
      return 'both';
  }
}
