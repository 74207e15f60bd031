import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scenarioWithEveryRating, startSandboxMarketplace } from './sandbox.ts';

const { server, market, api } = await startSandboxMarketplace(scenarioWithEveryRating);
const ratingOf = async (id: string) => (await market.task(id)).task_rating;

describe('rate_task', () => {
  const rate = async (fields: Record<string, string>) =>
    (await api.put('campaign_hg/rate_task/c1', { id_task: 't0', rating: 'OK', ...fields })).body;

  it('pays an OK with bonus from the balance, exactly, and marks a favorite', async () => {
    await rate({ bonus: '0.03', favorite: 'add', comment: 'Well done' });
    const task = await market.task('t0');
    expect(task).toMatchObject({
      ...{ task_rating: 'OK', employer_comment: 'Well done' },
      ...{ worker_earned: '0.30000', bonus_worker_earned: '0.03000' },
    });
    expect(task.history.map(({ by, task_rating, bonus }) => [by, task_rating, bonus])).toEqual([
      ['worker', 'NOTRATED', ''],
      ['api', 'OK', '0.03000'],
    ]);
    const state = await market.state();
    expect(state.settings.balance).toBe('0.97000');
    expect(state.accounts[0]?.favorites).toEqual([task.worker_id]);
    const [id_task = ''] = await market.submit({ campaign_id: 'c1', worker_id: task.worker_id });
    await rate({ id_task, favorite: 'remove' });
    expect((await market.state()).accounts[0]?.favorites).toEqual([]);
  });

  it('takes REVISE only when the setting says so, and a rating in a finished campaign', async () => {
    const revise = { rating: 'REVISE', comment: 'Again' };
    expect((await rate(revise)).error).toBe('TASK RATING VALUE CAN ONLY BE OK OR NOK');
    await market.settings({ reviseThroughRateTask: true });
    expect((await rate(revise)).status).toBe('SUCCESS');
    await market.patchCampaign('c1', { status: 'FINISHED' });
    expect((await rate({ id_task: 't1' })).status).toBe('SUCCESS');
  });

  it.each([
    [{ rating: 'GOOD' }, 'TASK RATING VALUE CAN ONLY BE OK OR NOK'],
    [{ rating: 'NOTRATED' }, 'TASK RATING VALUE CAN ONLY BE OK OR NOK'],
    [{ rating: 'NOK' }, 'COMMENT TO WORKER MISSING'],
    [{ rating: 'NOK', comment: '  \n ' }, 'COMMENT TO WORKER MISSING'],
    [{ id_task: 'elsewhere' }, 'TASK NOT IN THIS CAMPAIGN'],
    [{ id_task: '' }, 'TASK NOT IN THIS CAMPAIGN'],
    [{ id_task: 't3' }, 'ONLY NOTRATED TASK CAN BE RATED'],
    [{ id_task: 't4' }, 'ONLY NOTRATED TASK CAN BE RATED'],
    [{ id_task: 't5' }, 'ONLY NOTRATED TASK CAN BE RATED'],
    [{ id_task: 't6' }, 'ONLY NOTRATED TASK CAN BE RATED'],
    [{ bonus: '0.02999' }, 'Bonus you entered is outside allowed values'],
    [{ bonus: '0.60001' }, 'Bonus you entered is outside allowed values'],
    [{ bonus: 'much' }, 'Bonus you entered is outside allowed values'],
  ])('refuses %j: %s', async (fields: Record<string, string>, error) => {
    const { tasks } = await market.state();
    const ids = { campaign_id: 'c1', task_id: fields.id_task ?? 't0' };
    expect(await rate(fields)).toEqual({ status: 'ERROR', error, ...ids });
    expect((await market.state()).tasks).toEqual(tasks);
  });

  it('lets the ends of the bonus range pass, as far as the balance goes', async () => {
    await market.settings({ balance: '0.63000' });
    expect((await rate({ bonus: '0.03' })).status).toBe('SUCCESS');
    expect((await rate({ id_task: 't1', bonus: '0.6' })).status).toBe('SUCCESS');
    const { error } = await rate({ id_task: 't2', bonus: '0.03' });
    expect(error).toBe('Your account balance is too low to add bonus');
    expect(await ratingOf('t2')).toBe('NOTRATED');
    expect((await market.state()).settings.balance).toBe('0.00000');
  });
});

