import type {
  ActionsBlock,
  Button,
  ContextBlock,
  EntityMetadata,
  InputBlock,
  KnownBlock,
  ModalView,
  MrkdwnElement,
  PlainTextElement,
  PlainTextOption,
  SectionBlock,
} from '@slack/types';
import { cut, isCut, plain, withHiddenShown, withRightToLeftIsolated } from './mrkdwn.ts';

/** A message rendered from the state: blocks, and the text for notifications and screen readers. */
export interface Message {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** What opens beside the message. It is posted with it, and stays as it is. */
  readonly entity?: EntityMetadata | undefined;
}

/**
 * Creates Block Kit's elements under short names; each cuts its text to the length limit. Somebody's name in a text cannot
 * hide anything or reorder the text beside it.
 */
export function plainText(text: string, max: number = limits.sectionText): PlainTextElement {
  return { type: 'plain_text', text: plainWords(text, max), emoji: true };
}

/** Verbatim: Slack does not link addresses and channel names in workers' text. Links in `<…>` are still links. */
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

/** Returns text for a place without formatting: a label, an alternative text. @param max maximum number of characters */
export function plainWords(text: string, max: number): string {
  const shown = withHiddenShown(text);
  const isolated = withRightToLeftIsolated(cut(shown, max));
  if (!isCut(isolated, max)) return isolated;
  // There is no room to isolate each right-to-left word, so the whole text is isolated.
  return `\u2068${cut(shown, max - 2)}\u2069`;
}

