import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { agent, idOf, ratingOf } from './results-rows.ts';

// A marketplace that answers results_csv for campaigns whose id is their number of tasks. Each answer is compressed once and
// cached, so that generating it is not measured.

const answers = new Map<number, Buffer>();

function rowOf(index: number): string {
  const worker = (index * 7919) % Math.max(1, Math.floor(index / 5) + 100);
  const proof = `Order ${index * 31} was placed at the shop in aisle ${index % 40} and the picture shows it`;
  const written = index % 5 === 0 ? `"${proof}, with a ""label"" and\nanother line"` : proof;
  const day = String((index % 28) + 1).padStart(2, '0');
  const second = String(index % 60).padStart(2, '0');
  return `${index + 1},0,${idOf(index)},w${worker.toString(16)},worker_${worker},${ratingOf(index)},2026-11-${day} 10:15:${second},203.0.113.${index % 256},US,${written},,${agent}`;
}

function answerOf(rows: number): Buffer {
  const known = answers.get(rows);
  if (known !== undefined) return known;
  const lines = [
    'CAMPAIGN_TITLE,Photo of a shelf',
    '-----',
    `TASKS_SUBMITTED,${rows}`,
    '-----',
    'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
  ];
  for (let index = 0; index < rows; index += 1) lines.push(rowOf(index));
  const body = gzipSync(
    JSON.stringify({ status: 'SUCCESS', campaign_id: String(rows), csv: lines.join('\n') }),
    { level: 1 },
  );
  answers.set(rows, body);
  return body;
}

const server = createServer((request, response) => {
  request.resume();
  const rows = Number(/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(answerOf(rows));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
