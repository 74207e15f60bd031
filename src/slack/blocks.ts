import type {
  ActionsBlock,
  Button,
  ContextBlock,
  InputBlock,
  KnownBlock,
  ModalView,
  MrkdwnElement,
  PlainTextElement,
  PlainTextOption,
  SectionBlock,
} from '@slack/types';
import { withHiddenShown, withRightToLeftIsolated } from './hidden-characters.ts';
import { cut, isCut, limits } from './limits.ts';

/** A message as one function of the state gives it: blocks, and the text for notifications and screen readers. */
export interface Message {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

/**
 * Short names for Block Kit's pieces; each keeps to its length limit by cutting. Somebody's name in a text neither hides
 * anything nor changes the order of what stands beside it.
 */
export function plainText(text: string, max: number = limits.sectionText): PlainTextElement {
  return { type: 'plain_text', text: plainWords(text, max), emoji: true };
}

/** Verbatim: Slack makes no links of addresses and channel names in workers' text. Links in `<…>` are still links. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text: cut(text, limits.sectionText), verbatim: true };
}

export function section(
  text: string,
  extra: Partial<Omit<SectionBlock, 'type' | 'text'>> = {},
): SectionBlock {
  return { type: 'section', text: mrkdwn(text), ...extra };
}

export function context(...texts: string[]): ContextBlock {
  return { type: 'context', elements: texts.map(mrkdwn) };
}

/** Returns text for a place that takes no formatting: a label, an alternative text. @param max characters at the most */
export function plainWords(text: string, max: number): string {
  const shown = withHiddenShown(text);
  const isolated = withRightToLeftIsolated(cut(shown, max));
  if (!isCut(isolated, max)) return isolated;
  // No room to isolate each word that runs from right to left: the whole text is.
  return `\u2068${cut(shown, max - 2)}\u2069`;
}

export interface ButtonLook {
  readonly style?: 'primary' | 'danger';
  readonly confirm?: Button['confirm'];
  /** What a screen reader says instead of the text, which it has to contain: people who speak to the machine say what they see. */
  readonly label?: string;
}

export function button(text: string, actionId: string, value: string, look: ButtonLook = {}): Button {
  const { style, confirm, label } = look;
  return {
    type: 'button',
    text: plainText(text, limits.buttonText),
    action_id: actionId,
    value,
    ...(style ? { style } : {}),
    ...(confirm ? { confirm } : {}),
    ...(label ? { accessibility_label: plainWords(label, 75) } : {}),
  };
}

/** A day to choose. @param at the day chosen already, `YYYY-MM-DD` */
export function dayPicker(actionId: string, placeholder: string, at: string | undefined) {
  return {
    type: 'datepicker' as const,
    action_id: actionId,
    placeholder: plainText(placeholder, limits.placeholder),
    ...(at ? { initial_date: at } : {}),
  };
}

export function actions(blockId: string, elements: ActionsBlock['elements']): ActionsBlock {
  return { type: 'actions', block_id: blockId, elements };
}

export function option(text: string, value: string, description?: string): PlainTextOption {
  return {
    text: plainText(text.trim() === '' ? '–' : text, limits.optionText),
    value: cut(value, limits.optionValue),
    ...(description ? { description: plainText(description, limits.optionText) } : {}),
  };
}

/** The value of an entry in an overflow menu that several features fill: see `Feature.clicks`. */
export function menuValue(word: string, rest: string): string {
  return `${word} ${rest}`;
}

/**
 * A modal. `state` is what it must remember until it is submitted; `submit` absent: nothing to submit. `notifyOnClose`: the
 * feature has an entry in `closings`.
 */
export function modal(view: {
  readonly callbackId: string;
  readonly title: string;
  readonly blocks: readonly KnownBlock[];
  readonly submit?: string;
  readonly close?: string;
  readonly state?: string;
  readonly notifyOnClose?: boolean;
}): ModalView {
  return {
    type: 'modal',
    callback_id: view.callbackId,
    title: plainText(view.title, limits.modalTitle),
    close: plainText(view.close ?? (view.submit ? 'Cancel' : 'Close'), limits.modalTitle),
    ...(view.submit ? { submit: plainText(view.submit, limits.modalTitle) } : {}),
    ...(view.state === undefined ? {} : { private_metadata: view.state }),
    ...(view.notifyOnClose ? { notify_on_close: true } : {}),
    blocks: [...view.blocks],
  };
}

/**
 * An input of a modal; the block's id is its name. Its element's action id is `value`, or that by which a select loads its
 * options (`actionId`), or that of the click by which it tells what is chosen or typed (`dispatches`).
 */
export function input(
  name: string,
  label: string,
  element: InputBlock['element'],
  {
    hint,
    isOptional = false,
    actionId = 'value',
    dispatches,
  }: {
    readonly hint?: string;
    readonly isOptional?: boolean;
    readonly actionId?: string;
    readonly dispatches?: string;
  } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: name,
    label: plainText(label, 2_000),
    element: { ...element, action_id: dispatches ?? actionId },
    optional: isOptional,
    ...(dispatches ? { dispatch_action: true } : {}),
    ...(hint ? { hint: plainText(hint, 2_000) } : {}),
  };
}
