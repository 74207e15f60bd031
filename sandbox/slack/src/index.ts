/**
 * The sandbox workspace, for programs that run it in their own process: see README.md. Code elsewhere may
 * use only the exports of this file, `blockkit/index.ts` and `renderer.ts`; everything else is done over HTTP, under
 * `/_sandbox/`.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import formbody from '@fastify/formbody';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { WebSocketServer } from 'ws';
import { parse as parseYaml } from 'yaml';
import { serveControl } from './control.ts';
import { createDeliver } from './delivery.ts';
import { createEvents } from './events.ts';
import { createFaults } from './faults.ts';
import { createHttpDelivery } from './http-delivery.ts';
import { createRateLimits } from './limits.ts';
import { createRequestLog } from './log.ts';
import type { Settings } from './model.ts';
import { pageFolder } from './page/build.ts';
import { servePublicRoutes } from './public-routes.ts';
import type { Workspace } from './seed.ts';
import type { ServerParts } from './server-parts.ts';
import { createSockets } from './sockets.ts';
import { createResponseUrls, createTriggers } from './tokens.ts';
import { serveVerification } from './verification.ts';
import { serveWebApi } from './web/dispatch.ts';
import { createWorld } from './world.ts';

export { elementsOf, type Found } from './elements.ts';
export type { FaultInput } from './faults.ts';
export type {
  ActResult,
  Block,
  LoggedRequest,
  Option,
  OptionsResult,
  SandboxState,
  Settings,
  SlackFile,
  SubmitResult,
  View,
} from './model.ts';
export { buildPage } from './page/build.ts';
export { folderForVite } from './page/folder-for-vite.ts';
export type { Workspace } from './seed.ts';

export type SandboxSlack = {
  /** The page, and everything under `/_sandbox/`. */
  url: string;
  /** The Web API's base: `SLACK_API_URL` of a bot. */
  apiUrl: string;
  port: number;
  close: () => Promise<void>;
};

/** The manifest of the app under test, in the folder from which the sandbox is started. */
const MANIFEST = 'manifest.yml';

const PAGE_INDEX = join(pageFolder, 'index.html');
const NO_PAGE = `The page was not built yet: start the sandbox with \`npm run sandbox:slack\`, or call buildPage().
The Web API is at /api/, the sandbox's own calls are under /_sandbox/.`;

/**
 * Starts a sandbox workspace on 127.0.0.1. `port` 0 takes any free port. Rate limits are off unless the settings turn
 * them on. The app's commands, shortcuts, scopes and events come from manifest.yml in the working directory, unless the
 * workspace has its own manifest (null: everything is allowed). `panel` is the address of a page that can be shown beside
 * the workspace. `processes` is the address of a server that kills and starts the app: `GET /` answers
 * `{ processes: [{ name, isRunning, acts }] }`, `POST /<name>/<act>` runs an act.
 */
export async function createSandboxSlack(
  options: {
    port?: number;
    workspace?: Workspace;
    settings?: Partial<Settings>;
    panel?: string;
    processes?: string;
  } = {},
): Promise<SandboxSlack> {
  const manifest = resolve(MANIFEST);
  const projectManifest: unknown = existsSync(manifest)
    ? parseYaml(readFileSync(manifest, 'utf8'))
    : undefined;
  const world = createWorld({
    workspace: options.workspace ?? {},
    settings: options.settings ?? {},
    projectManifest,
    panel: options.panel,
    processes: options.processes,
  });
  const log = createRequestLog();
  const faults = createFaults();
  const http = createHttpDelivery();
  const sockets = createSockets({
    wsUrl: () => world.baseUrl.replace(/^http/, 'ws'),
    onChange: () => world.changed({ what: 'sockets' }),
    onUnknownAck: (envelopeId) =>
      log.add({ direction: 'in', method: 'late_ack', envelope: envelopeId, ok: false, error: 'too late' }),
  });
  const deliver = createDeliver({ world, sockets, http, faults, log });
  const parts: ServerParts = {
    world,
    log,
    faults,
    limits: createRateLimits(() => world.settings.rateLimits),
    triggers: createTriggers(Date.now, () => world.settings.answerMs),
    responseUrls: createResponseUrls(world.team.id, () => world.baseUrl),
    sockets,
    deliver,
    events: createEvents(world, deliver),
  };

  const app = Fastify({ bodyLimit: 32 * 1024 * 1024, forceCloseConnections: true });
  await app.register(formbody, { bodyLimit: 32 * 1024 * 1024 });
  // Control calls without a body may still have the content type of JSON.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)));
    } catch {
      done(Object.assign(new Error('The body is no valid JSON'), { statusCode: 400 }));
    }
  });
  serveWebApi(app, parts);
  await servePublicRoutes(app, parts);
  serveControl(app, parts);
  serveVerification(app, parts, http);
  mkdirSync(pageFolder, { recursive: true });
  await app.register(fastifyStatic, { root: pageFolder, serve: false, preCompressed: true });
  app.get<{ Params: { '*': string } }>('/*', (request, reply) =>
    existsSync(PAGE_INDEX)
      ? reply.sendFile(request.params['*'] || 'index.html')
      : reply.code(503).type('text/plain').send(NO_PAGE),
  );

  const watchers = new WebSocketServer({ noServer: true });
  const stopWatching = world.onChange((change) => {
    const text = JSON.stringify(change);
    for (const watcher of watchers.clients) watcher.send(text);
  });
  app.server.on('upgrade', (request, socket, head) => {
    if (request.url?.startsWith('/link') === true) sockets.upgrade(request, socket, head);
    else if (request.url?.startsWith('/_sandbox/events') === true)
      watchers.handleUpgrade(request, socket, head, () => {});
    else socket.destroy();
  });

  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  world.baseUrl = `http://127.0.0.1:${port}`;

  return {
    url: world.baseUrl,
    apiUrl: `${world.baseUrl}/api/`,
    port,
    close: async () => {
      stopWatching();
      deliver.close();
      for (const watcher of watchers.clients) watcher.terminate();
      sockets.close();
      http.close();
      await app.close();
    },
  };
}
