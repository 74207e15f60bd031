import type { Button, InputBlock, KnownBlock, ModalView } from '@slack/types';
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
import type { Attachment } from '../slack/form-values.ts';
import { cut, date, inline, plain } from '../slack/mrkdwn.ts';
import { type Draft, type Problem, pageState } from './draft.ts';
import { formatSize } from './proof.view.ts';
import { capital } from './words.ts';

/** Action ids of the buttons every form has. */
export interface FormActions {
  readonly resume: string;
  readonly discard: string;
  readonly lookAgain: string;
  readonly backToForm: string;
  /** In a message: reopens the form as it was left. */
  readonly open: string;
}

/** Wording of the shared texts and buttons of a form. */
export interface FormWording {
  readonly title: string;
  readonly command: string;
  /** Callback id of read-only pages. */
  readonly noteForm: string;
  readonly actions: FormActions;
  /** Label of the send button. */
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
  blocks: readonly KnownBlock[],
): ModalView {
  const all = blocks.flatMap((block) => [block, ...problemsBelow(draft, block)]);
  return view(wording, draft, callbackId, [...topOfPage(wording, draft), ...all], submit);
}

/** Returns the page that says what sending a draft costs, with the button that confirms it. */
export function confirmPage(
  wording: FormWording,
  draft: Draft,
  callbackId: string,
  blocks: readonly KnownBlock[],
  confirm: ConfirmButton,
  ...back: ReturnType<typeof button>[]
): ModalView {
  const frame = { callbackId, title: wording.title, state: stateOf(draft) };
  return confirmView(frame, [...topOfPage(wording, draft), ...blocks], confirm, ...back);
}

/** Returns a read-only page with sentences and buttons. */
export function note(
  wording: FormWording,
  draft: Draft,
  sentences: readonly string[],
  buttons: readonly ReturnType<typeof button>[] = [],
): ModalView {
  const blocks = sentences.map((text) => section(text));
  const more = buttons.length > 0 ? [actions('note', [...buttons])] : [];
  return view(wording, draft, wording.noteForm, [...blocks, ...more]);
}

function view(
  { title }: FormWording,
  draft: Draft,
  callbackId: string,
  blocks: readonly KnownBlock[],
  submit?: string,
): ModalView {
  const state = stateOf(draft);
  return modal({ callbackId, title, ...(submit === undefined ? {} : { submit }), state, blocks });
}

const stateOf = ({ id, version }: Draft) => pageState.encode({ draft: id, version });

function problemsBelow({ problems }: Draft, block: KnownBlock): KnownBlock[] {
  if (block.type !== 'input') return [];
  const [name] = block.block_id?.split('.') ?? [];
  return problems.flatMap(({ field, text }) => (field === name ? [section(`*Check this.* ${text}`)] : []));
}

/** Returns the draft offered instead, and the problems without a field. */
function topOfPage(wording: FormWording, draft: Draft): KnownBlock[] {
  const { problems, unfinished, version } = draft;
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
  return note(
    wording,
    draft,
    [
      'Sending to the marketplace…',
      'What you typed is kept. If this does not change within two minutes, press Check again to see whether it was sent.',
    ],
    [lookAgainButton(wording)],
  );
}

/** Returns the page for a draft of unknown outcome. */
export function unknownView(wording: FormWording, draft: Draft): ModalView {
  return note(wording, draft, unknownOutcome(wording, draft), [
    lookAgainButton(wording),
    button('Back to the form', wording.actions.backToForm, 'back'),
  ]);
}

function lookAgainButton({ actions: { lookAgain } }: FormWording) {
  return button('Check again', lookAgain, 'look');
}

/** Returns the private message for a closed modal: the same content, and a button that reopens the form. */
export function closedMessage(wording: FormWording, draft: Draft): Message {
  const wayBack = draft.step === 'done' ? undefined : { actionId: wording.actions.open, value: draft.id };
  return closedFormMessage(closedSentences(wording, draft), wayBack);
}

function closedSentences(wording: FormWording, draft: Draft): readonly string[] {
  const { step, sentences, problems } = draft;
  if (step === 'done') return sentences;
  if (step === 'unknown') return unknownOutcome(wording, draft);
  const subject = capital(wording.subject(draft));
  if (problems.length === 0)
    return [`${subject} is ready, but was not ${wording.sent} yet. Open the form to continue.`];
  return [`${subject} was not ${wording.sent}. What you typed is kept.`, ...problems.map(({ text }) => text)];
}

