import { describe, expect, it } from 'vitest';
import { campaignStatuses } from '../../src/domain/terms.ts';
import { rawMarketplace } from '../harness/marketplace.ts';
import { startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { server, market, api } = await startSandboxMarketplace();

const datetime = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

async function campaignWith(status: (typeof campaignStatuses)[number]): Promise<string> {
  const { campaigns } = await market.state();
  const found = campaigns.find((campaign) => campaign.campaign_status === status);
  return found?.campaign_id ?? '';
}

describe('categories_list', () => {
  it('gives parents, categories and the minimum of every zone', async () => {
    const { body } = await api.get('campaign_b/categories_list');
    const parents = body.parent_categories as {
      title: string;
      categories: { id: string; min_payment_per_task: { zone: string; payment_per_task: string }[] }[];
    }[];
    expect(body.status).toBe('SUCCESS');
    expect(body.count).toBe(parents.length);
    const category = parents[0]?.categories[0];
    expect(category?.id).toEqual(expect.any(String));
    expect(category?.min_payment_per_task.map(({ zone }) => zone).sort()).toEqual([
      'asia1',
      'caribbean1',
      'europe1',
      'europe2',
      'int',
      'west1',
    ]);
    for (const minimum of category?.min_payment_per_task ?? []) {
      expect(minimum.payment_per_task).toMatch(/^\d+\.\d{5}$/);
    }
  });

  it('says NO CATEGORIES when there are none', async () => {
    await market.reset({ categories: false });
    expect((await api.get('campaign_b/categories_list')).body).toEqual({
      status: 'ERROR',
      error: 'NO CATEGORIES',
    });
  });
});

describe('campaigns_b/list and list_extend', () => {
  it('lists tuples of the account’s own campaigns', async () => {
    const { body } = await api.get('campaigns_b/list');
    const campaigns = body.campaigns as string[][];
    expect(body.count).toBe(campaigns.length);
    expect(campaigns[0]).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    expect(new Set(campaigns.map(([, , status]) => status))).toEqual(new Set(campaignStatuses));
    expect(campaigns.map(([, title]) => title)).not.toContain('Translate a menu of twelve dishes');
  });

  it('gives summaries with the JSON types of the API', async () => {
    const { body } = await api.get('campaigns_b/list_extend', { status: 'RUNNING' });
    const campaigns = body.campaigns as Record<string, unknown>[];
    expect(body.count).toBe(5);
    expect(campaigns).toHaveLength(5);
    const [first] = campaigns;
    expect(first).toEqual({
      campaign_id: expect.any(String),
      campaign_status: 'RUNNING',
      title: expect.any(String),
      required_work: expect.any(String),
      required_proof: expect.any(String),
      available_positions: expect.stringMatching(/^\d+$/),
      created_datetime9: expect.stringMatching(datetime),
      excluded_countries: expect.any(String),
      targeted_countries: expect.any(String),
      payment_per_task: expect.stringMatching(/^\d+\.\d{5}$/),
      speed: expect.stringMatching(/^\d+$/),
      qt_required: expect.any(Boolean),
      status: 'SUCCESS',
      tasks_ok: expect.stringMatching(/^\d+$/),
      tasks_nok: expect.stringMatching(/^\d+$/),
      tasks_not_rated: expect.stringMatching(/^\d+$/),
      tasks_not_reviewed: expect.stringMatching(/^\d+$/),
    });
  });

  it('filters by status, folder and the three dates, bounds included', async () => {
    const archive = await api.get('campaigns_b/list_extend', { folder: 'ARCHIVE' });
    expect(archive.body.count).toBe(1);
    await market.reset({
      campaigns: [
        { title: 'early', created_datetime: '2026-01-01 10:00:00', status: 'PAUSED' },
        { title: 'late', created_datetime: '2026-02-01 10:00:00', restarted_datetime: '2026-03-01 00:00:00' },
        {
          title: 'over',
          created_datetime: '2025-12-01 10:00:00',
          finished_datetime: '2026-04-01 00:00:00',
          status: 'FINISHED',
        },
      ],
    });
    const titles = async (query: Record<string, string>) => {
      const { body } = await api.get('campaigns_b/list_extend', query);
      return ((body.campaigns ?? []) as { title: string }[]).map(({ title }) => title);
    };
    expect(await titles({})).toEqual(['late', 'early', 'over']);
    expect(await titles({ status: 'PAUSED' })).toEqual(['early']);
    expect(await titles({ created_from: '2026-01-01 10:00:00', created_to: '2026-01-31 00:00:00' })).toEqual([
      'early',
    ]);
    expect(await titles({ restarted_from: '2026-03-01 00:00:00' })).toEqual(['late']);
    expect(await titles({ restarted_to: '2026-02-28 00:00:00' })).toEqual([]);
    expect(
      await titles({ finished_from: '2026-03-31 00:00:00', finished_to: '2026-04-01 00:00:00' }),
    ).toEqual(['over']);
    expect(await titles({ status: '', created_from: '' })).toHaveLength(3);
  });

  it('names every bad parameter in errors_list', async () => {
    const bad = '2026-02-30 00:00:00';
    const { body, http } = await api.get('campaigns_b/list_extend', {
      status: 'running',
      folder: 'X',
      created_from: bad,
      created_to: 'now',
      restarted_from: bad,
      restarted_to: bad,
      finished_from: bad,
      finished_to: '2026-01-01',
    });
    expect(http).toBe(200);
    expect(body).toEqual({
      status: 'ERROR',
      error: 'INPUT_DATA',
      errors_list: [
        'Status has invalid value',
        'Folder has invalid value',
        ...[
          'Created From',
          'Created To',
          'Restarted From',
          'Restarted To',
          'Finished From',
          'Finished To',
        ].map((label) => `${label} is invalid datetime`),
      ],
    });
  });

  it('says NO CAMPAIGNS when nothing is found', async () => {
    await market.reset({});
    expect((await api.get('campaigns_b/list')).body).toEqual({ status: 'ERROR', error: 'NO CAMPAIGNS' });
    expect((await api.get('campaigns_b/list_extend')).body).toEqual({
      status: 'ERROR',
      error: 'NO CAMPAIGNS',
    });
  });
});

describe('results_csv', () => {
  it('has the preamble, the separators, the header and one row per task', async () => {
    await market.reset({
      campaigns: [
        {
          campaign_id: 'c1',
          title: 'Say "hi", twice',
          group_id: 'g7',
          available_positions: 9,
          max_positions_per_worker: 2,
          payment_per_task: '0.05',
          created_datetime: '2026-01-02 03:04:05',
          tasks: [
            {
              task_id: '12e50431',
              rating: 'NOK',
              comment: 'No, "really"',
              proof: ['a,b\n"c"'],
              ip: '81.2.0.1',
              country: 'GB',
              user_agent: 'UA',
              finished_datetime: '2026-01-03 00:00:00',
              csv_record_nr: 4,
            },
            { task_id: 't2', rating: 'NOTREVIEWED', proof: ['plain'] },
          ],
        },
      ],
    });
    const { body } = await api.get('campaign_hg/results_csv/c1');
    expect(body).toMatchObject({ status: 'SUCCESS', campaign_id: 'c1' });
    const csv = String(body.csv);
    const lines = csv.split('\n');
    expect(lines.slice(0, 9)).toEqual([
      'CAMPAIGN_TITLE,"Say ""hi"", twice"',
      'CAMPAIGN_STATUS,RUNNING',
      'CAMPAIGN_ID,c1',
      'AVAILABLE_POSITIONS,9',
      'PAYMENT_PER_TASK,0.05000',
      'CREATED,2026-01-02 03:04:05',
      'MAX_POS_PER_WORKER,2',
      'GROUP,g7',
      'REQUIRED_PROOFS,1',
    ]);
    expect(lines[9]).not.toContain(',');
    expect(lines.slice(10, 14)).toEqual([
      'TASKS_SUBMITTED,2',
      'TASKS_OK,0',
      'TASKS_NOK,1',
      'TASKS_NOTRATED,0',
    ]);
    expect(lines[14]).not.toContain(',');
    expect(lines[15]).toBe(
      'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
    );
    const { tasks, workers } = await market.state();
    const id = tasks[0]?.worker_id;
    const name = workers.find((worker) => worker.worker_id === id)?.username;
    expect(lines.slice(16, 18).join('\n')).toBe(
      `1,4,12e50431,${id},${name},NOK,2026-01-03 00:00:00,81.2.0.1,GB,"a,b\n""c""","No, ""really""",UA`,
    );
    expect(lines[18]).toMatch(/^2,0,t2,.*,NOTREVIEWED,.*,plain,/);
  });

  it('adds PROOF_2 and PROOF_3 where tasks have them', async () => {
    await market.reset({
      campaigns: [{ campaign_id: 'c', tasks: [{ proof: ['1', '2', '3'] }, { proof: ['only'] }] }],
    });
    const csv = String((await api.get('campaign_hg/results_csv/c')).body.csv);
    expect(csv).toContain(',COUNTRY_CODE,PROOF_1,PROOF_2,PROOF_3,EMPLOYER_COMMENT,');
    expect(csv).toContain(',1,2,3,');
    expect(csv).toContain(',only,,,');
  });

  it('refuses campaigns of others and none', async () => {
    const other = rawMarketplace(server.url, 'other-employer-demo-key');
    const id = await campaignWith('RUNNING');
    for (const answer of [
      await api.get('campaign_hg/results_csv/nope'),
      await other.get(`campaign_hg/results_csv/${id}`),
    ]) {
      expect(answer.body).toMatchObject({ status: 'ERROR', error: 'NO SUCH CAMPAIGN' });
    }
  });

  it('is compressed for clients that accept it', async () => {
    await market.reset({ campaigns: [{ campaign_id: 'c', tasks: { NOTRATED: 300 } }] });
    const { headers, body } = await api.get('campaign_hg/results_csv/c', {}, { 'accept-encoding': 'gzip' });
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(String(body.csv)).toContain('TASKS_NOTRATED,300');
    const plain = await api.get('campaign_hg/results_csv/c', {}, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.body).toEqual(body);
    expect((await market.requests()).map(({ encoding }) => encoding)).toEqual(['gzip', 'identity']);
  });
});
