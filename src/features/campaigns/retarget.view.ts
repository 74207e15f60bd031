import type { ActionsBlock, InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import { context, input, modal, option, plainText, section } from '../../slack/blocks.ts';
import { limits } from '../../slack/limits.ts';
import { countryLabel, countryOf, searchCountries } from './countries.ts';
import { idCode, title } from './lines.ts';
import { noteView, sendingView } from './outcome.view.ts';
import { targetingLine } from './status.view.ts';
import { type Countries, mostExcludes } from './targeting.ts';
import { type FormState, formState } from './values.ts';

export const retargetForm = 'campaign.retarget';
export const includeInput = 'include';
export const excludeInput = 'exclude';
/** By it Slack asks for countries. */
export const countryTyping = 'country.pick';

export const retargetHeading = 'Change the countries';

export interface RetargetForm {
  readonly campaign: Campaign;
  readonly state: FormState;
  /** What is chosen already. */
  readonly countries: Countries;
  /** Why the last try failed, in mrkdwn, and which of the fields it speaks of. */
  readonly problem?: {
    readonly about: 'include' | 'exclude' | 'both';
    readonly text: string;
    /** A button that offers to do it later. */
    readonly offer?: readonly ActionsBlock[];
  };
}

/** Which countries shall a campaign be for? */
export function retargetView({ campaign, state, countries, problem }: RetargetForm): ModalView {
  const note = (about: 'include' | 'exclude' | 'both') =>
    problem?.about === about ? [section(`*Not changed.* ${problem.text}`), ...(problem.offer ?? [])] : [];
  const most = Math.max(countries.include.length, countries.exclude.length);
  return modal({
    callbackId: retargetForm,
    title: retargetHeading,
    submit: problem === undefined ? 'Change' : 'Try again',
    state: formState.encode(state),
    blocks: [
      section(`*${title(campaign)}*\n${targetingLine(campaign)}`),
      ...note('both'),
      countrySelect(includeInput, 'Countries to include', countries.include, {
        hint: 'At least one. Type a name or a code.',
      }),
      ...note('include'),
      countrySelect(excludeInput, 'Countries to exclude', countries.exclude, {
        hint: `At most ${mostExcludes}.`,
        most: mostExcludes,
      }),
      ...note('exclude'),
      ...(most > limits.options
        ? [
            context(
              `Only the first ${limits.options} countries fit into this form. Check them before you go on.`,
            ),
          ]
        : []),
    ],
  });
}

function countrySelect(
  name: string,
  label: string,
  codes: readonly string[],
  { hint, most }: { hint: string; most?: number },
): InputBlock {
  const initial = codes.slice(0, most ?? limits.options).map(countryOption);
  const block = input(
    name,
    label,
    {
      type: 'multi_external_select',
      placeholder: plainText('Choose countries'),
      min_query_length: 0,
      ...(most === undefined ? {} : { max_selected_items: most }),
      ...(initial.length > 0 ? { initial_options: initial } : {}),
    },
    { hint, isOptional: name === excludeInput },
  );
  return { ...block, element: { ...block.element, action_id: countryTyping } };
}

/** Countries to choose from. */
export function countryOptions(text: string): PlainTextOption[] {
  return searchCountries(text)
    .slice(0, limits.options)
    .map(({ code }) => countryOption(code));
}

function countryOption(code: string): PlainTextOption {
  return option(countryLabel(code), code);
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

/** `Germany (DE), France (FR), without Malta (MT)`. */
export function inWords({ include, exclude }: Countries, most = 40): string {
  const names = (codes: readonly string[]) => {
    const shown = codes.slice(0, most).map((code) => (countryOf(code) ? countryLabel(code) : code));
    return shown.join(', ') + (codes.length > shown.length ? ` and ${codes.length - shown.length} more` : '');
  };
  return `${names(include)}${exclude.length === 0 ? '' : `, without ${names(exclude)}`}`;
}
