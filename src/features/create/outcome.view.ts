import type { KnownBlock, ModalView } from '@slack/types';
import type { Money } from '../../domain/money.ts';
import { formatMoney } from '../../domain/money.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { closedFormMessage } from '../../slack/closed-form.view.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import type { Catalogue } from './catalogue.ts';
import { checkView } from './check.view.ts';
import type { Draft, Problem } from './draft.ts';
import { jobView } from './job.view.ts';
import { page } from './parts.view.ts';
import { workView } from './work.view.ts';

/** A page that only says something; nothing on it can be submitted. */
const noteForm = 'campaign.create.note';
export const loadAgain = 'campaign.create.load';
export const lookAgain = 'campaign.create.look';
export const backToForm = 'campaign.create.again';
/** In a message: opens the form as it was left. */
export const openForm = 'campaign.create.open';

/** The modal of a draft, whatever its step. The catalogue is needed for the steps of {@link needsCatalogue}. */
export function draftView(draft: Draft, catalogue: Catalogue): ModalView {
  switch (draft.step) {
    case 'job':
      return jobView(draft, catalogue);
    case 'work':
      return workView(draft);
    case 'check':
      return checkView(draft, catalogue);
    case 'unsure':
      return note(draft, unsureSaid(draft), [
        actions('unsure', [
          button('Look again', lookAgain, 'look'),
          button('Back to the form', backToForm, 'again'),
        ]),
      ]);
    case 'done':
      return note(draft, draft.said);
  }
}

/** Without anything said of it, it is being sent, or that was cut short. */
function unsureSaid({ fields, sent, said }: Draft): readonly string[] {
  if (said.length > 0) return said;
  return [
    `*${titleOf(fields.title)}* was sent${sent ? ` at ${date(sent.at, '{time_secs}')}` : ''}, and there is no answer yet. Look again in a minute.`,
  ];
}

export function needsCatalogue({ step }: Draft): boolean {
  return step === 'job' || step === 'check';
}

export function loadingView(draft: Draft): ModalView {
  return note(draft, ['Getting the categories from the marketplace…']);
}

export function openingView(draft: Draft): ModalView {
  return note(draft, ['Opening what you have begun…']);
}

/** The form cannot be shown without categories. @param sentence mrkdwn */
export function notLoadedView(draft: Draft, sentence: string): ModalView {
  const sentences =
    draft.problems.length === 0
      ? [sentence]
      : ['*Nothing was created yet.* What has to change is said in the form.', sentence];
  return note(draft, sentences, [actions('load', [button('Try again', loadAgain, 'load')])]);
}

export const noCategories =
  'The marketplace has no categories at present, and a campaign needs one. Try again later.';

/** What was typed is kept already: whoever does not want to wait goes back to it. */
export function readingView(draft: Draft): ModalView {
  return note(
    draft,
    [
      'Reading the files…',
      'What you typed is kept. If this does not change within two minutes, go back to the form and press Next once more.',
    ],
    [actions('reading', [button('Back to the form', backToForm, 'again')])],
  );
}

export function sendingView(draft: Draft): ModalView {
  return note(
    draft,
    [
      'Sending to the marketplace…',
      'If this does not change within two minutes, press Look again: it shows whether it was sent.',
    ],
    [actions('sending', [button('Look again', lookAgain, 'look')])],
  );
}

/** What is said when the modal was closed before its end: the same, and a way back to what was typed. */
export function closedMessage(draft: Draft): Message {
  const { id, step } = draft;
  const wayBack = step === 'done' ? undefined : { actionId: openForm, value: id };
  return closedFormMessage(closedSentences(draft), wayBack);
}

function closedSentences(draft: Draft): readonly string[] {
  const { step, said, problems, fields } = draft;
  if (step === 'done') return said;
  if (step === 'unsure') return unsureSaid(draft);
  if (step === 'check' && problems.length === 0) {
    return [
      `The files of *${titleOf(fields.title)}* were read. Nothing was created yet: open the form to go on.`,
    ];
  }
  return [
    `*${titleOf(fields.title)}* was not created. What you typed is kept.`,
    ...problems.map(({ text }) => text),
  ];
}

