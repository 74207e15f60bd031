import type { ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf } from '../../domain/campaign.ts';
import type { ChannelId, TaskId } from '../../domain/terms.ts';
import { context, input, limits, type Message, modal, notice, option, section } from '../../slack/blocks.ts';
import { code, inline, inPieces, preformatted } from '../../slack/mrkdwn.ts';
import { type CampaignFormFrame, resultView } from './change.view.ts';
import { campaignSelect } from './choose.view.ts';
import { textInput } from './inputs.view.ts';
import { campaignCodec, channel, title } from './words.ts';

export const submitForm: CampaignFormFrame = {
  callbackId: 'campaign.submit',
  title: 'Submit for a worker',
  submit: 'Submit',
};

export const submitState = campaignCodec('form', z.object({ channel }));

/** A proof, filled in. */
export interface Proof {
  readonly campaign: Pick<Campaign, 'id' | 'title'>;
  readonly worker: string;
  readonly ip: string;
  readonly proof: string;
}

/** Renders the form. @param problem why the last attempt submitted nothing, in mrkdwn */
export function submitView(from: ChannelId | undefined, filled: Partial<Proof>, problem?: string): ModalView {
  const { campaign, worker = '', ip = '', proof = '' } = filled;
  return modal({
    ...submitForm,
    state: submitState.encode({ channel: from }),
    blocks: [
      ...(problem === undefined ? [] : [section(problem)]),
      campaignSelect(selected(campaign)),
      textInput('worker', 'Worker id', worker, {
        hint: 'The worker’s id at the marketplace, not their name.',
      }),
      textInput('ip', 'IP address', ip, {
        placeholder: '192.0.2.7',
        hint: 'The address that the worker used.',
      }),
      textInput('proof', 'Proof', proof, { isMultiline: true, hint: 'What the worker wrote as proof.' }),
      input(
        'file',
        'File',
        { type: 'file_input', max_files: 1 },
        { hint: 'One file, at most 10 MB.', isOptional: true },
      ),
      context('This creates a task that uses one position of the campaign and has to be rated.'),
    ],
  });
}

/** Returns the chosen campaign as the selected option, if Slack can hold its id. */
function selected(campaign: Proof['campaign'] | undefined): { initial_option?: PlainTextOption } {
  if (campaign === undefined || campaign.id.length > limits.optionValue) return {};
  return { initial_option: option(campaignTitleOf(campaign.id, campaign.title), campaign.id) };
}

export function severalProblem(text: string, count: number): string {
  return `${count} campaigns have “${inline(text, 80)}” in their titles. Choose the one you mean.`;
}

/** Renders a view with the proof to copy. */
export function proofView({ proof }: Proof, ...sentences: readonly string[]): ModalView {
  return resultView(submitForm, ...sentences, ...pieces(proof));
}

/** Returns a proof in pieces that fit into sections, up to what one message may hold. */
const pieces = (proof: string) =>
  inPieces(proof)
    .slice(0, 4)
    .map((piece) => preformatted(piece, piece.length));

/** What is shown right after submission, should the bot end meanwhile. */
export const submitting = [
  'Sending to the marketplace…',
  'If this is still here in a minute, look for it in `/campaign results` before you submit it again:',
] as const;

/** Returns the confirmation. */
export function submittedText(filled: Proof, task: TaskId): string {
  return `The proof of ${subjectOf(filled)} was submitted. The task has the id ${code(task)}. If the campaign is subscribed, it appears in its channel, as a card or in the count of waiting tasks.`;
}

/** Returns what to check when the outcome is unknown. */
export function submitUnknownText(filled: Proof): string {
  return `The marketplace gave no clear answer, so the proof of ${subjectOf(filled)} may or may not have been submitted. It was not sent again. Look for the task in a minute with ${code(`/campaign results ${filled.campaign.id}`)}, and submit it again only if it is missing.`;
}

/** Returns why nothing was submitted, for the form. @param hadFile whether a file was attached, which Slack cannot fill in */
export function notSubmittedText(reason: string, hadFile: boolean): string {
  return `*Nothing was submitted.* ${reason}${hadFile ? ' Attach the file again before you submit it.' : ''}`;
}

export function notSubmitted(filled: Proof, reason: string): string {
  return `The proof of ${subjectOf(filled)} was not submitted. ${reason}`;
}

/** Returns what became of a submission for a form that was closed, with the proof that was typed. */
export function proofMessage({ proof }: Proof, sentence: string): Message {
  return notice(sentence, ...pieces(proof).map((piece) => section(piece)));
}

function subjectOf({ worker, campaign }: Proof): string {
  return `worker ${code(worker, 60)} for *${title(campaign)}*`;
}
