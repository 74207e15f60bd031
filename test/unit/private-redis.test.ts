import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { type PrivateRedis, startPrivateRedis } from '../../src/store/private-redis.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'proofdesk private-'));
});

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<PrivateRedis> {
  const redis = await startPrivateRedis({ dataDir });
  onTestFinished(() => redis.stop());
  return redis;
}

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

/** The process id of the redis-server itself. */
const serverPid = (url: string) =>
  withClient(url, async (client) => Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]));

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Another process that runs a private Redis in the same folder and prints its address, or why it could not. */
async function otherProcess(env = process.env): Promise<{ child: ChildProcess; said: string }> {
  const module = new URL('../../src/store/private-redis.ts', import.meta.url).href;
  const code = `const { startPrivateRedis } = await import(${JSON.stringify(module)});
    try { console.log((await startPrivateRedis({ dataDir: ${JSON.stringify(dataDir)} })).url); }
    catch (error) { console.log(error.name + ': ' + error.message); }
    setInterval(() => {}, 1000);`;
  const flags = ['--import', 'tsx', '--input-type=module', '-e', code];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, said };
}

test('a private Redis keeps its data from one start to the next', async () => {
  const first = await start();
  await withClient(first.url, (client) => client.set('decision', 'OK'));
  await first.stop();
  const second = await start();
  expect(await withClient(second.url, (client) => client.get('decision'))).toBe('OK');
});

test('a private Redis keeps every write, never evicts, and answers nobody without its password', async () => {
  const redis = await start();
  const names = ['appendonly', 'appendfsync', 'maxmemory-policy'];
  const read = (client: Redis) => Promise.all(names.map((name) => client.config('GET', name)));
  const settings = await withClient(redis.url, read);
  // A power cut loses nothing that was answered.
  expect(settings.map((pair) => (pair as string[])[1])).toEqual(['yes', 'always', 'noeviction']);
  const nameless = redis.url.replace(/:\w+@/, '');
  await expect(withClient(nameless, (client) => client.ping())).rejects.toThrow('NOAUTH');
  expect((await stat(join(dataDir, 'redis', 'redis.conf'))).mode & 0o077).toBe(0);
});

test('a private Redis refuses a second user of the same folder, by name', async () => {
  const { child } = await otherProcess();
  const refused = await startPrivateRedis({ dataDir }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(String(refused)).toContain(`process ${child.pid}`);
  expect(String(refused)).toContain('DATA_DIR');
});

test('of ten private Redis that start at once in a folder with a dead owner, exactly one gets it', async () => {
  const before = await start();
  const stale = JSON.stringify({ pid: process.pid, startedAt: 'another time' });
  await before.stop();
  await writeFile(join(dataDir, 'redis', 'owner.lock'), stale);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => startPrivateRedis({ dataDir })));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  await Promise.all(started.map((redis) => redis.stop()));
  expect(started).toHaveLength(1);
});

test('a killed owner loses nothing: its redis-server ends by itself and the next start has the data', async () => {
  const { child, said } = await otherProcess();
  const pid = await serverPid(said);
  await withClient(said, (client) => client.set('decision', 'NOK'));
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  const next = await start();
  expect(await withClient(next.url, (client) => client.get('decision'))).toBe('NOK');
});

test('a redis-server left running in the folder is ended, its data saved, before a new one starts', async () => {
  const before = await start();
  await before.stop();
  const left = spawn('redis-server', ['redis.conf'], { cwd: join(dataDir, 'redis'), stdio: 'ignore' });
  await withClient(before.url, (client) => client.set('decision', 'REVISE'));
  const ended = once(left, 'exit');
  const next = await start();
  expect(await ended).toEqual([0, null]);
  expect(await withClient(next.url, (client) => client.get('decision'))).toBe('REVISE');
});

test('a private Redis comes back on the same address when it dies, and stops for good when told', async () => {
  const redis = await start();
  await withClient(redis.url, async (client) => {
    await client.set('decision', 'OK');
    const pid = await serverPid(redis.url);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await serverPid(redis.url)).not.toBe(pid), { timeout: 60_000 });
    expect(await client.get('decision')).toBe('OK');
  });
  const pid = await serverPid(redis.url);
  await redis.stop();
  expect(isAlive(pid)).toBe(false);
});

test('the start says what to run when redis-server is not installed', async () => {
  const { said } = await otherProcess({ ...process.env, PATH: '/nowhere' });
  expect(said).toMatch(/^UserError: redis-server is not installed\. Run "npm run setup"/);
});
