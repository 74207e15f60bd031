import type { Button, InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  actions,
  button,
  confirmation,
  input,
  limits,
  type Message,
  modal,
  plainText,
  section,
} from '../slack/blocks.ts';
import { codec } from '../slack/form-values.ts';
import { cut, date, inline, plain } from '../slack/mrkdwn.ts';
import type { Draft, Problem } from './draft.ts';
import { formatSize } from './proof.view.ts';
import { capital } from './words.ts';

/** State of a modal: its draft, and the version it shows. */
export const pageState = codec(
  'form',
  z.object({ draft: z.string(), version: z.number().int() }),
  'Close this form and open it again.',
);

export interface FormWording {
  readonly title: string;
  readonly command: string;
  /** Action ids of the buttons every form has; `open` in a message reopens the form as it was left. */
  readonly actions: Readonly<Record<'resume' | 'discard' | 'lookAgain' | 'backToForm' | 'open', string>>;
  readonly send: string;
  readonly sent: 'created' | 'submitted';
  /** What is sent, in mrkdwn, worded for the middle of a sentence. */
  subject(draft: Draft): string;
  /** Condition for sending a second time. */
  readonly sendAgainOnlyIf: string;
  /** Where a draft of unknown outcome would appear, if that cannot be read. */
  readonly foundIn: string;
}

/** Returns a page with a submit button, with problems at the top and below the inputs they refer to. */
export function formPage(
  wording: FormWording,
  draft: Draft,
  { callbackId, submit }: { readonly callbackId: string; readonly submit: string },
  inputs: readonly KnownBlock[],
): ModalView {
  const below = inputs.flatMap((block) => [block, ...problemsBelow(draft, block)]);
  const blocks = [...topOfPage(wording, draft), ...below];
  return modal({ callbackId, title: wording.title, submit, state: stateOf(draft), blocks });
}

/** Returns a read-only page with sentences and buttons. */
export function note(
  { title }: FormWording,
  draft: Draft,
  sentences: readonly string[],
  ...buttons: readonly Button[]
): ModalView {
  const more = buttons.length > 0 ? [actions('note', [...buttons])] : [];
  const blocks = [...sentences.map((text) => section(text)), ...more];
  return modal({ callbackId: 'draft.note', title, state: stateOf(draft), blocks });
}

export const stateOf = ({ id, version }: Draft) => pageState.encode({ draft: id, version });

function problemsBelow({ problems }: Draft, block: KnownBlock): KnownBlock[] {
  if (block.type !== 'input') return [];
  const [name] = block.block_id?.split('.') ?? [];
  return problems.flatMap(({ field, text }) => (field === name ? [section(`*Check this.* ${text}`)] : []));
}

/** Returns the problems without a field, and the draft offered instead. */
export function topOfPage(wording: FormWording, { problems, unfinished, version }: Draft): KnownBlock[] {
  const general = problems.flatMap(({ field, text }) => (field === undefined ? [section(text)] : []));
  // A form that was just opened has sent nothing that could have been refused.
  const isMarked = version > 0 && problems.length > general.length;
  return [
    ...general,
    ...(isMarked ? [section(`${nothingSent(wording)} Correct what is marked “Check this”.`)] : []),
    ...(unfinished ? offerBlocks(wording, unfinished) : []),
  ];
}

function offerBlocks(
  { actions: { resume, discard } }: FormWording,
  { id, description }: NonNullable<Draft['unfinished']>,
): KnownBlock[] {
  const confirm = confirmation({
    title: 'Discard this draft?',
    text: 'What you typed into it is deleted.',
    confirm: 'Discard',
    deny: 'Keep',
    isDanger: true,
  });
  return [
    section(`You have an unfinished draft: ${description}. It is kept for a day.`),
    actions('unfinished', [button('Resume', resume, id), button('Discard', discard, id, { confirm })]),
  ];
}

export function openingView(wording: FormWording, draft: Draft): ModalView {
  return note(wording, draft, ['Opening your draft…']);
}

export function sendingView(wording: FormWording, draft: Draft): ModalView {
  const kept =
    'What you typed is kept. If this does not change within two minutes, press Check again to see whether it was sent.';
  return note(wording, draft, ['Sending to the marketplace…', kept], lookAgainButton(wording));
}

