import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A server with constant, immediate answers: a task, or a file whose size in megabytes is at the end of its address.

const task = JSON.stringify({
  status: 'SUCCESS',
  task_id: 't1',
  task_details: {
    bonus_worker_earned: '0.00000',
    campaign_id: 'c1',
    csv_record_nr: '1',
    country: 'Peru',
    employer_comment: '',
    finished_datetime: '2026-11-20 10:00:00',
    ip: '203.0.113.9',
    proof: ['x'.repeat(800), '', ''],
    file_proof: { status: 'SUCCESS', file_proof_details: [] },
    task_rating: 'NOTRATED',
    worker_earned: '0.10000',
    worker_id: 'w1',
  },
});
const piece = Buffer.alloc(64 * 1024, 7);

const server = createServer((incoming, response) => {
  incoming.resume();
  const size = /download_file_proof\/t_(\d+)$/.exec(incoming.url ?? '')?.[1];
  if (size === undefined) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(task);
    return;
  }
  let left = Number(size) * 16;
  response.writeHead(200, {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename=a.png',
    'content-length': left * piece.length,
  });
  const write = () => {
    while (left > 0) {
      left -= 1;
      if (!response.write(piece)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
