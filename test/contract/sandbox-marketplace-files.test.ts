import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startSandboxMarketplace } from '../harness/sandbox-marketplace.ts';

const { server, market, api } = await startSandboxMarketplace({ campaigns: [{ campaign_id: 'c1' }] });

const everyByte = Buffer.concat([
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  randomBytes(200_000),
]);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function download(id: string, key = 'employer-demo-key') {
  const response = await fetch(`${server.url}/campaign_hg/download_file_proof/${id}`, {
    headers: { ServiceApiKey: key },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('download_file_proof', () => {
  it('gives every file byte for byte, under its original name', async () => {
    const [id] = await market.submit({
      campaign_id: 'c1',
      files: [
        {
          filename: 'plain.bin',
          content_type: 'application/octet-stream',
          base64: everyByte.toString('base64'),
        },
        { filename: 'Quittung "März" – 收据 (1)’s.png', content_type: 'image/png', base64: 'AAEC' },
      ],
    });
    const first = await download(`${id}_1`);
    expect(first.bytes.equals(everyByte)).toBe(true);
    expect(first.response.headers.get('content-type')).toBe('application/octet-stream');
    expect(first.response.headers.get('content-length')).toBe(String(everyByte.length));
    const second = await download(`${id}_2`);
    const disposition = second.response.headers.get('content-disposition') ?? '';
    const [, plain, encoded] =
      /^attachment; filename="([^"]*)"; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? [];
    expect(plain).toMatch(/^[\x20-\x7e]+\.png$/);
    expect(decodeURIComponent(encoded ?? '')).toBe('Quittung "März" – 收据 (1)’s.png');
    expect(encoded).not.toMatch(/['()*]/);
  });

  it('fails with a JSON body', async () => {
    const [id = ''] = await market.submit({ campaign_id: 'c1' });
    const [broken] = await market.submit({
      campaign_id: 'c1',
      files: [{ filename: 'lost.png', content_type: 'image/png', base64: 'AAEC', broken: true }],
    });
    const error = async (path: string, key?: string) =>
      JSON.parse((await download(path, key)).bytes.toString()) as unknown;
    expect(await error('nope_1')).toEqual({
      status: 'ERROR',
      error: 'NO SUCH TASK',
      task_id: 'nope',
      index: '1',
    });
    expect(await error(`${id}_1`)).toEqual({
      status: 'ERROR',
      error: 'NO FILE PROOF',
      task_id: id,
      index: '1',
    });
    expect(await error(`${broken}_2`)).toMatchObject({ error: 'NO FILE PROOF' });
    expect(await error(`${broken}_0`)).toMatchObject({ error: 'NO FILE PROOF' });
    expect(await error(`${broken}_1`)).toMatchObject({ error: 'DOWNLOAD ERROR' });
    expect(await error(`${id}_1`, 'other-employer-demo-key')).toMatchObject({
      error: 'NOT A CAMPAIGN OWNER',
    });
  });
});

describe('submit_file_proof', () => {
  const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

  interface Sent {
    user_id?: string;
    ip?: string;
    proof?: string;
    file?: { name: string; bytes: Buffer };
  }

  function send({ file, ...fields }: Sent, campaign = 'c1') {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (file)
      form.append('file_proof', new Blob([new Uint8Array(file.bytes)], { type: 'image/png' }), file.name);
    return api.multipart(`campaign_b/submit_file_proof/${campaign}`, form);
  }

  /** The fields of a worker against whom nothing stands. */
  async function good(): Promise<Sent & { ip: string; user_id: string; country: string }> {
    const { workers } = await market.state();
    const worker =
      workers.find(({ username, country }) => username !== 'amina_demo' && country === 'KE') ??
      workers.at(-1);
    if (!worker) throw new Error('the world has no workers');
    return { user_id: worker.worker_id, ip: worker.ip, proof: 'done', country: worker.country };
  }

  it('adds a task with its file, byte for byte', async () => {
    const { country, ...fields } = await good();
    const answer = await send({
      ...fields,
      proof: 'line 1\nüber "all"',
      file: { name: 'Foto – ä 收.png', bytes: everyByte },
    });
    const id = String(answer.body.task_id);
    expect(answer.body).toEqual({ status: 'SUCCESS', campaign_id: 'c1', task_id: id });
    const task = await market.task(id);
    expect(task).toMatchObject({
      task_rating: 'NOTRATED',
      // A multipart form's own line ends, kept as they came.
      proof: ['line 1\r\nüber "all"'],
      worker_id: fields.user_id,
      ip: fields.ip,
      country,
      files: [
        {
          filename: 'Foto – ä 收.png',
          content_type: 'image/png',
          size: everyByte.length,
          sha256: sha256(everyByte),
        },
      ],
    });
    expect((await download(`${id}_1`)).bytes.equals(everyByte)).toBe(true);
    expect((await market.requests())[0]).toMatchObject({
      applied: true,
      form: { user_id: fields.user_id, file_proof: { filename: 'Foto – ä 收.png', size: everyByte.length } },
    });
  });

  it('finishes the campaign with its last position', async () => {
    await market.patchCampaign('c1', { available_positions: 1 });
    const { country: _, ...fields } = await good();
    await send(fields);
    expect((await market.state()).campaigns[0]).toMatchObject({ campaign_status: 'FINISHED' });
    expect((await send(fields)).body.error).toBe('This job is currently not running.');
  });

  it('verifies a code, and with V+R rates OK', async () => {
    await market.patchCampaign('c1', { auto_rate: 'V+R', vcode: 'ABC-1' });
    const { country: _, ...fields } = await good();
    expect((await send(fields)).body.error).toBe('VCODE is incorrect.');
    const { body } = await send({ ...fields, proof: 'my code is ABC-1' });
    expect((await market.task(String(body.task_id))).task_rating).toBe('OK');
  });

  it.each<[string, (fields: Awaited<ReturnType<typeof good>>) => Promise<Sent>]>([
    [
      'Account has been restricted from doing any jobs.',
      async (fields) => ({
        ...fields,
        user_id: (await market.state()).workers.find(({ restricted }) => restricted)?.worker_id ?? '',
      }),
    ],
    [
      'Worker must validate phone number before doing any jobs.',
      async (fields) => ({
        ...fields,
        user_id:
          (await market.state()).workers.find(({ phone_validated }) => !phone_validated)?.worker_id ?? '',
      }),
    ],
    [
      'This job is currently not running.',
      async (fields) => {
        await market.patchCampaign('c1', { status: 'PAUSED' });
        return fields;
      },
    ],
    ['Proof is required.', async (fields) => ({ ...fields, proof: ' \n' })],
    [
      'Proof is required.',
      async (fields) => {
        await market.patchCampaign('c1', { file_proof: 2 });
        return fields;
      },
    ],
    [
      'Targetted campaign cannot be accepted by this user.',
      async (fields) => {
        await api.post('employer/exclude_list', { 'worker[]': fields.user_id });
        return fields;
      },
    ],
    [
      "User's IP isn't in any of accepted countries.",
      async (fields) => {
        await market.patchCampaign('c1', { targeted_countries: ['AD', 'LI'] });
        return fields;
      },
    ],
    [
      "User's country is in excluded countries list.",
      async (fields) => {
        await market.patchCampaign('c1', { excluded_countries: [fields.country] });
        return fields;
      },
    ],
    [
      "User's IP is not in accepted country.",
      async (fields) => {
        await market.patchCampaign('c1', { targeted_countries: ['AD'] });
        return fields;
      },
    ],
    [
      "Worker's success rate is to low.",
      async (fields) => {
        const { workers } = await market.state();
        const lou = workers.find(({ success_rate }) => success_rate < 50);
        return { ...fields, user_id: lou?.worker_id ?? '', ip: lou?.ip ?? '' };
      },
    ],
    [
      'Worker already submitted this task.',
      async (fields) => {
        await send({ user_id: fields.user_id, ip: fields.ip, proof: 'done' });
        return fields;
      },
    ],
    [
      'Worker with same IP already submitted this task.',
      async (fields) => {
        await market.submit({
          campaign_id: 'c1',
          ip: fields.ip,
          worker_id: (await market.state()).workers[1]?.worker_id ?? '',
        });
        return fields;
      },
    ],
    ['IP address does not match.', async (fields) => ({ ...fields, ip: '203.0.113.9' })],
    [
      'File format is not supported',
      async (fields) => ({ ...fields, file: { name: 'run.exe', bytes: everyByte } }),
    ],
    [
      'File has a virus',
      async (fields) => ({ ...fields, file: { name: 'a.txt', bytes: Buffer.from(eicar) } }),
    ],
    [
      'File upload failure',
      async (fields) => {
        await market.settings({ maxFileBytes: 1000 });
        return { ...fields, file: { name: 'big.png', bytes: everyByte } };
      },
    ],
    ['UNKNOWN WORKER', async (fields) => ({ ...fields, user_id: 'nobody' })],
    ['INPUT_DATA', async (fields) => ({ ...fields, user_id: '' })],
    ['INPUT_DATA', async (fields) => ({ ...fields, ip: 'localhost' })],
    [
      'SYSTEM ERROR',
      async (fields) => {
        await market.fault({ kind: 'error', error: 'SYSTEM ERROR', match: { path: 'submit_file_proof' } });
        return fields;
      },
    ],
  ])('refuses: %s', async (error, prepare) => {
    const { country: _, ...sent } = { country: '', ...(await prepare(await good())) };
    const before = (await market.state()).tasks.length;
    expect((await send(sent)).body).toMatchObject({ status: 'ERROR', error });
    expect((await market.state()).tasks).toHaveLength(before);
  });

  it('knows only own campaigns', async () => {
    expect((await send(await good(), 'nope')).body).toMatchObject({
      error: 'NO SUCH CAMPAIGN',
      campaign_id: 'nope',
    });
  });
});

describe('a body that cannot be read', () => {
  const part = (name: string, more = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\nvalue\r\n`;
  const file = part('file_proof', '; filename="a.png"');

  it.each([
    ['a form without its end', 'multipart/form-data; boundary=b', file],
    ['a form cut within a part', 'multipart/form-data; boundary=b', file.slice(0, -9)],
    ['a form cut within the head of a part', 'multipart/form-data; boundary=b', file.slice(0, 30)],
    ['a form without a boundary', 'multipart/form-data', `${file}--b--\r\n`],
    ['a form with another boundary', 'multipart/form-data; boundary=c', `${file}--b--\r\n`],
    ['a form with nothing in it', 'multipart/form-data; boundary=b', ''],
    ['a form with too many files', 'multipart/form-data; boundary=b', `${file.repeat(21)}--b--\r\n`],
    ['a form with a field of Object', 'multipart/form-data; boundary=b', `${part('__proto__')}--b--\r\n`],
  ])('is a fault of the caller, which the API tells: %s', async (_, contentType, body) => {
    const paths = ['campaign_b/submit_file_proof/c1', 'campaign_hg/new_campaign'] as const;
    for (const isFaulty of [false, true]) {
      for (const path of paths) {
        if (isFaulty) await market.fault({ match: { path }, kind: 'error', error: 'SYSTEM ERROR' });
        const response = await fetch(`${server.url}/${path}`, {
          method: 'POST',
          headers: { ServiceApiKey: 'employer-demo-key', 'content-type': contentType },
          body,
        });
        const answer = (await response.json()) as { status: string };
        expect([response.status, answer.status]).toEqual([200, 'ERROR']);
        if (isFaulty) expect(answer).toEqual({ status: 'ERROR', error: 'SYSTEM ERROR' });
      }
    }
    const [first] = await market.requests();
    expect(first?.error).toBe('INPUT_DATA');
  });

  it('does not say so to a caller without a key', async () => {
    const response = await fetch(`${server.url}/campaign_b/submit_file_proof/c1`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      body: file,
    });
    expect(await response.json()).toEqual({ status: 'ERROR', error: 'API KEY WRONG' });
  });
});
