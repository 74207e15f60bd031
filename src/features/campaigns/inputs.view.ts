import type { InputBlock } from '@slack/types';
import { input, plainText } from '../../slack/blocks.ts';

interface TypedOptions {
  readonly hint?: string;
  /** The action id under which every character typed is reported at once. */
  readonly dispatches?: string;
}

interface TextOptions extends TypedOptions {
  readonly placeholder?: string;
  readonly isMultiline?: boolean;
  readonly isOptional?: boolean;
}

const whileTyping = ({ dispatches }: TypedOptions) =>
  dispatches ? { dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] } } : {};

export function textInput(
  name: string,
  label: string,
  value: string,
  { isMultiline = false, placeholder, ...options }: TextOptions = {},
): InputBlock {
  const element = {
    type: 'plain_text_input' as const,
    multiline: isMultiline,
    ...(placeholder ? { placeholder: plainText(placeholder) } : {}),
    ...(value === '' ? {} : { initial_value: value }),
    ...whileTyping(options),
  };
  return input(name, label, element, options);
}

export function numberInput(
  name: string,
  label: string,
  value: string,
  { max = 999_999_999, ...options }: TypedOptions & { readonly max?: number },
): InputBlock {
  const element = {
    type: 'number_input' as const,
    is_decimal_allowed: false,
    min_value: '1',
    max_value: String(max),
    ...(/^-?\d{1,15}$/u.test(value) ? { initial_value: value } : {}),
    ...whileTyping(options),
  };
  return input(name, label, element, options);
}