/** Without sentences, sending is in progress or was interrupted. */
function unknownOutcome(wording: FormWording, draft: Draft): readonly string[] {
  if (draft.sentences.length > 0) return draft.sentences;
  const at = draft.sent ? ` at ${date(draft.sent.at, '{time_secs}')}` : '';
  return [
    `${capital(wording.subject(draft))} was sent${at}, and there is no answer yet. Check again in a minute.`,
  ];
}

const sendIfMissing = 'Check again in a minute, and send it again only if it is still missing.';

/** Returns the result of looking up a draft of unknown outcome. `found` absent: the marketplace could not be read. */
export function unknownSentences(
  wording: FormWording,
  draft: Draft,
  found: { readonly isThere: boolean; readonly sentence: string } | undefined,
): string[] {
  const at = date(draft.sent?.at ?? 0, '{time_secs}');
  const subject = wording.subject(draft);
  const first = `The marketplace gave no clear answer when ${subject} was sent at ${at}. It was not sent again.`;
  if (found === undefined)
    return [first, `${wording.foundIn} can’t be read right now either. ${sendIfMissing}`];
  return [first, found.isThere ? found.sentence : `${found.sentence} ${sendIfMissing}`];
}

export function sendAgainProblem({ sendAgainOnlyIf }: FormWording, draft: Draft): Problem {
  const at = date(draft.sent?.at ?? 0, '{time_secs}');
  return { text: `*This was sent before*, at ${at}, without a clear answer. ${sendAgainOnlyIf}` };
}

/** The bot was interrupted before sending, or the member did not want to wait. */
export function notSentProblem(wording: FormWording): Problem {
  return { text: `${nothingSent(wording)} Check the form, then press ${wording.send} to send it.` };
}

/** The draft to resume has expired or cannot be read. */
export const goneBeforeProblem: Problem = {
  text: 'Your draft is no longer available: drafts are kept for a day. Fill in the form once more.',
};

export function goneSentence({ command }: Pick<FormWording, 'command'>): string {
  return `This draft is no longer available: drafts are kept for a day. Start again with \`${command}\`.`;
}

export function nothingSent({ sent }: Pick<FormWording, 'sent'>): string {
  return `*Nothing was ${sent}.*`;
}

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

/** The button that confirms an act: it says the act and what it costs. */
export interface ConfirmButton {
  readonly text: string;
  readonly actionId: string;
  readonly value: string;
}

/**
 * Renders what an act costs, below a form in which it was asked for. The buttons are in its body: a submit button would be
 * where the one of the form was, so that a second click there would confirm.
 */
export function confirmView(
  frame: { readonly callbackId: string; readonly title: string; readonly state: string },
  blocks: readonly KnownBlock[],
  { text, actionId, value }: ConfirmButton,
  ...back: readonly Button[]
): ModalView {
  // A form's frame has more, such as its submit button.
  const { callbackId, title, state } = frame;
  const confirm = button(text, actionId, value, { style: 'primary' });
  const buttons = actions(`${callbackId}.confirm`, [confirm, ...back]);
  return modal({ callbackId, title, state, close: 'Cancel', blocks: [...blocks, buttons] });
}

/**
 * Returns an input for one file, below the previously attached file. Slack cannot prefill a file input, so that file is
 * shown as text with a button that removes it.
 * @param field.name the input's block id: a new one each time a file was stored, so that the input starts empty
 * @param field.remove the button's action id and value
 */
export function fileField(field: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly attached: Attachment | undefined;
  readonly remove: { readonly actionId: string; readonly value: string };
  readonly filetypes?: readonly string[];
}): KnownBlock[] {
  const { name, label, hint, attached, remove, filetypes } = field;
  return [
    ...(attached
      ? [
          section(`${label}: *${inline(attached.name)}* (${formatSize(attached.size)})`, {
            accessory: button('Remove', remove.actionId, remove.value),
          }),
        ]
      : []),
    input(
      name,
      attached ? `${label}: replace it` : label,
      { type: 'file_input', max_files: 1, ...(filetypes ? { filetypes: [...filetypes] } : {}) },
      // A missing file is reported in our own words.
      { hint, isOptional: true },
    ),
  ];
}

const sentencesShown = 10;
const sentenceShown = 1_000;

/**
 * Returns the private message about a form whose modal was closed before the result was ready.
 * @param sentences in mrkdwn
 * @param wayBack the action id and value of the button that reopens the form as it was left
 */
export function closedFormMessage(
  sentences: readonly string[],
  wayBack?: { readonly actionId: string; readonly value: string },
): Message {
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(wayBack ? [actions('open', [button('Open the form', wayBack.actionId, wayBack.value)])] : []),
    ],
  };
}
