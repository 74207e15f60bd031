import { describe, expect, it } from 'vitest';
import { rawMarketplace } from '../harness/marketplace.ts';
import { scenarioWithEveryRating, startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { server, market, api } = await startSandboxMarketplace(scenarioWithEveryRating);

describe('get_task_info', () => {
  it('gives the details with their JSON types', async () => {
    const [id = ''] = await market.submit({
      campaign_id: 'c1',
      proof: ['first', 'second'],
      ip: '81.2.1.1',
      country: 'GB',
      csv_record_nr: 3,
      finished_datetime: '2026-01-01 00:00:00',
      files: [
        { filename: 'ä.txt', content_type: 'text/plain', base64: Buffer.from('hallo').toString('base64') },
      ],
    });
    const task = await market.task(id);
    expect((await api.get(`campaign_hg/get_task_info/${id}`)).body).toEqual({
      status: 'SUCCESS',
      task_id: id,
      task_details: {
        bonus_worker_earned: '0.00000',
        campaign_id: 'c1',
        csv_record_nr: '3',
        country: 'United Kingdom',
        employer_comment: '',
        finished_datetime: '2026-01-01 00:00:00',
        ip: '81.2.1.1',
        proof: ['first', 'second', ''],
        file_proof: {
          status: 'SUCCESS',
          file_proof_details: [{ content_type: 'text/plain', filename: 'ä.txt', index: 1, size: 5 }],
        },
        task_rating: 'NOTRATED',
        worker_earned: '0.00000',
        worker_id: task.worker_id,
      },
    });
  });

  it('says of the files whether there are any, or what the task was given', async () => {
    const statusOf = async (task: Record<string, unknown>) => {
      const [id = ''] = await market.submit({ campaign_id: 'c1', ...task });
      const { body } = await api.get(`campaign_hg/get_task_info/${id}`);
      return (body.task_details as { file_proof: { status: string } }).file_proof.status;
    };
    const files = [{ filename: 'a.txt', content_type: 'text/plain', base64: '' }];
    expect(await statusOf({ files })).toBe('SUCCESS');
    expect(await statusOf({})).toBe('NO FILE PROOF');
    expect(await statusOf({ files, file_proof_status: 'VIRUS FOUND' })).toBe('VIRUS FOUND');
  });

  it('is for the owner only', async () => {
    for (const key of ['other-employer-demo-key', 'worker-demo-key']) {
      expect((await rawMarketplace(server.url, key).get('campaign_hg/get_task_info/t0')).body).toEqual({
        status: 'ERROR',
        error: 'NOT A CAMPAIGN OWNER',
        task_id: 't0',
      });
    }
    expect((await api.get('campaign_hg/get_task_info/nope')).body).toEqual({
      status: 'ERROR',
      error: 'NO SUCH TASK',
      task_id: 'nope',
    });
  });
});

describe('what happens elsewhere', () => {
  it('a REVISE comes back under the same id, with the comment in mind', async () => {
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
    await market.rate('t1', 'REVISE', 'Again');
    await market.correct('t1', ['mine']);
    expect((await market.task('t1')).proof).toEqual(['mine']);
    await expect(market.correct('t2')).rejects.toThrow(/409.*not REVISE/);
  });

  it('the website follows the same rules, and NOTREVIEWED turns NOTRATED', async () => {
    await market.rate('t6', 'NOTRATED');
    expect((await market.task('t6')).history.at(-1)).toMatchObject({
      by: 'marketplace',
      task_rating: 'NOTRATED',
    });
    await market.rate('t0', 'OK');
    await expect(market.rate('t0', 'NOK', 'no')).rejects.toThrow(/409/);
    expect((await api.put('campaign_hg/rate_task/c1', { id_task: 't0', rating: 'OK' })).body.error).toBe(
      'ONLY NOTRATED TASK CAN BE RATED',
    );
  });
});
