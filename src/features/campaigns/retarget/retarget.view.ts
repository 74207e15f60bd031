import type { ActionsBlock, InputBlock, ModalView, PlainTextOption, SectionBlock } from '@slack/types';
import type { Campaign } from '../../../domain/campaign.ts';
import { context, input, modal, option, plainText, section } from '../../../slack/blocks.ts';
import { limits } from '../../../slack/limits.ts';
import { type FormState, formState } from '../button-values.ts';
import { noteView, sendingView } from '../campaign-form.view.ts';
import { asSeenNote, idCode, title } from '../campaign-text.ts';
import { countryLabel, isUnlistedCode, searchCountries } from '../countries.ts';
import { type Countries, currentCountries, mostExcludes } from '../targeting.ts';
import { allNamed, inWords, targetingLine } from '../targeting.view.ts';

export const retargetForm = 'campaign.retarget';
export const includeInput = 'include';
export const excludeInput = 'exclude';
/** By it Slack asks for countries. */
export const countryTyping = 'country.pick';

export const retargetHeading = 'Change the countries';

export interface RetargetForm {
  readonly campaign: Campaign;
  readonly state: FormState;
  /** What is chosen already; absent: what the campaign has now, as far as that can be told. */
  readonly countries?: Countries | undefined;
  /** The marketplace did not answer: the campaign is as seen then (ms). */
  readonly lastSeen?: number | undefined;
  /** Why the last try failed, in mrkdwn, and which of the fields it speaks of. */
  readonly problem?: {
    readonly about: 'include' | 'exclude' | 'both';
    readonly text: string;
    /** A button that offers to do it later. */
    readonly offer?: readonly ActionsBlock[];
  };
}

/** Which countries shall a campaign be for? */
export function retargetView({
  campaign,
  state,
  countries: chosen,
  lastSeen,
  problem,
}: RetargetForm): ModalView {
  const countries = chosen ?? currentCountries(campaign);
  const note = (about: 'include' | 'exclude' | 'both') =>
    problem?.about === about ? [section(`*Not changed.* ${problem.text}`), ...(problem.offer ?? [])] : [];
  return modal({
    callbackId: retargetForm,
    title: retargetHeading,
    submit: problem === undefined ? 'Change' : 'Try again',
    state: formState.encode(state),
    blocks: [
      section(`*${title(campaign)}*\n${targetingLine(campaign)}`),
      ...(lastSeen === undefined ? [] : [context(asSeenNote(lastSeen))]),
      ...(chosen === undefined ? unreadNote(campaign, countries) : []),
      ...note('both'),
      countrySelect(includeInput, 'Countries to include', countries.include, {
        hint: 'At least one. Type a name or a code.',
      }),
      ...leftOutNote(
        countries.include,
        'included',
        'close this form and type all of them: `/campaign retarget &lt;id&gt; US GB …`',
      ),
      ...note('include'),
      countrySelect(excludeInput, 'Countries to exclude', countries.exclude, {
        hint: `At most ${mostExcludes}.`,
        most: mostExcludes,
      }),
      ...tooManyNote(countries.exclude),
      ...leftOutNote(countries.exclude, 'excluded', 'close this form'),
      ...note('exclude'),
    ],
  });
}

/**
 * A campaign may have more excludes than a change may send. All of them stand in the field and the form is not taken
 * until people have chosen which go: the bot never picks for them.
 */
function tooManyNote({ length }: readonly string[]): SectionBlock[] {
  const over = length - mostExcludes;
  if (over <= 0) return [];
  return [
    section(
      `*${length} countries are excluded, and a change may exclude ${mostExcludes} at the most.* Take out ${over === 1 ? 'the one' : `those ${over}`} that shall be excluded no more: nothing is changed before that. To keep all ${length}, close this form.`,
    ),
  ];
}

/** Countries that the field cannot hold: a change replaces all there are, so they are named. */
function leftOutNote(
  codes: readonly string[],
  now: 'included' | 'excluded',
  wayToKeep: string,
): SectionBlock[] {
  const rest = codes.slice(limits.options);
  if (rest.length === 0) return [];
  const are = rest.length === 1 ? 'is' : 'are';
  return [
    section(
      `*Only the first ${limits.options} of ${codes.length} countries fit into this field.* With a change, the other ${rest.length} ${are} not ${now} any more: ${allNamed(rest)}. To keep them, ${wayToKeep}.`,
    ),
  ];
}

/** The marketplace may describe countries in words, from which no field can be filled. */
function unreadNote({ targetedCountries, excludedCountries }: Campaign, read: Countries): SectionBlock[] {
  const isUnread = (text: string, codes: readonly string[]) => text.trim() !== '' && codes.length === 0;
  if (!isUnread(targetedCountries, read.include) && !isUnread(excludedCountries, read.exclude)) return [];
  return [
    section(
      'Not all of these could be filled in below. A change replaces all countries: choose every one that shall be included, and every one that shall stay excluded.',
    ),
  ];
}

function countrySelect(
  name: string,
  label: string,
  codes: readonly string[],
  { hint, most }: { hint: string; most?: number },
): InputBlock {
  const initial = codes.slice(0, limits.options).map(countryOption);
  const block = input(
    name,
    label,
    {
      type: 'multi_external_select',
      placeholder: plainText('Choose countries'),
      min_query_length: 0,
      // More than may be sent can be there already: then the submission is checked alone.
      ...(most === undefined || initial.length > most ? {} : { max_selected_items: most }),
      ...(initial.length > 0 ? { initial_options: initial } : {}),
    },
    { hint, isOptional: name === excludeInput },
  );
  return { ...block, element: { ...block.element, action_id: countryTyping } };
}

/** Returns countries to choose from, and at the end the typed code itself when it could be one that our list lacks. */
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

export function retargetSendingView(): ModalView {
  return sendingView(retargetForm, retargetHeading);
}

export function retargetNoteView(sentence: string): ModalView {
  return noteView(retargetForm, retargetHeading, sentence);
}

/** It was done. */
export function retargetedSentence(campaign: Pick<Campaign, 'id' | 'title'>, countries: Countries): string {
  return `The countries of *${title(campaign)}* were changed. It is now for ${inWords(countries)}.`;
}

/** Nobody knows whether it was done: what to look at before anything else. */
export function retargetUnsureSentence(
  campaign: Pick<Campaign, 'id' | 'title'>,
  countries: Countries,
): string {
  return `The marketplace gave no clear answer, so it is not known whether the countries of *${title(campaign)}* were changed. It was not sent again. Look at \`/campaign status\` with the id ${idCode(campaign)} in a minute: if the change was made, it is for ${inWords(countries)}. Change them again only if it was not.`;
}
