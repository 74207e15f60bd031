import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money } from '../../src/domain/money.ts';
import {
  createMarketplaceClient,
  type MarketplaceClient,
  MarketplaceError,
  type NewCampaign,
  type Skipped,
  TransportError,
} from '../../src/marketplace/index.ts';
import { createSandboxMarketplace, type SandboxMarketplace } from '../../src/sandbox/marketplace/index.ts';
import { type MarketplaceHandle, marketplaceHandle } from '../harness/marketplace.ts';

let sandbox: SandboxMarketplace;
let control: MarketplaceHandle;
let employer: MarketplaceClient;
let worker: MarketplaceClient;
const skipped: Skipped[] = [];

beforeAll(async () => {
  sandbox = await createSandboxMarketplace();
  control = marketplaceHandle(sandbox.url);
  const clientOf = (apiKey: string) =>
    createMarketplaceClient({
      baseUrl: sandbox.url,
      apiKey,
      requestsPerSecond: 1000,
      onSkipped: (one) => skipped.push(one),
    });
  employer = clientOf('employer-demo-key');
  worker = clientOf('worker-demo-key');
});
beforeEach(() => control.reset());
afterAll(async () => {
  expect(skipped).toEqual([]);
  await Promise.all([employer.close(), worker.close()]);
  await sandbox.close();
});

async function refusal(promise: Promise<unknown>): Promise<MarketplaceError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof MarketplaceError) return error;
  throw new Error('no refusal', { cause: error });
}

/** A campaign of its own with so many tasks that wait. */
async function campaignWith(count: number, fields: object = {}) {
  const campaign = await control.addCampaign({ status: 'RUNNING', payment_per_task: '0.20000', ...fields });
  const tasks = count > 0 ? await control.submit({ campaign_id: campaign.campaign_id, count }) : [];
  return { id: campaign.campaign_id, tasks, first: tasks[0] ?? '' };
}

const upload = (filename: string, bytes: Buffer, contentType: string) => ({
  filename,
  contentType,
  size: bytes.length,
  stream: () => Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]),
});

