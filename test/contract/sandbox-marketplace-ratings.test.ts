import { describe, expect, it } from 'vitest';
import { rawMarketplace } from '../harness/marketplace.ts';
import { scenarioWithEveryRating, startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { server, market, api } = await startSandboxMarketplace(scenarioWithEveryRating);

const rate = (fields: Record<string, string>, campaign = 'c1') =>
  api.put(`campaign_hg/rate_task/${campaign}`, { id_task: 't0', rating: 'OK', ...fields });
const ratingOf = async (id: string) => (await market.task(id)).task_rating;

describe('rate_task', () => {
  it('pays an OK with bonus from the balance, exactly, and marks a favorite', async () => {
    expect((await rate({ bonus: '0.03', favorite: 'add', comment: 'Well done' })).body).toEqual({
      status: 'SUCCESS',
      campaign_id: 'c1',
      task_id: 't0',
    });
    const task = await market.task('t0');
    expect(task).toMatchObject({
      task_rating: 'OK',
      worker_earned: '0.30000',
      bonus_worker_earned: '0.03000',
      employer_comment: 'Well done',
    });
    expect(task.history.map(({ by, task_rating, bonus }) => [by, task_rating, bonus])).toEqual([
      ['worker', 'NOTRATED', ''],
      ['api', 'OK', '0.03000'],
    ]);
    const state = await market.state();
    expect(state.settings.balance).toBe('0.97000');
    expect(state.accounts[0]?.favorites).toEqual([task.worker_id]);
    await market.submit({ campaign_id: 'c1', worker_id: task.worker_id });
    const again = (await market.state()).tasks.at(-1)?.task_id ?? '';
    await rate({ id_task: again, favorite: 'remove' });
    expect((await market.state()).accounts[0]?.favorites).toEqual([]);
  });

  it('shows the comment of a NOK to the worker and pays nothing', async () => {
    expect((await rate({ rating: 'NOK', comment: 'Wrong shop' })).body.status).toBe('SUCCESS');
    expect(await market.task('t0')).toMatchObject({
      task_rating: 'NOK',
      worker_earned: '0.00000',
      employer_comment: 'Wrong shop',
    });
  });

  it('takes REVISE only when the setting says so', async () => {
    expect((await rate({ rating: 'REVISE', comment: 'Again' })).body.error).toBe(
      'TASK RATING VALUE CAN ONLY BE OK OR NOK',
    );
    await market.settings({ reviseThroughRateTask: true });
    expect((await rate({ rating: 'REVISE', comment: 'Again' })).body.status).toBe('SUCCESS');
    expect(await ratingOf('t0')).toBe('REVISE');
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
    const before = await market.state();
    expect((await rate(fields)).body).toEqual({
      status: 'ERROR',
      error,
      campaign_id: 'c1',
      task_id: fields.id_task ?? 't0',
    });
    expect((await market.state()).tasks).toEqual(before.tasks);
  });

  it('lets the ends of the bonus range pass, as far as the balance goes', async () => {
    await market.settings({ balance: '0.63000' });
    expect((await rate({ bonus: '0.03' })).body.status).toBe('SUCCESS');
    expect((await rate({ id_task: 't1', bonus: '0.6' })).body.status).toBe('SUCCESS');
    expect((await rate({ id_task: 't2', bonus: '0.03' })).body.error).toBe(
      'Your account balance is too low to add bonus',
    );
    expect(await ratingOf('t2')).toBe('NOTRATED');
    expect((await market.state()).settings.balance).toBe('0.00000');
  });

  it.each(['PAUSED_ADMIN', 'PENDING_REVIEW'] as const)(
    'is refused while the campaign is %s',
    async (status) => {
      await market.patchCampaign('c1', { status });
      expect((await rate({})).body.error).toBe(`CAMPAIGN IS ${status}`);
      expect(await ratingOf('t0')).toBe('NOTRATED');
    },
  );

  it('works in a campaign that is finished or paused, and knows only own campaigns', async () => {
    await market.patchCampaign('c1', { status: 'FINISHED' });
    expect((await rate({})).body.status).toBe('SUCCESS');
    expect((await rate({}, 'nope')).body.error).toBe('NO SUCH CAMPAIGN');
    expect(
      (
        await rawMarketplace(server.url, 'other-employer-demo-key').put('campaign_hg/rate_task/c1', {
          id_task: 't1',
          rating: 'OK',
        })
      ).body.error,
    ).toBe('NO SUCH CAMPAIGN');
  });

  it('lets exactly one of twenty simultaneous ratings through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 === 0 ? rate({ bonus: '0.05' }) : rate({ rating: 'NOK', comment: `no ${at}` }),
      ),
    );
    expect(answers.filter(({ body }) => body.status === 'SUCCESS')).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'ONLY NOTRATED TASK CAN BE RATED')).toHaveLength(19);
    expect((await market.task('t0')).history).toHaveLength(2);
  });
});

