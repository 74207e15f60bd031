import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/app/config.ts';
import { stopTimeoutMs } from '../../src/app/lifecycle.ts';

// What is deployed is compared whole: nothing of it may be left out, and nothing unknown added.

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const like = (pattern: RegExp) => expect.stringMatching(pattern);

const compose = parse(read('deploy/compose.yaml'));
const { bot, redis } = compose.services;
const time = like(/^\d+s$/);

const hardened = {
  restart: 'unless-stopped',
  command: expect.any(Array),
  user: like(/^(?!root|0)/),
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  stop_grace_period: time,
  mem_limit: like(/^\d+[mg]$/),
};

test('deploy/compose.yaml has a Redis that keeps what it has accepted, and that only the bot reaches', () => {
  const options = redis.command.join(' ');
  for (const option of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction'])
    expect(options).toContain(option);
  expect(options).toMatch(/--maxmemory \d+mb/);
  const ping = expect.arrayContaining(['redis-cli']);
  expect(redis).toEqual({
    ...hardened,
    image: like(/:\d/),
    volumes: ['redis:/data'],
    networks: ['data'],
    healthcheck: { test: ping, interval: time, timeout: time, retries: expect.any(Number) },
  });
});

test('deploy/compose.yaml starts the bot once Redis answers, on the network that reaches Slack, and lets it finish', () => {
  const { services, ...others } = compose;
  expect(Object.keys(services).sort()).toEqual(['bot', 'redis']);
  expect(others).toEqual({
    name: 'proofdesk',
    networks: { outside: null, data: { internal: true } },
    volumes: { redis: null },
    secrets: { settings: { file: '../.env' } },
  });
  expect(bot).toEqual({
    ...hardened,
    build: '..',
    image: 'proofdesk',
    secrets: ['settings'],
    environment: { REDIS_URL: 'redis://redis:6379', PORT: expect.any(String) },
    depends_on: { redis: { condition: 'service_healthy' } },
    // Of this machine alone.
    ports: [like(/^127\.0\.0\.1:\d+:\d+$/)],
    networks: ['outside', 'data'],
    tmpfs: [like(/^\/tmp:size=\d+m$/)],
  });
  expect(Number.parseInt(bot.stop_grace_period, 10) * 1_000).toBeGreaterThan(stopTimeoutMs);
  // The image checks the bot.
  expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});

test('deploy/compose.yaml gives no secret to the bot’s environment', () => {
  expect(Object.keys(bot.environment).sort()).toEqual(['PORT', 'REDIS_URL']);
  expect(bot.command).toContain('--env-file=/run/secrets/settings');
});

/** Returns the objects of a manifest by their kinds. */
const objectsOf = (path: string) =>
  Object.fromEntries(
    parseAllDocuments(read(path)).map((document) => {
      expect(document.errors).toEqual([]);
      const { kind, ...rest } = document.toJS();
      return [kind, rest];
    }),
  );

const objects = objectsOf('deploy/kubernetes/proofdesk.yaml');
const secret = objectsOf('deploy/kubernetes/secret.yaml.example').Secret;
const labels = { 'app.kubernetes.io/name': 'proofdesk' };
const metadata = { name: 'proofdesk', labels };
const selector = { matchLabels: labels };
const { metadata: annotated, spec: pod } = objects.Deployment.spec.template;
const [container] = pod.containers;
const env: Record<string, string> = Object.fromEntries(
  container.env.map(({ name, value }: Record<string, string>) => [name, value]),
);

test('deploy/kubernetes has the objects that two replicas need', () => {
  const template = { metadata: annotated, spec: pod };
  const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
  expect(objects).toEqual({
    ConfigMap: { apiVersion: 'v1', metadata, data: expect.any(Object) },
    Deployment: {
      apiVersion: 'apps/v1',
      metadata,
      spec: { replicas: 2, selector, strategy: { type: 'RollingUpdate', rollingUpdate }, template },
    },
    PodDisruptionBudget: { apiVersion: 'policy/v1', metadata, spec: { minAvailable: 1, selector } },
    Service: {
      apiVersion: 'v1',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  });
  expect(secret).toEqual({ apiVersion: 'v1', metadata, type: 'Opaque', stringData: expect.any(Object) });
});

test('deploy/kubernetes runs pods without rights, on two nodes where there are two', () => {
  const id = expect.any(Number);
  const user = { runAsNonRoot: true, runAsUser: id, runAsGroup: id, fsGroup: id };
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  expect(pod).toEqual({
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: expect.any(Number),
    securityContext: { ...user, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [{ ...spread, labelSelector: selector }],
    containers: [container],
    volumes: [
      { name: 'secrets', secret: { secretName: 'proofdesk', defaultMode: 0o440 } },
      { name: 'tmp', emptyDir: { sizeLimit: like(/^\d+Gi$/) } },
    ],
  });
  const { runAsUser, runAsGroup, fsGroup } = pod.securityContext;
  expect(Math.min(runAsUser, runAsGroup, fsGroup)).toBeGreaterThan(0);
  const times = { periodSeconds: expect.any(Number), timeoutSeconds: expect.any(Number) };
  const probe = (path: string) => ({ httpGet: { path, port: 'http' }, ...times });
  expect(container).toEqual({
    name: 'bot',
    image: like(/^[\w.-]+\/proofdesk:\d+\.\d+\.\d+$/),
    envFrom: [{ configMapRef: { name: 'proofdesk' } }],
    env: expect.any(Array),
    ports: [{ name: 'http', containerPort: Number(env.PORT) }],
    livenessProbe: { ...probe('/healthz'), failureThreshold: expect.any(Number) },
    readinessProbe: probe('/readyz'),
    lifecycle: { preStop: { exec: { command: ['sleep', like(/^\d+$/)] } } },
    resources: {
      requests: { cpu: like(/^\d+m$/), memory: like(/^\d+Mi$/) },
      limits: { memory: like(/^\d+Mi$/) },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'secrets', mountPath: expect.any(String), readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  });
});

test('deploy/kubernetes lets the bot finish after its pause', () => {
  const pause = Number(container.lifecycle.preStop.exec.command[1]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + stopTimeoutMs / 1_000);
});

test('deploy/kubernetes tells Prometheus where each pod has its metrics, which are on', () => {
  expect(annotated.labels).toEqual(labels);
  expect(annotated.annotations).toEqual({
    'prometheus.io/scrape': 'true',
    'prometheus.io/port': env.PORT,
    'prometheus.io/path': '/metrics',
  });
  expect(objects.ConfigMap.data.METRICS).toBe('on');
});

test('deploy/kubernetes mounts a file for each secret of the example, and a folder for temporary files', () => {
  const files = Object.values(env).filter((value) => value.startsWith('/'));
  const folder = container.volumeMounts[0].mountPath;
  const wanted = Object.keys(secret.stringData).map((key) => `${folder}/${key}`);
  expect(files.sort()).toEqual(wanted.sort());
  expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
});

test('deploy/kubernetes sets only what the bot reads, and takes the secrets from files', () => {
  const settings = { ...objects.ConfigMap.data, ...env };
  const known = read('.env.example');
  for (const name of Object.keys(settings)) expect(known).toContain(name);
  for (const value of Object.values({ ...settings, ...secret.stringData }))
    expect(value).toBeTypeOf('string');
  expect(Object.keys(secret.stringData).length).toBeGreaterThan(4);
  // The files are not there, and the placeholder of the marketplace is named: nothing else is wrong.
  expect(() => readConfig(settings)).toThrow(
    /^The configuration is incomplete or wrong:\n( {2}- (REDIS_URL|SLACK_BOT_TOKEN|SLACK_APP_TOKEN|MARKETPLACE_API_KEY)_FILE names .*\n){4} {2}- MARKETPLACE_BASE_URL [^\n]*placeholder[^\n]*$/,
  );
});

const root = new URL('../../', import.meta.url);
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
const [lastStage = ''] = dockerfile.split(/^FROM /m).slice(-1);

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of a Dockerfile, each on one line. */
const instructionsOf = (file: string): Instruction[] =>
  file
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', text = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      return name ? [{ name: name.toUpperCase(), text }] : [];
    });

const stageOf = ({ text }: Instruction) => / as (\S+)$/i.exec(text)?.[1];

/** The rules of hadolint that concern such an image, by their codes: each returns whether one instruction breaks it. */
const rules: Readonly<Record<string, (one: Instruction, all: readonly Instruction[]) => boolean>> = {
  'DL3000 absolute WORKDIR': ({ name, text }) => name === 'WORKDIR' && !text.startsWith('/'),
  'DL3002 not root': (one, all) =>
    one === all.at(-1) && /^(root|0)?(:|$)/.test(all.findLast(({ name }) => name === 'USER')?.text ?? ''),
  'DL3004 no sudo': ({ name, text }) => name === 'RUN' && /\bsudo\b/.test(text),
  'DL3006 DL3007 a version of the image': ({ name, text }) =>
    name === 'FROM' &&
    !/^[\w./-]+:(?!latest\b)[\w.-]*\d[\w.-]*(@sha256:[0-9a-f]{64})?( as \w+)?$/i.test(text),
  'DL3008 DL3009 DL3014 DL3015 packages of the system': ({ name, text }) =>
    name === 'RUN' &&
    /apt-get install/.test(text) &&
    !/-y.*--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/.test(text),
  'DL3012 one HEALTHCHECK': (one, all) =>
    one.name === 'HEALTHCHECK' && all.find(({ name }) => name === 'HEALTHCHECK') !== one,
  'DL3020 COPY, not ADD': ({ name }) => name === 'ADD',
  'DL3021 several files go into a folder': ({ name, text }) =>
    name === 'COPY' && text.replace(/--\S+ /g, '').split(/\s+/).length > 2 && !text.endsWith('/'),
  'DL3022 files of an earlier stage': (one, all) => {
    const from = /--from=(\S+)/.exec(one.text)?.[1];
    return from !== undefined && !all.slice(0, all.indexOf(one)).some((each) => stageOf(each) === from);
  },
  'DL3024 a name for each stage': (one, all) =>
    stageOf(one) !== undefined && all.find((each) => stageOf(each) === stageOf(one)) !== one,
  'DL3025 no shell around the program': ({ name, text }) =>
    (name === 'CMD' || name === 'ENTRYPOINT') && !text.startsWith('['),
  'DL3027 apt-get, not apt': ({ name, text }) => name === 'RUN' && /\bapt /.test(text),
  'SECRET none in the image': ({ name, text }) =>
    (name === 'ENV' || name === 'ARG') && /(token|secret|password|api_?key)\w*\s*=?/i.test(text),
  'DL4000 no MAINTAINER': ({ name }) => name === 'MAINTAINER',
  'DL4006 a pipe that fails': ({ name, text }) =>
    name === 'RUN' && / \| /.test(text) && !/pipefail/.test(text),
};

/** Returns the rules that a Dockerfile breaks. */
function lint(file: string): string[] {
  const all = instructionsOf(file);
  return Object.keys(rules).filter((rule) => all.some((one) => rules[rule]?.(one, all)));
}

/** What the image sets for the bot. */
const environment = Object.fromEntries(
  [...lastStage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
  ),
);

test('the image keeps the rules of hadolint', () => {
  expect(lint(dockerfile)).toEqual([]);
});

test.each([
  ['DL3000', 'WORKDIR app'],
  ['DL3002', 'USER root'],
  ['DL3004', 'RUN sudo id'],
  ['DL3006', 'FROM node'],
  ['DL3007', 'FROM node:latest'],
  ['DL3008', 'RUN apt-get install -y curl'],
  ['DL3012', 'HEALTHCHECK CMD ["true"]\nHEALTHCHECK CMD ["true"]'],
  ['DL3020', 'ADD src ./src'],
  ['DL3021', 'COPY a b c'],
  ['DL3022', 'COPY --from=nowhere /a /b'],
  ['DL3024', 'FROM node:24-slim AS build'],
  ['DL3025', 'CMD node dist/main.js'],
  ['DL3027', 'RUN apt update'],
  ['SECRET', 'ENV SLACK_BOT_TOKEN=xoxb-1'],
  ['DL4000', 'MAINTAINER me'],
  ['DL4006', 'RUN cat a | \\\n  sort'],
])('would not keep %s with %s', (code, more) => {
  expect(lint(`${dockerfile}\n${more}\n`).join()).toMatch(code);
});

test('the image opens the port on all addresses of its container, in Socket Mode too', () => {
  const config = readConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    MARKETPLACE_BASE_URL: 'https://market.example/api/',
    REDIS_URL: 'redis://redis:6379',
    PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    ...environment,
  });
  expect(config.host).toBe('0.0.0.0');
});

test('the image runs what is built, and not as root', () => {
  expect(JSON.parse(/^CMD (.*)$/m.exec(lastStage)?.[1] ?? '[]')).toEqual(['node', 'dist/main.js']);
  expect(lastStage).toMatch(/^USER node$/m);
});

test('the image has neither development packages nor sources', () => {
  expect(dockerfile).toMatch(/^RUN npm install .*--omit=dev/m);
  const copied = [...lastStage.matchAll(/^COPY (?:--from=\w+ )?(\S+)/gm)].map(([, path]) => path);
  expect(copied).toEqual(['/app/node_modules', '/app/dist', 'package.json']);
});
