import type { InputBlock, ModalView, PlainTextOption, SectionBlock } from '@slack/types';
import type { Campaign } from '../../../domain/campaign.ts';
import { input, option, plainText, section } from '../../../slack/blocks.ts';
import { limits } from '../../../slack/limits.ts';
import { type CampaignFormContent, type CampaignFormFrame, campaignFormView } from '../campaign-form.view.ts';
import { statusCommand, title } from '../campaign-text.ts';
import { countryLabel, isUnlistedCode, searchCountries } from '../countries.ts';
import {
  allCountriesText,
  type Countries,
  countriesText,
  currentCountries,
  targetingLine,
} from '../targeting.ts';
import { excludeInput, includeInput, maxExcludes } from './country-input.ts';

export const retargetForm: CampaignFormFrame = {
  callbackId: 'campaign.retarget',
  title: 'Change countries',
  submit: 'Change',
};
/** Action id under which Slack requests country options. */
export const countrySelect = 'country.pick';

/** Why the marketplace refused a change, in mrkdwn, and the field concerned. */
export interface RetargetProblem {
  readonly field: 'include' | 'exclude' | 'both';
  readonly text: string;
}

/** Renders the form for a campaign's countries, filled with the current ones. */
export function retargetView(content: CampaignFormContent<Countries, RetargetProblem>): ModalView {
  const { campaign, input: chosen, problem } = content;
  const countries = chosen ?? currentCountries(campaign);
  const problemOf = (field: RetargetProblem['field']) =>
    problem?.field === field ? [section(`*Not changed.* ${problem.text}`)] : [];
  return campaignFormView(retargetForm, content, targetingLine(campaign), [
    ...(chosen === undefined ? unreadableNote(campaign, countries) : []),
    ...problemOf('both'),
    countryInput(includeInput, 'Countries to include', countries.include, {
      hint: 'Choose at least one. Type a name or a code.',
    }),
    ...leftOutNote(
      countries.include,
      'included',
      'close this form and type all of them: `/campaign retarget &lt;id&gt; US GB …`',
    ),
    ...problemOf('include'),
    countryInput(excludeInput, 'Countries to exclude', countries.exclude, {
      hint: `Choose at most ${maxExcludes}.`,
      max: maxExcludes,
    }),
    ...tooManyNote(countries.exclude),
    ...leftOutNote(countries.exclude, 'excluded', 'close this form'),
    ...problemOf('exclude'),
  ]);
}

/** Returns whether countries are those with which the form opens. */
export function isAsShown(campaign: Campaign, { include, exclude }: Countries): boolean {
  const now = currentCountries(campaign);
  const isSame = (all: readonly string[], chosen: readonly string[]) => {
    const shown = all.slice(0, limits.options);
    return shown.length === chosen.length && shown.every((code) => chosen.includes(code));
  };
  return isSame(now.include, include) && isSame(now.exclude, exclude);
}

/**
 * Returns the note for a campaign with more excludes than a change may send. The field has all of them, and the form is
 * rejected until people remove some: the bot never chooses for them.
 */
function tooManyNote({ length }: readonly string[]): SectionBlock[] {
  const over = length - maxExcludes;
  if (over <= 0) return [];
  return [
    section(
      `*${length} countries are excluded, but a change can exclude at most ${maxExcludes}.* Remove ${over === 1 ? 'one' : over} of them: nothing is changed before you do. To keep all ${length}, close this form.`,
    ),
  ];
}

/** Returns the note that names the countries the field cannot hold, because a change replaces all existing ones. */
function leftOutNote(
  codes: readonly string[],
  now: 'included' | 'excluded',
  wayToKeep: string,
): SectionBlock[] {
  const rest = codes.slice(limits.options);
  if (rest.length === 0) return [];
  return [
    section(
      `*Only the first ${limits.options} of ${codes.length} countries fit in this field.* If you change anything, the other ${rest.length} will no longer be ${now}: ${allCountriesText(rest)}. To keep them, ${wayToKeep}.`,
    ),
  ];
}

/** Returns the note for countries that the marketplace describes in words, so that no field can be filled in. */
function unreadableNote(
  { targetedCountries, excludedCountries }: Campaign,
  { include, exclude }: Countries,
): SectionBlock[] {
  const isUnreadable = (text: string, codes: readonly string[]) => text.trim() !== '' && codes.length === 0;
  if (!isUnreadable(targetedCountries, include) && !isUnreadable(excludedCountries, exclude)) return [];
  return [
    section(
      'Not all of these could be filled in below. A change replaces all countries: choose every country to include, and every one to exclude.',
    ),
  ];
}

function countryInput(
  name: string,
  label: string,
  codes: readonly string[],
  { hint, max }: { hint: string; max?: number },
): InputBlock {
  const initial = codes.slice(0, limits.options).map(countryOption);
  const block = input(
    name,
    label,
    {
      type: 'multi_external_select',
      placeholder: plainText('Choose countries'),
      min_query_length: 0,
      // The current list may already exceed the limit; then only the submission is validated.
      ...(max === undefined || initial.length > max ? {} : { max_selected_items: max }),
      ...(initial.length > 0 ? { initial_options: initial } : {}),
    },
    { hint, isOptional: name === excludeInput },
  );
  return { ...block, element: { ...block.element, action_id: countrySelect } };
}

/** Returns country options, ending with the typed code itself if it may be missing from our list. */
export function countryOptions(text: string): PlainTextOption[] {
  const typed = text.trim().toUpperCase();
  const unlisted = isUnlistedCode(typed) ? [typed] : [];
  return [
    ...searchCountries(text)
      .slice(0, limits.options - unlisted.length)
      .map(({ code }) => code),
    ...unlisted,
  ].map(countryOption);
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
