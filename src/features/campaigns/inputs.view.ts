import type { InputBlock } from '@slack/types';
import { input, plainText } from '../../slack/blocks.ts';

/** Renders an input for text, with what was typed before. */
export function textInput(
  name: string,
  label: string,
  value: string,
  {
    isMultiline = false,
    placeholder,
    ...options
  }: {
    readonly hint?: string;
    readonly placeholder?: string;
    readonly isMultiline?: boolean;
    readonly isOptional?: boolean;
  } = {},
): InputBlock {
  const element = {
    type: 'plain_text_input' as const,
    multiline: isMultiline,
    ...(placeholder ? { placeholder: plainText(placeholder) } : {}),
    ...(value === '' ? {} : { initial_value: value }),
  };
  return input(name, label, element, options);
}

/** Renders an input for a whole number above 0, with what was typed before. */
export function numberInput(
  name: string,
  label: string,
  value: string,
  { max = 999_999_999, ...options }: { readonly hint?: string; readonly max?: number } = {},
): InputBlock {
  const element = {
    type: 'number_input' as const,
    is_decimal_allowed: false,
    min_value: '1',
    max_value: String(max),
    ...(/^-?\d{1,15}$/u.test(value) ? { initial_value: value } : {}),
  };
  return input(name, label, element, options);
}