describe('rate_tasks', () => {
  const rateAll = async (fields: Record<string, string[]>) =>
    (await api.put('campaign_hg/rate_tasks/c1', fields)).body;

  it('is a success even when entries carry errors, and applies only the good ones', async () => {
    await market.settings({ balance: '0.65000' });
    const { status, tasks } = await rateAll({
      'id_task[]': ['t0', 't1', 't2', 't2', 't3', 'elsewhere'],
      'rating[]': ['REVISE', 'OK', 'OK', 'OK', 'OK', 'OK'],
      'comment[]': [' ', '', '', '', '', ''],
      'bonus[]': ['0.9', '0.6', '', '', '', ''],
    });
    expect(status).toBe('SUCCESS');
    const answers = tasks as { errors?: string[]; success?: boolean }[];
    expect(answers.map(({ errors, success }) => errors ?? success)).toEqual([
      ['comment IS MANDATORY', 'Bonus you entered is outside allowed values'],
      true,
      ['id_task IS NOT UNIQUE'],
      ['id_task IS NOT UNIQUE'],
      ['ONLY NOTRATED TASK CAN BE RATED'],
      ['TASK NOT IN THIS CAMPAIGN'],
    ]);
    expect(await Promise.all(['t0', 't1', 't2'].map(ratingOf))).toEqual(['NOTRATED', 'OK', 'NOTRATED']);
  });

  it('spends the balance entry by entry', async () => {
    await market.settings({ balance: '0.65000' });
    const ids = { 'id_task[]': ['t0', 't1'], 'rating[]': ['OK', 'OK'] };
    const { tasks } = await rateAll({ ...ids, 'bonus[]': ['0.6', '0.1'] });
    const errors = ['Your account balance is too low to add bonus'];
    expect(tasks).toEqual([expect.anything(), expect.objectContaining({ errors })]);
    expect(await ratingOf('t1')).toBe('NOTRATED');
  });

  it.each([
    [{}],
    [{ 'id_task[]': ['t0', 't1'], 'rating[]': ['OK'] }],
    [{ 'id_task[]': ['t0'], 'rating[]': ['MAYBE'] }],
    [{ 'id_task[]': ['t0', 't1'], 'rating[]': ['OK', 'OK'], 'comment[]': ['one'] }],
    [{ 'id_task[]': ['t0', 't1'], 'rating[]': ['OK', 'OK'], 'bonus[]': ['0.1'] }],
    [{ 'id_task[]': ['t0', 't1'], 'rating[]': ['OK', 'OK'], 'favorite[]': ['add'] }],
    [{ 'id_task[]': ['t0'], 'rating[]': ['OK'], 'favorite[]': ['love'] }],
  ])('refuses %j as INPUT DATA', async (fields) => {
    const { error, errors_list } = await rateAll(fields as Record<string, string[]>);
    expect([error, errors_list]).toEqual(['INPUT DATA', expect.arrayContaining([expect.any(String)])]);
    expect(await ratingOf('t0')).toBe('NOTRATED');
  });
});

it('what happens on the website follows the same rules, and a REVISE comes back under the same id', async () => {
  await market.rate('t6', 'NOTRATED');
  expect((await market.task('t6')).history.at(-1)).toMatchObject({ by: 'marketplace' });
  await market.rate('t1', 'OK');
  await expect(market.rate('t1', 'NOK', 'no')).rejects.toThrow(/409/);
  await market.rate('t0', 'REVISE', 'Which shop was it?');
  await market.correct('t0');
  const task = await market.task('t0');
  expect(task).toMatchObject({ task_rating: 'NOTRATED', employer_comment: 'Which shop was it?' });
  expect(task.proof[0]).toContain('Which shop was it?');
  expect(task.history.map(({ by, task_rating }) => [by, task_rating])).toEqual([
    ['worker', 'NOTRATED'],
    ['website', 'REVISE'],
    ['worker', 'NOTRATED'],
  ]);
  await expect(market.correct('t2')).rejects.toThrow(/409.*not REVISE/);
});

