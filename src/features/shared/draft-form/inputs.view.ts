import type { InputBlock } from '@slack/types';
import { input, plainText } from '../../../slack/blocks.ts';

interface TextOptions {
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isMultiline?: boolean;
  readonly isOptional?: boolean;
}

/** Returns a text input with the previous value. */
export function textInput(
  name: string,
  label: string,
  value: string,
  { placeholder, isMultiline = false, ...options }: TextOptions = {},
): InputBlock {
  const element = {
    type: 'plain_text_input' as const,
    multiline: isMultiline,
    ...(placeholder === undefined ? {} : { placeholder: plainText(placeholder) }),
    ...(value === '' ? {} : { initial_value: value }),
  };
  return input(name, label, element, options);
}

/** Returns a whole-number input with the previous value. */
export function numberInput(
  name: string,
  label: string,
  value: string,
  { max = 999_999_999, hint }: { readonly max?: number; readonly hint: string },
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
    { hint },
  );
}
