import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startBotProcess } from '../harness/bot-process.ts';
import { ask, isDegraded } from '../harness/health.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

/** Stands for a bug: what it throws, nothing catches. */
const defect = `process.on('SIGUSR2', () => {
  setImmediate(() => { throw Object.assign(new Error('body hush-hush'), { headers: { authorization: 'hush-hush' } }); });
  void Promise.reject(Object.assign(new TypeError('hush-hush'), { body: 'hush-hush' }));
});`;

const { world, create } = worldPerTest();

test('an error that nothing catches is logged once, without what was requested, counted, and ends nothing', async () => {
  const { ann, environment } = await create();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-defect-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'defect.mjs'), defect);
  const withDefect = { NODE_OPTIONS: `--import ${join(folder, 'defect.mjs')}` };
  const bot = await startBotProcess({ ...environment, ...withDefect });
  onTestFinished(() => void bot.child.kill('SIGKILL'));
  await bot.ready();
  for (const times of [2, 4, 6]) {
    bot.child.kill('SIGUSR2');
    const counted = new RegExp(`process: degraded\\. ${times} unexpected errors since the start`);
    await eventually('both to be counted', () => isDegraded(world, counted));
  }
  const lines = bot.output().split('\n');
  const errors = lines.filter((line) => line.includes('unexpected-error'));
  expect(errors).toHaveLength(2);
  expect(errors.join()).toMatch(/uncaughtException.*defect\.mjs/s);
  expect(bot.output() + bot.errors()).not.toContain('hush-hush');
  await ann.asks('/proofdesk help', /connect/);
  expect((await ask(world.port, '/healthz'))?.status).toBe(200);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
