import { expect, it } from 'vitest';
import { type Operation, operations } from '../../scripts/docs/operations.ts';
import { readErrorText } from '../../src/marketplace/errors.ts';
import { knownErrors, MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { clientOf, failure, serve } from './marketplace-server.ts';

/** The API's "Per operation" table, its further texts and its lists, operation by operation. */
const described: Readonly<Record<string, string>> = {
  listCategories: 'NO CATEGORIES',
  rateTasks: `
    NO SUCH CAMPAIGN | INPUT DATA | SYSTEM ERROR | comment IS MANDATORY | Bonus you entered is outside
    allowed values | id_task IS NOT UNIQUE | Your account balance is too low to add bonus`,
  getTaskInfo: 'NO SUCH TASK | NOT A CAMPAIGN OWNER',
  listMessages: `
    NO MESSAGES | INPUT_DATA | Folder has invalid value | Unread has invalid value | Date From is invalid
    datetime | Date To is invalid datetime`,
  readMessage: 'NO SUCH MESSAGE',
  listCampaignsExtended: `
    NO CAMPAIGNS | INPUT_DATA | Status has invalid value | Folder has invalid value | Created From is
    invalid datetime | Created To is invalid datetime | Restarted From is invalid datetime | Restarted To is
    invalid datetime | Finished From is invalid datetime | Finished To is invalid datetime`,
  listCampaigns: 'NO CAMPAIGNS',
  submitFileProof: `
    NO SUCH CAMPAIGN | UNKNOWN WORKER | SYSTEM ERROR | INPUT_DATA | Account has been restricted from doing
    any jobs. | Worker must validate phone number before doing any jobs. | This job is currently not
    running. | Proof is required. | Targetted campaign cannot be accepted by this user. | User's IP isn't in
    any of accepted countries. | User's country is in excluded countries list. | User's IP is not in
    accepted country. | Worker's success rate is to low. | Worker already submitted this task. | Worker with
    same IP already submitted this task. | VCODE is incorrect. | IP address does not match. | File format is
    not supported | File has a virus | File upload failure`,
  campaignResults: 'NO SUCH CAMPAIGN',
  rateTask: `
    NO SUCH CAMPAIGN | TASK NOT IN THIS CAMPAIGN | ONLY NOTRATED TASK CAN BE RATED | TASK RATING VALUE CAN
    ONLY BE OK OR NOK | COMMENT TO WORKER MISSING | CAMPAIGN IS PAUSED_ADMIN | CAMPAIGN IS PENDING_REVIEW`,
  retargetCampaign: `
    NO SUCH CAMPAIGN | NEXT RETARGET:2026-03-01 12:00:00 | TOO MANY EXCLUDES (MAX 10) | INCLUDES NECESSARY
    (MIN 1) | "XX" IS UNKNOWN COUNTRY CODE | NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS
    ZONE:US,CA | NO INPUT`,
  restartCampaign: 'NO SUCH CAMPAIGN | INPUT_DATA | SYSTEM ERROR | CAMPAIGN NOT FINISHED',
  deleteMessage: 'NO SUCH MESSAGE | UNABLE TO DELETE MESSAGE',
  unexcludeWorkers: 'workers were not found in exclude list',
  excludeEmployers: 'No employers were added to exclude list',
  excludeWorkers: 'No workers were added to exclude list',
  downloadFileProof: 'NO SUCH TASK | NOT A CAMPAIGN OWNER | DOWNLOAD ERROR | NO FILE PROOF',
  workerTasks: `
    INPUT_DATA | Rating has invalid value | Finished From is invalid datetime | Finished To is invalid
    datetime | Page is invalid | Entries Per Page is invalid | Page must be bigger than zero | Entries Per
    Page must be bigger than zero | Entries Per Page must be less or equal to 200`,
  createCampaign: 'POSITIONS | AUTO RATE',
  listExcludedEmployers: '',
  listIncludedEmployers: '',
};
const textsOf = (name: string) =>
  (described[name] ?? '')
    .split('|')
    .map((text) => text.replace(/\s+/gu, ' ').trim())
    .filter(Boolean);

const authentication = {
  API_KEY_WRONG: 'API KEY WRONG',
  API_NOT_ENABLED: 'API NOT ENABLED',
  API_ACCESS_IP_DENIED: 'API ACCESS IP DENIED',
  API_FUNCTION_DOES_NOT_EXIST: "API FUNCTION DOESN'T EXIST",
};

it('the table of error texts covers every text of every operation with a code that its operation declares', () => {
  expect(Object.keys(described).sort()).toEqual(Object.keys(operations).sort());
  for (const [name, { errors, entryErrors = [] }] of Object.entries<Operation>(operations)) {
    const codes = textsOf(name).map((text) => readErrorText(text).code);
    expect(codes, name).not.toContain('OTHER');
    const wanted = [...errors, ...entryErrors].filter((code) => code !== 'PAYMENT_TOO_LOW');
    expect(new Set(codes), name).toEqual(new Set(wanted));
  }
});

it('the table of error texts lists every code once for each place, with the text that leads back to it', () => {
  const codes = knownErrors.map(({ code }) => code);
  expect(new Set(knownErrors.map(({ code, group }) => `${code} ${group}`)).size).toBe(codes.length);
  for (const { code, text } of knownErrors) expect(readErrorText(text).code, text).toBe(code);
  const all = [...Object.keys(described).flatMap(textsOf), ...Object.values(authentication)];
  expect(new Set(all.map((text) => readErrorText(text).code))).toEqual(new Set(codes));
});

it('the table of error texts does not mind case, spaces, a full stop or typographic quotes', () => {
  expect(readErrorText(' no  such campaign. ').code).toBe('NO_SUCH_CAMPAIGN');
  const country = 'User’s IP isn’t in any of accepted countries';
  expect(readErrorText(country).code).toBe('IP_NOT_IN_ACCEPTED_COUNTRIES');
  expect(readErrorText('Proof is required').code).toBe('PROOF_REQUIRED');
  expect(readErrorText('NO SUCH CAMPAIGNS').code).toBe('OTHER');
  expect(readErrorText('').code).toBe('OTHER');
});

async function refused(body: object | string, status = 200, timeZone = 'UTC') {
  const server = await serve(() => ({ status, body }));
  const client = clientOf(server.url, { timeZone });
  const targeting = { include: ['US'], exclude: [] };
  return failure(MarketplaceError, client.retargetCampaign('c1', targeting));
}

const refusedWith = (error: string, timeZone?: string) => refused({ status: 'ERROR', error }, 200, timeZone);

it('a refusal carries the code, the text and the lists', async () => {
  const errors_list = ['Status has invalid value', 'something new'];
  const ids = { campaign_id: 'c9', task_id: 7, message_id: 'm1', index: 2 };
  const error = await refused({ status: 'ERROR', error: 'INPUT_DATA', ...ids, errors_list });
  expect(error).toMatchObject({
    code: 'INPUT_DATA',
    text: 'INPUT_DATA',
    operation: 'retargetCampaign',
    errorsList: errors_list,
    problems: ['STATUS_INVALID', 'OTHER'],
    errors: [],
    isAuthentication: false,
  });
  expect(error.message).toContain('Status has invalid value');
});

it.each([200, 400, 404, 422, 500])(
  'the client reads the body first, whatever the status (%i)',
  async (status) => {
    const error = await refused({ status: 'ERROR', error: 'NO INPUT' }, status);
    expect(error.code).toBe('NO_INPUT');
  },
);

it('the client takes the parameterized texts apart', async () => {
  const nextAt = { nextRetargetAt: new Date('2026-03-01T12:00:00Z') };
  const at = await refusedWith('NEXT RETARGET:2026-03-01 12:00:00');
  expect(at).toMatchObject({ code: 'NEXT_RETARGET', details: nextAt });
  const zoned = await refusedWith('NEXT RETARGET: 2026-07-01 12:00:00', 'Europe/Berlin');
  expect(zoned.details.nextRetargetAt).toEqual(new Date('2026-07-01T10:00:00Z'));
  const epoch = await refusedWith('NEXT RETARGET:1772366400');
  expect(epoch.details.nextRetargetAt).toEqual(new Date(1772366400_000));
  const unclear = await refusedWith('NEXT RETARGET:tomorrow');
  expect(unclear).toMatchObject({ code: 'NEXT_RETARGET', details: {} });
  const country = await refusedWith('"XX" IS UNKNOWN COUNTRY CODE');
  expect(country).toMatchObject({ code: 'UNKNOWN_COUNTRY_CODE', details: { unknownCountry: 'XX' } });
  const zone = await refusedWith('NOT ALL OF THE SELECTED COUNTRIES ARE AVAILABLE IN THIS ZONE:US, CA GB');
  expect(zone.details.unavailableCountries).toEqual(['US', 'CA', 'GB']);
});

it('the client keeps a text it does not know as OTHER', async () => {
  const error = await refusedWith('THE MOON IS IN THE WAY');
  expect(error).toMatchObject({ code: 'OTHER', text: 'THE MOON IS IN THE WAY' });
});

it('the client accepts both failure shapes of new_campaign', async () => {
  const errors = ['POSITIONS', 'AUTO RATE', 'NEW'];
  const tokens = await refused({ status: 'ERROR', errors, min_payment_per_task: 0.05 });
  const problems = ['POSITIONS', 'AUTO_RATE', 'OTHER'];
  expect(tokens).toMatchObject({ code: 'POSITIONS', errors, problems });
  expect(tokens.minPaymentPerTask?.toFixed(5)).toBe('0.05000');
  const minimum = await refused({ status: 'ERROR', errors: [], min_payment_per_task: '0.10000' });
  expect(minimum).toMatchObject({ code: 'PAYMENT_TOO_LOW' });
  expect(minimum.minPaymentPerTask?.toString()).toBe('0.1');
});

const shapes: [string, (text: string) => { status?: number; headers?: object; body: object | string }][] = [
  ['an error body', (text) => ({ body: { status: 'ERROR', error: text } })],
  ['an error body with 403', (text) => ({ status: 403, body: { status: 'ERROR', error: text } })],
  ['another JSON object', (text) => ({ body: { message: text } })],
  ['a JSON string', (text) => ({ body: JSON.stringify(text) })],
  ['plain text', (text) => ({ status: 401, body: text })],
  ['a page', (text) => ({ body: `<html><body>${text.toLowerCase()}</body></html>` })],
];
for (const [code, text] of Object.entries(authentication)) {
  it.each(shapes)(`recognizes ${code} in %s`, async (_, shape) => {
    const { status = 200, body } = shape(text);
    const server = await serve(() => ({ status, body }));
    const client = clientOf(server.url);
    const list = await failure(MarketplaceError, client.listCampaigns());
    expect(list).toMatchObject({ code, isAuthentication: true });
    const file = await failure(MarketplaceError, client.downloadFileProof('t', 1));
    expect(file).toMatchObject({ code, isAuthentication: true });
    expect(server.seen).toHaveLength(2);
  });
}

it('the client takes a bare 401 for a wrong key and a bare 403 for a failure on the way', async () => {
  const server = await serve(({ path }) => ({ status: path.endsWith('list') ? 401 : 403, body: '' }));
  const client = clientOf(server.url);
  expect((await failure(MarketplaceError, client.listCampaigns())).code).toBe('API_KEY_WRONG');
  const other = await failure(TransportError, client.getTaskInfo('t'));
  expect(other).toMatchObject({ kind: 'http', status: 403 });
});

it('the client does not look for these texts inside a successful answer', async () => {
  const texts = { subject: 'API KEY WRONG', message: 'API NOT ENABLED' };
  const body = { status: 'SUCCESS', message_id: 'm', folder: 'INBOX', ...texts };
  const server = await serve(() => ({ body }));
  expect((await clientOf(server.url).readMessage('m')).subject).toBe('API KEY WRONG');
});

it.each(['', '  ', 'ké\u2028y', 'two\nlines', 'with space'])(
  'the client calls a key that no header can carry (%j) wrong without sending it',
  async (apiKey) => {
    const server = await serve(() => ({}));
    const error = await failure(MarketplaceError, clientOf(server.url, { apiKey }).listCampaigns());
    expect(error.isAuthentication).toBe(true);
    expect(server.seen).toHaveLength(0);
  },
);

it('the client never lets the key into what it throws', async () => {
  const apiKey = 'k+y/0815&secret';
  const echo = `bad key ${apiKey} (${encodeURIComponent(apiKey)})`;
  const server = await serve((_, n) =>
    n === 1
      ? { body: { status: 'ERROR', error: echo, errors_list: [echo], errors: [echo], message_id: apiKey } }
      : n === 2
        ? { body: { status: 'SUCCESS', [apiKey]: apiKey } }
        : 'drop',
  );
  const client = clientOf(server.url, { apiKey });
  const entry = { taskId: 't', rating: 'OK', comment: '' } as const;
  const failures = [
    await failure(MarketplaceError, client.readMessage('m')),
    await failure(TransportError, client.restartCampaign('c', 1)),
    await failure(TransportError, client.rateTask('c', entry)),
    await failure(TransportError, clientOf('http://127.0.0.1:1', { apiKey }).restartCampaign('c', 1)),
  ];
  for (const error of failures) {
    const told = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(told).not.toContain(apiKey);
    expect(told).not.toContain(encodeURIComponent(apiKey));
  }
});

it('the client takes NO CAMPAIGNS, NO MESSAGES and NO CATEGORIES for an empty list', async () => {
  const texts: Record<string, string> = {
    '/campaigns_b/list': 'NO CAMPAIGNS',
    '/campaigns_b/list_extend': 'NO CAMPAIGNS',
    '/messages/list': 'NO MESSAGES',
    '/campaign_b/categories_list': 'NO CATEGORIES',
  };
  const server = await serve(({ path }) => ({ body: { status: 'ERROR', error: texts[path] } }));
  const results: string[] = [];
  const client = clientOf(server.url, { onRequest: ({ result }) => results.push(result) });
  expect(await client.listCampaigns()).toEqual([]);
  expect(await client.listCampaignsExtended()).toEqual([]);
  expect(await client.listMessages()).toEqual([]);
  expect(await client.listCategories()).toEqual([]);
  expect(results).toEqual(['ok', 'ok', 'ok', 'ok']);
});

it('the client does not hide another refusal of a list', async () => {
  const server = await serve(() => ({ body: { status: 'ERROR', error: 'INPUT_DATA' } }));
  expect((await failure(MarketplaceError, clientOf(server.url).listMessages())).code).toBe('INPUT_DATA');
});
