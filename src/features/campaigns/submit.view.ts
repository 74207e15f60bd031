import type { ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { campaignTitleOf } from '../../domain/campaign.ts';
import { CampaignId } from '../../domain/terms.ts';
import { button, context, limits, option } from '../../slack/blocks.ts';
import { code, inline } from '../../slack/mrkdwn.ts';
import type { Draft, Problem } from '../../ui/draft.ts';
import {
  type FormWording,
  fileField,
  formPage,
  note,
  textInput,
  unknownView,
} from '../../ui/draft-form.view.ts';
import { campaignSelect } from './choose.view.ts';

const text = z.string();

/** The form's fields, exactly as entered. */
export const Proof = z.object({
  campaign: z.object({ id: CampaignId, title: text }).optional(),
  worker: text,
  ip: text,
  proof: text,
});
export type Proof = z.infer<typeof Proof>;

export type SubmissionDraft = Draft<Proof>;

export const emptyProof: Proof = { worker: '', ip: '', proof: '' };

export const wording: FormWording = {
  title: 'Submit for a worker',
  command: '/campaign submit',
  actions: {
    resume: 'campaign.submit.go-on',
    discard: 'campaign.submit.discard',
    lookAgain: 'campaign.submit.look',
    backToForm: 'campaign.submit.again',
    open: 'campaign.submit.open',
  },
  send: 'Submit',
  sent: 'submitted',
  subject: ({ values: { worker, campaign } }: SubmissionDraft) =>
    `the proof of worker ${code(worker)} for ${titleOf(campaign)}`,
  sendAgainOnlyIf: 'Submit it again only if the results of the campaign do not show it.',
  foundIn: 'The results of the campaign',
};

/** Returns a draft's modal. */
export function draftView(draft: SubmissionDraft): ModalView {
  if (draft.step === 'unknown') return unknownView(wording, draft);
  if (draft.step !== 'done') return formView(draft);
  const another = button('Submit another', 'campaign.submit.another', 'another');
  return note(wording, draft, draft.sentences, another);
}

function formView(draft: SubmissionDraft): ModalView {
  const { campaign, worker, ip, proof } = draft.values;
  return formPage(wording, draft, { callbackId: 'campaign.submit', submit: wording.send }, [
    campaignSelect(selected(campaign)),
    textInput('worker', 'Worker id', worker, {
      hint: 'The worker’s id at the marketplace, not their name.',
    }),
    textInput('ip', 'IP address', ip, {
      placeholder: '192.0.2.7',
      hint: 'The address that the worker used.',
    }),
    textInput('proof', 'Proof', proof, { isMultiline: true, hint: 'What the worker wrote as proof.' }),
    ...fileField(draft, 'file', 'File', 'campaign.submit.file.drop', { hint: 'One file, at most 10 MB.' }),
    context('This creates a task that uses one position of the campaign and has to be rated.'),
  ]);
}

/** Returns the chosen campaign as the selected option, if Slack can hold its id. */
function selected(campaign: Proof['campaign']): { initial_option?: PlainTextOption } {
  if (campaign === undefined || campaign.id.length > limits.optionValue) return {};
  return { initial_option: option(campaignTitleOf(campaign.id, campaign.title), campaign.id) };
}

export function severalProblem(text: string, count: number): Problem {
  return {
    field: 'campaign',
    text: `${count} campaigns have “${inline(text, 80)}” in their titles. Choose the one you mean.`,
  };
}

export function submittedSentences(
  { values: { campaign, worker } }: SubmissionDraft,
  taskId: string,
): string[] {
  return [
    `The proof of worker ${code(worker)} was submitted for ${titleOf(campaign)}. The task has the id ${code(taskId)}.`,
    'If the campaign is subscribed, the task appears in its channel, as a card or in the count of waiting tasks.',
  ];
}

/** @param found ids of the worker's tasks with this proof, submitted after the draft was sent */
export function foundSentence(found: readonly string[]): string {
  return found.length === 0
    ? 'So far the results of the campaign show no such task, but it may still appear.'
    : `But the results now show such a task of this worker, so it was most likely submitted: ${found
        .slice(0, 5)
        .map((id) => code(id))
        .join(', ')}. If it is yours, there is nothing more to do.`;
}

function titleOf(campaign: Proof['campaign']): string {
  const title = campaign?.title.trim() ?? '';
  return title === '' ? 'the campaign' : `*${inline(title)}*`;
}
