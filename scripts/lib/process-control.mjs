import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * Serves process control for the demo's page: `GET /` lists which processes run; `POST /<name>/<act>` acts on one of them.
 * Requests from other websites open in the same browser are refused.
 *
 * @param {{ port: number, pages: string[], processes: Record<string, { isRunning?: () => boolean, acts: Record<string, () => Promise<unknown>> }> }} options
 *   `pages`: the origins of the page
 */
export async function serveProcessControl({ port, pages, processes }) {
  const answer = async (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !pages.includes(origin)) {
      response.writeHead(403).end();
      return;
    }
    const [, name, act] = (request.url ?? '').split('/');
    const run = request.method === 'POST' ? own(own(processes, name)?.acts, act) : undefined;
    let status = 200;
    let error;
    try {
      if (run !== undefined) await run();
      else if (request.method !== 'GET') status = 404;
    } catch (reason) {
      status = 500;
      error = reason instanceof Error ? reason.message : String(reason);
    }
    response.writeHead(status, {
      'content-type': 'application/json',
      'access-control-allow-origin': origin,
      vary: 'origin',
    });
    response.end(JSON.stringify({ error, processes: stateOf(processes) }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function own(object, key) {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function stateOf(processes) {
  return Object.entries(processes).map(([name, { isRunning, acts }]) => ({
    name,
    isRunning: isRunning?.() ?? true,
    acts: Object.keys(acts),
  }));
}

/** Kills a bot's private redis-server as a crash would, without a shutdown or a save. */
export async function killPrivateRedis(dataDir) {
  // Imported late: on a fresh clone, the packages are installed only after this file is loaded.
  const { Redis } = await import('ioredis');
  const settings = await readFile(join(dataDir, 'redis', 'redis.conf'), 'utf8');
  const setting = (name) => new RegExp(`^${name} (.*)$`, 'm').exec(settings)?.[1];
  const redis = new Redis({
    host: '127.0.0.1',
    port: Number(setting('port')),
    password: setting('requirepass'),
    maxRetriesPerRequest: 1,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  try {
    const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
    process.kill(pid, 'SIGKILL');
  } finally {
    redis.disconnect();
  }
}