describe('campaigns', () => {
  it('lists them all, extended or short, and by filter', async () => {
    const { campaigns } = await control.state();
    const mine = campaigns.filter(({ folder }) => folder === 'DEFAULT').map(({ campaign_id }) => campaign_id);
    const extended = await employer.listCampaignsExtended();
    expect(extended.map(({ id }) => id)).toEqual(expect.arrayContaining(mine.slice(0, 1)));
    expect(extended.every(({ createdAt }) => createdAt instanceof Date)).toBe(true);
    const short = await employer.listCampaigns();
    const titles = new Map(extended.map(({ id, title }) => [id, title]));
    for (const { id, title } of short) if (titles.has(id)) expect(title).toBe(titles.get(id));
    expect(short.length).toBeGreaterThanOrEqual(extended.length);
    const running = await employer.listCampaignsExtended({ status: 'RUNNING' });
    expect(new Set(running.map(({ status }) => status))).toEqual(new Set(['RUNNING']));
    const from = new Date(Date.now() + 365 * 86_400_000);
    expect(await employer.listCampaignsExtended({ createdFrom: from })).toEqual([]);
  });

  it('lists the categories with their minimum payments', async () => {
    const parents = await employer.listCategories();
    const minimum = parents[0]?.categories[0]?.minPaymentPerTask[0];
    expect(minimum?.zone).toMatch(/^\w+\d?$/);
    expect(minimum?.paymentPerTask.gt(0)).toBe(true);
  });

  async function newCampaign(more: Partial<NewCampaign> = {}): Promise<NewCampaign> {
    const category = (await employer.listCategories())[0]?.categories[0];
    const minimum = category?.minPaymentPerTask.map(({ paymentPerTask }) => paymentPerTask) ?? [];
    return {
      title: 'Grüße "und" mehr',
      groupId: '1',
      category: category?.id ?? '',
      minutesToFinish: 5,
      availablePositions: 10,
      maxPositionsPerWorker: 1,
      paymentPerTask: minimum.reduce((most, one) => (one.gt(most) ? one : most), money('0.5')),
      descriptionType: 'SAME',
      requiredWork: 'Work\nmore work',
      requiredProof: ['One', 'Two'],
      ttr: 7,
      autoRate: 'V+R',
      fileProof: 1,
      qtRequired: false,
      ...more,
    };
  }

  it.each(['fields', 'worked'] as const)('creates one, its files streamed (answer: %s)', async (shape) => {
    await control.settings({ newCampaignShape: shape });
    const file = upload('プラン.pdf', Buffer.from('%PDF-1.4 …'), 'application/pdf');
    const csv = upload('t.csv', Buffer.from('name\nAnn\nBen\n'), 'text/csv');
    const created = await employer.createCampaign(
      await newCampaign({ descriptionType: 'UNIQUE', requiredWork: 'Hello {name}', file, csv }),
    );
    expect(created.cost !== undefined || created.speedNew !== undefined).toBe(true);
    const found = (await control.state()).campaigns.find(
      ({ campaign_id }) => campaign_id === created.campaignId,
    );
    expect(found).toMatchObject({
      title: 'Grüße "und" mehr',
      required_proof: ['One', 'Two'],
      ttr: 7,
      auto_rate: 'V+R',
      qt_required: false,
      attachments: { file: { filename: 'プラン.pdf', size: file.size }, csv: { filename: 't.csv' } },
    });
  });

  it.each(['fields', 'worked'] as const)('hears why one cannot be created (answer: %s)', async (shape) => {
    await control.settings({ newCampaignShape: shape });
    const error = await refusal(
      employer.createCampaign(await newCampaign({ paymentPerTask: money('0.00001'), availablePositions: 0 })),
    );
    expect(error.problems).toContain('POSITIONS');
    expect(error.minPaymentPerTask?.gt('0.00001')).toBe(true);
  });

  it('retargets, and is told when it may again', async () => {
    const { id } = await campaignWith(0);
    const answer = await employer.retargetCampaign(id, { include: ['us', 'GB'], exclude: ['IN'] });
    expect(answer.retargeted).toEqual({ include: ['US', 'GB'], exclude: ['IN'] });
    const again = { include: ['US'], exclude: [] };
    const error = await refusal(employer.retargetCampaign(id, again));
    expect(error.code).toBe('NEXT_RETARGET');
    expect(Math.abs((error.details.nextRetargetAt?.getTime() ?? 0) - Date.now() - 300_000)).toBeLessThan(
      60_000,
    );
    await control.settings({ retargetTimestamp: 'epoch' });
    const epoch = await refusal(employer.retargetCampaign(id, again));
    expect(epoch.details.nextRetargetAt).toEqual(error.details.nextRetargetAt);
  });

  it('hears every refusal of a retarget', async () => {
    const { id } = await campaignWith(0, { zone: 'west1' });
    const of = async (include: string[], exclude: string[] = []) =>
      refusal(employer.retargetCampaign(id, { include, exclude }));
    expect((await of([])).code).toBe('NO_INPUT');
    expect((await of([], ['US'])).code).toBe('INCLUDES_NECESSARY');
    expect(await of(['QQ'])).toMatchObject({
      code: 'UNKNOWN_COUNTRY_CODE',
      details: { unknownCountry: 'QQ' },
    });
    const many = ['AT', 'BE', 'BG', 'CH', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR'];
    expect((await of(['US'], many)).code).toBe('TOO_MANY_EXCLUDES');
    const zone = await of(['IN', 'BD']);
    expect(zone.code).toBe('COUNTRIES_NOT_AVAILABLE');
    expect(zone.details.unavailableCountries).toEqual(expect.arrayContaining(['IN']));
  });

  it('restarts a finished one only', async () => {
    const finished = await campaignWith(0, { status: 'FINISHED' });
    expect(await employer.restartCampaign(finished.id, 25)).toEqual({
      campaignId: finished.id,
      positionsAdded: 25,
    });
    const running = await campaignWith(0);
    const error = await refusal(employer.restartCampaign(running.id, 5));
    expect(error).toMatchObject({ code: 'CAMPAIGN_NOT_FINISHED', ids: { campaignId: running.id } });
    expect((await refusal(employer.restartCampaign('nope', 5))).code).toBe('NO_SUCH_CAMPAIGN');
  });

  it('reads the results', async () => {
    const { id } = await campaignWith(0, { title: 'A "quoted", title', required_proof: ['a', 'b', 'c'] });
    const proof = ['line\nline, "x"', '12e5', '=1+1 é中😀'];
    const [task = ''] = await control.submit({ campaign_id: id, proof });
    const results = await employer.campaignResults(id);
    expect(results.preamble.CAMPAIGN_TITLE).toBe('A "quoted", title');
    expect(results.preamble.TASKS_SUBMITTED).toBe('1');
    expect(results).toMatchObject({ campaignId: id, skipped: 0 });
    expect(results.bytes).toBeGreaterThan(Buffer.byteLength(proof.join('')));
    expect(results.rows).toMatchObject([{ taskId: task, proof, rating: 'NOTRATED' }]);
    expect((await refusal(employer.campaignResults('nope'))).code).toBe('NO_SUCH_CAMPAIGN');
  });
});

describe('ratings', () => {
  it('rates one, with bonus and favorite', async () => {
    const { id, first } = await campaignWith(1);
    const entry = { taskId: first, rating: 'OK', comment: '', bonus: money('0.1'), favorite: 'add' } as const;
    expect(await employer.rateTask(id, entry)).toEqual({ campaignId: id, taskId: first });
    const info = await employer.getTaskInfo(first);
    expect(info).toMatchObject({ taskId: first, campaignId: id, rating: 'OK' });
    expect(info.bonusWorkerEarned.toFixed(5)).toBe('0.10000');
    const again = await refusal(employer.rateTask(id, entry));
    expect(again).toMatchObject({
      code: 'ONLY_NOTRATED_TASK_CAN_BE_RATED',
      ids: { campaignId: id, taskId: first },
    });
  });

  it('hears every refusal of a rating', async () => {
    const { id, first } = await campaignWith(1);
    const other = await campaignWith(1);
    const nok = (taskId: string, comment: string) => ({ taskId, rating: 'NOK', comment }) as const;
    expect((await refusal(employer.rateTask('nope', nok(first, 'x')))).code).toBe('NO_SUCH_CAMPAIGN');
    expect((await refusal(employer.rateTask(id, nok(other.first, 'x')))).code).toBe(
      'TASK_NOT_IN_THIS_CAMPAIGN',
    );
    expect((await refusal(employer.rateTask(id, nok(first, '')))).code).toBe('COMMENT_MISSING');
    for (const status of ['PAUSED_ADMIN', 'PENDING_REVIEW'] as const) {
      await control.patchCampaign(id, { status });
      expect((await refusal(employer.rateTask(id, nok(first, 'x')))).code).toBe(`CAMPAIGN_IS_${status}`);
    }
  });

  it('rates several, each with its own answer', async () => {
    const { id, tasks } = await campaignWith(4);
    const [a = '', b = '', c = '', d = ''] = tasks;
    const rated = await employer.rateTasks(id, [
      { taskId: a, rating: 'REVISE', comment: 'Please add é, "quotes" & more' },
      { taskId: b, rating: 'NOK', comment: '' },
      { taskId: c, rating: 'OK', comment: '' },
      { taskId: c, rating: 'OK', comment: '' },
      { taskId: d, rating: 'OK', comment: '' },
    ]);
    expect(
      rated.map(({ taskId, success, errors }) => [taskId, success, errors.map(({ code }) => code)]),
    ).toEqual([
      [a, true, []],
      [b, false, ['COMMENT_MISSING']],
      [c, false, ['TASK_NOT_UNIQUE']],
      [c, false, ['TASK_NOT_UNIQUE']],
      [d, true, []],
    ]);
    const revised = await control.task(a);
    expect(revised).toMatchObject({
      task_rating: 'REVISE',
      employer_comment: 'Please add é, "quotes" & more',
    });
  });

  it('hears of bonuses out of range or beyond the balance', async () => {
    const { id, tasks } = await campaignWith(2);
    const [a = '', b = ''] = tasks;
    const of = (taskId: string, bonus: string) =>
      ({ taskId, rating: 'OK', comment: '', bonus: money(bonus) }) as const;
    await control.settings({ balance: '0.10000' });
    const rated = await employer.rateTasks(id, [of(a, '5'), of(b, '0.3')]);
    expect(rated.map(({ errors }) => errors[0]?.code)).toEqual(['BONUS_OUT_OF_RANGE', 'BALANCE_TOO_LOW']);
  });
});

describe('tasks and files', () => {
  it('reads a task and its files, byte for byte, under their names', async () => {
    const { id } = await campaignWith(0, { file_proof: 1, required_proof: ['a', 'b'] });
    const png = Buffer.from('89504e470d0a1a0a00ff00fe', 'hex');
    const json = Buffer.from('{"status":"ERROR","error":"NO FILE PROOF"}');
    const [task = ''] = await control.submit({
      campaign_id: id,
      proof: ['text', ''],
      files: [
        { filename: 'скрин "1" é中.png', content_type: 'image/png', base64: png.toString('base64') },
        { filename: 'data.json', content_type: 'application/json', base64: json.toString('base64') },
      ],
    });
    const info = await employer.getTaskInfo(task);
    expect(info.proof[0]).toBe('text');
    expect(info.files).toEqual([
      { index: 1, filename: 'скрин "1" é中.png', contentType: 'image/png', size: png.length },
      { index: 2, filename: 'data.json', contentType: 'application/json', size: json.length },
    ]);
    expect(info.fileProofStatus).toBe('SUCCESS');
    const [odd = '', none = ''] = [
      ...(await control.submit({ campaign_id: id, file_proof_status: 'VIRUS FOUND' })),
      ...(await control.submit({ campaign_id: id })),
    ];
    expect((await employer.getTaskInfo(odd)).fileProofStatus).toBe('VIRUS FOUND');
    expect((await employer.getTaskInfo(none)).fileProofStatus).toBe('NO FILE PROOF');
    const first = await employer.downloadFileProof(task, 1);
    expect(first).toMatchObject({
      filename: 'скрин "1" é中.png',
      contentType: 'image/png',
      size: png.length,
    });
    expect(await buffer(first.stream)).toEqual(png);
    const second = await employer.downloadFileProof(task, 2);
    expect(await buffer(second.stream)).toEqual(json);
    expect((await refusal(employer.downloadFileProof('nope', 1))).code).toBe('NO_SUCH_TASK');
    const missing = await refusal(employer.downloadFileProof(task, 9));
    expect(missing).toMatchObject({ code: 'NO_FILE_PROOF', ids: { taskId: task, index: '9' } });
    expect((await refusal(worker.getTaskInfo(task))).code).toBe('NOT_A_CAMPAIGN_OWNER');
    expect((await refusal(worker.downloadFileProof(task, 1))).code).toBe('NOT_A_CAMPAIGN_OWNER');
  });

  it('submits a proof on a worker’s behalf', async () => {
    const { id } = await campaignWith(0, { file_proof: 1, targeted_countries: [], excluded_countries: [] });
    const { workers } = await control.state();
    const file = upload('Beleg "ü".txt', Buffer.from('hello\r\n--boundary\r\n'), 'text/plain');
    const input = { workerId: workers[0]?.worker_id ?? '', ip: '203.0.113.9', proof: 'done é', file };
    const outcome = await employer.submitFileProof(id, input).catch((error: unknown) => error);
    if (outcome instanceof MarketplaceError) expect(outcome.code).not.toBe('OTHER');
    else expect(outcome).toMatchObject({ campaignId: id });
    expect((await refusal(employer.submitFileProof(id, { ...input, workerId: 'nobody' }))).code).toBe(
      'UNKNOWN_WORKER',
    );
  });

  it('pages through a worker’s own tasks', async () => {
    const { tasks, pager } = await worker.workerTasks({ entriesPerPage: 2 });
    expect(tasks.length).toBeLessThanOrEqual(2);
    expect(pager).toMatchObject({ currentPage: 1, entriesPerPage: 2, previousPage: undefined });
    const error = await refusal(worker.workerTasks({ page: 0, entriesPerPage: 201 }));
    expect(error.code).toBe('INPUT_DATA');
    expect(error.problems).toEqual(expect.arrayContaining(['PAGE_TOO_SMALL', 'ENTRIES_PER_PAGE_TOO_LARGE']));
  });
});

describe('messages and lists', () => {
  it('lists, reads and deletes messages', async () => {
    const id = await control.write({ subject: 'Frage 😕', message: 'Body\nmore', attachment: true });
    const inbox = await employer.listMessages({ folder: 'INBOX', unread: true });
    expect(inbox.find((one) => one.id === id)).toMatchObject({
      subject: 'Frage 😕',
      unread: true,
      hasAttachment: true,
      folder: 'INBOX',
    });
    expect(await employer.readMessage(id)).toMatchObject({ id, body: 'Body\nmore', hasAttachment: true });
    expect(await employer.deleteMessage(id)).toEqual({ messageId: id });
    const trash = await employer.listMessages({ folder: 'TRASH' });
    expect(trash.map((one) => one.id)).toContain(id);
    expect((await refusal(employer.deleteMessage(id))).code).toBe('UNABLE_TO_DELETE_MESSAGE');
    expect(await refusal(employer.readMessage('nope'))).toMatchObject({
      code: 'NO_SUCH_MESSAGE',
      ids: { messageId: 'nope' },
    });
    const later = new Date(Date.now() + 86_400_000);
    expect(await employer.listMessages({ from: later })).toEqual([]);
  });

  it('excludes workers and takes them back', async () => {
    const { workers } = await control.state();
    const ids = workers.slice(0, 2).map(({ worker_id }) => worker_id);
    await employer.unexcludeWorkers('all').catch(() => undefined);
    expect(await employer.excludeWorkers(ids)).toMatchObject({ count: 2 });
    expect((await refusal(employer.excludeWorkers(['nobody']))).code).toBe('NO_WORKERS_ADDED');
    expect(await employer.unexcludeWorkers(ids.slice(0, 1))).toMatchObject({ count: 1 });
    expect(await employer.unexcludeWorkers('all')).toMatchObject({ count: 1 });
    expect((await refusal(employer.unexcludeWorkers('all'))).code).toBe('WORKERS_NOT_FOUND');
  });

  it('keeps a worker’s lists of employers', async () => {
    const excluded = await worker.listExcludedEmployers();
    const included = await worker.listIncludedEmployers();
    const { accounts } = await control.state();
    const known = new Set([...excluded, ...included].map(({ userId }) => userId));
    const fresh = accounts.find(({ role, id }) => role === 'employer' && !known.has(id));
    const one = [...excluded, ...included][0];
    if (one) expect(one).toMatchObject({ userId: expect.any(String), username: expect.any(String) });
    if (fresh) expect(await worker.excludeEmployers([fresh.id])).toMatchObject({ count: 1 });
    expect((await refusal(worker.excludeEmployers(['nobody']))).code).toBe('NO_EMPLOYERS_ADDED');
  });
});

describe('the service as a whole', () => {
  it.each(['json', 'text'] as const)('recognizes a wrong key (%s)', async (authErrorShape) => {
    await control.settings({ authErrorShape });
    const stranger = createMarketplaceClient({ baseUrl: sandbox.url, apiKey: 'not-a-key' });
    const error = await refusal(stranger.listCampaigns());
    expect(error).toMatchObject({ code: 'API_KEY_WRONG', isAuthentication: true });
    await stranger.close();
  });

  it('hears the same refusal with status 400', async () => {
    await control.settings({ errorStatus: 400 });
    expect((await refusal(employer.getTaskInfo('nope'))).code).toBe('NO_SUCH_TASK');
  });

  it.each(['500', 'html', 'drop-before', 'drop-after', 'garbage'] as const)(
    'survives %s on a read and does not repeat a write',
    async (kind) => {
      const { id, first } = await campaignWith(1);
      await control.fault({ kind });
      expect((await employer.getTaskInfo(first)).taskId).toBe(first);
      await control.clearFaults();
      await control.clearRequests();
      await control.fault({ kind });
      const error = await employer
        .rateTask(id, { taskId: first, rating: 'OK', comment: '' })
        .catch((thrown: unknown) => thrown);
      if (!(error instanceof MarketplaceError)) {
        expect(error).toBeInstanceOf(TransportError);
        expect(error).toMatchObject({ mayHaveBeenApplied: true });
      }
      const applied = ['drop-after', 'garbage'].includes(kind);
      if (applied) expect((await control.task(first)).task_rating).toBe('OK');
      expect(await control.requests()).toHaveLength(1);
    },
  );

  it('waits out a 429 and then rates once', async () => {
    const { id, first } = await campaignWith(1);
    await control.fault({ kind: '429', retryAfter: 1 });
    await employer.rateTask(id, { taskId: first, rating: 'OK', comment: '' });
    expect((await control.task(first)).task_rating).toBe('OK');
  });

  it('asks for compressed answers', async () => {
    await control.clearRequests();
    await employer.listCampaignsExtended();
    expect((await control.requests())[0]?.encoding).toMatch(/^(?:gzip|br)$/);
  });
});
