/**
 * The sandbox marketplace, for programs that run it in their own process: see README.md. Code elsewhere may
 * use only these exports of the folder; everything else is done over HTTP, under `/_sandbox/`.
 */
import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import fastify from 'fastify';
import { Refusal } from './answers.ts';
import { registerApiPage } from './api-page/index.ts';
import { keyErrors } from './assumptions.ts';
import { campaignEndpoints } from './campaigns.ts';
import { registerControl } from './control.ts';
import type { Endpoint } from './endpoint.ts';
import { fileEndpoints } from './files.ts';
import { listEndpoints } from './lists.ts';
import { messageEndpoints } from './messages.ts';
import { newCampaignEndpoints } from './new-campaign.ts';
import { createPipeline } from './pipeline.ts';
import { ratingEndpoints } from './ratings.ts';
import { createSandbox } from './sandbox.ts';
import { Scenario } from './scenario.ts';
import type { Settings } from './settings.ts';
import { registerWorldPage } from './world-page/index.ts';

export { type FaultKind, faultKinds, type Lie, lies } from './faults.ts';
export { createRandom, type Random } from './random.ts';
export type { Scenario } from './scenario.ts';
export type { Settings } from './settings.ts';
export type { SandboxState } from './state.ts';

export interface SandboxMarketplace {
  /** `http://127.0.0.1:<port>`, the base address of API and control calls. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The 21 operations of the API. */
export const endpoints: readonly Endpoint[] = [
  ...campaignEndpoints,
  ...newCampaignEndpoints,
  ...ratingEndpoints,
  ...fileEndpoints,
  ...messageEndpoints,
  ...listEndpoints,
];

/** Answers every other path. */
const unknownFunction: Endpoint = {
  method: 'GET',
  path: '',
  handle() {
    throw new Refusal(keyErrors.unknownFunction, {}, true);
  },
};

/**
 * Starts a marketplace on this machine: the API, and the calls under `/_sandbox/` (README.md).
 * Port 0, the default, takes any free port. Rejects if the port is taken, and throws for an invalid scenario.
 */
export async function createSandboxMarketplace(
  options: { port?: number; scenario?: Scenario; settings?: Partial<Settings>; workers?: boolean } = {},
): Promise<SandboxMarketplace> {
  const sandbox = createSandbox({
    scenario: options.scenario && Scenario.parse(options.scenario),
    settings: options.settings ?? {},
    workers: options.workers ?? false,
  });
  const serve = createPipeline(sandbox);
  const app = fastify({
    bodyLimit: 256 * 1024 * 1024,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 10_000 },
  });
  await app.register(multipart, { throwFileSizeLimit: false });
  await app.register(async (api) => {
    api.removeContentTypeParser(['application/json', 'text/plain']);
    api.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    for (const endpoint of endpoints) {
      api.route({
        method: endpoint.method,
        url: endpoint.path,
        exposeHeadRoute: false,
        handler: (request, reply) => serve(endpoint, request, reply),
      });
    }
    api.setNotFoundHandler((request, reply) =>
      request.url.startsWith('/_sandbox/')
        ? reply.code(404).send({ error: `no such call: ${request.method} ${request.url}` })
        : serve(unknownFunction, request, reply),
    );
  });
  await app.register(async (control) => {
    registerControl(control, sandbox);
    registerApiPage(control, sandbox);
    registerWorldPage(app);
  });
  app.addHook('preClose', () => sandbox.close());
  try {
    await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  } catch (error) {
    sandbox.close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => app.close() };
}