describe('submit_file_proof', () => {
  const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';
  interface Sent {
    user_id: string;
    ip: string;
    proof: string;
    country: string;
    file?: [name: string, bytes: Buffer];
  }

  async function send({ file: [name, bytes] = ['', Buffer.alloc(0)], country: _country, ...fields }: Sent) {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    if (name !== '') form.append('file_proof', new Blob([new Uint8Array(bytes)]), name);
    return (await api.multipart('campaign_b/submit_file_proof/c1', form)).body;
  }

  type Workers = Awaited<ReturnType<typeof market.state>>['workers'];
  const asWorker = async (is: (worker: Workers[number]) => boolean): Promise<Sent> => {
    const worker = (await market.state()).workers.find(is);
    if (!worker) throw new Error('the world has no such worker');
    return { user_id: worker.worker_id, ip: worker.ip, proof: 'done', country: worker.country };
  };
  /** The fields of a worker against whom nothing stands. */
  const good = () => asWorker(({ username, country }) => username !== 'amina_demo' && country === 'KE');

  it('finishes the campaign with its last position', async () => {
    await market.patchCampaign('c1', { available_positions: 7 });
    await send(await good());
    expect((await market.state()).campaigns[0]).toMatchObject({ campaign_status: 'FINISHED' });
    expect((await send(await good())).error).toBe('This job is currently not running.');
  });

  it('verifies a code, and with V+R rates OK', async () => {
    await market.patchCampaign('c1', { auto_rate: 'V+R', vcode: 'ABC-1' });
    expect((await send(await good())).error).toBe('VCODE is incorrect.');
    const { task_id } = await send({ ...(await good()), proof: 'my code is ABC-1' });
    expect(await ratingOf(String(task_id))).toBe('OK');
  });

  type Campaign = Parameters<typeof market.patchCampaign>[1];
  /** The campaign is so while it is sent. */
  const campaignIs = (changes: Campaign | ((sent: Sent) => Campaign)) => async (sent: Sent) => {
    await market.patchCampaign('c1', typeof changes === 'function' ? changes(sent) : changes);
    return sent;
  };
  const fields = (changes: Partial<Sent>) => async (sent: Sent) => ({ ...sent, ...changes });
  const once = (happens: (sent: Sent) => Promise<unknown>) => async (sent: Sent) => {
    await happens(sent);
    return sent;
  };
  const large = randomBytes(200_000);

  it.each<[string, (sent: Sent) => Promise<Sent>]>([
    ['Account has been restricted from doing any jobs.', () => asWorker(({ restricted }) => restricted)],
    [
      'Worker must validate phone number before doing any jobs.',
      () => asWorker(({ phone_validated }) => !phone_validated),
    ],
    ["Worker's success rate is to low.", () => asWorker(({ success_rate }) => success_rate < 50)],
    ['This job is currently not running.', campaignIs({ status: 'PAUSED' })],
    ['Proof is required.', fields({ proof: ' \n' })],
    ['Proof is required.', campaignIs({ file_proof: 2 })],
    [
      'Targetted campaign cannot be accepted by this user.',
      once(({ user_id }) => api.post('employer/exclude_list', { 'worker[]': user_id })),
    ],
    ["User's IP isn't in any of accepted countries.", campaignIs({ targeted_countries: ['AD', 'LI'] })],
    [
      "User's country is in excluded countries list.",
      campaignIs(({ country }) => ({ excluded_countries: [country] })),
    ],
    ["User's IP is not in accepted country.", campaignIs({ targeted_countries: ['AD'] })],
    ['Worker already submitted this task.', once(send)],
    [
      'Worker with same IP already submitted this task.',
      once(async ({ ip }) => {
        const { worker_id = '' } = (await market.state()).workers[1] ?? {};
        await market.submit({ campaign_id: 'c1', ip, worker_id });
      }),
    ],
    ['IP address does not match.', fields({ ip: '203.0.113.9' })],
    ['File format is not supported', fields({ file: ['run.exe', large] })],
    ['File has a virus', fields({ file: ['a.txt', Buffer.from(eicar)] })],
    [
      'File upload failure',
      async (sent) => {
        await market.settings({ maxFileBytes: 1000 });
        return { ...sent, file: ['big.png', large] };
      },
    ],
    ['UNKNOWN WORKER', fields({ user_id: 'nobody' })],
    ['INPUT_DATA', fields({ user_id: '' })],
    ['INPUT_DATA', fields({ ip: 'localhost' })],
  ])('refuses: %s', async (error, prepare) => {
    const sent = await prepare(await good());
    const before = (await market.state()).tasks.length;
    expect(await send(sent)).toMatchObject({ status: 'ERROR', error });
    expect((await market.state()).tasks).toHaveLength(before);
  });

  const part = (name: string, more = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\nvalue\r\n`;
  const file = part('file_proof', '; filename="a.png"');

  it.each([
    ['a form without its end', 'multipart/form-data; boundary=b', file],
    ['a form cut within the head of a part', 'multipart/form-data; boundary=b', file.slice(0, 30)],
    ['a form without a boundary', 'multipart/form-data', `${file}--b--\r\n`],
    ['a form with too many files', 'multipart/form-data; boundary=b', `${file.repeat(21)}--b--\r\n`],
    ['a form with a field of Object', 'multipart/form-data; boundary=b', `${part('__proto__')}--b--\r\n`],
  ])('a body that cannot be read is a fault of the caller: %s', async (_, contentType, body) => {
    for (const ServiceApiKey of ['employer-demo-key', '']) {
      const headers = { ServiceApiKey, 'content-type': contentType };
      const url = `${server.url}/campaign_b/submit_file_proof/c1`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const error = ServiceApiKey === '' ? 'API KEY WRONG' : 'INPUT_DATA';
      expect(await response.json()).toMatchObject({ status: 'ERROR', error });
    }
  });
});
