import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  actions,
  button,
  confirmation,
  input,
  limits,
  type Message,
  modal,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { cut, date, inline, plain } from '../../slack/mrkdwn.ts';
import { formatSize } from '../../ui/proof.view.ts';
import { capital } from '../../ui/words.ts';
import type { CampaignDraft, Problem } from './create-fields.ts';

/** State of a modal: its draft, and the version it shows. */
export const pageState = codec(
  'form',
  z.object({ draft: z.string(), version: z.number().int() }),
  'Close this form and open it again.',
);

export const heading = 'New campaign';

/** Returns what a draft is about, in mrkdwn, worded for the middle of a sentence. */
export function subjectOf({ values: { title } }: CampaignDraft): string {
  return title === '' ? 'the campaign' : `*${inline(title)}*`;
}

/** Returns a page with a submit button, with problems at the top and below the inputs they refer to. */
export function formPage(draft: CampaignDraft, callbackId: string, inputs: readonly KnownBlock[]): ModalView {
  const below = inputs.flatMap((block) => [block, ...problemsBelow(draft, block)]);
  const blocks = [...topOfPage(draft), ...below];
  return modal({ callbackId, title: heading, submit: 'Next', state: stateOf(draft), blocks });
}

/** Returns a read-only page with sentences and buttons. */
export function note(
  draft: CampaignDraft,
  sentences: readonly string[],
  ...buttons: readonly Button[]
): ModalView {
  const more = buttons.length > 0 ? [actions('note', [...buttons])] : [];
  const blocks = [...sentences.map((text) => section(text)), ...more];
  return modal({ callbackId: 'draft.note', title: heading, state: stateOf(draft), blocks });
}

export const stateOf = ({ id, version }: CampaignDraft): string => pageState.encode({ draft: id, version });

function problemsBelow({ problems }: CampaignDraft, block: KnownBlock): KnownBlock[] {
  if (block.type !== 'input') return [];
  const [name] = block.block_id?.split('.') ?? [];
  return problems.flatMap(({ field, text }) => (field === name ? [section(`*Check this.* ${text}`)] : []));
}

/** Returns the problems without a field. */
export function topOfPage({ problems }: CampaignDraft): KnownBlock[] {
  const general = problems.flatMap(({ field, text }) => (field === undefined ? [section(text)] : []));
  const isMarked = problems.length > general.length;
  return [
    ...general,
    ...(isMarked ? [section('*Nothing was created.* Correct what is marked “Check this”.')] : []),
  ];
}

/** Returns the view of a draft that was begun earlier, with the button that discards it. */
export function resumedView(view: ModalView): ModalView {
  const confirm = confirmation({
    title: 'Discard this draft?',
    text: 'What you typed into it is deleted.',
    confirm: 'Discard',
    deny: 'Keep',
    isDanger: true,
  });
  const discard = button('Discard', 'campaign.create.discard', 'discard', { confirm });
  const offer = section('This is your unfinished draft. It is kept for a day.', { accessory: discard });
  return { ...view, blocks: [offer, ...view.blocks] };
}

export function sendingView(draft: CampaignDraft): ModalView {
  const kept =
    'What you typed is kept. If this does not change within two minutes, press Check again to see whether it was sent.';
  return note(draft, ['Sending to the marketplace…', kept], checkAgain);
}

/** Returns the modal shown while files are read. The inputs are stored already, so going back loses nothing. */
export function readingView(draft: CampaignDraft): ModalView {
  const kept =
    'What you typed is kept. If this does not change within two minutes, go back to the form and press Next again.';
  return note(draft, ['Reading the files…', kept], backToForm);
}

export function unknownView(draft: CampaignDraft): ModalView {
  return note(draft, draft.sentences, checkAgain, backToForm);
}

const checkAgain = button('Check again', 'campaign.create.look', 'look');
const backToForm = button('Back to the form', 'campaign.create.again', 'back');

/** Returns the private message for a closed modal: the same content, and a button that reopens the form. */
export function closedMessage(draft: CampaignDraft): Message {
  const { id, step } = draft;
  const isSent = step === 'done' || step === 'unknown';
  const sentences = isSent ? draft.sentences : closedSentences(draft);
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(step === 'done' ? [] : [actions('open', [button('Open the form', 'campaign.create.open', id)])]),
    ],
  };
}

function closedSentences(draft: CampaignDraft): readonly string[] {
  const subject = capital(subjectOf(draft));
  if (draft.problems.length === 0)
    return [`${subject} is ready, but was not created yet. Open the form to continue.`];
  const problems = draft.problems.map(({ text }) => text);
  return [`${subject} was not created. What you typed is kept.`, ...problems];
}

/** The marketplace's own words may be long, and many. */
const sentenceShown = 1_000;
const sentencesShown = 10;

/** Returns when a draft was sent, for which there is no answer yet. */
export function noAnswerYet(draft: CampaignDraft, at: number): string {
  return `${capital(subjectOf(draft))} was sent at ${date(at, '{time_secs}')}, and there is no answer yet. Check again in a minute.`;
}

/** Returns the result of looking up a draft of unknown outcome. `found` absent: the marketplace could not be read. */
export function unknownSentences(
  draft: CampaignDraft,
  found: { readonly isThere: boolean; readonly sentence: string } | undefined,
): string[] {
  const first = `The marketplace gave no clear answer when ${subjectOf(draft)} was sent at ${sentAt(draft)}. It was not sent again.`;
  if (found?.isThere) return [first, found.sentence];
  const missing = found?.sentence ?? 'The list of campaigns can’t be read right now either.';
  return [first, `${missing} Check again in a minute, and send it again only if it is still missing.`];
}

export function sendAgainProblem(draft: CampaignDraft): Problem {
  return {
    text: `*This was sent before*, at ${sentAt(draft)}, without a clear answer. Press Create only if \`/campaign list\` does not show it: a second campaign costs as much again.`,
  };
}

const sentAt = ({ sent }: CampaignDraft): string => date(sent?.at ?? 0, '{time_secs}');

/** The bot was interrupted before sending, or the member did not want to wait. */
export const notSentProblem: Problem = {
  text: '*Nothing was created.* Check the form, then press Create to send it.',
};

export const goneSentence =
  'This draft is no longer available: drafts are kept for a day. Start again with `/campaign new`.';
export const discardedSentence = 'The draft was discarded. Start again with `/campaign new`.';

/**
 * Returns an input for one file, below the previously attached file. Slack cannot prefill a file input, so that file is
 * shown as text with a button that removes it; the input's block id contains its id, so that it starts empty then.
 */
export function fileField(
  draft: CampaignDraft,
  name: string,
  label: string,
  { hint, filetypes }: { readonly hint: string; readonly filetypes?: string[] },
): KnownBlock[] {
  const file = draft.files[name];
  const accessory = button('Remove', 'campaign.create.file.drop', name);
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
