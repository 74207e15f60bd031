import { expect, it } from 'vitest';
import { createDatetimes } from '../../src/marketplace/datetimes.ts';
import { isFileProofStatusFine, type Skipped, TransportError } from '../../src/marketplace/index.ts';
import { campaignSummary as summary } from '../fuzz/api-samples.ts';
import { leastCampaign } from '../harness/api-calls.ts';
import { clientOf, failure, serve } from './marketplace-server.ts';

async function reading(body: object, timeZone = 'UTC') {
  const server = await serve(() => ({ body: { status: 'SUCCESS', ...body } }));
  const skipped: Skipped[] = [];
  return { client: clientOf(server.url, { timeZone, onSkipped: (one) => skipped.push(one) }), skipped };
}

it('the client takes numbers for texts, texts for booleans, and leaves what it does not know', async () => {
  const odd = {
    ...summary,
    available_positions: 100,
    payment_per_task: 0.1,
    tasks_ok: 7,
    qt_required: '0',
    speed: null,
    surprise: { nested: [] },
    created_datetime9: '0000-00-00 00:00:00',
  };
  const { client, skipped } = await reading({ count: '1', campaigns: [odd], more: 1 });
  const [campaign] = await client.listCampaignsExtended();
  const taken = { availablePositions: 100, tasksOk: 7, qtRequired: false, speed: '', createdAt: undefined };
  expect(campaign).toMatchObject(taken);
  // 0.1 + 0.2 is 0.3 only with decimals.
  expect(campaign?.paymentPerTask.plus('0.2').eq('0.3')).toBe(true);
  expect(skipped).toEqual([]);
});

it('the client reports and skips a malformed item, and keeps the others', async () => {
  const bad = [
    null,
    'text',
    { ...summary, payment_per_task: 'much' },
    { ...summary, tasks_ok: 'many' },
    { ...summary, campaign_status: 'DANCING' },
    { ...summary, campaign_id: '' },
    { ...summary, campaign_id: 2 ** 60 },
  ];
  const campaigns = [summary, ...bad, { ...summary, campaign_id: 'z' }];
  const { client, skipped } = await reading({ campaigns });
  expect((await client.listCampaignsExtended()).map(({ id }) => id)).toEqual(['12e5', 'z']);
  expect(skipped.map(({ endpoint, index }) => [endpoint, index])).toEqual(
    bad.map((_, index) => ['listCampaignsExtended', index + 1]),
  );
  expect(skipped[2]?.issues.join()).toContain('payment_per_task');
  expect(JSON.stringify(skipped)).not.toContain('much');
});

it('the client does not take a missing list for an empty one', async () => {
  const { client } = await reading({ count: 0 });
  const error = await failure(TransportError, client.listCampaignsExtended());
  expect(error).toMatchObject({ kind: 'unreadable', mayHaveBeenApplied: false });
});

it('the client reads tuples', async () => {
  const campaigns = [
    ['a', 'A', 'FINISHED'],
    [' ', 'B', 'RUNNING'],
    [3, 'C', 'paused'],
  ];
  const { client, skipped } = await reading({ count: 'some', campaigns });
  expect(await client.listCampaigns()).toEqual([
    { id: 'a', title: 'A', status: 'FINISHED' },
    { id: '3', title: 'C', status: 'PAUSED' },
  ]);
  expect(skipped).toMatchObject([{ endpoint: 'listCampaigns', index: 1 }]);
});

it('the client reads both success shapes of new_campaign', async () => {
  const speeds = await reading({ campaign_id: 'c', speed_previous: 1000, speed_new: '500' });
  expect(await speeds.client.createCampaign(leastCampaign)).toEqual({ campaignId: 'c' });
  const cost = await reading({ campaign_id: 'c', cost: '12.50000' });
  const created = await cost.client.createCampaign(leastCampaign);
  expect(created.cost?.toFixed(5)).toBe('12.50000');
  expect(Object.keys(created)).toEqual(['campaignId', 'cost']);
});

it('the client reads categories, skipping what is malformed on each level', async () => {
  const good = { payment_per_task: '0.05000', zone: 'int' };
  const category = { id: 1, title: 'C', min_payment_per_task: [good, { zone: 'west1' }] };
  const parent = { title: 'P', categories: [category, { id: '2' }] };
  const { client, skipped } = await reading({ parent_categories: [{ title: 'Broken' }, parent] });
  const parents = await client.listCategories();
  expect(parents).toMatchObject([{ title: 'P', categories: [{ id: '1', title: 'C' }] }]);
  expect(parents[0]?.categories[0]?.minPaymentPerTask.map(({ zone }) => zone)).toEqual(['int']);
  expect(skipped.map(({ index }) => index)).toEqual([0, 1, 1]);
});

