import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type ComplaintOutcome, lookOutcomes } from '../../domain/complaint.ts';
import type { Task } from '../../domain/task.ts';
import { AccountId, type MemberId, MessageId, TaskId } from '../../domain/terms.ts';
import { context, input, modal, option, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { code, inline, link, preformatted, user } from '../../slack/mrkdwn.ts';
import { type LinkedTask, outcomeWords, ratingText } from '../shared/complaint.view.ts';

export const lookForm = 'complaint.look';
export const outcomeInput = 'outcome';
export const reasonInput = 'reason';
const maxReason = 1_000;
/** Characters of a proof shown. */
const shownOfProof = 1_200;

export const lookState = codec(
  'form',
  z.object({ account: AccountId, message: MessageId, task: TaskId }),
  'Open the message again with `/inbox`.',
);

export const noReason = 'Say why, in a few words.';
export const chooseOutcome = 'Choose one.';
export const ownDecision =
  'You decided on this task yourself, so somebody else has to look at it again. Ask a colleague to press *Look again*.';
export const taskGone = 'This task is not known here at the moment. Try again in a minute.';
export const notDecided =
  'This task has no rating at the moment: it waits like any other, and its card has the buttons.';

/** Returns the answer if somebody else has already looked again. */
export function lookedAlready(by: MemberId, outcome: ComplaintOutcome): string {
  return `${user(by)} has looked at this task again already: ${outcomeWords[outcome]}. Nothing was recorded a second time.`;
}

const outcomeOptions: Readonly<Record<ComplaintOutcome, string>> = {
  right: 'The rating is right',
  wrong: 'The rating is wrong',
};

/** Returns the form for checking a task with a complaint. @param subject of the message */
export function lookModal({
  state,
  linked: { task, campaignTitle, card },
  subject,
}: {
  readonly state: string;
  readonly linked: LinkedTask;
  readonly subject: string;
}): ModalView {
  const { worker } = task;
  const comment = task.comment || task.decision?.comment || '';
  const name = worker.name ?? worker.id;
  const facts = [
    `*${inline(campaignTitle, 100)}*${name === '' ? '' : ` · ${inline(name, 60)}`}`,
    [ratingText(task), ...(card === undefined ? [] : [link(card, 'Open its card')])].join(' · '),
  ];
  return modal({
    callbackId: lookForm,
    title: 'Look again',
    submit: 'Record',
    state,
    blocks: [
      ...(subject === '' ? [] : [context(`Message: ${inline(subject, 200)}`)]),
      section(facts.join('\n')),
      section(`The worker submitted:${proofText(task)}`),
      ...(comment === '' ? [] : [section(`The comment on it:${preformatted(comment, shownOfProof)}`)]),
      input(outcomeInput, 'What did you find?', {
        type: 'radio_buttons',
        options: lookOutcomes.map((outcome) => option(outcomeOptions[outcome], outcome)),
      }),
      input(
        reasonInput,
        'Why?',
        { type: 'plain_text_input', multiline: true, max_length: maxReason },
        { hint: 'Up to 1,000 characters, for the audit. The worker does not see it.' },
      ),
      context(
        'This only records what you find. The rating and the message stay as they are at the marketplace.',
      ),
    ],
  });
}

function proofText({ proof, detailsRemovedAt }: Task): string {
  if (detailsRemovedAt !== undefined)
    return ' its proof is no longer stored here; the marketplace still has it.';
  if (proof.slots.length === 0) return ' no text. Its card has the files.';
  return preformatted(proof.slots.join('\n\n'), shownOfProof);
}

/** Returns the form's content after recording the outcome. @param website where the rating can be corrected */
export function lookedModal(task: Task, outcome: ComplaintOutcome, website: string | undefined): ModalView {
  const next =
    outcome === 'right'
      ? 'The worker is not told: write to them on the website if they should know.'
      : correctText(task, website);
  return modal({
    callbackId: lookForm,
    title: 'Look again',
    blocks: [section(`:white_check_mark: Recorded: ${outcomeWords[outcome]}.`), section(next)],
  });
}

function correctText({ id, campaign }: Task, website: string | undefined): string {
  const cannot = 'The API can neither change a rating nor answer the worker.';
  const ids = `Task ${code(id)}, campaign ${code(campaign)}.`;
  if (website === undefined) return `${cannot} Correct it on the marketplace’s website. ${ids}`;
  const address = website
    .replaceAll('{task}', encodeURIComponent(id))
    .replaceAll('{campaign}', encodeURIComponent(campaign));
  return `${cannot} ${link(address, 'Correct it on the website')}. ${ids}`;
}

/** Returns a modal with a single sentence, in place of the form. @param sentence mrkdwn */
export function lookEndedModal(sentence: string): ModalView {
  return modal({ callbackId: lookForm, title: 'Look again', blocks: [section(sentence)] });
}
