import {
  applyBulkEvent,
  type BulkRating,
  type BulkResult,
  bulkResultKinds,
} from '../../src/domain/bulk-rating.ts';
import { type BulkSelection, listing, newSelection, tasksPerPage } from '../../src/domain/bulk-selection.ts';
import { money } from '../../src/domain/money.ts';
import type { TaskId, Verdict, WorkspaceId } from '../../src/domain/terms.ts';
import {
  commentsView,
  confirmedView,
  decisionView,
  expiredView,
  loadingView,
  previewView,
} from '../../src/features/bulk/decision.view.ts';
import {
  filterView,
  mayTick,
  type PageData,
  pageView,
  stateOf,
  wholeTaskView,
} from '../../src/features/bulk/page.view.ts';
import { bulkMessage, type ShownRating } from '../../src/features/bulk/progress.view.ts';
import { confirmView } from '../../src/slack/blocks.ts';
import { inline } from '../../src/slack/mrkdwn.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { alike, fullAlike } from '../samples/evidence.ts';
import { account, ann, ben } from '../samples/people.ts';
import { asked, decision, files, largestTask, manyFiles, sixPictures, task } from '../samples/tasks.ts';
import { hostile, longest, wordy } from '../samples/texts.ts';
import { hour, minutesAgo, now } from '../samples/times.ts';

const ids = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => asId<TaskId>(`${prefix}${index}`));

/** A selection with some tasks listed and ticked. */
function selected(ticked: readonly TaskId[], listed = ticked, fields: Partial<BulkSelection> = {}) {
  const filter = { label: 'country France' };
  const begun = listing(newSelection({ id: 'sample', member: ann, at: now, filter }), filter, listed);
  const marks = ticked.map((task) => [task, { round: 1, isTicked: true, order: 1 }]);
  return { ...begun, step: 5, marks: Object.fromEntries(marks), ...fields };
}
const state = stateOf(account, selected([]));
const title = 'Photograph a shelf in your supermarket';
const record = { counts: { OK: 12, NOK: 1, REVISE: 0, NOTRATED: 2, NOTREVIEWED: 0 }, campaigns: 3 };

const withPicture = task({
  proof: { ...task().proof, files },
  pictures: [{ index: 1, file: 'F0SAMPLE1' }],
});

const fourPictures = {
  ...sixPictures,
  pictures: [1, 2, 3, 4].map((index) => ({ index, file: `F0SAMPLE${index}` })),
};

const rows = Array.from({ length: 25 }, (_, index) => ({
  number: 26 + index,
  id: asId<TaskId>(`task${index}`),
  task: { ...(index % 4 === 1 ? withPicture : task()), id: asId<TaskId>(`task${index}`) },
  campaignTitle: title,
  dueAt: now + hour * (index + 1),
  record,
  evidence: [],
}));

/** A page of 300 tasks. `ticked`: on it · `others`: elsewhere */
function page(
  {
    ticked = rows.filter((_, index) => index % 3 === 0).map(({ id }) => id),
    others = ids(25, 'other'),
    ...stored
  }: Partial<BulkSelection> & {
    readonly ticked?: readonly TaskId[];
    readonly others?: readonly TaskId[];
  } = {},
  data: Partial<PageData> = {},
): PageData {
  const shown = data.rows ?? rows;
  const { page = 1, listed = [...ids(25, 'other'), ...ids(25, 'task'), ...ids(250, 'later')] } = stored;
  const mine = selected([...ticked, ...others], listed, { page, ...stored });
  const tickable = shown.filter(mayTick).map(({ id, task }) => ({ task: id, round: task?.round ?? 1 }));
  return {
    account,
    selection: { ...mine, shown: tickable },
    pages: Math.max(1, Math.ceil(listed.length / tasksPerPage)),
    rows,
    asked,
    campaign: title,
    ...data,
  };
}