const details = {
  bonus_worker_earned: '',
  campaign_id: 'c',
  csv_record_nr: 3,
  country: 'Spain',
  employer_comment: null,
  finished_datetime: '2026-07-01 12:00:00',
  ip: '1.2.3.4',
  proof: ['a', '', null],
  file_proof: {
    status: 'SUCCESS',
    file_proof_details: [
      { content_type: 'image/x-png', filename: 'a.png', index: '1', size: '12' },
      { filename: 'no index' },
      { content_type: 'image/JPG; q=1', filename: 'b.jpg', index: 2, size: null },
    ],
  },
  task_rating: 'NOTRATED',
  worker_earned: '0.05000',
  worker_id: 9,
};

it('the client reads a task, its slots as sent and its files', async () => {
  const { client, skipped } = await reading({ task_id: 't', task_details: details }, 'Europe/Berlin');
  const task = await client.getTaskInfo('t');
  expect(task).toMatchObject({
    taskId: 't',
    workerId: '9',
    csvRecordNr: '3',
    employerComment: '',
    proof: ['a', '', ''],
    files: [
      { index: 1, filename: 'a.png', contentType: 'image/png', size: 12 },
      { index: 2, filename: 'b.jpg', contentType: 'image/jpeg', size: 0 },
    ],
    finishedAt: new Date('2026-07-01T10:00:00Z'),
  });
  expect(task.bonusWorkerEarned.eq(0)).toBe(true);
  expect(skipped).toMatchObject([{ endpoint: 'getTaskInfo', index: 1 }]);
});

it.each([[undefined], [null], [''], [{ status: 'NO FILES' }], [{ status: '', file_proof_details: '' }]])(
  'the client reads a task without files (%j)',
  async (file_proof) => {
    const { client } = await reading({ task_id: 't', task_details: { ...details, file_proof } });
    expect((await client.getTaskInfo('t')).files).toEqual([]);
  },
);

it.each([
  ['SUCCESS', 'SUCCESS', true],
  ['NO_FILE_PROOF', 'NO_FILE_PROOF', true],
  ['', '', true],
  [undefined, '', true],
  [{ odd: 1 }, '', true],
  [' VIRUS FOUND ', 'VIRUS FOUND', false],
])('the client reads the status of the files (%j)', async (status, fileProofStatus, isFine) => {
  const file_proof = { ...details.file_proof, status };
  const { client } = await reading({ task_id: 't', task_details: { ...details, file_proof } });
  const task = await client.getTaskInfo('t');
  expect(task).toMatchObject({ fileProofStatus, files: [{ filename: 'a.png' }, {}] });
  expect(isFileProofStatusFine(task.fileProofStatus)).toBe(isFine);
});

it('the client calls a write whose answer lacks what it must have unreadable, and possibly applied', async () => {
  const { client } = await reading({ campaign_id: 'c' });
  const error = await failure(TransportError, client.restartCampaign('c', 5));
  expect(error).toMatchObject({ kind: 'unreadable', mayHaveBeenApplied: true });
});

it('the client reads a pager whose numbers are texts', async () => {
  const { client } = await reading({
    tasks: [],
    pager: {
      current_page: '1',
      entries_on_this_page: 0,
      entries_per_page: 200,
      first: 0,
      last: 0,
      first_page: 1,
      last_page: 1,
      next_page: null,
      previous_page: '',
      total_entries: '0',
    },
  });
  const { pager } = await client.workerTasks();
  const absent = { nextPage: undefined, previousPage: undefined };
  expect(pager).toMatchObject({ currentPage: 1, totalEntries: 0, ...absent });
});

it('datetimes are read and written in a zone, across the changes of its clocks', () => {
  const berlin = createDatetimes('Europe/Berlin');
  expect(berlin.parse('2026-03-29 01:59:59')?.toISOString()).toBe('2026-03-29T00:59:59.000Z');
  expect(berlin.parse('2026-03-29 03:00:00')?.toISOString()).toBe('2026-03-29T01:00:00.000Z');
  expect(berlin.format(new Date('2026-10-25T12:00:00Z'))).toBe('2026-10-25 13:00:00');
  const lordHowe = createDatetimes('Australia/Lord_Howe');
  for (const time of ['2026-10-04T02:44:00Z', '2026-10-03T15:29:00Z', '2026-10-03T15:31:00Z']) {
    expect(lordHowe.parse(lordHowe.format(new Date(time)))?.toISOString()).toBe(time.replace('Z', '.000Z'));
  }
});

it.each([
  '',
  'never',
  '0000-00-00 00:00:00',
  '2026-02-31 00:00:00',
  '2026-13-01 00:00:00',
  '2026-01-01 24:00:00',
  '2026-01-01 00:00:60',
])('%j is read as no datetime', (text) => {
  expect(createDatetimes('UTC').parse(text)).toBeUndefined();
});

it('a zone that does not exist is refused', () => {
  expect(() => createDatetimes('Mars/Olympus')).toThrow(RangeError);
});