export function unknownView(wording: FormWording, draft: Draft): ModalView {
  return note(wording, draft, draft.sentences, lookAgainButton(wording), backToFormButton(wording));
}

const lookAgainButton = ({ actions: { lookAgain } }: FormWording) => button('Check again', lookAgain, 'look');

export const backToFormButton = ({ actions: { backToForm } }: Pick<FormWording, 'actions'>) =>
  button('Back to the form', backToForm, 'back');

/** Returns the private message for a closed modal: the same content, and a button that reopens the form. */
export function closedMessage(wording: FormWording, draft: Draft): Message {
  const { id, step } = draft;
  const isSent = step === 'done' || step === 'unknown';
  const sentences = isSent ? draft.sentences : closedSentences(wording, draft);
  const open = button('Open the form', wording.actions.open, id);
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(step === 'done' ? [] : [actions('open', [open])]),
    ],
  };
}

function closedSentences(wording: FormWording, draft: Draft): readonly string[] {
  const subject = capital(wording.subject(draft));
  if (draft.problems.length === 0)
    return [`${subject} is ready, but was not ${wording.sent} yet. Open the form to continue.`];
  const problems = draft.problems.map(({ text }) => text);
  return [`${subject} was not ${wording.sent}. What you typed is kept.`, ...problems];
}

/** The marketplace's own words may be long, and many. */
const sentenceShown = 1_000;
const sentencesShown = 10;

/** Returns when a draft was sent, for which there is no answer yet. */
export function noAnswerYet(wording: FormWording, draft: Draft, at: number): string {
  const subject = capital(wording.subject(draft));
  return `${subject} was sent at ${date(at, '{time_secs}')}, and there is no answer yet. Check again in a minute.`;
}

const sendIfMissing = 'Check again in a minute, and send it again only if it is still missing.';

/** Returns the result of looking up a draft of unknown outcome. `found` absent: the marketplace could not be read. */
export function unknownSentences(
  wording: FormWording,
  draft: Draft,
  found: { readonly isThere: boolean; readonly sentence: string } | undefined,
): string[] {
  const first = `The marketplace gave no clear answer when ${wording.subject(draft)} was sent at ${sentAt(draft)}. It was not sent again.`;
  if (found?.isThere) return [first, found.sentence];
  const missing = found?.sentence ?? `${wording.foundIn} can’t be read right now either.`;
  return [first, `${missing} ${sendIfMissing}`];
}

export function sendAgainProblem({ sendAgainOnlyIf }: FormWording, draft: Draft): Problem {
  return { text: `*This was sent before*, at ${sentAt(draft)}, without a clear answer. ${sendAgainOnlyIf}` };
}

const sentAt = ({ sent }: Draft): string => date(sent?.at ?? 0, '{time_secs}');

/** The bot was interrupted before sending, or the member did not want to wait. */
export function notSentProblem(wording: FormWording): Problem {
  return { text: `${nothingSent(wording)} Check the form, then press ${wording.send} to send it.` };
}

/** The draft to resume has expired or cannot be read. */
export const goneBeforeProblem: Problem = {
  text: 'Your draft is no longer available: drafts are kept for a day. Fill in the form once more.',
};

export function goneSentence({ command }: FormWording): string {
  return `This draft is no longer available: drafts are kept for a day. Start again with \`${command}\`.`;
}

function nothingSent({ sent }: FormWording): string {
  return `*Nothing was ${sent}.*`;
}

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

/**
 * Returns an input for one file, below the previously attached file. Slack cannot prefill a file input, so that file is
 * shown as text with a button that removes it; the input's block id contains its id, so that it starts empty then.
 * @param removeId the button's action id
 */
export function fileField(
  draft: Draft,
  name: string,
  label: string,
  removeId: string,
  { hint, filetypes }: { readonly hint: string; readonly filetypes?: string[] },
): KnownBlock[] {
  const file = draft.files[name];
  const accessory = button('Remove', removeId, name);
  return [
    ...(file ? [section(`${label}: *${inline(file.name)}* (${formatSize(file.size)})`, { accessory })] : []),
    input(
      `${name}.${draft.version}`,
      file ? `${label}: replace it` : label,
      { type: 'file_input', max_files: 1, ...(filetypes ? { filetypes } : {}) },
      // A missing file is reported in our own words.
      { hint, isOptional: true },
    ),
  ];
}
