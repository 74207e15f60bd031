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
import { closedFormMessage } from '../../slack/closed-form.view.ts';
import { fileField } from '../../slack/file-field.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import { type Draft, type FieldName, fileInput, type Problem, pageState } from './draft.ts';

export const submitForm = 'campaign.submit';
export const dropFile = 'campaign.submit.file.drop';
export const lookAgain = 'campaign.submit.look';
export const backToForm = 'campaign.submit.again';
export const submitAnother = 'campaign.submit.another';
/** Opens what was begun before in place of the empty form. */
export const goOn = 'campaign.submit.go-on';
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
      return note(draft, unsureSaid(draft), [
        actions('unsure', [
          button('Look again', lookAgain, 'look'),
          button('Back to the form', backToForm, 'again'),
        ]),
      ]);
    case 'done':
      return note(draft, draft.said, [actions('done', [button('Submit another', submitAnother, 'another')])]);
  }
}

export function openingView(draft: Draft): ModalView {
  return note(draft, ['Opening what you have begun…']);
}

export function sendingView(draft: Draft): ModalView {
  return note(
    draft,
    [
      'Sending to the marketplace…',
      'What you typed is kept. If this does not change within two minutes, press Look again: it shows whether it was sent.',
    ],
    [actions('sending', [button('Look again', lookAgain, 'look')])],
  );
}

/** What a worker did, to be handed in for them. */
function formView(draft: Draft): ModalView {
  const { campaign, problems, unfinished } = draft;
  return page(
    draft,
    [
      ...problems.filter(({ field }) => field === undefined).map(({ text }) => section(text)),
      ...(problems.some(({ field }) => field !== undefined && field !== 'campaign')
        ? [section('*Nothing was submitted.* What has to change is said below its field.')]
        : []),
      ...(unfinished
        ? [
            section(
              `You have begun to submit the proof of the worker ${code(unfinished.worker)} for ${titleOf(unfinished)} and not finished it.`,
              { accessory: button('Go on with it', goOn, unfinished.id) },
            ),
          ]
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

/** What is said when the modal was closed before its end: the same, and a way back to what was typed. */
export function closedMessage(draft: Draft): Message {
  const { id, step } = draft;
  const wayBack = step === 'done' ? undefined : { actionId: openForm, value: id };
  return closedFormMessage(closedSentences(draft), wayBack);
}

function closedSentences(draft: Draft): readonly string[] {
  const { step, said, problems } = draft;
  if (step === 'done') return said;
  if (step === 'unsure') return unsureSaid(draft);
  return ['*Nothing was submitted.* What you typed is kept.', ...problems.map(({ text }) => text)];
}

export const goneSentence =
  'What was typed into this form was kept for a day and is gone. Start again with `/campaign submit`.';

/** What was to be gone on with is not kept any more. */
export const goneBeforeProblem: Problem = {
  text: 'What you had begun was kept for a day and is gone. Fill in the form once more.',
};

/** The bot was interrupted before it sent anything, or somebody did not want to wait. */
export const notSentProblem: Problem = {
  text: '*Nothing was submitted.* Check what stands here; Submit sends it.',
};

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

/** The bot was interrupted in the moment of sending. */
export function interruptedSentence({ campaign, worker }: Draft): string {
  return `The bot was interrupted when the proof of the worker ${code(worker)} was about to be sent for ${titleOf(campaign)}, so it may or may not have been. It was not sent again. Look again, and submit again only if the task is not there then.`;
}

/** Without anything said of it, it is being sent, or that was cut short. */
function unsureSaid({ campaign, sentAt, said }: Draft): readonly string[] {
  if (said.length > 0) return said;
  const at = sentAt === undefined ? '' : ` at ${date(sentAt, '{time_secs}')}`;
  return [
    `The proof was sent for ${titleOf(campaign)}${at}, and there is no answer yet. Look again in a minute.`,
  ];
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

function titleOf(campaign: { readonly title: string } | undefined): string {
  const title = campaign?.title.trim() ?? '';
  return title === '' ? 'the campaign' : `*${inline(title)}*`;
}

function code(id: string): string {
  return `\`${escaped(cut(id, 200).replaceAll('`', "'"))}\``;
}

function initialText(text: string): { initial_value?: string } {
  return text === '' ? {} : { initial_value: text };
}
