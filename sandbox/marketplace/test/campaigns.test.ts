import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newCampaign, rawMarketplace } from '../src/testing/index.ts';
import { startSandboxMarketplace } from './sandbox.ts';

const { server, market, api } = await startSandboxMarketplace();

describe('lists', () => {
  const listed = async <T>(path: string, key: string, query: Record<string, string> = {}) =>
    ((await api.get(path, query)).body[key] ?? []) as T[];

  it('of campaigns are filtered by status, folder and the three dates, bounds included', async () => {
    const titles = async (query: Record<string, string>) =>
      (await listed<{ title: string }>('campaigns_b/list_extend', 'campaigns', query)).map(
        ({ title }) => title,
      );
    expect(await titles({ folder: 'ARCHIVE' })).toHaveLength(1);
    const restarted = { created_datetime: '2026-02-01 10:00:00', restarted_datetime: '2026-03-01 00:00:00' };
    const finished = { created_datetime: '2025-12-01 10:00:00', finished_datetime: '2026-04-01 00:00:00' };
    await market.reset({
      campaigns: [
        { title: 'early', created_datetime: '2026-01-01 10:00:00', status: 'PAUSED' },
        { title: 'late', ...restarted },
        { title: 'over', ...finished, status: 'FINISHED' },
      ],
    });
    for (const [query, expected] of [
      [{}, ['late', 'early', 'over']],
      [{ status: '', created_from: '' }, ['late', 'early', 'over']],
      [{ status: 'PAUSED' }, ['early']],
      [{ created_from: '2026-01-01 10:00:00', created_to: '2026-01-31 00:00:00' }, ['early']],
      [{ restarted_from: '2026-03-01 00:00:00' }, ['late']],
      [{ restarted_to: '2026-02-28 00:00:00' }, []],
      [{ finished_from: '2026-03-31 00:00:00', finished_to: '2026-04-01 00:00:00' }, ['over']],
    ] as const)
      expect(await titles(query as Record<string, string>)).toEqual(expected);
  });

  it('of categories may be empty, which is an error', async () => {
    await market.reset({ categories: false });
    expect((await api.get('campaign_b/categories_list')).body.error).toBe('NO CATEGORIES');
  });

  it('of messages are filtered by folder, unread and date', async () => {
    const subjects = async (query: Record<string, string>) =>
      (await listed<{ subject: string }>('messages/list', 'messages', query)).map(({ subject }) => subject);
    for (const [query, count] of [
      [{ folder: 'SENT' }, 1],
      [{ folder: 'TRASH' }, 1],
      [{ unread: 'yes' }, 2],
      [{ unread: 'no' }, 4],
      [{ unread: '' }, 6],
    ] as const)
      expect(await subjects(query as unknown as Record<string, string>)).toHaveLength(count);
    await market.reset({
      messages: [
        { subject: 'a', datetime: '2026-01-01 00:00:00' },
        { subject: 'b', datetime: '2026-01-02 00:00:00' },
      ],
    });
    expect(await subjects({ date_from: '2026-01-02 00:00:00' })).toEqual(['b']);
    expect(await subjects({ date_to: '2026-01-01 00:00:00' })).toEqual(['a']);
  });

  it('of a worker’s own tasks are paged and filtered', async () => {
    const worker = rawMarketplace(server.url, 'worker-demo-key');
    const worker_id = (await market.state()).accounts.find(({ key }) => key === 'worker-demo-key')?.id ?? '';
    const tasks = Array.from({ length: 405 }, (_, at) => ({
      worker_id,
      rating: at === 0 ? ('REVISE' as const) : ('NOTRATED' as const),
      finished_datetime: `2026-01-01 00:0${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`,
    }));
    await market.reset({ campaigns: [{ tasks }, { tasks: { OK: 3 } }] });
    const page = async (query: Record<string, string>) => (await worker.get('worker/b_tasks', query)).body;
    expect((await page({})).tasks).toHaveLength(200);
    expect((await page({})).pager).toEqual({
      current_page: 1,
      entries_on_this_page: 200,
      entries_per_page: 200,
      first: 1,
      last: 200,
      first_page: 1,
      last_page: 3,
      next_page: 2,
      previous_page: null,
      total_entries: 405,
    });
    const last = { first: 401, last: 405, next_page: null, previous_page: 8, last_page: 9 };
    expect(await page({ page: '9', entries_per_page: '50' })).toMatchObject({ pager: last });
    const beyond = { current_page: 99, entries_on_this_page: 0, first: 0, last: 0, previous_page: 9 };
    expect(await page({ page: '99', entries_per_page: '50' })).toMatchObject({ tasks: [], pager: beyond });
    expect((await page({ rating: 'REVISE' })).pager).toMatchObject({ total_entries: 1, last_page: 1 });
    expect((await page({ rating: 'OK' })).pager).toMatchObject({ total_entries: 0, first: 0, last_page: 1 });
    const some = { finished_from: '2026-01-01 00:01:00', finished_to: '2026-01-01 00:01:09' };
    expect((await page(some)).tasks).toHaveLength(10);
  });
});

