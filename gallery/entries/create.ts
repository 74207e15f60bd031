import { money } from '../../src/domain/money.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import {
  createdSentences,
  draftView,
  foundSentence,
  jobView,
  readingView,
  reviewView,
  startAtTop,
  wording,
  workView,
} from '../../src/features/campaigns/create.view.ts';
import type { CampaignDraft } from '../../src/features/campaigns/create-fields.ts';
import { notice } from '../../src/slack/blocks.ts';
import { inline } from '../../src/slack/mrkdwn.ts';
import { nextVersion, type Problem } from '../../src/ui/draft.ts';
import {
  closedMessage,
  confirmView,
  formPage,
  goneBeforeProblem,
  goneSentence,
  noAnswerYet,
  note,
  notSentProblem,
  openingView,
  sendAgainProblem,
  sendingView,
  unknownSentences,
  unknownView,
} from '../../src/ui/draft-form.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { everyProblem, filled, fresh, fromTemplate, largestDraft } from '../samples/drafts.ts';
import { hostile } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const sent: CampaignDraft = { ...filled, sent: { at: minutesAgo(3), before: [] } };
const offered = { id: 'd0', description: `*${inline(hostile)}*` };
const draw = (draft: CampaignDraft) => draftView(draft);
const at = (step: CampaignDraft['step'], draft = filled, problems: readonly Problem[] = []) =>
  nextVersion(draft, step, { problems });
const done = (made: Parameters<typeof createdSentences>[1]) =>
  nextVersion(filled, 'done', { sentences: createdSentences(filled, made) });
const unknown = (found: Parameters<typeof unknownSentences>[2]) =>
  nextVersion(sent, 'unknown', { sentences: unknownSentences(wording, sent, found) });
const listed = { id: asId<CampaignId>('a1b2c3'), title: filled.values.title, availablePositions: 300 };

export const create = [
  ...entriesOf('Create', [jobView, formPage, startAtTop], {
    'Page 1: empty': () => startAtTop(jobView(fresh)),
    'Page 1: filled in': () => jobView(filled),
    'Page 1: offers an unfinished draft': () => jobView({ ...fresh, unfinished: offered }),
    'Page 1: the draft that was to be resumed is gone': () =>
      jobView({ ...fresh, problems: [goneBeforeProblem] }),
    'Page 1: every field is wrong': () => jobView(at('job', filled, everyProblem)),
    'Page 1: everything as long as it comes': () => jobView(largestDraft),
  }),
  ...entriesOf('Create', workView, {
    'Page 2: empty': () => workView(at('work', fresh)),
    'Page 2: filled in': () => workView(at('work')),
    'Page 2: from a template': () => workView(at('work', fromTemplate)),
    'Page 2: every field is wrong': () => workView(at('work', fromTemplate, everyProblem)),
    'Page 2: everything as long as it comes': () => workView(at('work', largestDraft)),
  }),
  ...entriesOf('Create', [reviewView, confirmView], {
    'Page 3: review': () => reviewView(at('check')),
    'Page 3: from a template, with warnings': () => reviewView(at('check', fromTemplate)),
    'Page 3: sent before': () => reviewView(at('check', filled, [sendAgainProblem(wording, sent)])),
    'Page 3: not sent yet': () => reviewView(at('check', filled, [notSentProblem(wording)])),
    'Page 3: everything as long as it comes': () => reviewView(at('check', largestDraft)),
  }),
  ...entriesOf('Create', [draftView, note], {
    Created: () => draw(done({ campaignId: 'a1b2c3', cost: money('135') })),
  }),
  ...entriesOf('Create', [draftView, unknownView], {
    'Unknown outcome: no answer yet': () =>
      draw(nextVersion(sent, 'unknown', { sentences: [noAnswerYet(wording, sent, minutesAgo(3))] })),
    'Unknown outcome: the list cannot be read': () => draw(unknown(undefined)),
    'Unknown outcome: not listed': () => draw(unknown({ isThere: false, sentence: foundSentence([]) })),
    'Unknown outcome: listed': () => draw(unknown({ isThere: true, sentence: foundSentence([listed]) })),
  }),
  ...entriesOf('Create', openingView, { 'Opening a draft': () => openingView(wording, fresh) }),
  ...entriesOf('Create', readingView, { 'Reading the files': () => readingView(filled) }),
  ...entriesOf('Create', sendingView, { Sending: () => sendingView(wording, filled) }),
  ...entriesOf('Create', closedMessage, {
    'Closed: not created': () => closedMessage(wording, at('job', filled, everyProblem.slice(0, 2))),
    'Closed: not sent yet': () => closedMessage(wording, at('check')),
    'Closed: unknown outcome': () => closedMessage(wording, unknown(undefined)),
    'Closed: created': () => closedMessage(wording, done({ campaignId: 'a1' })),
  }),
  ...entriesOf('Create', notice, { 'The draft is gone': () => notice(goneSentence(wording)) }),
];
