import { readFileSync } from 'node:fs';
import { createSandboxMarketplace, type SandboxMarketplace } from '@proofdesk/marketplace-sandbox';
import {
  type MarketplaceHandle,
  marketplaceHandle,
  newCampaign,
} from '@proofdesk/marketplace-sandbox/testing';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generatedDocs } from '../../scripts/docs/index.ts';
import { operations } from '../../scripts/docs/operations.ts';
import { endpoints, isWorkerSide } from '../../src/marketplace/endpoints.ts';
import { readErrorText } from '../../src/marketplace/errors.ts';
import {
  createMarketplaceClient,
  isAuthenticationCode,
  MarketplaceError,
} from '../../src/marketplace/index.ts';
import { apiCalls, fullCampaign } from '../harness/api-calls.ts';
import { documentedApi, type OpenApiDocument } from '../harness/openapi.ts';
import { type Case, cases, employer, type Known, worker } from './openapi-cases.ts';

const source = readFileSync(new URL('../../sandbox/marketplace/openapi.yaml', import.meta.url), 'utf8');
const document = parse(source) as OpenApiDocument;

let server: SandboxMarketplace;
let market: MarketplaceHandle;
let api: ReturnType<typeof documentedApi>;

beforeAll(async () => {
  server = await createSandboxMarketplace();
  market = marketplaceHandle(server.url);
  api = documentedApi(server.url, document);
});
afterAll(() => server.close());

test('the document is the one that the code makes', () => {
  const made = generatedDocs().find(({ path }) => path === 'sandbox/marketplace/openapi.yaml');
  expect(source, 'run "npm run docs"').toBe(made?.text);
});

test('the document reads the same by the rules of YAML 1.1, where a bare NO is a boolean and 2026-01-31 a date', () => {
  const odd = [false, true, new Date(Date.UTC(2026, 0, 31)), 1000];
  expect(parse('[NO, yes, 2026-01-31, 1_000]', { version: '1.1' })).toEqual(odd);
  expect(parse(source, { version: '1.1' })).toEqual(document);
  const { paths } = document as unknown as Record<string, Record<string, unknown>>;
  expect(JSON.stringify(paths?.['/campaign_hg/new_campaign'])).toContain('"enum":["NO","V","V+R"]');
});

test('the document is valid and clean to a linter', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Which status an error has is not known, so none is promised; and the description of the API names no license.
    rules: { 'operation-4xx-response': 'off', 'info-license': 'off' },
  });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.yaml', config });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  expect(found).toEqual([]);
});

test('the document is what the sandbox hands out', async () => {
  const response = await fetch(`${server.url}/_sandbox/openapi.json`);
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toEqual(document);
});

