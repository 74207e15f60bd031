import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { actions, button, input, modal, option, section } from '../../slack/blocks.ts';
import { type Draft, type FieldName, pageState } from './draft.ts';

const heading = 'New campaign';

/** Goes back to the page before. */
export const goBack = 'campaign.create.back';

/** A page of the form. `submit` absent: there is nothing to send. */
export function page(
  draft: Pick<Draft, 'id' | 'turn'>,
  callbackId: string,
  blocks: readonly KnownBlock[],
  submit?: string,
): ModalView {
  return modal({
    callbackId,
    title: heading,
    ...(submit === undefined ? {} : { submit }),
    state: pageState.encode({ draft: draft.id, turn: draft.turn }),
    blocks,
  });
}

/** What is wrong with the field above. */
export function problemsAt(
  { problems }: Pick<Draft, 'problems'>,
  ...fields: readonly FieldName[]
): KnownBlock[] {
  return problems
    .filter(({ field }) => field !== undefined && fields.includes(field))
    .map(({ text }) => section(`*Not accepted.* ${text}`));
}

/** What is wrong without speaking of a field. */
export function problemsOnTop({ problems }: Pick<Draft, 'problems'>): KnownBlock[] {
  const own = problems.filter(({ field }) => field === undefined).map(({ text }) => section(text));
  const others = problems.length - own.length;
  return others === 0
    ? own
    : [...own, section('*Nothing was created yet.* What has to change is said below its field.')];
}

export function backButton(): KnownBlock {
  return actions('back', [button('Back', goBack, 'back')]);
}

/** A choice of few, one of which is always made. */
export function radio(
  name: string,
  label: string,
  choices: readonly { readonly value: string; readonly text: string; readonly description?: string }[],
  value: string,
  hint?: string,
): InputBlock {
  const options = choices.map((choice) => option(choice.text, choice.value, choice.description));
  const initial = options.find((one) => one.value === value);
  return input(
    name,
    label,
    { type: 'radio_buttons', options, ...(initial ? { initial_option: initial } : {}) },
    hint ? { hint } : {},
  );
}

/** A whole number. */
export function numberInput(
  name: string,
  label: string,
  value: string,
  { max = 999_999_999, hint }: { readonly max?: number; readonly hint?: string } = {},
): InputBlock {
  return input(
    name,
    label,
    {
      type: 'number_input',
      is_decimal_allowed: false,
      min_value: '1',
      max_value: String(max),
      ...(/^-?\d{1,15}$/u.test(value) ? { initial_value: value } : {}),
    },
    hint ? { hint } : {},
  );
}

/** Tells us of every change at once. Its own action id says which input it is. */
export function telling(block: InputBlock, actionId: string): InputBlock {
  const { element } = block;
  const isTyped = element.type === 'plain_text_input' || element.type === 'number_input';
  return {
    ...block,
    dispatch_action: true,
    element: {
      ...element,
      action_id: actionId,
      ...(isTyped ? { dispatch_action_config: { trigger_actions_on: ['on_character_entered'] } } : {}),
    } as InputBlock['element'],
  };
}
