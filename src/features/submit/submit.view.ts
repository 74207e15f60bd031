import type { KnownBlock, ModalView } from '@slack/types';
import {
  actions,
  button,
  context,
  input,
  type Message,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { fileField } from '../../slack/file-field.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, escaped, inline, plain } from '../../slack/mrkdwn.ts';
import { type Draft, type FieldName, fileInput, type Problem, pageState } from './draft.ts';

export const submitForm = 'campaign.submit';
export const dropFile = 'campaign.submit.file.drop';
export const lookAgain = 'campaign.submit.look';
export const backToForm = 'campaign.submit.again';
export const submitAnother = 'campaign.submit.another';
/** In a message: opens the form as it was left. */
export const openForm = 'campaign.submit.open';

/** By it Slack asks for campaigns; the campaign commands answer it for every form. */
const campaignTyping = 'campaign.pick';

/** The modal of a draft, whatever its step. */
export function draftView(draft: Draft): ModalView {
  switch (draft.step) {
    case 'form':
      return formView(draft);
    case 'unsure':
      return note(draft, draft.said.length > 0 ? draft.said : [notKnownYet(draft)], [
        actions('unsure', [
          button('Look again', lookAgain, 'look'),
          button('Back to the form', backToForm, 'again'),
        ]),
      ]);
    case 'done':
      return note(draft, draft.said, [actions('done', [button('Submit another', submitAnother, 'another')])]);
  }
}

export function sendingView(draft: Draft): ModalView {
  return note(draft, [
    'Sending to the marketplace…',
    'If this does not change within two minutes, look at `/campaign results` before you try again.',
  ]);
}

/** What a worker did, to be handed in for them. */
function formView(draft: Draft): ModalView {
  const { campaign, problems } = draft;
  return page(
    draft,
    [
      ...problems.filter(({ field }) => field === undefined).map(({ text }) => section(text)),
      ...(problems.some(({ field }) => field !== undefined && field !== 'campaign')
        ? [section('*Nothing was submitted.* What has to change is said below its field.')]
        : []),
      campaignSelect(campaign),
      ...problemsAt(draft, 'campaign'),
      input(
        'worker',
        'Worker id',
        { type: 'plain_text_input', ...initialText(draft.worker) },
        { hint: 'The id of the worker at the marketplace, not the name.' },
      ),
      ...problemsAt(draft, 'worker'),
      input(
        'ip',
        'IP address',
        { type: 'plain_text_input', placeholder: plainText('192.0.2.7'), ...initialText(draft.ip) },
        { hint: 'The address from which the worker did the job.' },
      ),
      ...problemsAt(draft, 'ip'),
      input(
        'proof',
        'Proof',
        { type: 'plain_text_input', multiline: true, ...initialText(draft.proof) },
        { hint: 'What the worker handed in. It may stay empty when a file says it all.', isOptional: true },
      ),
      ...problemsAt(draft, 'proof'),
      ...fileField({
        name: fileInput(draft),
        label: 'File',
        hint: 'One file, 10 MB at the most.',
        attached: draft.file,
        drop: { actionId: dropFile, value: 'file' },
      }),
      ...problemsAt(draft, 'file'),
      context('The task that comes of it takes one position of the campaign and waits for its rating.'),
    ],
    'Submit',
  );
}

function campaignSelect(campaign: Draft['campaign']): KnownBlock {
  const block = input('campaign', 'Campaign', {
    type: 'external_select',
    placeholder: plainText('Choose a campaign'),
    min_query_length: 0,
    ...(campaign && campaign.id.length <= limits.optionValue
      ? { initial_option: option(campaign.title.trim() || `Campaign ${campaign.id}`, campaign.id) }
      : {}),
  });
  return { ...block, element: { ...block.element, action_id: campaignTyping } };
}

/** All text of a message together has a limit. */
const sentencesShown = 10;
const sentenceShown = 1_000;

/** What is said when the modal was closed before its end: the same, and a way back to what was typed. */
export function closedMessage({ id, step, said, problems }: Draft): Message {
  const sentences =
    step === 'form'
      ? ['*Nothing was submitted.* What you typed is kept.', ...problems.map(({ text }) => text)]
      : said;
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(step === 'done' ? [] : [actions('open', [button('Open the form', openForm, id)])]),
    ],
  };
}

