import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../src/index.ts';
import { rawMarketplace } from '../src/testing/index.ts';
import { startSandboxMarketplace } from './sandbox.ts';

/** A busy machine may take its time: what is awaited is a condition, not a moment. */
const patient = { timeout: 60_000 };
const { server, market, api } = await startSandboxMarketplace({
  campaigns: [
    {
      campaign_id: 'c1',
      tasks: ['t0', 't1'].map((task_id) => ({ task_id, finished_datetime: '2026-01-05 10:00:00' })),
    },
  ],
});

const rate = (id = 't0') => api.put('campaign_hg/rate_task/c1', { id_task: id, rating: 'OK' });
const ratingOf = async (id = 't0') => (await market.task(id)).task_rating;
const lastRequest = async () => (await market.requests()).at(-1);

describe('keys', () => {
  it('has the 21 endpoints, and every one asks for a key', async () => {
    expect(endpoints).toHaveLength(21);
    for (const { method, path } of endpoints) {
      const response = await fetch(`${server.url}${path.replace(':id', 'x_1')}`, { method });
      expect(await response.json(), `${method} ${path}`).toEqual({ status: 'ERROR', error: 'API KEY WRONG' });
    }
  });

  it.each([
    ['wrong', 'API KEY WRONG'],
    ['disabled-demo-key', 'API NOT ENABLED'],
    ['denied-demo-key', 'API ACCESS IP DENIED'],
  ])('key %s: %s, as JSON or as text', async (key, error) => {
    const stranger = rawMarketplace(server.url, key);
    expect((await stranger.get('campaigns_b/list')).body).toEqual({ status: 'ERROR', error });
    await market.settings({ authErrorShape: 'text' });
    const { text, headers } = await stranger.get('campaigns_b/list');
    expect(text).toBe(error);
    expect(headers.get('content-type')).toContain('text/plain');
  });

  it('the header carries the operator’s brand when told so', async () => {
    await market.settings({ keyHeader: 'AcmeApiKey' });
    expect((await api.get('campaigns_b/list')).body.error).toBe('API KEY WRONG');
    const branded = await api.get('campaigns_b/list', {}, { AcmeApiKey: 'employer-demo-key' });
    expect(branded.body.status).toBe('SUCCESS');
  });
});

describe('answers that are not so', () => {
  const results = async () => String((await api.get('campaign_hg/results_csv/c1')).body.csv);
  const seen = async () => {
    const details = (await api.get('campaign_hg/get_task_info/t0')).body.task_details;
    return (details as { task_rating: string }).task_rating;
  };
  const listed = async () => {
    const [campaign] = (await api.get('campaigns_b/list_extend')).body.campaigns as Record<string, string>[];
    return [campaign?.tasks_ok, campaign?.tasks_not_rated];
  };
  const ofT0 = (csv: string) => csv.split('\n').find((line) => line.includes(',t0,'));

  it('stale shows what was so a while ago, wherever it is asked for', async () => {
    const before = [ofT0(await results()), await seen(), await listed()];
    await market.fault({ kind: 'stale', lagSeconds: 60, times: 0 });
    await rate();
    expect([ofT0(await results()), await seen(), await listed()]).toEqual(before);
    await market.submit({ campaign_id: 'c1', proof: ['new'] });
    expect(await results()).not.toContain('new');
    expect(await results()).toContain('TASKS_SUBMITTED,2');
    await market.clearFaults();
    expect(ofT0(await results())).toContain(',OK,');
    expect([await seen(), await listed()]).toEqual(['OK', ['1', '2']]);
  });

  it('a correction is stale with its proof', async () => {
    await market.rate('t0', 'REVISE', 'Again');
    await market.fault({ kind: 'stale', lagSeconds: 60, times: 2 });
    await market.correct('t0', ['corrected']);
    expect(await results()).not.toContain('corrected');
    expect(await seen()).toBe('NOTRATED');
    expect(await results()).toContain('corrected');
  });

  it.each([
    ['no csv', /^<html>.*<\/html>$/s],
    ['no header', /^(?!.*TASK_ID).*,t1,/s],
    ['other columns', /,STATE,.*,t1,/s],
    ['cut end', /,t0,.*,.*,.*\n2,0,t1[^\n]{1,9}$/],
    ['fewer rows', /TASKS_SUBMITTED,2.*,t0,(?!.*,t1,)/s],
    ['unreadable rows', /,t0,.*,NOTRATED,.*,t1,.*,N\/A,/s],
    ['repeated rows', /,t0,.*,t1,.*,t0,.*,t1,/s],
    ['other campaign', /CAMPAIGN_ID,c2\n/],
  ] as const)('results_csv can lie: %s', async (lie, expected) => {
    await market.addCampaign({ campaign_id: 'c2' });
    await market.fault({ kind: 'lie', lie });
    const { body } = await api.get('campaign_hg/results_csv/c1');
    expect(body).toMatchObject({ status: 'SUCCESS', campaign_id: 'c1' });
    expect(body.csv).toMatch(expected);
    expect(await lastRequest()).toMatchObject({ fault: 'lie' });
  });

  it.each(['fewer items', 'unreadable items'] as const)('lists can lie: %s', async (lie) => {
    await market.write();
    await market.write();
    await market.fault({ kind: 'lie', lie });
    const { body } = await api.get('messages/list');
    const count = lie === 'fewer items' ? 1 : 2;
    expect(body.count).toBe('2');
    expect(body.messages).toHaveLength(count);
    expect((body.messages as object[]).filter((item) => 'broken' in item)).toHaveLength(count - 1);
  });

  it('the last campaign of a list can have null for its counts', async () => {
    await market.addCampaign({ campaign_id: 'c2' });
    await market.fault({ kind: 'lie', lie: 'null counts' });
    const { body } = await api.get('campaigns_b/list_extend');
    const counts = (body.campaigns as { tasks_ok: unknown }[]).map(({ tasks_ok }) => tasks_ok);
    expect(counts).toEqual([expect.any(String), null]);
  });

  it('a lie has to be named', async () => {
    await expect(market.fault({ kind: 'lie' })).rejects.toThrow(/lie: belongs to kind/);
    await expect(market.fault({ kind: '500', lie: 'no csv' })).rejects.toThrow(/lie: belongs to kind/);
  });
});

