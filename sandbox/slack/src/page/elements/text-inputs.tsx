import type { EmailInput, NumberInput, PlainTextInput, RichTextInput, URLInput } from '@slack/types';
import { type ChangeEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { plainText } from '../text/text.tsx';
import { type ElementProps, useElement } from './use-element.ts';

type TextInput = PlainTextInput | EmailInput | URLInput | NumberInput;

/** Debounce in milliseconds before an app that listens to characters is notified. */
const typingPauseMs = 300;

/** Renders text, e-mail, URL and number inputs. The browser validates nothing, because Slack validates on submission. */
export function TextInputElement(props: ElementProps<TextInput>): ReactNode {
  const { element } = props;
  const handle = useElement(props);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'];
  const multiline = element.type === 'plain_text_input' && element.multiline === true;
  const value = typeof handle.value === 'string' ? handle.value : '';

  const onChange = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    const next = event.target.value === '' ? null : event.target.value;
    handle.keep(next);
    clearTimeout(pause.current);
    if (props.dispatches && triggers.includes('on_character_entered')) {
      pause.current = setTimeout(() => handle.send({ value: next }), typingPauseMs);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || multiline || !props.dispatches || !triggers.includes('on_enter_pressed'))
      return;
    event.preventDefault();
    handle.send({ value: handle.value });
  };

  const shared = {
    className: 'input',
    'aria-label': props.label,
    'aria-invalid': props.errorId !== undefined,
    'aria-describedby': props.errorId,
    'aria-busy': handle.busy,
    'data-autofocus': element.focus_on_load || undefined,
    placeholder: plainText(element.placeholder?.text ?? ''),
    value,
    onChange,
    onKeyDown,
  };
  if (multiline) return <textarea rows={4} {...shared} />;
  return <input type="text" inputMode={inputMode(element)} autoComplete="off" {...shared} />;
}

function inputMode(element: TextInput): 'email' | 'url' | 'decimal' | 'numeric' | 'text' {
  if (element.type === 'email_text_input') return 'email';
  if (element.type === 'url_text_input') return 'url';
  if (element.type === 'number_input') return element.is_decimal_allowed ? 'decimal' : 'numeric';
  return 'text';
}

/** Renders a rich text input reduced to plain text. */
export function RichTextInputElement(props: ElementProps<RichTextInput>): ReactNode {
  const handle = useElement(props);
  return (
    <textarea
      rows={4}
      className="input"
      aria-label={props.label}
      aria-invalid={props.errorId !== undefined}
      aria-describedby={props.errorId}
      placeholder={plainText(props.element.placeholder?.text ?? '')}
      value={textOf(handle.value)}
      onChange={(event) => handle.keep(event.target.value === '' ? null : richTextOf(event.target.value))}
    />
  );
}

function richTextOf(text: string): object {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
  };
}

/** Returns all text inside a rich text, in order. */
function textOf(richText: unknown): string {
  if (Array.isArray(richText)) return richText.map(textOf).join('');
  if (typeof richText !== 'object' || richText === null) return '';
  if ('text' in richText && typeof richText.text === 'string') return richText.text;
  return 'elements' in richText ? textOf(richText.elements) : '';
}
