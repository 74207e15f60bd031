import { money } from '../../src/domain/money.ts';
import { checkView } from '../../src/features/create/check.view.ts';
import { type Draft, moved } from '../../src/features/create/draft.ts';
import { jobView } from '../../src/features/create/job.view.ts';
import {
  closedMessage,
  createdSentences,
  draftView,
  interruptedSentence,
  loadingView,
  noCategories,
  notLoadedView,
  openingView,
  readingView,
  sendAgainProblem,
  sendingView,
  unsureSentences,
} from '../../src/features/create/outcome.view.ts';
import { page } from '../../src/features/create/parts.view.ts';
import { workView } from '../../src/features/create/work.view.ts';
import { entriesOf } from '../entry.ts';
import {
  catalogue,
  everyProblem,
  filled,
  fresh,
  fromTemplate,
  largestCatalogue,
  largestDraft,
} from '../samples/drafts.ts';
import { hostile, longest } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const { title } = filled.fields;
const sentAt = minutesAgo(3);
const draw = (draft: Draft) => draftView(draft, catalogue);
const unsure = (found: Parameters<typeof unsureSentences>[2]) =>
  draw(moved(filled, 'unsure', { said: unsureSentences(title, sentAt, found) }));

export const create = [
  ...entriesOf('Create', [jobView, page], {
    'Page 1: empty': () => jobView(fresh, catalogue),
    'Page 1: filled in': () => jobView(filled, catalogue),
    'Page 1: one was begun before': () =>
      jobView({ ...fresh, unfinished: { id: 'd0', title: hostile } }, catalogue),
    'Page 1: every field is wrong': () =>
      jobView(moved(filled, 'job', { problems: everyProblem }), catalogue),
    'Page 1: everything as long as it comes': () => jobView(largestDraft, largestCatalogue),
  }),
  ...entriesOf('Create', workView, {
    'Page 2: empty': () => workView(moved(fresh, 'work')),
    'Page 2: filled in': () => workView(moved(filled, 'work')),
    'Page 2: from a template': () => workView(moved(fromTemplate, 'work')),
    'Page 2: every field is wrong': () => workView(moved(fromTemplate, 'work', { problems: everyProblem })),
    'Page 2: everything as long as it comes': () => workView(moved(largestDraft, 'work')),
  }),
  ...entriesOf('Create', checkView, {
    'Page 3: check': () => checkView(moved(filled, 'check'), catalogue),
    'Page 3: from a template, with warnings': () => checkView(moved(fromTemplate, 'check'), catalogue),
    'Page 3: sent before': () =>
      checkView(moved(filled, 'check', { problems: [sendAgainProblem(sentAt)] }), catalogue),
    'Page 3: everything as long as it comes': () => checkView(moved(largestDraft, 'check'), largestCatalogue),
  }),
  ...entriesOf('Create', draftView, {
    Created: () =>
      draw(
        moved(filled, 'done', {
          said: createdSentences(title, { campaignId: 'a1b2c3', cost: money('135'), speedNew: '500' }, 7),
        }),
      ),
    'Unclear: the list cannot be read': () => unsure(undefined),
    'Unclear: not listed': () => unsure([]),
    'Unclear: listed': () => unsure([{ id: 'a1b2c3', title, availablePositions: 300 }]),
    'Unclear: interrupted': () => draw(moved(filled, 'unsure', { said: [interruptedSentence(longest())] })),
  }),
  ...entriesOf('Create', loadingView, { 'Loading the categories': () => loadingView(fresh) }),
  ...entriesOf('Create', openingView, { 'Opening what was begun': () => openingView(fresh) }),
  ...entriesOf('Create', notLoadedView, {
    'No categories': () => notLoadedView(fresh, noCategories),
    'No categories, after a problem': () =>
      notLoadedView(moved(filled, 'job', { problems: everyProblem }), noCategories),
  }),
  ...entriesOf('Create', readingView, { 'Reading the files': () => readingView(filled) }),
  ...entriesOf('Create', sendingView, { Sending: () => sendingView(filled) }),
  ...entriesOf('Create', closedMessage, {
    'Closed: not created': () => closedMessage(moved(filled, 'job', { problems: everyProblem.slice(0, 2) })),
    'Closed: files were read': () => closedMessage(moved(filled, 'check')),
    'Closed: created': () =>
      closedMessage(moved(filled, 'done', { said: createdSentences(title, { campaignId: 'a1' }, 1) })),
  }),
];
