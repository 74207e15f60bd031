import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as client from '../../src/marketplace/index.ts';
import { place, shelf } from '../harness/acts.ts';
import { alterations, screenshot } from '../harness/picture-corpus.ts';
import { programPath } from '../harness/programs.ts';
import { seededRandom } from '../harness/text-corpus.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const root = join(import.meta.dirname, '../..');

/** Where what is built was copied: away from the project and its packages. */
let app: string;
beforeEach(async () => {
  app = await mkdtemp(join(tmpdir(), 'proofdesk-build-'));
  await cp(dirname(await programPath('main')), join(app, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(app, 'package.json'));
});
afterEach(() => rm(app, { recursive: true, force: true }));

const run = promisify(execFile);

test('what is built has the programs that the image starts, and the one that the bot starts beside itself', async () => {
  const files = await readdir(join(app, 'dist'), { recursive: true });
  expect(files).toContain('features/evidence/picture-decoder.js');
  const [, entry] = /"dist\/(.+)"\]$/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8')) ?? [];
  expect(files).toContain(entry);
});

test('what is built has the marketplace client where another project imports it, without the packages of the bot', async () => {
  const names = `console.log(JSON.stringify(Object.keys(await import('proofdesk/marketplace'))))`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', names], { cwd: app });
  expect(JSON.parse(stdout)).toEqual(Object.keys(client).sort());
});

describe('the bot as it is built', () => {
  const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] } });
  const startBot = botsPerTest();
  beforeEach(() => create());

  test.each([
    ['with sharp', /Same picture as \S+/],
    ['without sharp', /Same picture as \S+/],
  ])('%s posts a card, compares its picture with others, and rates its task', async (installed, found) => {
    const shot = { app: 1, number: 1, seed: 5 };
    const original = await screenshot(shot);
    let copy = original;
    if (installed === 'with sharp') {
      await symlink(join(root, 'node_modules'), join(app, 'node_modules'));
      copy = await alterations.resized(shot, seededRandom(4));
    }
    const bot = await startBot(world.environment, join(app, 'dist/main.js'));
    await bot.ready();

    const { ann, marketplace } = world;
    const [one, other] = (await marketplace.state()).workers.map(({ worker_id }) => worker_id);
    const submit = (worker_id: string | undefined, proof: string, picture: Buffer) =>
      marketplace.submit({
        campaign_id: shelf.campaign_id,
        ...(worker_id ? { worker_id } : {}),
        proof: [proof],
        files: [{ filename: 'shelf.png', content_type: 'image/png', base64: picture.toString('base64') }],
      });
    await submit(one, 'a list of orders', original);
    await ann.sees(place, /list of orders/);
    const [task = ''] = await submit(other, 'what was bought', copy);
    const card = await ann.sees(place, /what was bought/);
    await card.untilText(found);
    await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
    expect((await marketplace.task(task)).task_rating).toBe('OK');

    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
    expect(bot.errors()).toBe('');
  });
});
