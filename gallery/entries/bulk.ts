import {
  applyBulkEvent,
  type BulkRating,
  type BulkResult,
  bulkResultKinds,
} from '../../src/domain/bulk-rating.ts';
import { money } from '../../src/domain/money.ts';
import type { Verdict, WorkspaceId } from '../../src/domain/terms.ts';
import {
  commentsView,
  confirmedView,
  decisionView,
  expiredView,
  loadingView,
  previewView,
} from '../../src/features/bulk/decision.view.ts';
import { filterView, type PageData, pageView, wholeTaskView } from '../../src/features/bulk/page.view.ts';
import { bulkMessage, bulkResultsView, type ShownRating } from '../../src/features/bulk/progress.view.ts';
import { filterLabel } from '../../src/kit/waiting-tasks.ts';
import { confirmView } from '../../src/ui/draft-form.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { alike, fullAlike } from '../samples/evidence.ts';
import { account, ann, ben } from '../samples/people.ts';
import { asked, decision, files, largestTask, sixPictures, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { hour, minutesAgo, now } from '../samples/times.ts';

const state = { account, selection: 'sample', step: 5 };
const title = 'Photograph a shelf in your supermarket';
const record = { counts: { OK: 12, NOK: 1, REVISE: 0, NOTRATED: 2, NOTREVIEWED: 0 }, campaigns: 3 };

const withPicture = task({
  proof: { ...task().proof, files },
  pictures: [{ index: 1, file: 'F0SAMPLE1' }],
});

function page(fields: Partial<PageData> = {}): PageData {
  const rows = Array.from({ length: 25 }, (_, index) => ({
    number: 26 + index,
    id: asId<PageData['rows'][number]['id']>(`task${index}`),
    task: {
      ...(index % 4 === 1 ? withPicture : task()),
      id: asId<PageData['rows'][number]['id']>(`task${index}`),
    },
    campaignTitle: title,
    dueAt: now + hour * (index + 1),
    record,
    isTicked: index % 3 === 0,
  }));
  return {
    state,
    label: 'country France',
    page: 1,
    pages: 12,
    listed: 300,
    unlisted: 0,
    ticked: { all: 34, here: 9, unlisted: 0 },
    rows,
    asked,
    campaign: title,
    notices: [],
    ...fields,
  };
}

const largestRow = {
  ...page().rows[0],
  number: 500,
  id: largestTask.id,
  task: largestTask,
  campaignTitle: hostile,
  isTicked: true,
  isAlike: true,
  evidence: fullAlike,
};

const every = bulkResultKinds.map(
  (kind): BulkResult => ({
    kind,
    ...(kind === 'decided' || kind === 'reviewed' ? { by: ben } : {}),
    ...(kind === 'decided' || kind === 'overtaken' ? { rating: 'NOK' as const } : {}),
    ...(kind === 'held' || kind === 'refused' ? { why: hostile } : {}),
  }),
);

function rated(
  results: readonly (BulkResult | null)[],
  fields: Partial<BulkRating> = {},
  shown: Partial<ShownRating> = {},
): ShownRating {
  const items = results.map((_, index) => ({
    task: asId<'t' & BulkRating['items'][0]['task']>(`t${index}`),
    round: 1,
  }));
  const rating = applyBulkEvent(undefined, {
    type: 'confirmed',
    rating: {
      id: asId('sample-7'),
      member: ann,
      team: asId<WorkspaceId>('T0SAMPLE'),
      at: minutesAgo(2),
      verdict: 'OK',
      text: '',
      items,
    },
  });
  if (rating === undefined) throw new Error('not begun');
  return {
    account,
    rating: { ...rating, state: 'done', results, ...fields },
    tasks: new Map(
      items.map((item, index) => [item.task, { worker: index % 2 ? 'ines_13' : hostile, campaign: title }]),
    ),
    paid: money('0.09').times(results.filter((result) => result?.kind === 'applied').length),
    ...shown,
  };
}

const many = (count: number, result: BulkResult | null) => Array.from({ length: count }, () => result);
const applied: BulkResult = { kind: 'applied' };
const decided = (verdict: Verdict, isEach = false) => ({ verdict, isEach, text: '', filled: 0 });
const reasons = Array.from({ length: 8 }, (_, index) => ({
  id: `r${index}`,
  name: `Reason ${index}`,
  text: 'Dear {worker}, the photo is blurred. Please upload a sharp one until {deadline}.',
}));
const campaigns = [
  { title, count: 280, total: money('25.2') },
  { title: hostile, count: 20, total: money('1.8') },
];
const comments = { verdict: 'NOK' as const, page: 0, pages: 3, hasReasons: true };
const preview = {
  verdict: 'OK' as const,
  count: 300,
  campaigns,
  total: money('27'),
  workers: 45,
  comments: [],
  leftOut: [],
  undoSeconds: 10,
};

export const bulk = [
  ...entriesOf('Bulk', pageView, {
    'The only page, where all look like others': () =>
      pageView(
        page({
          page: 0,
          pages: 1,
          listed: 1,
          ticked: { all: 0, here: 0, unlisted: 0 },
          rows: page()
            .rows.slice(0, 1)
            .map((row) => ({ ...row, number: 1, isTicked: false, isAlike: true, evidence: alike })),
        }),
      ),
    'A page where some look like others': () =>
      pageView(
        page({
          rows: page().rows.map((row, index) =>
            index < 2
              ? { ...row, isTicked: index > 0, isAlike: true, evidence: index === 0 ? alike : fullAlike }
              : row,
          ),
        }),
      ),
    'A page of 25 tasks': () => pageView(page()),
    'Several campaigns, and tasks that cannot be selected': () => {
      const { asked: _, campaign: _campaign, ...rest } = page();
      return pageView({
        ...rest,
        rows: [
          ...rest.rows.slice(0, 2),
          { ...largestRow, task: task({ decision: decision('waiting', { by: ben }) }) },
          {
            ...largestRow,
            task: task({ decision: decision('overtaken', { by: ben }), rating: 'NOK' }),
          },
          { ...largestRow, task: task({ rating: 'NOTREVIEWED' }) },
          { ...largestRow, task: task(), reviewedBy: ben },
          {
            number: 32,
            id: asId<PageData['rows'][number]['id']>('gone'),
            campaignTitle: 'A campaign',
            isTicked: false,
          },
        ].map((row, index) => ({ ...row, number: 26 + index })),
        ticked: { all: 300, here: 1, unlisted: 40 },
        unlisted: 812,
        notices: ['Nothing is selected yet.'],
      });
    },
    'Everything as long as it comes': () =>
      pageView(
        page({
          label: filterLabel(hostile, { worker: longest(200), country: hostile }),
          campaign: hostile,
          asked: { ...asked, proofs: [longest(9_000)] },
          rows: Array.from({ length: 25 }, (_, index) => ({
            ...largestRow,
            task: { ...largestTask, round: index },
            id: asId(`${index}${largestTask.id}`),
          })),
        }),
      ),
    'Nothing waits': () =>
      pageView(page({ listed: 0, pages: 1, page: 0, rows: [], ticked: { all: 0, here: 0, unlisted: 0 } })),
  }),
  ...entriesOf('Bulk', wholeTaskView, {
    'All of a task': () =>
      wholeTaskView({
        task: withPicture,
        campaignTitle: title,
        record,
        asked,
      }),
    'All of a task: pictures that could not be shown': () =>
      wholeTaskView({ task: sixPictures, campaignTitle: title, isRefused: () => true }),
    'All of a task, as long as it comes': () =>
      wholeTaskView({
        task: largestTask,
        campaignTitle: hostile,
        asked: { ...asked, work: longest(20_000) },
        isLoading: true,
      }),
  }),
  ...entriesOf('Bulk', filterView, {
    'The filter': () =>
      filterView(
        state,
        { label: '', campaigns: [asId('c1')], worker: 'ines_13', waitingMs: 48 * hour },
        {
          id: asId('c1'),
          title,
          waiting: 280,
        },
      ),
    'The filter: all campaigns': () => filterView(state, { label: '' }, undefined),
  }),
  ...entriesOf('Bulk', decisionView, {
    'Which rating': () => decisionView(state, { count: 300, campaigns, reasons: [] }),
    'A reason for all': () =>
      decisionView(state, {
        count: 300,
        campaigns,
        decision: { ...decided('NOK'), text: reasons[1]?.text ?? '', reason: 'r1' },
        reasons,
        problem: 'Somebody has just removed that reason.',
      }),
    'A comment for each': () =>
      decisionView(state, {
        count: 12,
        campaigns: [{ title, count: 12 }],
        decision: decided('REVISE', true),
        reasons,
      }),
  }),
  ...entriesOf('Bulk', commentsView, {
    'Comments on ten tasks': () =>
      commentsView(state, {
        ...comments,
        rows: Array.from({ length: 10 }, (_, index) => ({
          number: index + 1,
          task: { ...(index === 2 ? withPicture : task()), id: asId(`t${index}`) },
          text: '',
          ...(index === 1 ? { problem: 'Somebody has just removed that reason.' } : {}),
        })),
      }),
    'Comments as long as they come': () =>
      commentsView(state, {
        ...comments,
        rows: Array.from({ length: 10 }, (_, index) => ({
          number: index + 1,
          task: { ...largestTask, id: asId(`t${index}`) },
          text: longest(),
        })),
      }),
  }),
  ...entriesOf('Bulk', [previewView, confirmView], {
    'Money that is paid': () => previewView(state, preview),
    'Money that is paid for some that look like others': () => previewView(state, { ...preview, alike: 3 }),
    'Rated NOK': () =>
      previewView(state, {
        ...preview,
        verdict: 'NOK',
        comments: [
          { worker: 'ines_13', text: 'The photo is blurred.' },
          { worker: hostile, text: longest() },
        ],
        leftOut: [
          { worker: hostile, why: { kind: 'reviewed', by: ben } },
          { worker: 'b', why: { kind: 'decided', by: ben, rating: 'OK' } },
          { worker: 'c', why: { kind: 'decided', rating: 'OK' } },
          { worker: 'd', why: { kind: 'returned' } },
          { worker: 'e', why: { kind: 'unknown' } },
          { worker: 'f', why: { kind: 'too long' } },
        ],
      }),
    'Rated REVISE': () =>
      previewView(state, {
        ...preview,
        verdict: 'REVISE',
        count: 1,
        campaigns: [{ title, count: 1, total: money('0.09') }],
        total: money('0.09'),
        workers: 1,
        undoSeconds: 0,
      }),
    'None can be decided on': () => previewView(state, { ...preview, count: 0, campaigns: [] }),
  }),
  ...entriesOf('Bulk', confirmedView, {
    'Under way': () => confirmedView(account, asId('sample-7'), preview),
  }),
  ...entriesOf('Bulk', expiredView, { 'A selection left for too long': () => expiredView() }),
  ...entriesOf('Bulk', loadingView, { 'Looking for tasks': () => loadingView() }),
  ...entriesOf('Bulk', bulkMessage, {
    Progress: () =>
      bulkMessage(rated([...many(120, { kind: 'waiting' }), ...many(180, null)], { state: 'deciding' })),
    'Waiting to be sent': () =>
      bulkMessage(rated(many(300, { kind: 'waiting' }), { state: 'sending' }, { sentAt: now + 8_000 })),
    'All undone': () => bulkMessage(rated(many(300, { kind: 'undone' }))),
    'Being undone': () => bulkMessage(rated(many(300, { kind: 'waiting' }), { state: 'undoing' })),
    'All rated': () => bulkMessage(rated(many(300, applied))),
    'Some were not': () => bulkMessage(rated([...many(287, applied), ...every])),
    'Much to tell': () => bulkMessage(rated(many(500, { kind: 'refused', why: longest(600) }))),
  }),
  ...entriesOf('Bulk', bulkResultsView, {
    'What became of each task': () => bulkResultsView(rated([...every, ...many(20, applied)])),
    'What became of 500 tasks': () =>
      bulkResultsView(rated(many(500, { kind: 'refused', why: longest(600) }))),
  }),
];
