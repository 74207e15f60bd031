import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { shelf } from '../harness/acts.ts';
import { heard } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { ask } from '../harness/health.ts';
import { freePort } from '../harness/ports.ts';
import { programPath } from '../harness/programs.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

// Acts out what Docker and Kubernetes do, without their engines: what the files say is run as processes.

const root = join(import.meta.dirname, '../..');

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly stop_grace_period: string;
}

type Variable = { name: string; value: string };

let folder = '';
const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] } });
const startPod = botsPerTest();
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Nobody: only root may run what follows as somebody else. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Runs a program as a user without rights, as the containers do. */
function run(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: '/home/node', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  children.push(child);
  return { child, ...heard(child) };
}

test('deploy/compose.yaml brings a card within a minute, with .env alone filled in, and stops in time', async () => {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const compose = parse(await read('deploy/compose.yaml')) as { services: Record<string, Service> };
  const { bot, redis } = compose.services;
  if (!bot || !redis) throw new Error('no services');
  const dockerfile = await read('Dockerfile');
  const image = Object.fromEntries(
    [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((pair) => pair.split(/=(.*)/).slice(0, 2)),
    ),
  ) as Record<string, string>;

  await create();
  const { ann, marketplace, environment } = world;
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['Aisle 4, second shelf'] });

  folder = await mkdtemp(join(tmpdir(), 'proofdesk-compose-'));
  await chmod(folder, 0o755);
  const [app = '', data = '', settings = ''] = ['app', 'data', 'settings'].map((name) => join(folder, name));
  await mkdir(data);
  if (user.uid) await chown(data, user.uid, user.gid);
  const ofSlack = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_API_URL', 'REVIEW_CHANNEL'];
  const others = [
    'MARKETPLACE_BASE_URL',
    'MARKETPLACE_API_KEY',
    'ACCOUNT_OWNERS',
    'PROOFDESK_ENCRYPTION_KEYS',
  ];
  const filledIn = [...ofSlack, ...others].reduce(
    (text, name) => text.replace(new RegExp(`^(# )?${name}=.*$`, 'm'), `${name}=${environment[name]}`),
    await read('.env.example'),
  );
  await writeFile(settings, filledIn);
  await cp(dirname(await programPath('main')), join(app, 'dist'), { recursive: true });
  await cp(join(root, 'package.json'), join(app, 'package.json'));
  // The container's file system cannot be written.
  await promisify(execFile)('chmod', ['-R', 'a=rX', app]);

  const [redisPort, port] = [await freePort(), await freePort()];
  const beganAt = performance.now();
  const server = run([...redis.command, '--port', String(redisPort), '--bind', '127.0.0.1'], data);
  const [, check = '', ...args] = redis.healthcheck.test;
  await eventually('Redis to be healthy', async () => {
    const { said, exit } = run([check, '-p', String(redisPort), ...args], data);
    return (await exit) === 0 && said.output === 'PONG\n';
  });

  const url = bot.environment.REDIS_URL?.replace('redis:6379', `127.0.0.1:${redisPort}`);
  const env = { ...image, ...bot.environment, REDIS_URL: url, PORT: String(port) };
  const command = bot.command.map((part) => part.replace('/run/secrets/settings', settings));
  const started = run(command, app, env);
  const health = JSON.parse(/^HEALTHCHECK [^[]*(\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  await eventually('the bot to be healthy', async () => (await run(health, app, env).exit) === 0, 60_000);
  const card = await ann.sees('C01REVIEW', /Aisle 4, second shelf/);
  expect(performance.now() - beganAt).toBeLessThan(60_000);
  expect((await ask(port, '/readyz'))?.text).toMatch(/^ready\n/);
  await ann.clicks(card, 'OK');
  await card.untilText(/\*OK\* by @Ann/);

  const stoppedAt = performance.now();
  started.child.kill('SIGTERM');
  expect(await started.exit).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(Number.parseInt(bot.stop_grace_period, 10) * 1_000);
  expect(started.said.errors).toBe('');
  // What it could not write would be in the log.
  expect(started.said.output).not.toMatch(/EACCES|EROFS|EPERM|xoxb-|xapp-|employer-demo-key/);
  expect(await readdir(app)).toEqual(['dist', 'package.json']);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(await readdir(data)).toContain('appendonlydir');
});

test('deploy/kubernetes starts a bot whose secrets are files, and none of them gets into the log', async () => {
  const read = (path: string) => readFile(join(root, 'deploy/kubernetes', path), 'utf8');
  const [settings, deployment] = parseAllDocuments(await read('proofdesk.yaml')).map((each) => each.toJS());
  const secrets = parse(await read('secret.yaml.example')) as { stringData: Record<string, string> };
  await create();
  const { environment, redis } = world;
  await redis.isSet('requirepass', 'pass-of-redis');
  const filledIn = {
    ...environment,
    REDIS_URL: environment.REDIS_URL?.replace('//', '//:pass-of-redis@'),
    PROOFDESK_KEY: environment.PROOFDESK_ENCRYPTION_KEYS,
  } as Record<string, string | undefined>;

  folder = await mkdtemp(join(tmpdir(), 'proofdesk-secrets-'));
  const [{ env: variables }] = deployment.spec.template.spec.containers as [{ env: Variable[] }];
  const env: Record<string, string | undefined> = { ...settings.data };
  for (const { name, value } of variables) {
    const path = join(folder, basename(value));
    env[name] = name.endsWith('_FILE') ? path : value;
    if (name.endsWith('_FILE')) await writeFile(path, `${filledIn[name.replace(/_FILE$/, '')]}\n`);
  }
  expect((await readdir(folder)).sort()).toEqual(Object.keys(secrets.stringData).sort());
  const { SLACK_API_URL, MARKETPLACE_BASE_URL, REVIEW_CHANNEL, PORT, POLL_SECONDS } = environment;
  const sandboxes = { SLACK_API_URL, MARKETPLACE_BASE_URL, REVIEW_CHANNEL, PORT, POLL_SECONDS };
  const pod = await startPod({ ...env, ...sandboxes, LOG_LEVEL: 'trace' });
  await pod.ready();
  await world.card('Aisle 5, top shelf');
  expect((await ask(world.port, '/metrics'))?.text).toContain('proofdesk_');
  pod.child.kill('SIGTERM');
  expect(await pod.exit).toBe(0);
  for (const value of ['xoxb-sandbox', 'xapp-sandbox', 'employer-demo-key', 'pass-of-redis'])
    expect(pod.output() + pod.errors()).not.toContain(value);
});
