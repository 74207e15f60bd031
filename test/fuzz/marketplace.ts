import { createServer, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { messageOf } from '../../src/errors.ts';
import type { endpoints } from '../../src/marketplace/endpoints.ts';
import {
  createMarketplaceClient,
  knownErrors,
  MarketplaceError,
  TransportError,
} from '../../src/marketplace/index.ts';
import { apiCalls } from '../harness/api-calls.ts';
import { listen } from '../harness/ports.ts';
import { answersOf } from './api-samples.ts';
import { entryPoint } from './run.ts';
import { planted } from './secrets.ts';
import { damaged, hostileText, hostileValue, mutated, weighted } from './values.ts';

/** Long enough for an answer that comes at once, and short enough for many that are asked for again (ms). */
const deadlineMs = 200;

/** What the marketplace answers to a call. */
interface ApiAnswer {
  readonly endpoint: keyof typeof endpoints;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The connection ends within the body. */
  readonly isCut: boolean;
}

const json = (value: unknown) => JSON.stringify(value) ?? 'null';

function bodies(endpoint: keyof typeof endpoints): fc.Arbitrary<string> {
  const success = fc.constant({ status: 'SUCCESS', ...answersOf[endpoint] });
  const refusal = fc.record({
    status: fc.constant('ERROR'),
    error: fc.oneof(
      fc.constantFrom(...knownErrors.map(({ text }) => text)),
      fc.constant(`NO RIGHTS FOR ${planted.apiKey}`),
      hostileText,
    ),
    errors_list: fc.array(hostileText, { maxLength: 2 }),
    min_payment_per_task: hostileValue,
  });
  return weighted(
    [6, mutated(success).map(json)],
    [3, mutated(refusal).map(json)],
    [2, damaged(success.map(json))],
    [1, hostileValue.map(json)],
    [1, fc.oneof(hostileText, fc.constant(`API KEY WRONG ${planted.apiKey}`))],
  );
}

const header = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { 'content-type': 'text/html' },
  { 'content-type': 'application/octet-stream' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, gzip, nonsense' },
  { 'content-disposition': 'attachment; filename="../../etc/passwd"' },
  { 'content-disposition': "attachment; filename*=UTF-8''%zz%00" },
  { 'retry-after': '-1' },
  { 'retry-after': '99999999999' },
  { location: 'http://127.0.0.1:1/' },
);

const answers: fc.Arbitrary<ApiAnswer> = fc
  .constantFrom(...(Object.keys(answersOf) as (keyof typeof endpoints)[]))
  .chain((endpoint) =>
    fc.record({
      endpoint: fc.constant(endpoint),
      status: weighted(
        [6, fc.constant(200)],
        [2, fc.constantFrom(201, 204, 302, 304, 400, 401, 403, 404, 429, 500, 503)],
      ),
      headers: header,
      body: bodies(endpoint),
      isCut: fc.integer({ min: 0, max: 19 }).map((number) => number === 0),
    }),
  );

/** The answers of the marketplace's API, read by its client over a real connection. */
export const apiAnswers = entryPoint('API answers', async () => {
  const waiting = new Map<string, ApiAnswer>();
  const server = createServer((request, response) => {
    const answer = waiting.get(/^\/(\d+)\//.exec(request.url ?? '')?.[1] ?? '');
    request.resume();
    if (answer === undefined) response.destroy();
    else send(response, answer);
  });
  const url = await listen(server);
  let count = 0;

  return {
    cases: answers,
    async run(answer: ApiAnswer) {
      count += 1;
      const id = String(count);
      waiting.set(id, answer);
      const skipped: unknown[] = [];
      const client = createMarketplaceClient({
        baseUrl: `${url}/${id}`,
        apiKey: planted.apiKey,
        requestsPerSecond: 1_000,
        deadlineMs,
        onSkipped: (one) => skipped.push(one),
      });
      try {
        await apiCalls(client)[answer.endpoint]();
        return json(skipped);
      } catch (error) {
        if (error instanceof MarketplaceError || error instanceof TransportError)
          return json({ ...error, message: error.message, stack: error.stack, skipped });
        throw new Error(`${answer.endpoint} rejected with ${messageOf(error)}`, { cause: error });
      } finally {
        waiting.delete(id);
        await client.close();
      }
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      return [];
    },
  };
});

function send(response: ServerResponse, { status, headers, body, isCut }: ApiAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (!isCut) return void response.end(body);
  response.write(body.slice(0, Math.ceil(body.length / 2)));
  setImmediate(() => response.destroy());
}