test('the document has all 21 operations, under the names of the client’s functions', () => {
  expect(api.names.toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect(api.names).toHaveLength(21);
});

function ask([operation, , values = {}, key = employer]: Case, known: Known) {
  return api.call(operation, typeof values === 'function' ? values(known) : values, key);
}

async function prepare(errorStatus: 200 | 400): Promise<Known> {
  await market.reset({
    settings: { errorStatus },
    campaigns: [
      { campaign_id: 'c1', title: 'Survey', status: 'RUNNING', tasks: { OK: 2, NOK: 1 } },
      { campaign_id: 'done', title: 'Over', status: 'FINISHED', tasks: { OK: 3 } },
    ],
    messages: [{ subject: 'Hello', unread: true }],
  });
  const [task = '', other = ''] = await market.submit({ campaign_id: 'c1', count: 2 });
  const lost = { filename: 'lost.png', content_type: 'image/png', base64: 'AAEC', broken: true };
  const [broken = ''] = await market.submit({ campaign_id: 'c1', files: [lost] });
  const { messages, workers, accounts } = await market.state();
  const fresh = workers.find(({ username, country }) => username !== 'amina_demo' && country === 'KE');
  return {
    task,
    other,
    broken,
    message: messages[0]?.message_id ?? '',
    worker: { id: fresh?.worker_id ?? '', ip: fresh?.ip ?? '' },
    employer: accounts.find(({ role }) => role === 'employer')?.id ?? '',
  };
}

describe.each([200, 400] as const)('what the sandbox answers, errors with status %i', (errorStatus) => {
  let known: Known;
  beforeEach(async () => {
    known = await prepare(errorStatus);
  });

  test.each(cases.map((one) => ({ name: `${one[0]}: ${one[1]}`, one })))('$name', async ({ one }) => {
    const answer = await ask(one, known);
    const [, outcome] = one;
    expect(answer.faults).toEqual([]);
    const { status, error, errors } = answer.body;
    const listed = Array.isArray(errors) ? errors.join(', ') : '';
    expect(status === 'SUCCESS' ? status : (error ?? listed)).toBe(outcome);
    expect(answer.status).toBe(status === 'SUCCESS' ? 200 : errorStatus);
  });

  test('workers are taken from the list again, and a file comes as it is', async () => {
    await api.call('excludeWorkers', { 'worker[]': [known.worker.id] });
    const removed = await api.call('unexcludeWorkers', { 'worker[]': [known.worker.id] });
    expect(removed).toMatchObject({ faults: [], body: { status: 'SUCCESS' } });
    const json = { filename: 'über.json', content_type: 'application/json', base64: btoa('{"a":1}') };
    const [task = ''] = await market.submit({ campaign_id: 'c1', files: [json] });
    const file = await api.call('downloadFileProof', { task_id: task, index: '1' });
    expect(file).toMatchObject({ faults: [], status: 200 });
    expect(Buffer.from(file.bytes).toString()).toBe('{"a":1}');
  });

  test('both shapes of new_campaign', async () => {
    await market.settings({ newCampaignShape: 'worked' });
    for (const values of [newCampaign, { ...newCampaign, payment_per_task: '0.00001' }]) {
      expect((await api.call('createCampaign', values)).faults).toEqual([]);
    }
  });
});

test('every operation was tried with success and, where it has errors of its own, refused', () => {
  const tried = (outcome: (text: string) => boolean) =>
    new Set(cases.filter(([, text]) => outcome(text)).map(([name]) => name));
  const succeeded = tried((text) => text === 'SUCCESS');
  // Those two have a test of their own.
  for (const name of ['unexcludeWorkers', 'downloadFileProof'] as const) succeeded.add(name);
  expect([...succeeded].toSorted()).toEqual(Object.keys(endpoints).toSorted());
  const refused = tried((text) => text !== 'SUCCESS');
  // NO CATEGORIES is the one that cannot be had by asking.
  const able = Object.entries(operations).filter(([name]) => name !== 'listCategories');
  for (const [name, { errors }] of able) if (errors.length > 0) expect([...refused]).toContain(name);
});

test('every text that an operation was refused with is one that the document has for it', async () => {
  const known = await prepare(200);
  for (const one of cases.filter(([, outcome]) => outcome !== 'SUCCESS')) {
    const [operation] = one;
    const { body } = await ask(one, known);
    const declared: readonly string[] = operations[operation].errors;
    // Where no texts of errors_list are described, it may hold any.
    const listed = declared.some((code) => code.endsWith('_INVALID')) ? body.errors_list : [];
    const texts = [body.error, listed, body.errors].flat().filter((text) => typeof text === 'string');
    expect(texts, operation).not.toEqual([]);
    for (const { text, code } of texts.map((one) => ({ text: one, ...readErrorText(one) }))) {
      expect(declared.includes(code) || isAuthenticationCode(code), `${operation}: ${text}`).toBe(true);
    }
  }
});

const campaign = (proof: string, qtRequired: number) =>
  `title=A new campaign group_id=g1 category=0301 minutes_to_finish=5 available_positions=40 max_positions_per_worker=1 payment_per_task=0.08000 description_type=UNIQUE required_work=Type [A]. ${proof} ttr=6 auto_rate=V+R file_proof=2 qt_required=${qtRequired} file=brief.txt csv=rows.csv`;
const [from, to] = ['2026-01-31 00:00:00', '2026-02-01 00:00:00'];
const sentByAll = [
  `POST /campaign_hg/new_campaign ${campaign('required_proof[]=one,two', 1)}`,
  'GET /campaign_b/categories_list',
  'PUT /campaign_hg/rate_tasks/c1 id_task[]=t1,t2 rating[]=OK,OK comment[]=Well done,Well done bonus[]=0.05000,0.05000 favorite[]=add,add',
  'GET /campaign_hg/get_task_info/t1',
  `GET /messages/list folder=INBOX date_from=${from} date_to=${to} unread=no`,
  'GET /message/read/m1',
  'GET /campaigns_b/list_extend folder=ARCHIVE',
  'POST /campaign_b/submit_file_proof/c1 user_id=w ip=203.0.113.9 proof=done file_proof=a.txt',
  'GET /campaign_hg/results_csv/c1',
  'PUT /campaign_hg/rate_task/c1 id_task=t1 rating=NOK comment=Well done bonus=0.05000 favorite=add',
  'PUT /campaign_b/retarget/c1 countries[]=US,-IN',
  'PUT /campaign_b/restart_campaign/done positions=5',
  'GET /worker/exclude_list',
  'GET /worker/include_list',
  'GET /campaigns_b/list',
  'PUT /message/delete/m1',
  'DELETE /employer/exclude_list worker[]=all',
  'POST /worker/exclude_list employer[]=e',
  'POST /employer/exclude_list worker[]=w',
  'GET /campaign_hg/download_file_proof/t1_1',
  `GET /worker/b_tasks rating=OK finished_from=${from} finished_to=${to} page=1 entries_per_page=200`,
  `POST /campaign_hg/new_campaign ${campaign('required_proof=one', 0)}`,
  'DELETE /employer/exclude_list worker[]=w',
];

test('what the client sends is what the document describes, each value under its name', async () => {
  const clientOf = (apiKey: string) =>
    createMarketplaceClient({ baseUrl: server.url, apiKey, requestsPerSecond: 1_000 });
  const [client, workerSide] = [clientOf(employer), clientOf(worker)];
  await market.clearRequests();
  const [calls, workerCalls] = [apiCalls(client), apiCalls(workerSide)];
  const names = Object.keys(calls) as (keyof typeof calls)[];
  const all = names.map((name) => (isWorkerSide(endpoints[name]) ? workerCalls : calls)[name]);
  const single = { ...fullCampaign(), requiredProof: ['one'], qtRequired: false };
  for (const call of [...all, () => client.createCampaign(single), () => client.unexcludeWorkers(['w'])]) {
    await call().catch((error: unknown) => {
      if (!(error instanceof MarketplaceError)) throw error;
    });
  }
  const requests = await market.requests();
  const sent = requests.map(({ method, path, query, form }) => {
    const fields = Object.entries({ ...query, ...form }).map(([name, value]) => `${name}=${textOf(value)}`);
    return [method, path, ...fields].join(' ');
  });
  expect(sent).toEqual(sentByAll);
  expect(requests.flatMap((request) => api.requestFaults(request))).toEqual([]);
  await Promise.all([client.close(), workerSide.close()]);
});

/** Returns a sent value as a text: of a file its name. */
const textOf = (value: string | string[] | { readonly filename: string }) =>
  String(Object(value).filename ?? value);
