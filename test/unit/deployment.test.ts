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

/** What the image sets for the bot. */
const environment = Object.fromEntries(
  [...lastStage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
  ),
);

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
