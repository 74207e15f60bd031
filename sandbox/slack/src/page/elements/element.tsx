import type { ReactNode } from 'react';
import { plainText } from '../text/text.tsx';
import { ButtonElement, OverflowElement } from './button.tsx';
import { ChoicesElement } from './choices.tsx';
import { FeedbackElement, IconButtonElement, WorkflowButtonElement } from './feedback.tsx';
import { FileInputElement } from './file-input.tsx';
import { PickerElement } from './pickers.tsx';
import { SelectElement } from './select.tsx';
import type { Actable } from './state.ts';
import { RichTextInputElement, TextInputElement } from './text-inputs.tsx';
import type { ElementProps } from './use-element.ts';

const components: Record<string, (props: ElementProps<never>) => ReactNode> = {
  button: ButtonElement,
  workflow_button: WorkflowButtonElement,
  feedback_buttons: FeedbackElement,
  icon_button: IconButtonElement,
  overflow: OverflowElement,
  checkboxes: ChoicesElement,
  radio_buttons: ChoicesElement,
  datepicker: PickerElement,
  timepicker: PickerElement,
  datetimepicker: PickerElement,
  plain_text_input: TextInputElement,
  email_text_input: TextInputElement,
  url_text_input: TextInputElement,
  number_input: TextInputElement,
  rich_text_input: RichTextInputElement,
  file_input: FileInputElement,
  static_select: SelectElement,
  external_select: SelectElement,
  users_select: SelectElement,
  conversations_select: SelectElement,
  channels_select: SelectElement,
  multi_static_select: SelectElement,
  multi_external_select: SelectElement,
  multi_users_select: SelectElement,
  multi_conversations_select: SelectElement,
  multi_channels_select: SelectElement,
};

/** Renders any interactive element. Without a label it is named after its placeholder or its kind. */
export function InteractiveElement(
  props: Omit<ElementProps<object>, 'label'> & { label?: string | undefined },
): ReactNode {
  const element = props.element as Actable;
  const Component = components[element.type];
  if (!Component) return <em className="quiet">(an element of type {element.type})</em>;
  const label = props.label ?? placeholderOf(element) ?? names[element.type] ?? 'Options';
  return <Component {...props} element={element as never} label={label} />;
}

const names: Record<string, string> = {
  overflow: 'More options',
  datepicker: 'Date',
  timepicker: 'Time',
  datetimepicker: 'Date and time',
};

function placeholderOf(element: Actable): string | undefined {
  const { placeholder } = element;
  if (typeof placeholder !== 'object' || placeholder === null || !('text' in placeholder)) return undefined;
  return plainText(String(placeholder.text));
}
