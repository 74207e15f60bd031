import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/app/config.ts';
import { stopTimeoutMs } from '../../src/app/lifecycle.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A time in the formats of Compose, in seconds. */
const seconds = z
  .string()
  .regex(/^\d+s$/)
  .transform((text) => Number.parseInt(text, 10));

const names = z.array(z.string()).min(1);
const texts = z.record(z.string(), z.string());

/** What every service of ours must have: nothing of it may be left out, and nothing unknown added. */
const service = z.strictObject({
  build: z.literal('..').optional(),
  image: z.string().regex(/^proofdesk$|:\d/),
  restart: z.literal('unless-stopped'),
  secrets: z.tuple([z.literal('settings')]).optional(),
  environment: texts.optional(),
  command: names,
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  healthcheck: z
    .strictObject({ test: names, interval: seconds, timeout: seconds, retries: z.number() })
    .optional(),
  // Of this machine alone.
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  networks: names,
  volumes: z.array(z.string().regex(/^\w+:\/\w+$/)).optional(),
  user: z.string().regex(/^(?!root|0)/),
  read_only: z.literal(true),
  tmpfs: z.array(z.string().regex(/^\/tmp:size=\d+m$/)).optional(),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  stop_grace_period: seconds,
  mem_limit: z.string().regex(/^\d+[mg]$/),
});

const compose = z
  .strictObject({
    name: z.literal('proofdesk'),
    services: z.strictObject({ bot: service, redis: service }),
    networks: z.strictObject({ outside: z.null(), data: z.strictObject({ internal: z.literal(true) }) }),
    volumes: z.strictObject({ redis: z.null() }),
    secrets: z.strictObject({ settings: z.strictObject({ file: z.literal('../.env') }) }),
  })
  .parse(parse(read('deploy/compose.yaml')));

const { bot, redis } = compose.services;

test('deploy/compose.yaml has a Redis that keeps what it has accepted, and that only the bot reaches', () => {
  const options = redis.command.join(' ');
  for (const option of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction'])
    expect(options).toContain(option);
  expect(options).toMatch(/--maxmemory \d+mb/);
  expect(redis.volumes).toEqual(['redis:/data']);
  expect(redis.ports).toBeUndefined();
  expect(redis.networks).toEqual(['data']);
  expect(redis.healthcheck?.test).toContain('redis-cli');
});

test('deploy/compose.yaml starts the bot once Redis answers, on the network that reaches Slack, and lets it finish', () => {
  expect(bot.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
  expect(bot.networks).toEqual(['outside', 'data']);
  expect(bot.stop_grace_period * 1_000).toBeGreaterThan(stopTimeoutMs);
  // The image checks the bot.
  expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});

test('deploy/compose.yaml gives no secret to the bot’s environment', () => {
  expect(Object.keys(bot.environment ?? {}).sort()).toEqual(['PORT', 'REDIS_URL']);
  expect(bot.command).toContain('--env-file=/run/secrets/settings');
});

const metadata = z.strictObject({
  name: z.literal('proofdesk'),
  labels: z.strictObject({ 'app.kubernetes.io/name': z.literal('proofdesk') }),
});
const { labels } = metadata.shape;
const selector = z.strictObject({ matchLabels: labels });
const probe = (path: string) =>
  z.strictObject({
    httpGet: z.strictObject({ path: z.literal(path), port: z.literal('http') }),
    periodSeconds: z.number(),
    timeoutSeconds: z.number(),
    failureThreshold: z.number().optional(),
  });
const quantity = z.string().regex(/^\d+(m|Mi|Gi)$/);
const sleep = z.strictObject({ command: z.tuple([z.literal('sleep'), z.string().regex(/^\d+$/)]) });

const container = z.strictObject({
  name: z.literal('bot'),
  image: z.string().regex(/^[\w.-]+\/proofdesk:\d+\.\d+\.\d+$/),
  envFrom: z.tuple([z.strictObject({ configMapRef: z.strictObject({ name: z.literal('proofdesk') }) })]),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  ports: z.tuple([z.strictObject({ name: z.literal('http'), containerPort: z.number() })]),
  livenessProbe: probe('/healthz'),
  readinessProbe: probe('/readyz'),
  lifecycle: z.strictObject({ preStop: z.strictObject({ exec: sleep }) }),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: quantity, memory: quantity }),
    limits: z.strictObject({ memory: quantity }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }),
  ),
});

const http = z.literal('http');
const port = z.strictObject({ name: http, port: z.number(), targetPort: http });

