import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { messageOf, UserError } from '../errors.ts';

/** A redis-server that belongs to this process, on a loopback port behind a random password. */
export interface PrivateRedis {
  /** `redis://:password@127.0.0.1:port`: a secret that must not be logged. */
  readonly url: string;
  /** Saves its data and shuts it down. */
  stop(): Promise<void>;
}

/**
 * Supervises redis-server. Its standard input is a pipe from the bot: when the bot ends, killed or not, the pipe closes and
 * redis-server saves and stops. It runs in its own session, so that Ctrl-C in the terminal does not stop it while the bot
 * still finishes work in progress.
 */
const supervisorScript = `exec 3<&0
redis-server redis.conf 3<&- </dev/null &
server=$!
{ read _ <&3; kill -TERM $server 2>/dev/null; } &
wait $server
status=$?
kill $! 2>/dev/null
exit $status`;

const startAttempts = 5;
const stopTimeoutMs = 10_000;
/**
 * Backoff before redis-server is restarted: doubled each time it has not run for long, such as on a full disk, where it ends
 * at its first write.
 */
const restartDelaysMs = { first: 500, longest: 10_000, ranLong: 60_000 };

const notInstalledText =
  'redis-server is not installed. Run "npm run setup", or install it yourself (Debian, Ubuntu: "apt-get install ' +
  'redis-server"; macOS: "brew install redis"), or set REDIS_URL to the address of a Redis.';

/**
 * Starts a redis-server that stores its data under `dataDir`/redis with the append-only file on, and waits until it has
 * loaded them. First saves and stops a redis-server left there by a killed process. If redis-server dies, it is restarted on
 * the same address.
 *
 * Throws UserError when redis-server is missing or does not start, or when another process uses the same `dataDir`.
 */
export async function startPrivateRedis(options: {
  dataDir: string;
  logger?: Pick<Logger, 'error' | 'info'>;
}): Promise<PrivateRedis> {
  const folder = resolve(options.dataDir, 'redis');
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new UserError(
      `The folder ${folder} cannot be created (${messageOf(error)}). Set DATA_DIR to a folder that can.`,
    );
  });
  const lock = await acquireOwnerLock(join(folder, 'owner.lock'));
  if ('heldBy' in lock) {
    throw new UserError(
      `Another Proofdesk (process ${lock.heldBy}) keeps its data in ${resolve(options.dataDir)}. Stop it first, set ` +
        'DATA_DIR to another folder, or let several processes share one Redis by REDIS_URL.',
    );
  }
  try {
    await endLeftover(folder);
    let server = await startOnFreePort(folder);
    let stopping = false;
    let restarting: Promise<void> = Promise.resolve();
    let restartDelayMs = restartDelaysMs.first;

    const watch = (child: ChildProcess): void => {
      const startedAt = performance.now();
      child.once('exit', (code) => {
        if (!stopping) {
          options.logger?.error({ code }, 'private redis-server exited, restarting');
          if (performance.now() - startedAt > restartDelaysMs.ranLong) restartDelayMs = restartDelaysMs.first;
          restarting = restart();
        }
      });
    };
    const restart = async (): Promise<void> => {
      while (!stopping) {
        await delay(restartDelayMs);
        restartDelayMs = Math.min(2 * restartDelayMs, restartDelaysMs.longest);
        if (stopping) return;
        // Perhaps only its supervisor died: two servers must never write the same files.
        await endLeftover(folder).catch(() => undefined);
        const again = await run(folder, server.url);
        if (!('child' in again)) {
          options.logger?.error({ code: again.exitCode }, 'private redis-server restart failed');
          continue;
        }
        server = { url: server.url, child: again.child };
        options.logger?.info('private redis-server restarted');
        watch(again.child);
        return;
      }
    };
    watch(server.child);
    return {
      url: server.url,
      async stop() {
        stopping = true;
        await restarting;
        await end(server.child);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startOnFreePort(folder: string): Promise<{ url: string; child: ChildProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const password = randomBytes(24).toString('hex');
    const url = `redis://:${password}@127.0.0.1:${port}`;
    await writeFile(join(folder, 'redis.conf'), configuration(port, password), { mode: 0o600 });
    const started = await run(folder, url);
    if ('child' in started) return { url, child: started.child };
    if (started.exitCode === 127) throw new UserError(notInstalledText);
    // Another process may have taken the port between the check and the start.
    if (attempt === startAttempts) {
      throw new UserError(
        `redis-server did not start in ${folder}. Its log says why: ${join(folder, 'redis.log')}.`,
      );
    }
  }
}

/**
 * With `appendfsync always`, every write that Redis has acknowledged survives a power cut: see docs/adr/0002-redis-and-bullmq.md.
 */
function configuration(port: number, password: string): string {
  return `# Written at every start.
bind 127.0.0.1
port ${port}
requirepass ${password}
dir ./
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction
logfile redis.log
daemonize no
`;
}

/** Starts redis-server with the configuration in the folder and waits until it has loaded its data, or has ended. */
async function run(
  folder: string,
  url: string,
): Promise<{ child: ChildProcess } | { exitCode: number | null }> {
  const child = spawn('/bin/sh', ['-c', supervisorScript], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin?.on('error', () => undefined);
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null, lazyConnect: true });
  client.on('error', () => undefined);
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(child, 'exit', { signal: ended.signal }).then(
        () => ({ exitCode: child.exitCode }),
        () => ({ exitCode: null }),
      ),
      ready(client).then(() => ({ child })),
    ]);
  } finally {
    ended.abort();
    client.disconnect();
  }
}