describe('rate_tasks', () => {
  const rateAll = (fields: Record<string, string[]>, campaign = 'c1') =>
    api.put(`campaign_hg/rate_tasks/${campaign}`, fields);

  it('answers each entry on its own, bonus only where given', async () => {
    const { body } = await rateAll({
      'id_task[]': ['t0', 't1', 't2'],
      'rating[]': ['OK', 'NOK', 'REVISE'],
      'comment[]': ['', 'Not our code', 'Please "again"'],
      'bonus[]': ['0.03', '', ''],
      'favorite[]': ['add', '', ''],
    });
    expect(body).toEqual({
      status: 'SUCCESS',
      campaign_id: 'c1',
      tasks: [
        { id_task: 't0', rating: 'OK', comment: '', bonus: '0.03', success: true },
        { id_task: 't1', rating: 'NOK', comment: 'Not our code', success: true },
        { id_task: 't2', rating: 'REVISE', comment: 'Please "again"', success: true },
      ],
    });
    expect(await Promise.all(['t0', 't1', 't2'].map(ratingOf))).toEqual(['OK', 'NOK', 'REVISE']);
    expect((await market.state()).settings.balance).toBe('0.97000');
  });

  it('is a success even when entries carry errors, and applies only the good ones', async () => {
    await market.settings({ balance: '0.65000' });
    const { body } = await rateAll({
      'id_task[]': ['t0', 't1', 't2', 't2', 't3', 'elsewhere'],
      'rating[]': ['NOK', 'OK', 'OK', 'OK', 'OK', 'OK'],
      'comment[]': [' ', '', '', '', '', ''],
      'bonus[]': ['0.9', '0.6', '', '', '', ''],
    });
    expect(body.status).toBe('SUCCESS');
    expect(
      (body.tasks as { errors?: string[]; success?: boolean }[]).map(
        ({ errors, success }) => errors ?? success,
      ),
    ).toEqual([
      ['comment IS MANDATORY', 'Bonus you entered is outside allowed values'],
      true,
      ['id_task IS NOT UNIQUE'],
      ['id_task IS NOT UNIQUE'],
      ['ONLY NOTRATED TASK CAN BE RATED'],
      ['TASK NOT IN THIS CAMPAIGN'],
    ]);
    expect(await ratingOf('t2')).toBe('NOTRATED');
  });

  it('spends the balance entry by entry', async () => {
    await market.settings({ balance: '0.65000' });
    const { body } = await rateAll({
      'id_task[]': ['t0', 't1'],
      'rating[]': ['OK', 'OK'],
      'bonus[]': ['0.6', '0.1'],
    });
    expect((body.tasks as unknown[])[1]).toMatchObject({
      errors: ['Your account balance is too low to add bonus'],
    });
    expect(await ratingOf('t1')).toBe('NOTRATED');
  });

  it('asks a comment of REVISE too', async () => {
    const { body } = await rateAll({ 'id_task[]': ['t0'], 'rating[]': ['REVISE'] });
    expect(body.tasks).toEqual([
      { id_task: 't0', rating: 'REVISE', comment: '', errors: ['comment IS MANDATORY'] },
    ]);
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
    const { body } = await rateAll(fields as Record<string, string[]>);
    expect(body).toMatchObject({ status: 'ERROR', error: 'INPUT DATA', campaign_id: 'c1' });
    expect(body.errors_list).not.toHaveLength(0);
    expect(await ratingOf('t0')).toBe('NOTRATED');
  });

  it('can be made to say SYSTEM ERROR, and knows only own campaigns', async () => {
    await market.fault({ kind: 'error', error: 'SYSTEM ERROR', match: { path: 'rate_tasks' } });
    const fields = { 'id_task[]': ['t0'], 'rating[]': ['OK'] };
    expect((await rateAll(fields)).body).toEqual({ status: 'ERROR', error: 'SYSTEM ERROR' });
    expect(await ratingOf('t0')).toBe('NOTRATED');
    expect((await rateAll(fields, 'nope')).body.error).toBe('NO SUCH CAMPAIGN');
  });

  it('refuses every entry while the campaign is PAUSED_ADMIN', async () => {
    await market.patchCampaign('c1', { status: 'PAUSED_ADMIN' });
    const { body } = await rateAll({ 'id_task[]': ['t0'], 'rating[]': ['OK'] });
    expect(body.tasks).toEqual([
      { id_task: 't0', rating: 'OK', comment: '', errors: ['CAMPAIGN IS PAUSED_ADMIN'] },
    ]);
  });
});