describe('faults', () => {
  it('latency waits, then answers as usual', async () => {
    await market.fault({ kind: 'latency', delayMs: 120 });
    const before = performance.now();
    expect((await rate()).body.status).toBe('SUCCESS');
    expect(performance.now() - before).toBeGreaterThan(115);
    expect(await lastRequest()).toMatchObject({ applied: true, fault: 'latency' });
  });

  it('a latency ends when its fault is removed, also one that was its last', async () => {
    const id = await market.fault({ kind: 'latency', delayMs: 600_000 });
    const other = await market.fault({ match: { path: 'nothing' }, kind: 'latency', delayMs: 600_000 });
    const rating = rate();
    await expect.poll(async () => (await lastRequest())?.fault).toBe('latency');
    await market.clearFaults(other);
    await market.clearFaults(id);
    expect((await rating).body.status).toBe('SUCCESS');
  });

  it('500, html and 429 do nothing', async () => {
    await market.fault({ kind: '500' });
    const crash = await rate();
    expect(crash.http).toBe(500);
    expect(crash.body).not.toHaveProperty('status');
    await market.fault({ kind: 'html' });
    const proxy = await rate();
    expect(proxy.http).toBe(502);
    expect(proxy.headers.get('content-type')).toContain('text/html');
    expect(proxy.text).toContain('<html>');
    await market.fault({ kind: '429', retryAfter: 7 });
    const busy = await rate();
    expect(busy.http).toBe(429);
    expect(busy.headers.get('retry-after')).toBe('7');
    expect(await ratingOf()).toBe('NOTRATED');
    expect((await market.requests()).map(({ status, applied, fault }) => [status, applied, fault])).toEqual([
      [500, false, '500'],
      [502, false, 'html'],
      [429, false, '429'],
    ]);
  });

  it('drop-before closes the connection with nothing done', async () => {
    await market.fault({ kind: 'drop-before' });
    await expect(rate()).rejects.toThrow();
    expect(await ratingOf()).toBe('NOTRATED');
    expect(await lastRequest()).toMatchObject({ status: null, applied: false });
  });

  it('drop-after closes the connection with the change made', async () => {
    await market.fault({ kind: 'drop-after' });
    await expect(rate()).rejects.toThrow();
    expect(await ratingOf()).toBe('OK');
    expect(await lastRequest()).toMatchObject({ status: null, applied: true });
  });

  it('slow-after makes the change at once and answers late', async () => {
    await market.fault({ kind: 'slow-after', delayMs: 400 });
    const before = performance.now();
    const answer = rate();
    await expect.poll(() => ratingOf(), patient).toBe('OK');
    expect((await answer).body.status).toBe('SUCCESS');
    expect(performance.now() - before).toBeGreaterThan(395);
  });

  it('garbage makes the change and answers JSON that is cut off', async () => {
    await market.fault({ kind: 'garbage' });
    const { http, text } = await rate();
    expect(http).toBe(200);
    expect(text).toMatch(/^\{"status"/);
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(await ratingOf()).toBe('OK');
  });

  it('error answers a business error with nothing done', async () => {
    await market.fault({ kind: 'error', error: 'SYSTEM ERROR' });
    expect((await rate()).body).toEqual({ status: 'ERROR', error: 'SYSTEM ERROR' });
    expect(await ratingOf()).toBe('NOTRATED');
    await expect(market.fault({ kind: 'error' })).rejects.toThrow(/400.*error/);
  });

  it('match by method, path and key, so many times, until removed', async () => {
    const id = await market.fault({
      kind: '500',
      times: 0,
      match: { method: 'put', path: 'rate_task/', key: 'employer-demo-key' },
    });
    await market.fault({ kind: '500', times: 2, match: { path: 'campaigns_b' } });
    expect((await rate()).http).toBe(500);
    expect((await rate()).http).toBe(500);
    expect(
      (await rawMarketplace(server.url, 'other-employer-demo-key').put('campaign_hg/rate_task/c1')).http,
    ).toBe(200);
    expect((await api.get('campaign_hg/get_task_info/t0')).http).toBe(200);
    expect([(await api.get('campaigns_b/list')).http, (await api.get('campaigns_b/list')).http]).toEqual([
      500, 500,
    ]);
    expect((await api.get('campaigns_b/list')).http).toBe(200);
    await market.clearFaults(id);
    expect((await rate()).body.status).toBe('SUCCESS');
    await expect(market.clearFaults(id)).rejects.toThrow(/404/);
    await market.fault({ kind: '500', times: 0 });
    await market.clearFaults();
    expect((await rate('t1')).body.status).toBe('SUCCESS');
  });

  it('strike with a probability', async () => {
    await market.fault({ kind: '500', times: 0, probability: 0.3 });
    let struck = 0;
    for (let count = 0; count < 200; count += 1)
      if ((await api.get('campaigns_b/list')).http === 500) struck += 1;
    expect(struck).toBeGreaterThan(30);
    expect(struck).toBeLessThan(90);
    await market.clearFaults();
    await market.fault({ kind: '500', times: 0, probability: 0 });
    expect((await rate()).http).toBe(200);
  });
});

describe('the limit of requests a second', () => {
  it('answers 429 with Retry-After, per key', async () => {
    await market.settings({ requestsPerSecond: 3 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.get('campaigns_b/list')));
    expect(answers.filter(({ http }) => http === 429)).toHaveLength(2);
    expect(answers.find(({ http }) => http === 429)?.headers.get('retry-after')).toBe('1');
    expect((await rawMarketplace(server.url, 'worker-demo-key').get('messages/list')).http).toBe(200);
    await expect.poll(async () => (await api.get('campaigns_b/list')).http, { interval: 300 }).toBe(200);
  });
});

describe('the control calls', () => {
  it.each([
    ['PATCH', 'settings', { balance: 3 }, /balance/],
    ['POST', 'submit', { campaign_id: 'c1', worker_id: 'nobody' }, /no worker/],
    ['POST', 'faults', { kind: 'fire' }, /kind/],
    ['POST', 'campaigns', { status: 'OPEN' }, /status/],
    ['POST', 'campaigns', { campaign_id: 'c1' }, /campaign_id/],
    ['POST', 'reset', { scenario: { campaigns: 3 } }, /campaigns/],
  ])('%s %s %j answers 400 with the reason', async (method, path, body, reason) => {
    const response = await fetch(`${server.url}/_sandbox/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect((await response.json()) as { error: string }).toEqual({ error: expect.stringMatching(reason) });
  });

  it('answers 404 for what does not exist, and 400 for what is no JSON', async () => {
    expect((await fetch(`${server.url}/_sandbox/nothing`)).status).toBe(404);
    await expect(market.patchCampaign('nope', {})).rejects.toThrow(/404/);
    await expect(market.submit({ campaign_id: 'nope' })).rejects.toThrow(/404/);
    const broken = await fetch(`${server.url}/_sandbox/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(broken.status).toBe(400);
    expect(await market.requests()).toEqual([]);
  });

  it('survives a client that goes away in the middle of an upload', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      'POST /campaign_b/submit_file_proof/c1 HTTP/1.1\r\nHost: x\r\nServiceApiKey: employer-demo-key\r\n' +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n--b\r\n' +
        'Content-Disposition: form-data; name="file_proof"; filename="a.png"\r\n\r\nhalf',
    );
    await expect.poll(async () => (await market.requests()).length, patient).toBe(1);
    socket.destroy();
    expect((await rate()).body.status).toBe('SUCCESS');
    expect((await market.requests())[0]).toMatchObject({ status: null, applied: false });
    expect((await market.state()).tasks).toHaveLength(2);
  });
});
