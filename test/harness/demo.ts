import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { isFree } from './ports.ts';

/** `npm run demo` or `npm run dev`, running. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;

/**
 * Starts the demo as a person does, on consecutive free ports, and waits for its line `ready`. `folder` is the project's
 * folder or a copy of it.
 */
export async function startDemo(command: 'demo' | 'dev' = 'demo', folder = process.cwd()) {
  const port = await freePorts();
  const child = spawn('npm', ['run', command, '--', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const output: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        output.push(line);
        if (line.startsWith('ready')) resolve();
      });
    }
    void ended.then((code) => reject(new Error(`${command} ended with code ${code}:\n${output.join('\n')}`)));
  });
  await ready;
  return {
    /** The workspace's page. */
    url: `http://localhost:${port}`,
    marketplaceUrl: `http://localhost:${port + 1}`,
    /** The lines printed so far. */
    output,
    /** Presses Ctrl-C. Resolves with the exit code. */
    async interrupt() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

const copied = [
  'src',
  'desk',
  'sandbox',
  'scripts',
  'manifest.yml',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** Fonts become files of the page. A linked package is read where it really is. */
const isFonts = (name: string) => /fontsource|twemoji/.test(name);

/**
 * Copies the project, for tests that change its files. Returns its folder, whose path has characters that mean something in
 * addresses.
 */
export async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk #1 100% für '));
  for (const path of copied) await cp(path, join(folder, path), { recursive: true });
  const packages = join(process.cwd(), 'node_modules');
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(packages)) {
    const [from, to] = [join(packages, name), join(folder, 'node_modules', name)];
    await (isFonts(name) ? cp(from, to, { recursive: true }) : symlink(from, to));
  }
  return folder;
}

/**
 * Returns the first of four consecutive free ports, which is how many either command needs. No other test uses ports of
 * this range: those of a process that restarts are free for a moment.
 */
async function freePorts(): Promise<number> {
  for (let port = 31_100 + 4 * Math.floor(Math.random() * 400); ; port += 4) {
    const free = await Promise.all([port, port + 1, port + 2, port + 3].map(isFree));
    if (free.every(Boolean)) return port;
  }
}

type Market = ReturnType<typeof marketplaceHandle>;

/** Returns a campaign of the demo's employer. */
export async function employersCampaign(market: Market, status: string, title = /./) {
  const { accounts, campaigns } = await market.state();
  const owner = accounts.find(({ key }) => key === 'employer-demo-key')?.id;
  const found = campaigns.find(
    (one) => one.owner === owner && one.campaign_status === status && title.test(one.title),
  );
  if (found === undefined) throw new Error(`the demo has no campaign that is ${status}`);
  return found;
}

/** A worker hands in a proof that is easy to recognize, in a campaign that runs. Returns the task. */
export async function handInAt(market: Market, proof: string): Promise<string> {
  await makeRoom(market);
  const { campaign_id } = await employersCampaign(market, 'RUNNING', /receipt/);
  const [task = ''] = await market.submit({ campaign_id, proof: [proof] });
  return task;
}

/** Rates most of what waits on the website, the newest aside: a channel has room for so many open cards only. */
async function makeRoom(market: Market): Promise<void> {
  const { accounts, campaigns, tasks } = await market.state();
  const owner = accounts.find(({ key }) => key === 'employer-demo-key')?.id;
  const own = new Set(campaigns.filter((one) => one.owner === owner).map(({ campaign_id }) => campaign_id));
  const waiting = tasks.filter((task) => task.task_rating === 'NOTRATED' && own.has(task.campaign_id));
  for (const { task_id } of waiting.slice(0, -8)) {
    // One that is rated at that moment makes room by itself.
    await market.rate(task_id, 'NOK', 'Rated on the website').catch(() => {});
  }
}
