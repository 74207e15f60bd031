import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { campaignSummary, taskDetails } from '../test/fuzz/api-samples.ts';

// A marketplace that has 20 campaigns for any key. In two of five lists of an account, a campaign has changed: it gets a new
// task that waits for a rating, and in the next list that task is rated, as in real life. So 2 % of all campaigns change
// between two polls, evenly spread over time.

const campaigns = 20;
/** How many tasks of each campaign were rated before the bot saw it. */
const ratedBefore = 30;
interface Account {
  readonly id: number;
  /** For each campaign, the number of its tasks and of its rated tasks. */
  readonly counts: { tasks: number; rated: number }[];
  looks: number;
}
const accounts = new Map<string, Account>();
const described =
  'Go to the shop, take a photo of the shelf and tell us the price of each bottle on it. '.repeat(6);

function accountOf(key: string): Account {
  const known = accounts.get(key);
  if (known !== undefined) return known;
  const made = {
    id: accounts.size,
    counts: Array.from({ length: campaigns }, () => ({ tasks: ratedBefore, rated: ratedBefore })),
    looks: 0,
  };
  accounts.set(key, made);
  return made;
}

function list({ id, counts }: Account): string {
  const listed = counts.map(({ tasks, rated }, index) => ({
    ...campaignSummary,
    campaign_id: `${id}x${index}`,
    title: `Photo of shelf ${index}`,
    required_work: described,
    tasks_ok: String(rated),
    tasks_nok: '0',
    tasks_not_rated: String(tasks - rated),
    tasks_not_reviewed: '0',
  }));
  return JSON.stringify({ status: 'SUCCESS', count: listed.length, campaigns: listed });
}

function results({ id, counts }: Account, index: number): string {
  const { tasks, rated } = counts[index] ?? { tasks: 0, rated: 0 };
  const rows = Array.from(
    { length: tasks },
    (_, row) =>
      `${row + 1},0,${id}t${index}t${row},w${row},worker_${row},${row < rated ? 'OK' : 'NOTRATED'},2026-11-20 10:15:00,203.0.113.7,US,the proof of ${row},,Mozilla`,
  );
  const csv = [
    `CAMPAIGN_ID,${id}x${index}`,
    '-----',
    `TASKS_SUBMITTED,${rows.length}`,
    '-----',
    'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
    ...rows,
  ].join('\n');
  return JSON.stringify({ status: 'SUCCESS', campaign_id: `${id}x${index}`, csv });
}

function taskInfo({ id, counts }: Account, index: number, row: number): string {
  return JSON.stringify({
    status: 'SUCCESS',
    task_id: `${id}t${index}t${row}`,
    task_details: {
      ...taskDetails,
      campaign_id: `${id}x${index}`,
      finished_datetime: '2026-11-20 10:15:00',
      proof: [`the proof of ${row}`],
      file_proof: { status: 'SUCCESS', file_proof_details: [] },
      task_rating: row < (counts[index]?.rated ?? 0) ? 'OK' : 'NOTRATED',
      worker_id: `w${row}`,
    },
  });
}

let [looks, reads, changes] = [0, 0, 0];

/** Changes a campaign of the account in two of five lists. */
function change({ id, counts, looks: look }: Account): void {
  const step = (look + id) % 5;
  const counted = counts[Math.floor((look + id) / 5) % campaigns];
  if (look === 1 || counted === undefined || step > 1) return;
  if (step === 0) counted.tasks += 1;
  // In an account's first list, the task may not exist yet.
  else if (counted.rated < counted.tasks) counted.rated += 1;
  else return;
  changes += 1;
}

const server = createServer((request, response) => {
  request.resume();
  const url = request.url ?? '';
  response.setHeader('content-type', 'application/json');
  if (url === '/counts')
    return void response.end(JSON.stringify({ looks, reads, changes, accounts: accounts.size }));
  const account = accountOf(String(request.headers['ServiceApiKey'.toLowerCase()]));
  const read = /results_csv\/\d+x(\d+)$/u.exec(url)?.[1];
  if (read !== undefined) {
    reads += 1;
    return void response.end(results(account, Number(read)));
  }
  const [, index, row] = /get_task_info\/\d+t(\d+)t(\d+)$/u.exec(url) ?? [];
  if (row !== undefined) return void response.end(taskInfo(account, Number(index), Number(row)));
  if (!url.includes('list_extend'))
    return void response.end(JSON.stringify({ status: 'SUCCESS', count: '0', messages: [], campaigns: [] }));
  looks += 1;
  account.looks += 1;
  change(account);
  response.end(list(account));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