describe('results_csv', () => {
  it('has the preamble, the separators, the header and one row per task', async () => {
    const task = { rating: 'NOK', comment: 'No, "really"', user_agent: 'UA' } as const;
    const place = { ip: '81.2.0.1', country: 'GB', finished_datetime: '2026-01-03 00:00:00' };
    const settings = { group_id: 'g7', available_positions: 9, max_positions_per_worker: 2 };
    await market.reset({
      campaigns: [
        {
          ...{ campaign_id: 'c1', title: 'Say "hi", twice', payment_per_task: '0.05', ...settings },
          created_datetime: '2026-01-02 03:04:05',
          tasks: [
            { task_id: '12e50431', csv_record_nr: 4, proof: ['a,b\n"c"'], ...task, ...place },
            { task_id: 't2', rating: 'NOTREVIEWED', proof: ['plain'] },
          ],
        },
      ],
    });
    const { body } = await api.get('campaign_hg/results_csv/c1');
    expect(body).toMatchObject({ status: 'SUCCESS', campaign_id: 'c1' });
    const { tasks, workers } = await market.state();
    const id = tasks[0]?.worker_id;
    const name = workers.find((worker) => worker.worker_id === id)?.username;
    const line = expect.not.stringContaining(',');
    expect(String(body.csv).split('\n').slice(0, 19)).toEqual([
      'CAMPAIGN_TITLE,"Say ""hi"", twice"',
      'CAMPAIGN_STATUS,RUNNING',
      'CAMPAIGN_ID,c1',
      'AVAILABLE_POSITIONS,9',
      'PAYMENT_PER_TASK,0.05000',
      'CREATED,2026-01-02 03:04:05',
      'MAX_POS_PER_WORKER,2',
      'GROUP,g7',
      'REQUIRED_PROOFS,1',
      line,
      'TASKS_SUBMITTED,2',
      'TASKS_OK,0',
      'TASKS_NOK,1',
      'TASKS_NOTRATED,0',
      line,
      'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
      `1,4,12e50431,${id},${name},NOK,2026-01-03 00:00:00,81.2.0.1,GB,"a,b`,
      '""c""","No, ""really""",UA',
      expect.stringMatching(/^2,0,t2,.*,NOTREVIEWED,.*,plain,/),
    ]);
  });

  it('adds PROOF_2 and PROOF_3 where tasks have them', async () => {
    const tasks = [{ proof: ['1', '2', '3'] }, { proof: ['only'] }];
    await market.reset({ campaigns: [{ campaign_id: 'c', tasks }] });
    const csv = String((await api.get('campaign_hg/results_csv/c')).body.csv);
    for (const part of [',COUNTRY_CODE,PROOF_1,PROOF_2,PROOF_3,EMPLOYER_COMMENT,', ',1,2,3,', ',only,,,'])
      expect(csv).toContain(part);
  });
});

describe('new_campaign', () => {
  function create(changes: Record<string, string> = {}, proofs = ['one', 'two'], file?: Buffer) {
    const form = new FormData();
    const { 'required_proof[]': _, ...fields } = newCampaign;
    for (const [name, value] of Object.entries({ ...fields, ...changes })) form.append(name, value);
    for (const proof of proofs) form.append('required_proof[]', proof);
    if (file) form.append('file', new Blob([new Uint8Array(file)]), 'file – ü.csv');
    return api.multipart('campaign_hg/new_campaign', form);
  }

  it('starts in review, and time lets it run', async () => {
    const file = randomBytes(50_000);
    const { body } = await create({ required_work: 'Type it.\nAll of it.' }, ['1', '2', '3'], file);
    const id = String(body.campaign_id);
    expect(body).toEqual({ status: 'SUCCESS', campaign_id: id, speed_previous: '0', speed_new: '500' });
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect((await market.state()).campaigns.at(-1)).toMatchObject({
      ...{ campaign_id: id, campaign_status: 'PENDING_REVIEW', title: 'A new campaign' },
      ...{ required_work: 'Type it.\r\nAll of it.', required_proof: ['1', '2', '3'] },
      ...{ available_positions: 40, max_positions_per_worker: 2, payment_per_task: '0.08000' },
      ...{ ttr: 5, auto_rate: 'V', file_proof: 1, qt_required: false },
      attachments: { file: { filename: 'file – ü.csv', sha256, size: file.length } },
    });
    await market.settings({ reviewSeconds: 0 });
    const { campaigns } = (await api.get('campaigns_b/list_extend', { status: 'RUNNING' })).body;
    expect(campaigns).toContainEqual(expect.objectContaining({ campaign_id: id }));
  });

  it.each<[Record<string, string>, string]>([
    [{ available_positions: '0' }, 'POSITIONS'],
    [{ available_positions: '1.5' }, 'POSITIONS'],
    [{ auto_rate: 'YES' }, 'AUTO RATE'],
    [{ title: ' ' }, 'TITLE'],
    [{ payment_per_task: '0.07999' }, 'PAYMENT PER TASK'],
    [{ payment_per_task: 'cheap' }, 'PAYMENT PER TASK'],
    [{ group_id: 'west1', payment_per_task: '0.23' }, 'PAYMENT PER TASK'],
    [{ ttr: '31' }, 'TTR'],
    [{ ttr: '0' }, 'TTR'],
    [{ description_type: 'UNIQUE' }, 'CSV'],
    [{ file_proof: '3' }, 'FILE PROOF'],
    [{ required_work: '' }, 'REQUIRED WORK'],
  ])('refuses %j: %s', async (changes, token) => {
    const min_payment_per_task = changes.group_id === 'west1' ? 0.24 : 0.08;
    expect((await create(changes)).body).toEqual({ status: 'ERROR', errors: [token], min_payment_per_task });
  });

  it('names every error at once, at most three proofs, and the second shape carries campaign_id', async () => {
    await market.settings({ newCampaignShape: 'worked' });
    const { body } = await create({ category: '9999', available_positions: '' }, ['1', '2', '3', '4']);
    const errors = ['CATEGORY', 'POSITIONS', 'REQUIRED PROOF'];
    expect(body).toEqual({ status: 'ERROR', campaign_id: '', errors });
  });
});

