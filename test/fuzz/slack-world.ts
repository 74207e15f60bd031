import { randomUUID } from 'node:crypto';
import { idleFeatures } from '../harness/features.ts';
import { postSigned } from '../harness/signed.ts';
import { createWorld, type Transport, type World } from '../harness/world.ts';
import { type Corpus, corpusOf } from './corpus.ts';
import { type Delivery, placeholders } from './payloads.ts';
import { planted } from './secrets.ts';

/** The campaigns and tasks of the gallery's samples, so that what its samples say exists. */
const scenario = {
  accounts: [{ key: planted.apiKey, username: 'planted' }],
  campaigns: [
    {
      campaign_id: '7f3a9c21',
      key: planted.apiKey,
      title: 'Photograph a shelf in your supermarket',
      payment_per_task: '0.45000',
      tasks: [
        { task_id: '5e1d77a0c3', ip: planted.workerIp, proof: ['A shelf', 'in the shop'] },
        ...[1, 2, 3, 4].map((number) => ({ task_id: `task-${number}`, ip: planted.workerIp })),
        { task_id: 'task-5', ip: planted.workerIpv6 },
        { task_id: 'task-6', rating: 'NOK', comment: 'Blurred', ip: planted.workerIp },
      ],
    },
    { campaign_id: 'c0ffee12', key: planted.apiKey, status: 'FINISHED', title: 'Sign up', tasks: { OK: 2 } },
  ],
  messages: [{ key: planted.apiKey, subject: 'A question', message: 'How do I find the shelf?' }],
};

const member = (id: string, real_name: string) => ({ id, name: id.toLowerCase(), real_name });
const workspace = {
  users: [
    { ...member('U01ANN', 'Ann Reyes'), is_admin: true },
    member('U02BEN', 'Ben Okafor'),
    member('U03CHLOE', 'Chloé Martin'),
    { ...member('U04GUEST', 'Gus Guest'), is_restricted: true },
    { ...member('U05OTHER', 'Olga Other'), team_id: 'T9OTHER' },
  ],
};

export type SlackWorld = Awaited<ReturnType<typeof openSlackWorld>>;

const corpora = new Map<string, Corpus>();

/** Returns what can be done in an account: drawing the whole gallery for it takes a second. */
function corpusFor(account: string): Corpus {
  const corpus = corpora.get(account) ?? corpusOf(idleFeatures().features, account);
  corpora.set(account, corpus);
  return corpus;
}

/** Starts the sandboxes, Redis and a bot that has the planted secrets, with cards posted. */
export async function openSlackWorld(transport: Transport) {
  const world = await createWorld({
    transport,
    scenario,
    workspace,
    pollSeconds: 2,
    env: {
      MARKETPLACE_API_KEY: planted.apiKey,
      PROOFDESK_ENCRYPTION_KEYS: planted.encryptionKey,
      ACCOUNT_OWNERS: 'U01ANN',
    },
    rateLimits: { marketplacePerSecond: 1_000 },
  });
  try {
    await world.startBot();
    const card = await world.ann.sees('C01REVIEW', /A shelf/);
    const account = /"task\/([0-9a-f]+)\//.exec(JSON.stringify(card.blocks))?.[1];
    if (account === undefined) throw new Error('no card names its account');
    return { world, corpus: corpusFor(account), ...observe(world) };
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** Returns what the bot emits: log lines, and calls of Slack's Web API with all they say. */
function observe(world: World) {
  let since = 0;

  async function emitted(): Promise<string[]> {
    const requests = await world.slack.requests({}, since);
    since = requests.at(-1)?.n ?? since;
    const calls = requests.filter(({ direction }) => direction === 'in');
    return [...world.log.splice(0), ...calls.map(({ method, args }) => JSON.stringify({ method, args }))];
  }

  return {
    emitted,
    /** Stops the bot, which ends what is under way, and everything else. */
    async close(): Promise<string[]> {
      const began = performance.now();
      await world.stopBots();
      const ms = performance.now() - began;
      const last = [...(await emitted()), ...(await uploads(world))];
      await world.close();
      // A stop gives up after 6 s: then something never ended.
      if (ms > 6_000)
        throw new Error(`the bot did not stop: something is under way for ${Math.round(ms)} ms`);
      return last;
    },
  };
}

/** The results as the marketplace sent them: whoever may see workers' addresses gets them in a direct message. */
const mayHaveAddresses = /-original\.csv$/;

/** Returns the contents of all files that the bot has uploaded. */
async function uploads(world: World): Promise<string[]> {
  const { files } = await world.slack.state();
  return Promise.all(
    files.map(async ({ id, name }) => {
      const text = await (await fetch(`${world.slackUrl}/_sandbox/files/${id}`)).text();
      if (!mayHaveAddresses.test(name)) return text;
      return text.replaceAll(planted.workerIp, '').replaceAll(planted.workerIpv6, '');
    }),
  );
}

/** Fills in what is valid once only. */
export async function filledIn(world: World, user: string, template: string): Promise<string> {
  const text = template.replaceAll(placeholders.unique, randomUUID());
  if (!text.includes(placeholders.trigger) && !text.includes(placeholders.responseUrl)) return text;
  const tokens = await fetch(`${world.slackUrl}/_sandbox/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, channel: 'C01REVIEW' }),
  });
  const { trigger_id, response_url } = (await tokens.json()) as { trigger_id: string; response_url: string };
  return text.replaceAll(placeholders.trigger, trigger_id).replaceAll(placeholders.responseUrl, response_url);
}

/** Delivers to the request URL as Slack does, signed. Resolves to the answer; rejects when there is none. */
export async function deliverByHttp(world: World, { kind, payload }: Delivery): Promise<string> {
  const json = await filledIn(world, 'U01ANN', JSON.stringify(payload) ?? 'null');
  const body = kind === 'events_api' ? json : formOf(kind, json);
  const type = kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded';
  const signed = { type, secret: planted.signingSecret, timeoutMs: 10_000 };
  const response = await postSigned(world.port, body, signed);
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

function formOf(kind: Delivery['kind'], json: string): string {
  if (kind === 'interactive') return new URLSearchParams({ payload: json }).toString();
  const fields: unknown = JSON.parse(json);
  if (typeof fields !== 'object' || fields === null) return String(fields);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const texts = Object.entries(fields).map(([name, value]) => [name, textOf(value)]);
  return new URLSearchParams(texts).toString();
}

/** Delivers by Socket Mode. Resolves to the ack; rejects when there is none. */
export async function deliverBySocket(world: World, { kind, payload }: Delivery): Promise<string> {
  if (kind === 'events_api' && !isEvent(payload)) return 'not sent';
  const json = await filledIn(world, 'U01ANN', JSON.stringify(payload) ?? 'null');
  const response = await fetch(`${world.slackUrl}/_sandbox/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"kind":"${kind}","payload":${json}}`,
  });
  type Answer = { acked: boolean; body?: unknown; error?: string };
  const { acked, body, error } = (await response.json()) as Answer;
  if (!acked) throw new Error(`was not acked: ${error}`);
  return JSON.stringify(body ?? '');
}

/** Events of Slack's own client: a payload called like one would be taken for it. */
const ofClient = /^(connect|disconnect|reconnect|authenticated|error|close|ws_message|slack_event)/;

/** Whether Slack's own client can read an event: it needs its type, and Slack sends no other over a socket. */
function isEvent(payload: unknown): boolean {
  const type = (payload as { event?: { type?: unknown } } | null)?.event?.type;
  return typeof type === 'string' && !ofClient.test(type);
}