export const goneSentence =
  'What was typed into this form was kept for a day and is gone. Start again with `/campaign submit`.';

export const otherAccountProblem: Problem = {
  text: '*Nothing was submitted.* You are connected to another account than when this form was opened. Check the campaign; Submit sends it for the account you are connected to now.',
};

/** Several campaigns have what was typed in their titles. */
export function severalProblem(text: string, count: number): Problem {
  return {
    field: 'campaign',
    text: `${count} campaigns have “${inline(text, 80)}” in their titles. Choose the one you mean.`,
  };
}

export function submittedSentences({ campaign, worker }: Draft, taskId: string): string[] {
  return [
    `The proof of the worker ${code(worker)} was submitted for ${titleOf(campaign)}. The task has the id ${code(taskId)}.`,
    'Where the campaign is subscribed, its card comes within a minute or so.',
  ];
}

/** Nobody knows whether it was submitted: what the campaign's results say to it. `found` absent: they cannot be had. */
export function unsureSentences(draft: Draft, found: readonly string[] | undefined): string[] {
  const { campaign, worker, sentAt = 0 } = draft;
  const first = `The marketplace gave no clear answer when the proof of the worker ${code(worker)} was sent for ${titleOf(campaign)} at ${date(sentAt, '{time_secs}')}. It was not sent again.`;
  if (found === undefined) {
    return [
      first,
      'The results of the campaign cannot be looked at just now either. Look again in a minute, and submit again only if the task is not there then.',
    ];
  }
  if (found.length === 0) {
    return [
      first,
      'So far the results of the campaign show no such task, but it may still appear. Look again in a minute, and submit again only if it is not there then.',
    ];
  }
  return [
    first,
    `But there is such a task of this worker since, so it was most likely submitted: ${found.slice(0, 5).map(code).join(', ')}. There is nothing more to do if it is yours.`,
  ];
}

export function sendAgainProblem({ sentAt = 0 }: Draft): Problem {
  return {
    text: `*This was sent before*, at ${date(sentAt, '{time_secs}')}, without a clear answer. Submit it again only if the results of the campaign do not show it.`,
  };
}

function notKnownYet({ campaign, sentAt }: Draft): string {
  const at = sentAt === undefined ? '' : ` at ${date(sentAt, '{time_secs}')}`;
  return `The proof was sent for ${titleOf(campaign)}${at}, and there is no answer yet. Look again in a minute.`;
}

function problemsAt({ problems }: Draft, name: FieldName): KnownBlock[] {
  return problems.filter(({ field }) => field === name).map(({ text }) => section(`*Check this.* ${text}`));
}

function note(draft: Draft, sentences: readonly string[], more: readonly KnownBlock[] = []): ModalView {
  return page(draft, [...sentences.map((text) => section(text)), ...more]);
}

function page(draft: Draft, blocks: readonly KnownBlock[], submit?: string): ModalView {
  return modal({
    callbackId: submitForm,
    title: 'Submit for a worker',
    ...(submit === undefined ? {} : { submit }),
    state: pageState.encode({ draft: draft.id, turn: draft.turn }),
    blocks,
  });
}

function titleOf(campaign: Draft['campaign']): string {
  const title = campaign?.title.trim() ?? '';
  return title === '' ? 'the campaign' : `*${inline(title)}*`;
}

function code(id: string): string {
  return `\`${escaped(cut(id, 200).replaceAll('`', "'"))}\``;
}

function initialText(text: string): { initial_value?: string } {
  return text === '' ? {} : { initial_value: text };
}