describe('retarget', () => {
  const retarget = async (id: string, countries: string[]) =>
    (await api.put(`campaign_b/retarget/${id}`, { 'countries[]': countries })).body;
  const excludes = 'AT BE CH DE DK ES FI FR IT NL NO'.split(' ').map((code) => `-${code}`);

  it('takes another mark of an exclude', async () => {
    await market.settings({ excludeMark: '!' });
    const { campaign_id } = await market.addCampaign();
    await retarget(campaign_id, ['US', '!IN']);
    expect((await market.state()).campaigns.at(-1)?.excluded_countries).toEqual(['IN']);
    expect((await retarget(campaign_id, ['-IN'])).error).toBe('"-IN" IS UNKNOWN COUNTRY CODE');
  });

  it.each([
    [[], 'NO INPUT'],
    [['US', 'us'], '"us" IS UNKNOWN COUNTRY CODE'],
    [['-XX', 'US'], '"XX" IS UNKNOWN COUNTRY CODE'],
    [['US', ...excludes], 'TOO MANY EXCLUDES (MAX 10)'],
    [['-US'], 'INCLUDES NECESSARY (MIN 1)'],
    [['US', 'DE', '-FR'], 'NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS ZONE:DE,FR'],
  ])('refuses %j: %s', async (countries, error) => {
    const { campaign_id } = await market.addCampaign({ zone: 'west1' });
    expect(await retarget(campaign_id, countries)).toEqual({ status: 'ERROR', error, campaign_id });
  });

  it('waits between two: the time is told as a datetime or in epoch seconds, and kept', async () => {
    const { campaign_id } = await market.addCampaign();
    const before = Date.now();
    expect((await retarget(campaign_id, ['US', ...excludes.slice(1)])).status).toBe('SUCCESS');
    const { error } = await retarget(campaign_id, ['GB']);
    const told = /^NEXT RETARGET:(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})$/.exec(String(error))?.[1] ?? '';
    const wait = Date.parse(`${told.replace(' ', 'T')}Z`) - before;
    expect(wait).toBeGreaterThan(298_000);
    expect(wait).toBeLessThan(320_000);
    await market.settings({ retargetTimestamp: 'epoch' });
    expect((await retarget(campaign_id, ['GB'])).error).toMatch(/^NEXT RETARGET:\d{10}$/);
    expect((await market.state()).campaigns.at(-1)?.targeted_countries).toEqual(['US']);
    await market.settings({ retargetWaitSeconds: 0 });
    expect((await retarget(campaign_id, ['GB'])).status).toBe('SUCCESS');
  });
});

it('a restart adds positions, and time moves the campaign from PENDING_RESTART to RUNNING', async () => {
  const { campaign_id } = await market.addCampaign({ status: 'FINISHED', available_positions: 10 });
  const now = async () => (await market.state()).campaigns.at(-1);
  const { body } = await api.put(`campaign_b/restart_campaign/${campaign_id}`, { positions: '15' });
  expect(body).toEqual({ status: 'SUCCESS', campaign_id, positions_added: '15' });
  expect(await now()).toMatchObject({ campaign_status: 'PENDING_RESTART', available_positions: 25 });
  await market.settings({ restartSeconds: 0 });
  expect(await now()).toMatchObject({ campaign_status: 'RUNNING' });
});