const largestRow = {
  ...rows[0],
  number: 500,
  id: largestTask.id,
  task: largestTask,
  campaignTitle: hostile,
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
const decided = (verdict: Verdict) => ({ verdict, isEach: false, text: '', filled: 0 });
const reasons = Array.from({ length: 8 }, (_, index) => ({
  id: `r${index}`,
  name: `Reason ${index}`,
  text: 'Dear {worker}, the photo is blurred. Please upload a sharp one of {asked}.',
}));
const campaigns = [
  { title, count: 280 },
  { title: hostile, count: 20 },
];
const manyCampaigns = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ title: `Shelf ${index}`, count: index + 1 }));
const leftOut = (count: number) =>
  ids(count, 'w').map((worker) => ({ worker, why: { kind: 'returned' } as const }));
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
        page(
          { page: 0, listed: ids(1, 'task'), ticked: [], others: ids(1, 'other'), alike: ids(1, 'task') },
          { rows: rows.slice(0, 1).map((row) => ({ ...row, number: 1, evidence: alike })) },
        ),
      ),
    'A page where some look like others': () =>
      pageView(
        page(
          {
            ticked: rows
              .filter((_, index) => index === 1 || (index > 2 && index % 3 === 0))
              .map(({ id }) => id),
            alike: ids(2, 'task'),
          },
          {
            rows: rows.map((row, index) =>
              index < 2 ? { ...row, evidence: index === 0 ? alike : fullAlike } : row,
            ),
          },
        ),
      ),
    'A page of 25 tasks': () => pageView(page()),
    'Several campaigns, and tasks that cannot be selected': () =>
      pageView(
        page(
          {
            ticked: ids(1, 'task'),
            others: [...ids(25, 'other'), ...ids(234, 'later'), ...ids(40, 'filtered')],
            unlisted: 812,
          },
          {
            asked: undefined,
            campaign: undefined,
            rows: [
              ...rows.slice(0, 2),
              { ...largestRow, task: task({ decision: decision('waiting', { by: ben }) }) },
              {
                ...largestRow,
                task: task({ decision: decision('overtaken', { by: ben }), rating: 'NOK' }),
              },
              { ...largestRow, task: task({ rating: 'NOTREVIEWED' }) },
              { ...largestRow, task: task(), reviewedBy: ben },
              { number: 32, id: asId<TaskId>('gone'), campaignTitle: 'A campaign', evidence: [] },
            ].map((row, index) => ({ ...row, number: 26 + index })),
            said: 'Nothing is selected yet.',
          },
        ),
      ),
    'Everything as long as it comes': () => {
      const longRows = Array.from({ length: 25 }, (_, index) => ({
        ...largestRow,
        number: 451 + index,
        task: { ...largestTask, round: index },
        id: asId<TaskId>(`${index}${largestTask.id}`),
      }));
      const marks = longRows.map(({ id, task: { round } }) => [id, { round, isTicked: true, order: 1 }]);
      return pageView(
        page(
          {
            page: 18,
            listed: [...ids(450, 'other'), ...longRows.map(({ id }) => id), ...ids(25, 'later')],
            filter: { label: inline(`${hostile} ${longest(200)}`, 240) },
            marks: Object.fromEntries(marks),
            alike: longRows.map(({ id }) => id),
          },
          { campaign: hostile, asked: { ...asked, proofs: [longest(9_000)] }, rows: longRows },
        ),
      );
    },
    'A last page of proofs of all kinds, some ticked elsewhere': () => {
      const proofs = [0, 8, 9, 2, 14].map((count) =>
        Array.from({ length: count }, (_, at) => (count === 8 ? longest(400 - at) : '&'.repeat(300))),
      );
      const fileOnly = { slots: [], files: files.slice(0, 1) };
      const last = [...proofs.map((slots) => ({ slots, files })), { slots: [], files: [] }, fileOnly].map(
        (proof, index) => ({
          ...rows[index],
          number: 51 + index,
          id: asId<TaskId>(`task${index}`),
          task: task({ proof, detailed: index > 0, worker: { ...task().worker, name: wordy(90) } }),
          campaignTitle: title,
          evidence: [],
        }),
      );
      const listed = [...ids(50, 'other'), ...ids(7, 'task')];
      const others = [...ids(1, 'other'), ...ids(1, 'filtered')];
      return pageView(page({ page: 2, listed, ticked: ids(1, 'task'), others, unlisted: 1 }, { rows: last }));
    },
    'A page of which ten can be selected, the rest one by one': () =>
      pageView(page({ page: 0, listed: ids(30, 'task'), alike: rows.slice(10).map(({ id }) => id) })),
    'A page of ten': () => pageView(page({}, { rows: rows.slice(0, 10) })),
    'A page of which one can be selected': () =>
      pageView(page({ ticked: [], others: [], alike: rows.flatMap(({ id }, at) => (at === 9 ? [] : [id])) })),
    'Nothing waits': () => pageView(page({ page: 0, listed: [], ticked: [], others: [] }, { rows: [] })),
    'Nothing waits, and nothing is filtered': () =>
      pageView(page({ page: 0, listed: [], ticked: [], others: [], filter: { label: '' } }, { rows: [] })),
    'Nothing matches, and one of another filter is selected': () =>
      pageView(page({ page: 0, listed: [], ticked: [], others: ids(1, 'other') }, { rows: [] })),
    'Nothing matches, and two of another filter are selected': () =>
      pageView(page({ page: 0, listed: [], ticked: [], others: ids(2, 'other') }, { rows: [] })),
  }),
  ...entriesOf('Bulk', wholeTaskView, {
    'All of a task': () =>
      wholeTaskView({
        task: withPicture,
        campaignTitle: title,
        record,
        asked,
      }),
    'All of a task: no files': () => wholeTaskView({ task: task(), campaignTitle: title }),
    'All of a task: pictures that could not be shown': () =>
      wholeTaskView({ task: sixPictures, campaignTitle: title, isRefused: () => true }),
    'All of a task: pictures being loaded': () =>
      wholeTaskView({ task: { ...sixPictures, pictures: [] }, campaignTitle: title, isLoading: true }),
    'All of a task: one file, one picture that could not be shown': () =>
      wholeTaskView({
        task: task({ proof: { ...task().proof, files: files.slice(0, 1) } }),
        campaignTitle: title,
      }),
    'All of a task: more pictures than there is room for': () =>
      wholeTaskView({
        task: task({
          proof: { slots: [], files: manyFiles.map((file) => ({ ...file, contentType: 'image/png' })) },
          pictures: manyFiles.map(({ index }) => ({ index, file: `F0SAMPLE${index}` })),
        }),
        campaignTitle: title,
      }),
    'All of a task, as long as it comes': () =>
      wholeTaskView({
        task: largestTask,
        campaignTitle: hostile,
        asked: { ...asked, work: longest(20_000) },
        isLoading: true,
      }),
  }),
  ...entriesOf('Bulk', filterView, {
    'The filter': () => filterView(account, selected([])),
  }),
  ...entriesOf('Bulk', decisionView, {
    'A reason for all': () =>
      decisionView(account, selected(ids(300, 't')), {
        decision: { ...decided('NOK'), text: reasons[1]?.text ?? '', reason: 'r1' },
        campaigns,
        reasons,
        problem: 'Somebody has just removed that reason.',
      }),
    'What to correct, in eight campaigns': () =>
      decisionView(account, selected(ids(1, 't')), {
        decision: decided('REVISE'),
        campaigns: manyCampaigns(8),
        reasons: [],
      }),
    'What to correct, in nine campaigns': () =>
      decisionView(account, selected(ids(1, 't')), {
        decision: decided('REVISE'),
        campaigns: manyCampaigns(9),
        reasons: [],
      }),
  }),
  ...entriesOf('Bulk', commentsView, {
    'Comments on ten tasks': () =>
      commentsView(
        account,
        selected(ids(30, 't')),
        decided('NOK'),
        new Map(ids(10, 't').map((id, index) => [id, { ...(index === 2 ? withPicture : task()), id }])),
      ),
    'Comments on the last page, of which one task is no longer stored': () =>
      commentsView(
        account,
        selected(ids(13, 't'), ids(13, 't'), { page: 1 }),
        decided('REVISE'),
        new Map(['t11', 't12'].map((id, index) => [asId(id), index === 0 ? fourPictures : task()])),
      ),
    'Comments as long as they come': () => {
      const texts = Object.fromEntries(ids(10, 't').map((id) => [id, longest()]));
      const known = new Map(ids(10, 't').map((id) => [id, { ...largestTask, id }]));
      return commentsView(account, selected(ids(30, 't'), ids(30, 't'), { texts }), decided('NOK'), known);
    },
  }),
  ...entriesOf('Bulk', [previewView, confirmView], {
    'Money that is paid': () => previewView(state, preview),
    'Money that is paid for some that look like others': () => previewView(state, { ...preview, alike: 3 }),
    'Rated NOK': () =>
      previewView(state, {
        ...preview,
        verdict: 'NOK',
        undoSeconds: 1,
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
        ],
      }),
    'Rated REVISE': () =>
      previewView(state, {
        ...preview,
        verdict: 'REVISE',
        count: 1,
        campaigns: [{ title, count: 1 }],
        total: money('0.09'),
        workers: 1,
        undoSeconds: 0,
      }),
    'Rated OK, where what is paid is not known': () => previewView(state, { ...preview, total: undefined }),
    'Rated NOK, where what is paid is not known': () =>
      previewView(state, { ...preview, verdict: 'NOK', total: undefined }),
    'Rated REVISE, where what is paid is not known': () =>
      previewView(state, { ...preview, verdict: 'REVISE', total: undefined }),
    'None can be decided on': () => previewView(state, { ...preview, count: 0, campaigns: [] }),
    'One of two looks like others, and as many are left out as are listed': () =>
      previewView(state, { ...preview, count: 2, alike: 1, undoSeconds: 0, leftOut: leftOut(15) }),
    'More are left out than are listed': () =>
      previewView(state, { ...preview, verdict: 'NOK', leftOut: leftOut(17) }),
  }),
  ...entriesOf('Bulk', confirmedView, {
    'Under way': () => confirmedView(account, asId('sample-7'), preview),
    'Under way, and undone for a second at most': () =>
      confirmedView(account, asId('sample-7'), { ...preview, count: 1, undoSeconds: 1 }),
    'Under way, and never undone': () =>
      confirmedView(account, asId('sample-7'), { ...preview, undoSeconds: 0 }),
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
    'One of each': () =>
      bulkMessage(
        rated([applied, { kind: 'waiting' }, { kind: 'undone' }, { kind: 'decided', rating: 'NOTREVIEWED' }]),
      ),
    'Sent as REVISE, and what became of it': () =>
      bulkMessage(
        rated(
          [null, ...every, { kind: 'decided', rating: 'OK' }],
          { verdict: 'REVISE' },
          { paid: undefined },
        ),
      ),
    'One waits': () =>
      bulkMessage(
        rated([{ kind: 'waiting' }], { state: 'sending', verdict: 'NOK' }, { sentAt: now + 8_000 }),
      ),
    'Rated NOK, which pays nothing': () => bulkMessage(rated(many(2, applied), { verdict: 'NOK' })),
    'One more than are listed, which are no longer stored': () =>
      bulkMessage(
        rated(
          many(31, { kind: 'unknown' }),
          {},
          { tasks: new Map([[asId('t1'), { worker: 'b', campaign: longest(200) }]]) },
        ),
      ),
    'Much to tell': () => bulkMessage(rated(many(500, { kind: 'refused', why: longest(600) }))),
  }),
];
