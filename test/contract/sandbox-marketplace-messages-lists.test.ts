import { describe, expect, it } from 'vitest';
import { rawMarketplace } from '../harness/marketplace.ts';
import { startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { server, market, api } = await startSandboxMarketplace();
const worker = rawMarketplace(server.url, 'worker-demo-key');

describe('messages', () => {
  const list = async (query: Record<string, string> = {}) =>
    ((await api.get('messages/list', query)).body.messages ?? []) as Record<string, unknown>[];

  it('lists heads without bodies, newest first', async () => {
    const { body } = await api.get('messages/list', { folder: 'INBOX' });
    expect(body.count).toBe('4');
    const messages = body.messages as Record<string, unknown>[];
    expect(messages[0]).toEqual({
      message_id: expect.any(String),
      message_type: 'WORKER',
      datetime: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      folder: 'INBOX',
      subject: expect.any(String),
      unread: true,
      has_attachment: '0',
    });
    expect(messages[1]).toMatchObject({ has_attachment: '1' });
  });

  it('filters by folder, unread and date', async () => {
    expect(await list({ folder: 'SENT' })).toHaveLength(1);
    expect(await list({ folder: 'TRASH' })).toHaveLength(1);
    expect(await list({ unread: 'yes' })).toHaveLength(2);
    expect(await list({ unread: 'no' })).toHaveLength(4);
    expect(await list({ unread: '' })).toHaveLength(6);
    await market.reset({
      messages: [
        { subject: 'a', datetime: '2026-01-01 00:00:00' },
        { subject: 'b', datetime: '2026-01-02 00:00:00' },
      ],
    });
    expect((await list({ date_from: '2026-01-02 00:00:00' })).map((message) => message.subject)).toEqual([
      'b',
    ]);
    expect((await list({ date_to: '2026-01-01 00:00:00' })).map((message) => message.subject)).toEqual(['a']);
  });

  it('names bad parameters, and says NO MESSAGES', async () => {
    const { body } = await api.get('messages/list', {
      folder: 'X',
      unread: 'maybe',
      date_from: 'x',
      date_to: 'y',
    });
    expect(body).toEqual({
      status: 'ERROR',
      error: 'INPUT_DATA',
      errors_list: [
        'Folder has invalid value',
        'Unread has invalid value',
        'Date From is invalid datetime',
        'Date To is invalid datetime',
      ],
    });
    await market.reset({});
    expect((await api.get('messages/list')).body).toEqual({ status: 'ERROR', error: 'NO MESSAGES' });
  });

  it('reads a message, which marks it as read', async () => {
    const id = await market.write({
      subject: 'Hi',
      message: 'Body\n"x"',
      message_type: '',
      attachment: true,
    });
    const { body } = await api.get(`message/read/${id}`);
    expect(body).toEqual({
      status: 'SUCCESS',
      message_id: id,
      message_type: '',
      datetime: expect.any(String),
      folder: 'INBOX',
      subject: 'Hi',
      message: 'Body\n"x"',
      has_attachment: '1',
    });
    expect((await list()).find((message) => message.message_id === id)).toMatchObject({ unread: false });
  });

  it('moves INBOX and SENT to TRASH, once', async () => {
    for (const folder of ['INBOX', 'SENT'] as const) {
      const id = await market.write({ folder });
      expect((await api.put(`message/delete/${id}`)).body).toEqual({ status: 'SUCCESS', message_id: id });
      expect((await api.get(`message/read/${id}`)).body.folder).toBe('TRASH');
      expect((await api.put(`message/delete/${id}`)).body).toEqual({
        status: 'ERROR',
        error: 'UNABLE TO DELETE MESSAGE',
        message_id: id,
      });
    }
  });

  it('knows only own messages', async () => {
    const id = await market.write();
    const refusal = { status: 'ERROR', error: 'NO SUCH MESSAGE' };
    expect((await api.get('message/read/nope')).body).toEqual({ ...refusal, message_id: 'nope' });
    expect((await worker.get(`message/read/${id}`)).body).toEqual({ ...refusal, message_id: id });
    expect((await worker.put(`message/delete/${id}`)).body).toEqual({ ...refusal, message_id: id });
  });
});

describe('the employer’s exclude list', () => {
  it('adds and removes, counting only what changed', async () => {
    const ids = (await market.state()).workers.slice(0, 3).map(({ worker_id }) => worker_id);
    const [one = '', two = '', three = ''] = ids;
    const excluded = async () => (await market.state()).accounts[0]?.excluded_workers;
    expect((await api.post('employer/exclude_list', { 'worker[]': ids })).body).toEqual({
      status: 'SUCCESS',
      message: '3 workers have been added',
    });
    const nothing = { status: 'ERROR', error: 'No workers were added to exclude list' };
    expect((await api.post('employer/exclude_list', { 'worker[]': [one, 'nobody'] })).body).toEqual(nothing);
    expect((await api.post('employer/exclude_list')).body).toEqual(nothing);
    expect((await api.delete('employer/exclude_list', { 'worker[]': [one, 'nobody'] })).body).toEqual({
      status: 'SUCCESS',
      message: '1 workers have been removed',
    });
    expect(await excluded()).toEqual([two, three]);
    const missing = { status: 'ERROR', error: 'workers were not found in exclude list' };
    expect((await api.delete('employer/exclude_list', { 'worker[]': one })).body).toEqual(missing);
    expect((await api.delete('employer/exclude_list', { 'worker[]': 'all' })).body.message).toBe(
      '2 workers have been removed',
    );
    expect(await excluded()).toEqual([]);
    expect((await api.delete('employer/exclude_list', { 'worker[]': 'all' })).body).toEqual(missing);
  });
});

describe('the worker’s lists of employers', () => {
  it('have the field names of the API', async () => {
    const entry = {
      'User ID': expect.any(String),
      Username: expect.any(String),
      Country: expect.any(String),
    };
    expect((await worker.get('worker/exclude_list')).body).toEqual({ status: 'SUCCESS', employers: [entry] });
    expect((await worker.get('worker/include_list')).body).toEqual({
      status: 'SUCCESS',
      employers: [{ ...entry, Username: 'tasty_bytes', Country: 'United States' }],
    });
  });

  it('add employers, who leave the include list', async () => {
    const { accounts } = await market.state();
    const other = accounts.find(({ username }) => username === 'tasty_bytes')?.id ?? '';
    const demo = accounts.find(({ key }) => key === 'employer-demo-key')?.id ?? '';
    expect(
      (await worker.post('worker/exclude_list', { 'employer[]': [other, demo, 'nobody'] })).body,
    ).toEqual({
      status: 'SUCCESS',
      message: '2 employers have been added',
    });
    expect((await worker.get('worker/exclude_list')).body.employers).toHaveLength(3);
    expect((await worker.get('worker/include_list')).body.employers).toEqual([]);
    expect((await worker.post('worker/exclude_list', { 'employer[]': demo })).body).toEqual({
      status: 'ERROR',
      error: 'No employers were added to exclude list',
    });
  });
});

describe('worker/b_tasks', () => {
  const page = async (query: Record<string, string>) => {
    const { body } = await worker.get('worker/b_tasks', query);
    return { tasks: body.tasks as Record<string, string>[], pager: body.pager };
  };

  async function submitMany(count: number): Promise<void> {
    const worker_id = (await market.state()).accounts.find(({ key }) => key === 'worker-demo-key')?.id ?? '';
    await market.reset({
      campaigns: [
        {
          title: 'Many',
          tasks: Array.from({ length: count }, (_, at) => ({
            worker_id,
            rating: at === 0 ? ('REVISE' as const) : ('NOTRATED' as const),
            proof: ['a', 'b'],
            finished_datetime: `2026-01-01 00:0${Math.floor(at / 60) % 10}:${String(at % 60).padStart(2, '0')}`,
          })),
        },
        { tasks: { OK: 3 } },
      ],
    });
  }

  it('gives rows of strings only', async () => {
    const { tasks } = await page({});
    expect(tasks.length).toBeGreaterThan(2);
    expect(Object.keys(tasks[0] ?? {}).sort()).toEqual([
      'bonus_worker_earned',
      'campaign_id',
      'campaign_title',
      'csv_record_nr',
      'employer_comment',
      'finished_datetime',
      'has_file',
      'id',
      'ip',
      'proof',
      'task_rating',
      'worker_earned',
      'worker_id',
    ]);
    for (const task of tasks)
      for (const value of Object.values(task)) expect(value).toEqual(expect.any(String));
  });

  it('pages with the pager of the API', async () => {
    await submitMany(405);
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
    const last = await page({ page: '9', entries_per_page: '50' });
    expect(last.tasks).toHaveLength(5);
    expect(last.pager).toMatchObject({
      first: 401,
      last: 405,
      next_page: null,
      previous_page: 8,
      last_page: 9,
    });
    const beyond = await page({ page: '99', entries_per_page: '50' });
    expect(beyond.tasks).toEqual([]);
    expect(beyond.pager).toMatchObject({
      current_page: 99,
      entries_on_this_page: 0,
      first: 0,
      last: 0,
      next_page: null,
      previous_page: 9,
    });
  });

  it('filters by rating and date', async () => {
    await submitMany(120);
    expect((await page({ rating: 'REVISE' })).pager).toMatchObject({ total_entries: 1, last_page: 1 });
    expect((await page({ rating: 'OK' })).pager).toMatchObject({ total_entries: 0, first: 0, last_page: 1 });
    const some = { finished_from: '2026-01-01 00:01:00', finished_to: '2026-01-01 00:01:09' };
    expect((await page(some)).tasks).toHaveLength(10);
  });

  it.each<[Record<string, string>, string[]]>([
    [
      { rating: 'GOOD', finished_from: 'x', finished_to: 'y', page: 'one', entries_per_page: 'ten' },
      [
        'Rating has invalid value',
        'Finished From is invalid datetime',
        'Finished To is invalid datetime',
        'Page is invalid',
        'Entries Per Page is invalid',
      ],
    ],
    [
      { page: '0', entries_per_page: '-1' },
      ['Page must be bigger than zero', 'Entries Per Page must be bigger than zero'],
    ],
    [{ entries_per_page: '201' }, ['Entries Per Page must be less or equal to 200']],
  ])('refuses %j', async (query, errors_list) => {
    expect((await worker.get('worker/b_tasks', query)).body).toEqual({
      status: 'ERROR',
      error: 'INPUT_DATA',
      errors_list,
    });
  });
});
