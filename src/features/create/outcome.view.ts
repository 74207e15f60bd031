import type { KnownBlock, ModalView } from '@slack/types';
import type { Money } from '../../domain/money.ts';
import { formatMoney } from '../../domain/money.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, escaped, inline, plain } from '../../slack/mrkdwn.ts';
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
      return note(draft, draft.said.length > 0 ? draft.said : [notKnownYet(draft)], [
        actions('unsure', [
          button('Look again', lookAgain, 'look'),
          button('Back to the form', backToForm, 'again'),
        ]),
      ]);
    case 'done':
      return note(draft, draft.said);
  }
}

/** It is being sent, or that was cut short. */
function notKnownYet({ fields, sent }: Draft): string {
  return `*${titleOf(fields.title)}* was sent${sent ? ` at ${date(sent.at, '{time_secs}')}` : ''}, and there is no answer yet. Look again in a minute.`;
}

export function needsCatalogue({ step }: Draft): boolean {
  return step === 'job' || step === 'check';
}

export function loadingView(draft: Draft): ModalView {
  return note(draft, ['Getting the categories from the marketplace…']);
}

/** The form cannot be shown without categories. @param sentence mrkdwn */
export function notLoadedView(draft: Draft, sentence: string): ModalView {
  return note(draft, [sentence], [actions('load', [button('Try again', loadAgain, 'load')])]);
}

export const noCategories =
  'The marketplace has no categories at present, and a campaign needs one. Try again later.';

export function readingView(draft: Draft): ModalView {
  return note(draft, ['Reading the files…']);
}

export function sendingView(draft: Draft): ModalView {
  return note(draft, [
    'Sending to the marketplace…',
    'If this does not change within two minutes, look at `/campaign list` before you try again.',
  ]);
}

/** All text of a message together has a limit. */
const sentencesShown = 10;
const sentenceShown = 1_000;

/** What is said when the modal was closed before its end: the same, and a way back to what was typed. */
export function closedMessage({ id, step, said, problems, fields }: Draft): Message {
  const sentences =
    step === 'done' || step === 'unsure'
      ? said
      : step === 'check' && problems.length === 0
        ? [
            `The files of *${titleOf(fields.title)}* were read. Nothing was created yet: open the form to go on.`,
          ]
        : [
            `*${titleOf(fields.title)}* was not created. What you typed is kept.`,
            ...problems.map(({ text }) => text),
          ];
  return {
    text: cut(plain(sentences.join('\n')), limits.fallbackText),
    blocks: [
      ...sentences.slice(0, sentencesShown).map((text) => section(cut(text, sentenceShown))),
      ...(step === 'done' ? [] : [actions('open', [button('Open the form', openForm, id)])]),
    ],
  };
}

export const goneSentence =
  'What was typed into this form was kept for a day and is gone. Start again with `/campaign new`.';

export const lostPartProblem: Problem = {
  text: 'The first page was kept for a day and is gone: fill it in once more. What you typed on the second page is still there.',
};

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
