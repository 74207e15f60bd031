import { expect, it } from 'vitest';
import { describeResultsProblems, TransportError } from '../../src/marketplace/index.ts';
import { clientOf, failure, serve, campaignSummary as summary } from './marketplace-server.ts';

// cspell:ignore crème
const info = {
  status: 'SUCCESS',
  task_id: 't1',
  task_details: {
    campaign_id: 'c1',
    worker_id: 'w1',
    task_rating: 'NOTRATED',
    finished_datetime: '2026-01-02 03:04:05',
    proof: ['Café crème'],
  },
};
const results = (...proofs: string[]) => ({
  status: 'SUCCESS',
  campaign_id: 'c1',
  csv: [
    'CAMPAIGN_ID,c1',
    'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
    ...proofs.map(
      (proof, row) => `${row},0,t${row},w1,bao,NOTRATED,2026-01-02 03:04:05,203.0.113.7,KE,${proof},,`,
    ),
  ].join('\n'),
});

/** A client whose answers are JSON in the bytes of an encoding, with a Content-Type. */
async function answering(body: object, bytes: BufferEncoding, contentType: string) {
  const content = Buffer.from(JSON.stringify(body), bytes);
  const server = await serve(() => ({ headers: { 'content-type': contentType }, body: content }));
  return clientOf(server.url);
}

it.each([
  ['application/json; charset=ISO-8859-1', 'latin1'],
  ['application/json;charset="windows-1252"', 'latin1'],
  ['application/json; charset=utf-16le', 'utf16le'],
  ['application/json; charset=UTF8', 'utf8'],
  ['application/json', 'utf8'],
] as const)('an answer as %s is decoded as it declares', async (contentType, bytes) => {
  const task = await (await answering(info, bytes, contentType)).getTaskInfo('t1');
  expect(task.proof).toEqual(['Café crème']);
  const read = await (await answering(results('Café crème', 'b'), bytes, contentType)).campaignResults('c1');
  expect(read.rows.map(({ proof }) => proof)).toEqual([['Café crème'], ['b']]);
  expect(read.problems).toEqual([]);
  const titled = { status: 'SUCCESS', campaigns: [{ ...summary, title: 'Crème' }] };
  const list = await answering(titled, bytes, contentType);
  const campaigns = await list.listCampaignsExtended();
  expect(campaigns.map(({ title }) => title)).toEqual(['Crème']);
});

it('an answer in an encoding that nobody knows is unreadable', async () => {
  const client = await answering(info, 'utf8', 'application/json; charset=klingon');
  const error = await failure(TransportError, client.getTaskInfo('t1'));
  expect([error.kind, error.message]).toEqual(['unreadable', expect.stringContaining('unknown charset')]);
  expect((await failure(TransportError, client.campaignResults('c1'))).kind).toBe('unreadable');
});

it('results with bytes that cannot be decoded are used, and are no complete read', async () => {
  for (const contentType of ['application/json', 'application/json; charset=utf-8']) {
    const client = await answering(results('fine', 'Café'), 'latin1', contentType);
    const { rows, problems } = await client.campaignResults('c1');
    expect(rows.map(({ taskId }) => taskId)).toEqual(['t0', 't1']);
    expect(describeResultsProblems(problems)).toBe('have characters that cannot be decoded');
  }
  const client = await answering(results('fine', 'Café'), 'latin1', 'application/json; charset=euc-jp');
  expect((await client.campaignResults('c1')).problems).toEqual([{ kind: 'undecodable' }]);
});

it('a replacement character that a worker wrote is decoded like any other', async () => {
  const { problems } = await (await answering(results('\ufffd'), 'utf8', 'application/json')).campaignResults(
    'c1',
  );
  expect(problems).toEqual([]);
});

it('a list with bytes that cannot be decoded is used, and says how many items are affected', async () => {
  const items = [summary, { ...summary, campaign_id: 'c2', title: 'Crème' }];
  const client = await answering({ status: 'SUCCESS', campaigns: items }, 'latin1', 'application/json');
  const shortfalls: object[] = [];
  const onIncomplete = (shortfall: object) => void shortfalls.push(shortfall);
  const campaigns = await client.listCampaignsExtended({}, { onIncomplete });
  expect(campaigns.map(({ id }) => id)).toEqual(['12e5', 'c2']);
  expect(shortfalls).toEqual([{ read: 1, expected: 2, unreadable: ['Cr\uFFFDme (c2)'] }]);
});
