import { startHalfSentRequests } from '../test/harness/half-sent-requests.ts';
import { percentile, startMachine } from './machine.ts';
import { report } from './report.ts';

// /readyz must answer within a second while 3,000 requests with endless bodies are open.

const limitMs = 1_000;
const machine = await startMachine({
  env: { SLACK_SIGNING_SECRET: 'sandbox-signing-secret', SLACK_APP_TOKEN: '', REVIEW_CHANNEL: '' },
});
try {
  const bot = await machine.startBot();
  const ask = async () => {
    const began = performance.now();
    // A new connection each time, as for probes: a kept-alive one might close at that moment.
    const { status } = await fetch(`http://127.0.0.1:${bot.port}/readyz`, {
      headers: { connection: 'close' },
    });
    return status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY;
  };
  const idle: number[] = [];
  for (let count = 0; count < 50; count++) idle.push(await ask());
  const flood = startHalfSentRequests(bot.port, 3_000);
  const flooded: number[] = [];
  for (let count = 0; count < 50; count++) {
    await flood.sent();
    flooded.push(await ask());
  }
  await flood.stop();
  const longest = Math.max(...flooded);
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  console.log(
    `idle: p50 ${ms(percentile(idle, 0.5))}; flooded: p50 ${ms(percentile(flooded, 0.5))}, longest ${ms(longest)}`,
  );
  report({
    what: 'Longest answer of /readyz while 3,000 requests are half sent',
    against: `${limitMs} ms`,
    value: longest / limitMs,
    most: 1,
  });
} finally {
  await machine.stop();
}
