import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { market, api } = await startSandboxMarketplace({ campaigns: [{ campaign_id: 'c1' }] });

const bytes = randomBytes(50_000);

describe('new_campaign', () => {
  const fields: Record<string, string> = {
    title: 'A new campaign – ü',
    group_id: 'g1',
    category: '0301',
    minutes_to_finish: '5',
    available_positions: '40',
    max_positions_per_worker: '2',
    payment_per_task: '0.08',
    description_type: 'SAME',
    required_work: 'Type it.\nAll of it.',
    ttr: '5',
    auto_rate: 'V',
    file_proof: '1',
    qt_required: '0',
  };

  function create(
    changes: Record<string, string> = {},
    proofs = ['one', 'two'],
    files: Record<string, Blob> = {},
  ) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...fields, ...changes })) form.append(name, value);
    for (const proof of proofs) form.append('required_proof[]', proof);
    for (const [name, blob] of Object.entries(files)) form.append(name, blob, `${name} – ü.csv`);
    return api.multipart('campaign_hg/new_campaign', form);
  }

  it('starts in review, and time lets it run', async () => {
    const { body } = await create({}, ['one', 'two', 'three'], {
      file: new Blob([new Uint8Array(bytes)]),
    });
    const id = String(body.campaign_id);
    expect(body).toEqual({ status: 'SUCCESS', campaign_id: id, speed_previous: '0', speed_new: '500' });
    expect((await market.state()).campaigns.at(-1)).toMatchObject({
      campaign_id: id,
      campaign_status: 'PENDING_REVIEW',
      title: 'A new campaign – ü',
      required_work: 'Type it.\r\nAll of it.',
      required_proof: ['one', 'two', 'three'],
      available_positions: 40,
      max_positions_per_worker: 2,
      payment_per_task: '0.08000',
      ttr: 5,
      auto_rate: 'V',
      file_proof: 1,
      qt_required: false,
      attachments: {
        file: {
          filename: 'file – ü.csv',
          sha256: createHash('sha256').update(bytes).digest('hex'),
          size: bytes.length,
        },
      },
    });
    await market.settings({ reviewSeconds: 0 });
    const running = await api.get('campaigns_b/list_extend', { status: 'RUNNING' });
    expect(
      (running.body.campaigns as { campaign_id: string }[]).map(({ campaign_id }) => campaign_id),
    ).toContain(id);
  });

  it('has a second shape of success: the cost', async () => {
    await market.settings({ newCampaignShape: 'worked' });
    const { body } = await create({ payment_per_task: '0.12345' });
    expect(body).toEqual({ status: 'SUCCESS', campaign_id: expect.any(String), cost: '4.93800' });
  });

  it('takes one required_proof as a plain field, and a CSV for UNIQUE', async () => {
    const csv = { csv: new Blob(['a,b\n1,2\n']) };
    const { body } = await create({ description_type: 'UNIQUE', required_proof: 'only' }, [], csv);
    expect(body.status).toBe('SUCCESS');
    expect((await market.state()).campaigns.at(-1)).toMatchObject({
      required_proof: ['only'],
      description_type: 'UNIQUE',
      attachments: { csv: { size: 8 } },
    });
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
    const minimum = changes.group_id === 'west1' ? 0.24 : 0.08;
    expect((await create(changes)).body).toEqual({
      status: 'ERROR',
      errors: [token],
      min_payment_per_task: minimum,
    });
  });

  it('names every error at once, at most three proofs, and the second shape carries campaign_id', async () => {
    await market.settings({ newCampaignShape: 'worked' });
    const { body } = await create({ category: '9999', available_positions: '' }, ['1', '2', '3', '4']);
    expect(body).toEqual({
      status: 'ERROR',
      campaign_id: '',
      errors: ['CATEGORY', 'POSITIONS', 'REQUIRED PROOF'],
    });
    expect((await market.state()).campaigns).toHaveLength(1);
  });
});
