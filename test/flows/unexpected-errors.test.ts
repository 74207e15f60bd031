import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBotProcess } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { ask, isDegraded } from '../harness/health.ts';
import { createWorld } from '../harness/world.ts';

/** Stands for a bug: what it throws, nothing catches. */
const defect = `process.on('SIGUSR2', () => {
  setImmediate(() => { throw Object.assign(new Error('body hush-hush'), { headers: { authorization: 'hush-hush' } }); });
  void Promise.reject(Object.assign(new TypeError('hush-hush'), { body: 'hush-hush' }));
});`;

test('an error that nothing catches is logged once, without what was requested, counted, and ends nothing', async () => {
  const world = await createWorld();
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-defect-'));
  await writeFile(join(folder, 'defect.mjs'), defect);
  const bot = await startBotProcess({
    ...world.environment,
    NODE_OPTIONS: `--import ${join(folder, 'defect.mjs')}`,
  });
  try {
    await bot.ready();
    const errors = () =>
      bot
        .output()
        .split('\n')
        .filter((line) => line.includes('unexpected-error'));
    for (const times of [2, 4, 6]) {
      bot.child.kill('SIGUSR2');
      const counted = new RegExp(`process: degraded\\. ${times} unexpected errors since the start`);
      await eventually('both to be counted', () => isDegraded(world, counted));
    }
    expect(errors()).toHaveLength(2);
    expect(errors().join()).toMatch(/uncaughtException.*defect\.mjs/s);
    expect(bot.output() + bot.errors()).not.toContain('hush-hush');
    const { ann } = world;
    await ann.asks('/proofdesk help', /connect/);
    expect((await ask(world.port, '/healthz'))?.status).toBe(200);
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  } finally {
    bot.child.kill('SIGKILL');
    await Promise.all([world.close(), rm(folder, { recursive: true })]);
  }
});
