import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { shelf } from '../harness/acts.ts';
import { heard } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { programPath } from '../harness/programs.ts';
import { worldPerTest } from '../harness/worlds.ts';

const root = join(import.meta.dirname, '../..');
const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] } });

/** The project, with what is built newer than its sources. */
let folder = '';
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-slack-cli-'));
  for (const path of ['.slack', 'scripts', 'manifest.yml', 'package.json'])
    await cp(join(root, path), join(folder, path), { recursive: true });
  for (const path of ['node_modules', 'src', 'desk']) await symlink(join(root, path), join(folder, path));
  await cp(dirname(await programPath('main')), join(folder, 'dist'), { recursive: true });
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null)
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Runs a hook as Slack's CLI does: the words of its command in a shell, with flags, in the project's folder. */
async function hook(name: string, flags: string, env: Readonly<Record<string, string | undefined>> = {}) {
  const { hooks } = JSON.parse(await readFile(join(folder, '.slack/hooks.json'), 'utf8')) as {
    hooks: Record<string, string>;
  };
  const { PATH, HOME } = process.env;
  const started = spawn('sh', ['-c', `${hooks[name]} ${flags}`], {
    cwd: folder,
    env: { PATH, HOME, ...env },
    // A group of its own, to which a terminal sends Ctrl-C.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  return { started, ...heard(started) };
}

test('Slack’s CLI gets the manifest as JSON, and nothing else', async () => {
  const { said, exit } = await hook('get-manifest', `--source=${folder}`);
  expect(await exit).toBe(0);
  expect(said.errors).toBe('');
  expect(JSON.parse(said.output)).toEqual(parse(await readFile(join(root, 'manifest.yml'), 'utf8')));
});

test('Slack’s CLI gets nothing else on a fresh clone either, whose packages are installed first', async () => {
  // An npm that says something and installs what is here, without a registry.
  await rm(join(folder, 'node_modules'));
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const npm = `#!/bin/sh\necho added 500 packages\nln -s '${join(root, 'node_modules')}' node_modules\n`;
  await writeFile(join(programs, 'npm'), npm, { mode: 0o755 });
  // There is no redis-server, and no package manager to install one.
  for (const program of [process.execPath, '/bin/sh', '/bin/ln'])
    await symlink(program, join(programs, basename(program)));
  const { said, exit } = await hook('get-manifest', '', { PATH: programs });
  expect(await exit).toBe(0);
  expect(said.errors).toBe('Installing the npm packages …\n');
  expect(JSON.parse(said.output)).toEqual(parse(await readFile(join(root, 'manifest.yml'), 'utf8')));
});

test('Slack’s CLI starts the bot with its own tokens, and Ctrl-C stops it', async () => {
  await create();
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, ...settings } = world.environment;
  const cli = { SLACK_CLI_XOXB: SLACK_BOT_TOKEN, SLACK_CLI_XAPP: SLACK_APP_TOKEN };
  const { started, said, exit } = await hook('start', '', { ...settings, ...cli });
  await eventually('the bot to be ready', () => said.output.includes('bot ready'), 60_000);
  await world.card('Aisle 4, second shelf');
  process.kill(-(started.pid ?? Number.NaN), 'SIGINT');
  await exit;
  expect(said.output).toContain('bot stopped');
});

test('Slack’s CLI does not replace a token that is set', async () => {
  await create();
  const cli = { SLACK_CLI_XOXB: 'xoxb-sandbox', SLACK_CLI_XAPP: 'xapp-sandbox' };
  const own = { ...world.environment, ...cli, SLACK_BOT_TOKEN: 'xoxb-own' };
  const { said, exit } = await hook('start', '', own);
  expect(await exit).toBe(78);
  expect(said.errors).toMatch(/Slack does not accept SLACK_BOT_TOKEN/);
});
