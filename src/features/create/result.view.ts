import type { ModalView } from '@slack/types';
import { formatMoney, type Money } from '../../domain/money.ts';
import { capital } from '../../domain/text.ts';
import { button } from '../../slack/blocks.ts';
import { code, inline } from '../../slack/mrkdwn.ts';
import type { Problem } from '../../ui/draft.ts';
import { note, nothingSent, unknownView } from '../../ui/draft-form.view.ts';
import type { Catalogue } from './catalogue.ts';
import type { CampaignDraft } from './draft.ts';
import { startAtTop } from './inputs.view.ts';
import { jobView } from './job.view.ts';
import { reviewView } from './review.view.ts';
import { wording } from './wording.ts';
import { workView } from './work.view.ts';

export const loadAgain = 'campaign.create.load';

/** Returns a draft's modal. The catalogue is required for the steps of {@link needsCatalogue}. */
export function draftView(draft: CampaignDraft, catalogue: Catalogue): ModalView {
  switch (draft.step) {
    case 'job':
      return startAtTop(jobView(draft, catalogue));
    case 'work':
      return startAtTop(workView(draft));
    case 'check':
      return reviewView(draft, catalogue);
    case 'unknown':
      return unknownView(wording, draft);
    case 'done':
      return note(wording, draft, draft.sentences);
  }
}

export function needsCatalogue({ step }: CampaignDraft): boolean {
  return step === 'job' || step === 'check';
}

export function loadingView(draft: CampaignDraft): ModalView {
  return note(wording, draft, ['Getting the categories from the marketplace…']);
}

/** Returns the modal for missing categories. @param sentence the reason, in mrkdwn */
export function notLoadedView(draft: CampaignDraft, sentence: string): ModalView {
  const sentences =
    draft.problems.length === 0
      ? [sentence]
      : [`${nothingSent(wording)} The form says what to correct, but cannot be shown yet.`, sentence];
  return note(wording, draft, sentences, [button('Try again', loadAgain, 'load')]);
}

export const noCategories =
  'The marketplace has no categories at present, and a campaign needs one. Try again later.';

/** Returns the modal shown while files are read. The inputs are stored already, so going back loses nothing. */
export function readingView(draft: CampaignDraft): ModalView {
  return note(
    wording,
    draft,
    [
      'Reading the files…',
      'What you typed is kept. If this does not change within two minutes, go back to the form and press Next once more.',
    ],
    [button('Back to the form', wording.actions.backToForm, 'back')],
  );
}

export const lostPageProblem: Problem = {
  text: 'The first page is no longer available: drafts are kept for a day. Fill it in once more. What you typed on the second page is still there.',
};

/** @param made.cost, made.speedNew the one contained in the marketplace's answer */
export function createdSentences(
  draft: CampaignDraft,
  made: {
    readonly campaignId: string;
    readonly cost?: Money;
    readonly speedPrevious?: string;
    readonly speedNew?: string;
  },
): string[] {
  const { campaignId, cost, speedPrevious, speedNew } = made;
  const speeds = [
    ...(speedNew === undefined ? [] : [`its speed is ${inline(speedNew, 40)}`]),
    ...(speedPrevious === undefined ? [] : [`it was ${inline(speedPrevious, 40)} before`]),
  ];
  const days = Number(draft.values.ttr);
  return [
    `${capital(wording.subject(draft))} was created. Its id is ${code(campaignId)}.`,
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

/** @param found campaigns with this title that appeared after the draft was sent */
export function foundSentence(found: readonly FoundCampaign[]): string {
  if (found.length === 0) {
    return 'So far the marketplace lists no new campaign with this title, but it may still appear.';
  }
  const lines = found
    .slice(0, 5)
    .map(
      ({ id, title, availablePositions }) =>
        `• *${inline(title.trim() || 'Untitled')}*, id ${code(id)}, ${availablePositions.toLocaleString('en')} positions`,
    );
  return `${found.length === 1 ? 'A campaign' : 'More than one campaign'} with this title has appeared since, so it was most likely created:\n${lines.join('\n')}\nCheck it with \`/campaign status\` and this id. If it is yours, there is nothing more to do.`;
}

/** Why an approved campaign was not created, in mrkdwn. */
export const changedSince =
  'The form was changed since it was approved, so nothing was created. Send it again with `/campaign new`.';
export const draftGone =
  'The form is no longer available, so check with `/campaign list` whether it was created.';
