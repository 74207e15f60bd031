import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxMarketplace, Scenario } from '../src/index.ts';
import { createSandboxMarketplace } from '../src/index.ts';
import { campaignStatuses, ratings } from '../src/terms.ts';
import { marketplaceHandle, rawMarketplace } from '../src/testing/index.ts';

/** A busy machine may take its time: what is awaited is a condition, not a moment. */
const patient = { timeout: 60_000 };
const running: SandboxMarketplace[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(options: Parameters<typeof createSandboxMarketplace>[0] = {}) {
  const server = await createSandboxMarketplace(options);
  running.push(server);
  return { server, market: marketplaceHandle(server.url), api: rawMarketplace(server.url) };
}

describe('the seeded world', () => {
  it('is the same every time but for its dates', async () => {
    const worlds = await Promise.all([start(), start()]);
    const [one, other] = await Promise.all(
      worlds.map(async ({ market }) =>
        JSON.stringify(await market.state()).replace(
          /\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{3}Z)?/g,
          'date',
        ),
      ),
    );
    expect(one).toBe(other);
  });

  it('has all statuses, all ratings, and few enough waiting tasks for a first look', async () => {
    const { market } = await start();
    const { campaigns, tasks } = await market.state();
    expect(new Set(campaigns.map(({ campaign_status }) => campaign_status))).toEqual(
      new Set(campaignStatuses),
    );
    expect(new Set(tasks.map(({ task_rating }) => task_rating))).toEqual(new Set(ratings));
    const waiting = tasks.filter(({ task_rating }) => task_rating === 'NOTRATED');
    expect(waiting.length).toBeGreaterThanOrEqual(8);
    expect(waiting.length).toBeLessThanOrEqual(14);
    for (const campaign of campaigns) {
      const own = tasks.filter(({ campaign_id }) => campaign_id === campaign.campaign_id);
      for (const rating of ratings) {
        expect(own.filter(({ task_rating }) => task_rating === rating)).toHaveLength(campaign.counts[rating]);
      }
    }
  });

  it('has real PNG, JPEG, PDF and text files on waiting tasks', async () => {
    const { market, server } = await start();
    const begins = new Map<string, string>();
    for (const { task_id, files, task_rating } of (await market.state()).tasks) {
      for (const [at, { content_type, size }] of task_rating === 'NOTRATED' ? files.entries() : []) {
        const response = await fetch(`${server.url}/campaign_hg/download_file_proof/${task_id}_${at + 1}`, {
          headers: { ServiceApiKey: 'employer-demo-key' },
        });
        const bytes = Buffer.from(await response.arrayBuffer());
        // That of the other employer is an error.
        if (bytes[0] === 0x7b) continue;
        expect(bytes).toHaveLength(size);
        begins.set(content_type, bytes.subarray(0, 4).toString('latin1'));
      }
    }
    expect(Object.fromEntries(begins)).toEqual({
      'image/png': '\x89PNG',
      'image/jpeg': '\xff\xd8\xff\xe0',
      'application/pdf': '%PDF',
      'text/plain': expect.any(String),
    });
  });
});

describe('scenarios', () => {
  it('add to the seed when told so, and a reset goes back to the start', async () => {
    const { market } = await start();
    const seeded = (await market.state()).campaigns.length;
    await market.reset({ seed: true, campaigns: [{ title: 'One more' }] });
    expect((await market.state()).campaigns).toHaveLength(seeded + 1);
    await market.settings({ errorStatus: 400 });
    await market.fault({ kind: '500' });
    await market.reset();
    const state = await market.state();
    expect(state.campaigns).toHaveLength(seeded);
    expect(state.settings.errorStatus).toBe(200);
    expect(state.faults).toEqual([]);
  });
});

describe('the simulated workers', () => {
  const quick = { workerEverySeconds: 0.05, messageEverySeconds: 0.1, correctSeconds: 0.1 };
  const scenario: Scenario = {
    campaigns: [
      { campaign_id: 'c1', category: '0401', file_proof: 1, tasks: [{ task_id: 't0' }] },
      { campaign_id: 'paused', status: 'PAUSED' },
    ],
  };

  it('correct what came back with REVISE, remembering the comment, and write messages', async () => {
    const { market, api } = await start({
      scenario,
      workers: true,
      settings: { ...quick, workerEverySeconds: 1000 },
    });
    await api.put('campaign_hg/rate_tasks/c1', {
      'id_task[]': ['t0'],
      'rating[]': ['REVISE'],
      'comment[]': ['Which street?'],
    });
    await expect.poll(async () => (await market.task('t0')).task_rating, patient).toBe('NOTRATED');
    expect((await market.task('t0')).proof[0]).toContain('Which street?');
    await expect.poll(async () => (await market.state()).messages.length, patient).toBeGreaterThan(2);
    expect((await market.state()).messages[0]).toMatchObject({ folder: 'INBOX', unread: true });
  });

  it('start and stop on demand, and leave a full campaign finished', async () => {
    const { market } = await start({
      settings: quick,
      scenario: { campaigns: [{ campaign_id: 'c1', available_positions: 3 }] },
    });
    await market.workers(true, 0.05);
    await expect
      .poll(async () => (await market.state()).campaigns[0]?.campaign_status, patient)
      .toBe('FINISHED');
    expect((await market.state()).tasks).toHaveLength(3);
    await market.workers(false);
    expect((await market.state()).workersRunning).toBe(false);
  });
});

describe('the command', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function command(...words: string[]) {
    const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/marketplace/src/main.ts', ...words], {
      cwd: root,
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return {
      child,
      output: () => output,
      exit: once(child, 'exit') as Promise<[number | null, string | null]>,
    };
  }

  it('says where it listens, serves a scenario, and ends clean on SIGTERM', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proofdesk-'));
    const file = join(folder, 'scenario.json');
    await writeFile(
      file,
      JSON.stringify({ campaigns: [{ title: 'From a file', created_datetime: '2026-01-01 00:00:00' }] }),
    );
    const { child, output, exit } = command('--port', '0', '--scenario', file);
    await expect.poll(output).toMatch(/^Sandbox marketplace at http:\/\/127\.0\.0\.1:\d+\n$/);
    const url = output().trim().split(' ').at(-1) ?? '';
    expect((await rawMarketplace(url).get('campaigns_b/list')).text).toContain('From a file');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await rm(folder, { recursive: true });
  });

  it.each([
    [['--port', 'many'], /--port must be a number/],
    [['--color'], /Usage:/],
    [['--scenario', '/nowhere.json'], /cannot be read/],
    [['--scenario', 'package.json'], /not valid/],
  ])(
    'refuses %j with exit code 2',
    async (words, message) => {
      const { output, exit } = command(...words);
      expect(await exit).toEqual([2, null]);
      expect(output()).toMatch(message);
    },
    30_000,
  );
});
