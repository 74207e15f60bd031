import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Reopens closed requests, so that their number stays constant. They look signed, because the bot does not wait for the
 * bodies of others.
 */
const flood = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, count } } = require('node:worker_threads');
const halves = new Set();
function open() {
  const socket = connect(port, '127.0.0.1');
  halves.add(socket);
  socket.on('error', () => undefined).on('close', () => halves.delete(socket)).resume();
  const signature = 'X-Slack-Signature: v0=' + '0'.repeat(64);
  const time = 'X-Slack-Request-Timestamp: ' + Math.floor(Date.now() / 1000);
  const head = ['POST /slack/events HTTP/1.1', 'Host: bot', signature, time, 'Content-Length: 100'];
  socket.write(head.join('\\r\\n') + '\\r\\n\\r\\nhalf');
}
setInterval(() => {
  while (halves.size < count) open();
  parentPort.postMessage('sent');
}, 100);`;

/** Keeps `count` requests with endless bodies open to a local port; in a separate thread, as from another machine. */
export function startHalfSentRequests(port: number, count: number) {
  const worker = new Worker(flood, { eval: true, workerData: { port, count } });
  return {
    /** Resolves once the closed requests have been sent again. */
    sent: () => once(worker, 'message'),
    stop: () => worker.terminate(),
  };
}
