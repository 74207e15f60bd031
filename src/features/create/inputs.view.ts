import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { actions, button, input, option } from '../../slack/blocks.ts';

/** Returns to the previous page. */
export const goBack = 'campaign.create.back';

export function backButton(): KnownBlock {
  return actions('back', [button('Back', goBack, 'back')]);
}

/** Returns radio buttons with an option selected. */
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

/** Makes Slack report every change of an input immediately. The separate action id identifies the input. */
export function dispatching(block: InputBlock, actionId: string): InputBlock {
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

/**
 * Focuses the first input when the page is shown. Slack keeps the scroll position when one page replaces another, so the
 * new page would otherwise open scrolled down.
 */
export function startAtTop(view: ModalView): ModalView {
  const first = view.blocks.find((block) => block.type === 'input') as InputBlock | undefined;
  if (first === undefined) return view;
  const focused = { ...first, element: { ...first.element, focus_on_load: true } } as InputBlock;
  return { ...view, blocks: view.blocks.map((block) => (block === first ? focused : block)) };
}