/** Waits without a timeout: loading the data of a large team takes a while. */
function ready(client: Redis): Promise<void> {
  // Refused until redis-server listens; the client retries automatically.
  client.connect().catch(() => undefined);
  return new Promise((resolve) => {
    client.once('ready', resolve);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const tooLong = new AbortController();
  await Promise.race([
    exited,
    delay(stopTimeoutMs, undefined, { signal: tooLong.signal }).then(() => {
      // Everything that redis-server has acknowledged is on disk.
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    }),
  ]);
  tooLong.abort();
}

async function urlIn(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'redis.conf'), 'utf8').catch(() => '');
  const port = /^port (\d+)$/m.exec(text)?.[1];
  const password = /^requirepass (\S+)$/m.exec(text)?.[1];
  return port === undefined || password === undefined ? undefined : `redis://:${password}@127.0.0.1:${port}`;
}

/** Stops a redis-server whose owner was killed together with its supervisor. */
async function endLeftover(folder: string): Promise<void> {
  const url = await urlIn(folder);
  if (url === undefined) return;
  const deadline = performance.now() + stopTimeoutMs;
  // It stops listening after everything is on disk, so a refused connection means that it is safe to continue. The
  // password is random, so another process on that port refuses it.
  while (await shutDown(url)) {
    if (performance.now() > deadline) {
      throw new UserError(
        `An older redis-server on port ${new URL(url).port} still uses ${folder} and does not stop. End it, then start again.`,
      );
    }
    await delay(50);
  }
}

/** Makes the redis-server at `url` save and stop. Resolves to false when there is none, or it is another one. */
async function shutDown(url: string): Promise<boolean> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2000,
    commandTimeout: 2000,
    enableReadyCheck: false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    await client.call('SHUTDOWN').catch(() => undefined);
    return true;
  } catch (error) {
    return messageOf(error).startsWith('LOADING');
  } finally {
    client.disconnect();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Acquires the lock file at `path` for this process, or returns the id of the living process that holds it. Takes over the
 * lock of a dead process. Works between processes of one machine, not for a folder shared between machines.
 */
async function acquireOwnerLock(
  path: string,
): Promise<{ readonly release: () => Promise<void> } | { readonly heldBy: number }> {
  // The start time distinguishes the owner from a later process with the same id.
  const content = `${process.pid} ${await processStart(process.pid)}`;
  for (;;) {
    if (await createAtomically(path, content)) return { release: () => removeIfUnchanged(path, content) };
    const found = await readFile(path, 'utf8').catch(() => undefined);
    if (found === undefined) continue;
    const heldBy = Number.parseInt(found, 10);
    const startedAt = await processStart(heldBy);
    if (startedAt !== undefined && found === `${heldBy} ${startedAt}`) return { heldBy };
    await removeIfUnchanged(path, found);
  }
}

/** Creates a file with all of its content at once, so that nobody reads half of it. Resolves to false when it exists. */
async function createAtomically(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the file if its content is unchanged. It is first moved aside and checked there, because another process may have
 * replaced it since it was read; other content is put back.
 */
async function removeIfUnchanged(path: string, content: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== content) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Returns when a process started, in the system's format; undefined when there is no such process. */
async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    try {
      // Fields 3 (state) and 22 (start), counted after the name in brackets, which may contain any character.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
