import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { FocusFilter } from '../../domain/focus.ts';
import type { CampaignId } from '../../domain/terms.ts';
import { actions, button, input, modal, option, plainText } from '../../slack/blocks.ts';
import { chosen, typed, type Values } from '../../slack/form-values.ts';
import { type SelectionState, selectionState } from './button-values.ts';

const inputs = {
  campaign: 'campaign',
  worker: 'worker',
  country: 'country',
  text: 'text',
  waiting: 'waiting',
} as const;

const hourMs = 3_600_000;
const waitingTimes = [
  ['1 hour', hourMs],
  ['6 hours', 6 * hourMs],
  ['12 hours', 12 * hourMs],
  ['1 day', 24 * hourMs],
  ['2 days', 48 * hourMs],
  ['3 days', 72 * hourMs],
  ['5 days', 120 * hourMs],
  ['7 days', 168 * hourMs],
  ['14 days', 336 * hourMs],
] as const;
const any = 'any';

/** A campaign, with the number of its waiting tasks. */
interface CampaignChoice {
  readonly id: CampaignId;
  readonly title: string;
  readonly waiting: number;
}

/** The button that returns from a form to the page of tasks. */
export function backToPage(step: number): KnownBlock {
  return actions(`bulk.back/${step}`, [button('Back to the tasks', 'bulk.back', 'page')]);
}

/** Action id under which the select of the filter requests the campaigns with waiting tasks. */
export const campaignMenu = 'bulk.filter.campaign';

/** Returns a campaign with its number of waiting tasks. @param told what tells it apart from others of its title */
export function campaignOption({ id, title, waiting }: CampaignChoice, told?: string): PlainTextOption {
  return option(`${title} (${waiting.toLocaleString('en')})`, id, told);
}

/** Renders the filter form of the task list. @param campaign the one that is filtered by, if it is one */
export function filterView(
  state: SelectionState,
  filter: FocusFilter,
  campaign: CampaignChoice | undefined,
): ModalView {
  const anyTime = option('However long', any);
  const times = waitingTimes.map(([words, ms]) => option(`At least ${words}`, String(ms)));
  return modal({
    callbackId: 'bulk.filter',
    title: 'Filter the tasks',
    submit: 'Show tasks',
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      input(
        inputs.campaign,
        'Campaign',
        {
          type: 'external_select',
          placeholder: plainText('All campaigns'),
          min_query_length: 0,
          ...(campaign === undefined ? {} : { initial_option: campaignOption(campaign) }),
        },
        { isOptional: true, actionId: campaignMenu, hint: 'Leave it empty for all campaigns.' },
      ),
      input(inputs.worker, 'Worker (name or id)', textInput(filter.worker), { isOptional: true }),
      input(inputs.country, 'Country', textInput(filter.country), { isOptional: true }),
      input(inputs.text, 'Text in the proof', textInput(filter.text), { isOptional: true }),
      input(inputs.waiting, 'Waiting for', {
        type: 'static_select',
        options: [anyTime, ...times],
        initial_option: times.find(({ value }) => value === String(filter.waitingMs)) ?? anyTime,
      }),
      backToPage(state.step),
    ],
  });
}

function textInput(current: string | undefined): InputBlock['element'] {
  return { type: 'plain_text_input', max_length: 200, ...(current ? { initial_value: current } : {}) };
}

/** Returns the filter chosen in a form, without its label. */
export function filterIn(
  values: Values,
): Omit<FocusFilter, 'label' | 'campaigns'> & { readonly campaign?: string } {
  const [campaign, waiting] = [chosen(values, inputs.campaign), chosen(values, inputs.waiting)];
  const [worker, country, text] = [inputs.worker, inputs.country, inputs.text].map((name) =>
    typed(values, name),
  );
  return {
    ...(campaign === undefined ? {} : { campaign }),
    ...(worker ? { worker } : {}),
    ...(country ? { country } : {}),
    ...(text ? { text } : {}),
    ...(waiting === undefined || waiting === any ? {} : { waitingMs: Number(waiting) }),
  };
}