export interface ButtonLook {
  readonly style?: 'primary' | 'danger';
  readonly confirm?: Button['confirm'];
  /** Read by a screen reader instead of the text, which it has to contain: voice-control users say the visible text. */
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

/** Creates a date picker. @param at the selected day, `YYYY-MM-DD` */
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

/** Returns the value of an entry in an overflow menu that several features fill: see `Feature.clicks`. */
export function menuValue(word: string, rest: string): string {
  return `${word} ${rest}`;
}

/**
 * Creates a modal. `state` is stored with it until it is submitted; `submit` absent: nothing to submit. `notifyOnClose`: the
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
 * Creates an input of a modal; the block's id is its name. Its element's action id is `value`, or the one by which a select
 * loads its options (`actionId`), or that of the click that reports a choice or text (`dispatches`).
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

/**
 * The order of ratings in every chart: Slack gives colors by position, and the first three are orange, blue and green. In a
 * pie, a rating that nobody gave has no segment, and the ones after it move up.
 */
export const chartedRatings = ['NOK', 'REVISE', 'OK'] as const;

/** Returns a chart. Slack supports this block, but its types package does not include it yet. */
export function chart(name: string, drawing: Readonly<Record<string, unknown>>): KnownBlock {
  return { type: 'data_visualization', title: name, chart: drawing } as unknown as KnownBlock;
}

/** Slack's limits of a confirmation, in characters. */
const maxLengths = { title: 100, text: 300, button: 30 } as const;

/**
 * Returns the confirmation that Slack requests before it reports a click. It is plain text, so names in it are not escaped.
 * @param question.text what is done, and to whom
 */
export function confirmation(question: {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly deny: string;
  readonly isDanger?: boolean;
}): NonNullable<Button['confirm']> {
  const { title, text, confirm, deny, isDanger = false } = question;
  return {
    title: plainText(title, maxLengths.title),
    text: plainText(text, maxLengths.text),
    confirm: plainText(confirm, maxLengths.button),
    deny: plainText(deny, maxLengths.button),
    ...(isDanger ? { style: 'danger' } : {}),
  };
}

/** Slack's limits that the bot's messages may reach. Characters are Unicode code points. */
export const limits = {
  viewBlocks: 100,
  sectionText: 3_000,
  buttonText: 75,
  optionText: 75,
  optionValue: 150,
  options: 100,
  placeholder: 150,
  fallbackText: 3_000,
  modalTitle: 24,
  inputText: 3_000,
} as const;

/** Returns a message of one paragraph. @param text mrkdwn, with all foreign text escaped @param below what follows it */
export function notice(text: string, ...below: readonly KnownBlock[]): Message {
  return { text: plain(text), blocks: [section(text), ...below] };
}

export const rowsPerPage = 10;

/** Returns the page (from 0) nearest to `wanted`, its first row, and the number of pages. */
export function pageAt(count: number, wanted: number, perPage = rowsPerPage) {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  return { page, pages, from: page * perPage };
}

/** Returns the page (from 0) nearest to `wanted`, its rows, and the number of pages. */
export function pageOf<T>(rows: readonly T[], wanted: number, perPage = rowsPerPage) {
  const { from, ...at } = pageAt(rows.length, wanted, perPage);
  return { ...at, here: rows.slice(from, from + perPage) };
}

/**
 * Returns buttons to the adjacent pages; nothing when there is only one page. Clicks: `<actionId>.previous` and
 * `<actionId>.next`, whose value is the requested page, from 0.
 */
export function pageButtons(options: {
  readonly blockId: string;
  readonly actionId: string;
  readonly page: number;
  readonly pages: number;
}): KnownBlock[] {
  const { blockId, actionId, page, pages } = options;
  if (pages <= 1) return [];
  return [
    actions(blockId, [
      ...(page > 0 ? [button('Previous', `${actionId}.previous`, String(page - 1))] : []),
      ...(page < pages - 1 ? [button('Next', `${actionId}.next`, String(page + 1))] : []),
    ]),
    context(`Page ${page + 1} of ${pages}`),
  ];
}

/**
 * Renders what an act costs, below a form in which it was asked for. The buttons are in its body: a submit button would be
 * where the one of the form was, so that a second click there would confirm.
 * @param frame that of a form may have more, such as its submit button
 * @param confirm says the act and what it costs
 */
export function confirmView(
  { callbackId, title, state }: Record<'callbackId' | 'title' | 'state', string>,
  blocks: readonly KnownBlock[],
  { text, actionId, value }: Record<'text' | 'actionId' | 'value', string>,
  ...back: readonly Button[]
): ModalView {
  const confirm = button(text, actionId, value, { style: 'primary' });
  const buttons = actions(`${callbackId}.confirm`, [confirm, ...back]);
  return modal({ callbackId, title, state, close: 'Cancel', blocks: [...blocks, buttons] });
}

export const messageModalId = 'message';

/** Figures that Slack draws only in messages; their message says the same in words. */
const charts: readonly string[] = ['data_visualization'];
const onlyInMessages: readonly string[] = ['table', 'data_table', ...charts];

const loadingText = ':hourglass_flowing_sand: Loading…';

function withoutCharts(blocks: Message['blocks']): KnownBlock[] {
  return blocks.filter(({ type }) => !onlyInMessages.includes(type));
}

/** Returns versions of a message without charts, then without tables either, as far as it has any: not every workspace has them. */
export function plainerThan({ blocks }: Pick<Message, 'blocks'>): KnownBlock[][] {
  const withTables = blocks.filter(({ type }) => !charts.includes(type));
  const versions = [withTables, withoutCharts(blocks)];
  return versions.filter((version, at) => version.length < (versions[at - 1] ?? blocks).length);
}

/** Returns a message as a modal, for clicks where there is no channel to answer in. */
export function messageModal(title: string, { blocks }: Pick<Message, 'blocks'>): ModalView {
  const shown = withoutCharts(blocks).slice(0, limits.viewBlocks);
  return modal({ callbackId: messageModalId, title, blocks: shown });
}

export function loadingMessageModal(title: string): ModalView {
  return messageModal(title, { blocks: [section(loadingText)] });
}

/** A modal as Slack reports it when it is submitted, or when something in it is clicked. */
export interface ClickedModal {
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly title: PlainTextElement;
  readonly submit: PlainTextElement | null;
  readonly close: PlainTextElement | null;
  readonly notify_on_close?: boolean;
  readonly blocks: readonly { readonly type: string; readonly block_id?: string }[];
}

/** Returns the text about an internal error. @param id by which the log is searched */
export function internalError(id: string): string {
  return `Something went wrong. Before you try again, check whether your change is shown. If it happens again, give Proofdesk’s operator this id: \`${id}\`.`;
}

/** Text for a click or command whose trigger expired before its modal could be opened. */
export const triggerExpired =
  'This took too long to open: Slack allows 3 seconds. Try again; if it happens again, wait a minute first.';

/** Text for a button, menu entry or form of a feature that was removed. */
export const removed =
  'Nothing was done: Proofdesk no longer has this. To see what it has, type `/proofdesk help`.';

/** Returns the reason for refusing a modal, for its first input; undefined if it has none. */
export function inputErrors({ blocks }: ClickedModal, { text }: Message): Record<string, string> | undefined {
  const input = blocks.find(({ type }) => type === 'input');
  return input && { [input.block_id ?? '']: text };
}

/** Returns the errors beside inputs as Slack shows them: without formatting. */
export function plainErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, plain(text)]));
}

/** Prefix of block ids that distinguishes an earlier refusal from the modal's own blocks. */
const refusal = 'refused.';

/** Returns a refused modal that has no input to show the reason at: unchanged, with the reason at the top. */
export function viewWithError(view: ClickedModal, { blocks }: Message): ModalView {
  const { callback_id, private_metadata, title, submit, close, notify_on_close } = view;
  const own = view.blocks.filter(({ block_id }) => !block_id?.startsWith(refusal)) as KnownBlock[];
  const said = blocks.map((block, index) => ({ ...block, block_id: `${refusal}${index}` }));
  return {
    type: 'modal',
    callback_id,
    private_metadata,
    title,
    ...(submit ? { submit } : {}),
    ...(close ? { close } : {}),
    ...(notify_on_close ? { notify_on_close } : {}),
    blocks: [...said, ...own].slice(0, limits.viewBlocks),
  };
}