const kinds = {
  'v1 ConfigMap': z.strictObject({ metadata, data: texts }),
  'v1 Secret': z.strictObject({ metadata, type: z.literal('Opaque'), stringData: texts }),
  'v1 Service': z.strictObject({
    metadata,
    spec: z.strictObject({ selector: labels, ports: z.tuple([port]) }),
  }),
  'policy/v1 PodDisruptionBudget': z.strictObject({
    metadata,
    spec: z.strictObject({ minAvailable: z.literal(1), selector }),
  }),
  'apps/v1 Deployment': z.strictObject({
    metadata,
    spec: z.strictObject({
      replicas: z.literal(2),
      selector,
      strategy: z.strictObject({
        type: z.literal('RollingUpdate'),
        rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.literal(1) }),
      }),
      template: z.strictObject({
        metadata: z.strictObject({ labels, annotations: texts }),
        spec: z.strictObject({
          automountServiceAccountToken: z.literal(false),
          terminationGracePeriodSeconds: z.number(),
          securityContext: z.strictObject({
            runAsNonRoot: z.literal(true),
            runAsUser: z.number().min(1),
            runAsGroup: z.number().min(1),
            fsGroup: z.number().min(1),
            seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
          }),
          topologySpreadConstraints: z.tuple([
            z.strictObject({
              maxSkew: z.literal(1),
              topologyKey: z.literal('kubernetes.io/hostname'),
              whenUnsatisfiable: z.literal('ScheduleAnyway'),
              labelSelector: selector,
            }),
          ]),
          containers: z.tuple([container]),
          volumes: z.tuple([
            z.strictObject({
              name: z.literal('secrets'),
              secret: z.strictObject({ secretName: z.literal('proofdesk'), defaultMode: z.literal(0o440) }),
            }),
            z.strictObject({ name: z.literal('tmp'), emptyDir: z.strictObject({ sizeLimit: quantity }) }),
          ]),
        }),
      }),
    }),
  }),
};

/** Returns the objects of a manifest by their kind, each checked by the schema of its kind. */
function objectsOf(path: string) {
  const objects = parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    const { apiVersion, kind, ...rest } = document.toJS() as { apiVersion: string; kind: string };
    const name = `${apiVersion} ${kind}` as keyof typeof kinds;
    return [name, kinds[name].parse(rest)] as const;
  });
  return Object.fromEntries(objects) as { [K in keyof typeof kinds]?: z.infer<(typeof kinds)[K]> };
}

const objects = objectsOf('deploy/kubernetes/proofdesk.yaml');
const secret = objectsOf('deploy/kubernetes/secret.yaml.example')['v1 Secret'];
const pod = objects['apps/v1 Deployment']?.spec.template.spec;
const env = Object.fromEntries((pod?.containers[0].env ?? []).map(({ name, value }) => [name, value]));

test('deploy/kubernetes has the objects that two replicas need', () => {
  const { 'v1 Secret': _, ...wanted } = kinds;
  expect(Object.keys(objects).sort()).toEqual(Object.keys(wanted).sort());
});

test('deploy/kubernetes lets the bot finish after its pause', () => {
  const pause = Number(pod?.containers[0].lifecycle.preStop.exec.command[1]);
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(pause + stopTimeoutMs / 1_000);
});

test('deploy/kubernetes tells Prometheus where each pod has its metrics, which are on', () => {
  expect(objects['apps/v1 Deployment']?.spec.template.metadata.annotations).toEqual({
    'prometheus.io/scrape': 'true',
    'prometheus.io/port': String(pod?.containers[0].ports[0].containerPort),
    'prometheus.io/path': '/metrics',
  });
  expect(objects['v1 ConfigMap']?.data.METRICS).toBe('on');
});

test('deploy/kubernetes mounts a file for each secret of the example, and a folder for temporary files', () => {
  const folder = pod?.containers[0].volumeMounts.find(({ name }) => name === 'secrets')?.mountPath;
  const files = Object.values(env).filter((value) => value.startsWith('/'));
  const wanted = Object.keys(secret?.stringData ?? {}).map((key) => `${folder}/${key}`);
  expect(files.sort()).toEqual(wanted.sort());
  expect(pod?.containers[0].volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
});

test('deploy/kubernetes sets only what the bot reads, and takes the secrets from files', () => {
  const settings = { ...objects['v1 ConfigMap']?.data, ...env };
  const known = read('.env.example');
  for (const name of Object.keys(settings)) expect(known).toContain(name);
  expect(Object.keys(secret?.stringData ?? {}).length).toBeGreaterThan(4);
  // The files are not there, and the placeholder of the marketplace is named: nothing else is wrong.
  expect(() => readConfig(settings)).toThrow(
    /^The configuration is incomplete or wrong:\n( {2}- (REDIS_URL|SLACK_BOT_TOKEN|SLACK_APP_TOKEN|MARKETPLACE_API_KEY)_FILE names .*\n){4} {2}- MARKETPLACE_BASE_URL [^\n]*placeholder[^\n]*$/,
  );
});