export const goneSentence =
  'What was typed into this form was kept for a day and is gone. Start again with `/campaign new`.';

export const lostPartProblem: Problem = {
  text: 'The first page was kept for a day and is gone: fill it in once more. What you typed on the second page is still there.',
};

/** What was to be gone on with is not kept any more. */
export const goneBeforeProblem: Problem = {
  text: 'What you had begun was kept for a day and is gone. Fill in the form once more.',
};

/** The bot was interrupted before it sent anything, or somebody did not want to wait. */
export const notSentProblem: Problem = {
  text: '*Nothing was sent.* Check the campaign once more; Create sends it.',
};

/** The bot was interrupted in the moment of sending. */
export function interruptedSentence(title: string): string {
  return `The bot was interrupted when *${titleOf(title)}* was about to be sent, so it may or may not have been. It was not sent again. Look again, and send it again only if it is not there then.`;
}

export const otherAccountProblem: Problem = {
  text: 'Nothing was sent: you are connected to another account than when this form was opened. Check the campaign; Create sends it for the account you are connected to now.',
};

/** It was created. `cost` or the speeds, whichever the marketplace told. */
export function createdSentences(
  title: string,
  made: {
    readonly campaignId: string;
    readonly cost?: Money;
    readonly speedPrevious?: string;
    readonly speedNew?: string;
  },
  days: number,
): string[] {
  const { campaignId, cost, speedPrevious, speedNew } = made;
  const speeds = [
    ...(speedNew === undefined ? [] : [`Its speed is ${inline(speedNew, 40)}`]),
    ...(speedPrevious === undefined ? [] : [`it was ${inline(speedPrevious, 40)} before`]),
  ];
  return [
    `*${titleOf(title)}* was created. Its id is ${idCode(campaignId)}.`,
    ...(cost === undefined ? [] : [`It costs ${formatMoney(cost)}.`]),
    ...(speeds.length === 0 ? [] : [`${capital(speeds.join(', '))}.`]),
    `The marketplace decides when it runs: \`/campaign status\` shows it. Its tasks must be rated within ${days === 1 ? '1 day' : `${days} days`}.`,
  ];
}

export interface FoundCampaign {
  readonly id: string;
  readonly title: string;
  readonly availablePositions: number;
}

/** Nobody knows whether it was created: what the list of campaigns says to it. `found` absent: it could not be had. */
export function unsureSentences(
  title: string,
  sentAt: number,
  found: readonly FoundCampaign[] | undefined,
): string[] {
  const first = `The marketplace gave no clear answer when *${titleOf(title)}* was sent at ${date(sentAt, '{time_secs}')}. It was not sent again.`;
  if (found === undefined) {
    return [
      first,
      'Its campaigns cannot be looked at just now either. Look again in a minute, and send it again only if it is not there then.',
    ];
  }
  if (found.length === 0) {
    return [
      first,
      'So far the marketplace lists no new campaign of this title, but it may still appear. Look again in a minute, and send it again only if it is not there then.',
    ];
  }
  return [
    first,
    `But there is ${found.length === 1 ? 'a campaign' : `more than one campaign`} of this title since, so it was most likely created:\n${found
      .slice(0, 5)
      .map(
        (one) =>
          `• *${titleOf(one.title)}*, id ${idCode(one.id)}, ${one.availablePositions.toLocaleString('en')} positions`,
      )
      .join('\n')}`,
    'Check it with `/campaign status` and this id. There is nothing more to do if it is yours.',
  ];
}

export function sendAgainProblem(sentAt: number): Problem {
  return {
    text: `*This was sent before*, at ${date(sentAt, '{time_secs}')}, without a clear answer. Press Create only if \`/campaign list\` does not show it: a second one costs as much again.`,
  };
}

function note(draft: Draft, sentences: readonly string[], more: readonly KnownBlock[] = []): ModalView {
  return page(draft, noteForm, [...sentences.map((text) => section(text)), ...more]);
}

function titleOf(title: string): string {
  return title.trim() === '' ? 'The campaign' : inline(title);
}

function idCode(id: string): string {
  return `\`${escaped(id.replaceAll('`', "'"))}\``;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
