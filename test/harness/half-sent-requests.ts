import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Those that are closed come back, so that there are as many at any time. */
const flood = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, count } } = require('node:worker_threads');
const halves = new Set();
function open() {
  const socket = connect(port, '127.0.0.1');
  halves.add(socket);
  socket.on('error', () => undefined).on('close', () => halves.delete(socket)).resume();
  socket.write('POST /slack/events HTTP/1.1\\r\\nHost: bot\\r\\nContent-Length: 100\\r\\n\\r\\nhalf');
}
setInterval(() => {
  while (halves.size < count) open();
  parentPort.postMessage('sent');
}, 100);`;

/** Keeps `count` requests to a port of this machine open whose bodies never end; in a thread of its own, as they come from elsewhere. */
export function startHalfSentRequests(port: number, count: number) {
  const worker = new Worker(flood, { eval: true, workerData: { port, count } });
  return {
    /** Resolves when those that were closed have been sent again. */
    sent: () => once(worker, 'message'),
    stop: () => worker.terminate(),
  };
}
