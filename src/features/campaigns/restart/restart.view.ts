import type { ModalView } from '@slack/types';
import type { Campaign } from '../../../domain/campaign.ts';
import { context, input, modal, section } from '../../../slack/blocks.ts';
import { type FormState, formState } from '../button-values.ts';
import { noteView, sendingView } from '../campaign-form.view.ts';
import { asSeenNote, idCode, payment, title } from '../campaign-text.ts';
import { count, counted, shortfall, statusWords } from '../figures.ts';

export const restartForm = 'campaign.restart';
export const positionsInput = 'positions';

const heading = 'Restart a campaign';

export interface RestartForm {
  readonly campaign: Campaign;
  readonly state: FormState;
  /** What stands in the field; absent: what is missing of the accepted tasks that were wanted. */
  readonly positions?: number | undefined;
  /** The marketplace did not answer: the campaign is as seen then (ms). */
  readonly lastSeen?: number | undefined;
  /** Why the last try failed, in mrkdwn. */
  readonly problem?: string;
}

/** How many positions shall a finished campaign get? */
export function restartView({ campaign, state, positions, lastSeen, problem }: RestartForm): ModalView {
  const missing = shortfall(campaign);
  const proposed = positions ?? (missing > 0 ? missing : undefined);
  const accepted = `${count(campaign.tasksOk)} of ${counted(campaign.availablePositions, 'position')} accepted`;
  return modal({
    callbackId: restartForm,
    title: heading,
    submit: problem === undefined ? 'Restart' : 'Try again',
    state: formState.encode(state),
    blocks: [
      section(`*${title(campaign)}*\n${statusWords[campaign.status]} · ${accepted} · ${payment(campaign)}`),
      ...(campaign.status === 'FINISHED'
        ? []
        : [context('When last seen it was not finished. The marketplace restarts finished campaigns only.')]),
      ...(lastSeen === undefined ? [] : [context(asSeenNote(lastSeen))]),
      input(
        positionsInput,
        'Positions to add',
        {
          type: 'number_input',
          is_decimal_allowed: false,
          min_value: '1',
          ...(proposed === undefined ? {} : { initial_value: String(proposed) }),
        },
        {
          hint:
            missing > 0
              ? `${counted(missing, 'position')} of those wanted brought no accepted task.`
              : 'Every position that was wanted brought an accepted task.',
        },
      ),
      ...(problem === undefined ? [] : [section(problem)]),
    ],
  });
}

export function restartSendingView(): ModalView {
  return sendingView(restartForm, heading);
}

export function restartNoteView(sentence: string): ModalView {
  return noteView(restartForm, heading, sentence);
}

/** It was done. */
export function restartedSentence(campaign: Campaign, added: number): string {
  return `*${title(campaign)}* got ${counted(added, 'more position', 'more positions')}. The marketplace decides when it runs again: \`/campaign status\` shows it.`;
}

/** Nobody knows whether it was done: what to look at before anything else. */
export function restartUnsureSentence(campaign: Campaign, positions: number): string {
  const { availablePositions: before } = campaign;
  return `The marketplace gave no clear answer, so it is not known whether *${title(campaign)}* got ${counted(positions, 'more position', 'more positions')}. It was not sent again. Look at \`/campaign status\` with the id ${idCode(campaign)} in a minute: it had ${counted(before, 'position')} when last seen, and has ${count(before + positions)} if the restart was done. Restart it again only if nothing has changed.`;
}

/** The number does not make sense. Plain text. */
export const positionsProblem = 'Enter how many positions to add: a whole number above 0.';
