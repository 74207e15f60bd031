import type { PlainTextElement, PlainTextOption } from '@slack/types';
import { money } from '../../src/domain/money.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import {
  categoryOptions,
  createdSentences,
  draftView,
  firstPageGone,
  foundSentence,
  jobView,
  reviewView,
  startAtTop,
  workView,
} from '../../src/features/campaigns/create.view.ts';
import {
  type CampaignDraft,
  type Catalogue,
  type Category,
  nextVersion,
  type Problem,
} from '../../src/features/campaigns/create-fields.ts';
import {
  closedMessage,
  discardedSentence,
  formPage,
  goneSentence,
  noAnswerYet,
  note,
  notSentProblem,
  readingView,
  resumedView,
  sendAgainProblem,
  sendingView,
  unknownSentences,
  unknownView,
} from '../../src/features/campaigns/draft.view.ts';
import { confirmView, input, modal, notice, plainText } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { everyProblem, filled, fresh, fromTemplate, largestDraft } from '../samples/drafts.ts';
import { longest } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const sent: CampaignDraft = { ...filled, sent: { at: minutesAgo(3), before: [] } };
const photos: Category = { id: 'a1', title: 'Job a1', minimums: [{ zone: 'west1', payment: '0.15' }] };
const [one, longId] = [{ ...photos, id: 'a2', title: 'Job a2' }, 'x'.repeat(150)];
const withId = (id: string) => ({ ...photos, id, title: `Job ${id.slice(0, 9)} ${id.length}` });
const categories: Catalogue = [
  { title: 'Photos', categories: [photos, one] },
  { title: ' ', categories: ['', longId, `${longId}x`].map(withId) },
  { title: 'None', categories: [] },
  { title: 'Surveys', categories: Array.from({ length: 60 }, (_, index) => withId(`b${index}`)) },
  { title: 'Texts', categories: Array.from({ length: 60 }, (_, index) => withId(`c${index}`)) },
];
/** What Slack shows in the open select. */
const openSelect = () => {
  const placeholder = plainText('Choose a category');
  const groups = categoryOptions(categories).groups as {
    label: PlainTextElement;
    options: PlainTextOption[];
  }[];
  const select = { type: 'static_select' as const, placeholder, option_groups: groups };
  return modal({
    callbackId: 'x',
    submit: 'Next',
    title: 'Category',
    blocks: [input('category', 'Category', select)],
  });
};
const templateWith = (columns: number, work: string): CampaignDraft => {
  const names = Array.from({ length: columns }, (_, index) => `column ${index}${index ? longest(70) : ''}`);
  const template = { of: 'F02SHOPS', columns: names, rows: [['Coffee']], count: 1 };
  return { ...fromTemplate, values: { ...fromTemplate.values, positions: '1', work, template } };
};
const draw = (draft: CampaignDraft) => draftView(draft);
const at = (step: CampaignDraft['step'], draft = filled, problems: readonly Problem[] = []) =>
  nextVersion(draft, step, { problems });
const done = (made: Parameters<typeof createdSentences>[1]) =>
  nextVersion(filled, 'done', { sentences: createdSentences(filled, made) });
const unknown = (found: Parameters<typeof unknownSentences>[1]) =>
  nextVersion(sent, 'unknown', { sentences: unknownSentences(sent, found) });
const listed = { id: asId<CampaignId>('a1b2c3'), title: filled.values.title, availablePositions: 300 };

export const create = [
  ...entriesOf('Create', [jobView, formPage, startAtTop], {
    'Page 1: empty': () => startAtTop(jobView(fresh)),
    'Page 1: filled in': () => jobView(filled),
    'Page 1: a category without a minimum': () =>
      jobView({ ...filled, values: { ...filled.values, category: { ...photos, minimums: [] } } }),
    'Page 1: every field is wrong': () => jobView(at('job', filled, everyProblem)),
    'Page 1: what was typed is gone': () =>
      jobView(at('job', fresh, [{ text: firstPageGone }, { field: 'title', text: 'Enter a title.' }])),
    'Page 1: everything as long as it comes': () => jobView(largestDraft),
  }),
  ...entriesOf('Create', [workView, draftView], {
    'Page 2: empty': () => draw(at('work', fresh)),
    'Page 2: filled in': () => workView(at('work')),
    'Page 2: from a template': () => workView(at('work', fromTemplate)),
    'Page 2: every field is wrong': () => workView(at('work', fromTemplate, everyProblem)),
    'Page 2: everything as long as it comes': () => workView(at('work', largestDraft)),
  }),
  ...entriesOf('Create', [reviewView, confirmView], {
    'Page 3: review': () => reviewView(at('check')),
    'Page 3: from a template, with warnings': () => reviewView(at('check', fromTemplate)),
    'Page 3: from a template that fits': () => reviewView(at('check', templateWith(20, '{{column 0}}'))),
    'Page 3: from a template of many columns, of which the description names others': () =>
      reviewView(at('check', templateWith(21, Array.from('abcdefghijk', (x) => `{{${x}}}`).join(' ')))),
    'Page 3: sent before': () => reviewView(at('check', filled, [sendAgainProblem(sent)])),
    'Page 3: not sent yet': () => reviewView(at('check', filled, [notSentProblem])),
    'Page 3: everything as long as it comes': () => reviewView(at('check', largestDraft)),
  }),
  ...entriesOf('Create', [draftView, note], {
    Created: () => draw(done({ campaignId: 'a1b2c3', cost: money('135') })),
    Discarded: () => note(filled, [discardedSentence]),
  }),
  ...entriesOf('Create', [draftView, unknownView], {
    'Unknown outcome: no answer yet': () =>
      draw(nextVersion(sent, 'unknown', { sentences: [noAnswerYet(sent, minutesAgo(3))] })),
    'Unknown outcome: the list cannot be read': () => draw(unknown(undefined)),
    'Unknown outcome: not listed': () => draw(unknown({ isThere: false, sentence: foundSentence([]) })),
    'Unknown outcome: six are listed': () =>
      draw(unknown({ isThere: true, sentence: foundSentence(Array(6).fill(listed)) })),
    'Unknown outcome: listed': () => draw(unknown({ isThere: true, sentence: foundSentence([listed]) })),
  }),
  ...entriesOf('Create', modal, { 'Page 1: the categories to choose from': openSelect }),
  ...entriesOf('Create', resumedView, { 'An unfinished draft': () => resumedView(draw(at('check'))) }),
  ...entriesOf('Create', readingView, { 'Reading the files': () => readingView(filled) }),
  ...entriesOf('Create', sendingView, { Sending: () => sendingView(filled) }),
  ...entriesOf('Create', closedMessage, {
    'Closed: not created': () => closedMessage(at('job', filled, everyProblem.slice(0, 2))),
    'Closed: every field is wrong': () => closedMessage(at('job', filled, everyProblem)),
    'Closed: not sent yet': () => closedMessage(at('check')),
    'Closed: unknown outcome': () => closedMessage(unknown(undefined)),
    'Closed: created': () => closedMessage(done({ campaignId: 'a1' })),
  }),
  ...entriesOf('Create', notice, { 'The draft is gone': () => notice(goneSentence) }),
];
