import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { SandboxSlack } from '../src/index.ts';
import { type Person, type SlackHandle, slackHandle } from '../src/testing/index.ts';
import { sandboxFor } from './app.ts';
import { openSocket } from './socket.ts';

let sandbox: SandboxSlack;
let slack: SlackHandle;
let ann: Person;
let client: WebClient;

beforeEach(async () => {
  sandbox = await sandboxFor();
  slack = slackHandle(sandbox.url);
  ann = slack.person('U01ANN');
  client = new WebClient('xoxb-sandbox', { slackApiUrl: sandbox.apiUrl, retryConfig: { retries: 0 } });
});
afterEach(() => sandbox.close());

const plain = (text: string) => ({ type: 'plain_text' as const, text });

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => ({ data: { error: 'it succeeded' } }),
    (reason: unknown) => reason,
  );
  return (error as { data: { error: unknown } }).data.error;
}

async function connected(to = sandbox) {
  const socket = await openSocket(to);
  await socket.next();
  return socket;
}

describe('Socket Mode', () => {
  test('a ticket opens one connection', async () => {
    const apps = new WebClient('xapp-sandbox', { slackApiUrl: sandbox.apiUrl }).apps;
    const { url = '' } = await apps.connections.open({});
    const connect = (to: string): Promise<string> =>
      new Promise((resolve) => {
        const ws = new WebSocket(to);
        ws.addEventListener('open', () => resolve('open'));
        ws.addEventListener('error', () => resolve('refused'));
      });
    expect(await connect(url)).toBe('open');
    expect(await connect(url)).toBe('refused');
    expect(await connect(url.replace(/ticket=[^&]*/, 'ticket=made-up'))).toBe('refused');
  });

  test('each payload goes to one of several sockets, ten at most', async () => {
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(sandbox)));
    for (const socket of sockets) expect((await socket.next()).type).toBe('hello');
    const eleventh = await openSocket(sandbox);
    expect(await eleventh.next()).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' });
    await eleventh.closed;
    for (const socket of sockets)
      void (async () => {
        for (;;) socket.ack(await socket.next());
      })();
    for (let n = 0; n < 20; n += 1) expect((await ann.types('C01REVIEW', `/hi ${n}`)).acked).toBe(true);
    expect(await slack.requests({ method: 'slash_commands' })).toHaveLength(20);
    for (const socket of sockets) socket.close();
    await slack.sockets(0);
  });

  test('a payload whose socket drops before the ack goes to another one', async () => {
    const first = await connected();
    const typed = ann.types('C01REVIEW', '/hi');
    const lost = await first.next();
    const second = await connected();
    first.close();
    const again = await second.next();
    expect(again.payload).toEqual(lost.payload);
    expect(again.envelope_id).not.toBe(lost.envelope_id);
    second.ack(again);
    expect((await typed).acked).toBe(true);
  });

  test('while the only socket is closing, a delivery waits for another one instead of trying all the time', async () => {
    const first = await connected();
    first.close();
    const typed = ann.types('C01REVIEW', '/hi');
    await first.closed;
    const second = await connected();
    second.ack(await second.next());
    expect((await typed).acked).toBe(true);
    expect((await slack.requests({ method: 'slash_commands' })).length).toBeLessThan(10);
  });

  test('drop-socket drops the socket before its ack is read', async () => {
    const first = await connected();
    await slack.fault({ match: { delivery: 'slash_commands' }, kind: 'drop-socket' });
    const typed = ann.types('C01REVIEW', '/hi');
    first.ack(await first.next());
    await first.closed;
    const second = await connected();
    second.ack(await second.next());
    expect((await typed).acked).toBe(true);
  });

  test('events that are not acked come again, with the count and the reason', async () => {
    await slack.settings({ retryDelaysMs: [0, 10] });
    const socket = await connected();
    await ann.says('C01REVIEW', 'hello');
    const first = await socket.next();
    expect(first).toMatchObject({ type: 'events_api', accepts_response_payload: false, retry_attempt: 0 });
    const second = await socket.next();
    expect(second).toMatchObject({ retry_attempt: 1, retry_reason: 'timeout' });
    expect(second.payload.event_id).toBe(first.payload.event_id);
    socket.ack(second);
    await slack.request((line) => line.method === 'message' && line.attempt === 1 && line.ok === true);
    // Acked: there is no third time.
    const typed = ann.types('C01REVIEW', '/end');
    const next = await socket.next();
    expect(next.type).toBe('slash_commands');
    socket.ack(next);
    await typed;
  });

  test('disconnect asks to come again; hard drops without a word', async () => {
    const socket = await connected();
    await slack.disconnect();
    expect(await socket.next()).toMatchObject({ type: 'disconnect', reason: 'refresh_requested' });
    await slack.disconnect({ hard: true });
    await socket.closed;
    expect(socket.waiting()).toBe(0);
    await slack.sockets(0);
  });

  test('deliveries: twice, late, lost', async () => {
    const socket = await connected();
    await slack.fault({ match: { delivery: 'slash_commands' }, kind: 'twice' });
    const twice = ann.types('C01REVIEW', '/hi');
    const [one, two] = [await socket.next(), await socket.next()];
    expect(two.payload).toEqual(one.payload);
    expect(two.envelope_id).not.toBe(one.envelope_id);
    socket.ack(two);
    socket.ack(one);
    expect((await twice).acked).toBe(true);

    await slack.fault({ kind: 'late', delayMs: 300 });
    const started = Date.now();
    const late = ann.types('C01REVIEW', '/hi');
    socket.ack(await socket.next());
    expect(Date.now() - started).toBeGreaterThanOrEqual(290);
    expect((await late).acked).toBe(true);

    await slack.fault({ kind: 'lost' });
    expect(await ann.types('C01REVIEW', '/hi')).toMatchObject({ acked: false });
    expect(socket.waiting()).toBe(0);
  });

  test('an ack after 3 seconds counts for nothing', async () => {
    const socket = await connected();
    const typed = ann.types('C01REVIEW', '/hi');
    const envelope = await socket.next();
    expect((await typed).acked).toBe(false);
    socket.ack(envelope, { text: 'too late' });
    await slack.request((line) => line.method === 'late_ack');
    expect(await ann.reads('C01REVIEW')).toEqual([]);
  });
});

describe('HTTP', () => {
  type Received = { headers: IncomingHttpHeaders; body: string };

  /** A little server that answers what the test says. */
  async function endpoint(
    answer: (
      received: Received,
      n: number,
    ) => { status: number; body?: string; headers?: Record<string, string> },
  ) {
    const received: Received[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        const { status, body: text, headers } = answer({ headers: request.headers, body }, received.length);
        response.writeHead(status, headers ?? {}).end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
    return { received, close: () => server.close() };
  }

  test('events come again with the count and the reason until they are taken', async () => {
    await slack.settings({ retryDelaysMs: [0, 10, 10] });
    const { received, close } = await endpoint((_received, n) => ({ status: n < 3 ? 500 : 200 }));
    await ann.says('C01REVIEW', 'hello');
    await slack.request((line) => line.attempt === 2 && line.ok === true);
    expect(
      received.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']]),
    ).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
    expect(received.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^Ev/)),
    );
    close();
  });

  test('x-slack-no-retry ends it', async () => {
    await slack.settings({ retryDelaysMs: [0] });
    const { received, close } = await endpoint(() => ({ status: 500, headers: { 'x-slack-no-retry': '1' } }));
    await ann.says('C01REVIEW', 'one');
    await slack.request((line) => line.method === 'message' && line.ok === false);
    await ann.types('C01REVIEW', '/next');
    expect(received).toHaveLength(2);
    close();
  });

  test('twice, and cut off before the answer is read', async () => {
    const { received, close } = await endpoint(() => ({ status: 200 }));
    await slack.fault({ kind: 'twice' });
    expect((await ann.types('C01REVIEW', '/hi')).acked).toBe(true);
    expect(received).toHaveLength(2);
    expect(received[1]?.body).toBe(received[0]?.body);
    await slack.fault({ match: { delivery: 'slash_commands' }, kind: 'drop-socket' });
    expect((await ann.types('C01REVIEW', '/hi')).acked).toBe(true);
    expect(received).toHaveLength(4);
    close();
  });

  test('Socket Mode goes first while a socket is open', async () => {
    const { received, close } = await endpoint(() => ({ status: 200 }));
    const socket = await connected();
    const typed = ann.types('C01REVIEW', '/hi');
    socket.ack(await socket.next());
    await typed;
    expect(received).toEqual([]);
    socket.close();
    await slack.sockets(0);
    await ann.types('C01REVIEW', '/hi');
    expect(received).toHaveLength(1);
    close();
  });
});

describe('trigger ids and views', () => {
  const view = (title = 'T', extra: object = {}) => ({
    type: 'modal' as const,
    title: plain(title),
    blocks: [
      {
        type: 'actions' as const,
        elements: [{ type: 'button' as const, action_id: 'in', text: plain('Inside') }],
      },
    ],
    ...extra,
  });

  /** Does something that makes a trigger, and acks it. */
  async function trigger(act: () => Promise<unknown>, socket: Awaited<ReturnType<typeof openSocket>>) {
    const done = act();
    const envelope = await socket.next();
    socket.ack(envelope);
    await done;
    return String(envelope.payload.trigger_id);
  }

  test('one use, and only what was issued', async () => {
    const socket = await connected();
    const id = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    expect(await errorOf(client.views.open({ trigger_id: 'made.up', view: view() }))).toBe(
      'invalid_trigger_id',
    );
    const bad = view('x'.repeat(25));
    expect(await errorOf(client.views.open({ trigger_id: id, view: bad }))).toBe('invalid_arguments');
    expect((await client.views.open({ trigger_id: id, view: view() })).ok).toBe(true);
    expect(await errorOf(client.views.open({ trigger_id: id, view: view() }))).toBe('exchanged_trigger_id');
  });

  test('push: three at most, only from inside a modal', async () => {
    const socket = await connected();
    const outside = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    expect(await errorOf(client.views.push({ trigger_id: outside, view: view() }))).toBe('not_found');
    await client.views.open({ trigger_id: outside, view: view('One') });
    for (const title of ['Two', 'Three']) {
      const top = await ann.modal(/./);
      const inside = await trigger(() => top.clicks('Inside'), socket);
      expect((await client.views.push({ trigger_id: inside, view: view(title) })).ok).toBe(true);
    }
    const top = await ann.modal(/Three/);
    const inside = await trigger(() => top.clicks('Inside'), socket);
    expect(await errorOf(client.views.push({ trigger_id: inside, view: view('Four') }))).toBe(
      'push_limit_reached',
    );
  });

  test('update: by id or external id, with the right hash', async () => {
    const socket = await connected();
    const id = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    const opened = await client.views.open({ trigger_id: id, view: view('One', { external_id: 'mine' }) });
    const first = opened.view?.hash ?? '';
    const updated = await client.views.update({
      external_id: 'mine',
      hash: first,
      view: view('Two', { external_id: 'mine' }),
    });
    expect(updated.view?.hash).not.toBe(first);
    const viewId = opened.view?.id ?? '';
    expect(await errorOf(client.views.update({ view_id: viewId, hash: first, view: view('Three') }))).toBe(
      'hash_conflict',
    );
    expect((await ann.modal(/Two/)).id).toBe(viewId);
    await (await ann.modal(/Two/)).close();
    expect(await errorOf(client.views.update({ view_id: viewId, view: view('Three') }))).toBe('not_found');
    const huge = view('Huge', {
      blocks: Array.from({ length: 100 }, () => ({ type: 'section', text: plain('x'.repeat(3000)) })),
    });
    const again = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    expect(await errorOf(client.views.open({ trigger_id: again, view: huge }))).toBe('view_too_large');
  });

  test('a view in an ack that Slack would refuse is an error for the person', async () => {
    const socket = await connected();
    const id = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    await client.views.open({ trigger_id: id, view: view('One', { submit: plain('Go') }) });
    const open = await ann.modal(/One/);
    const submitted = open.submit();
    socket.ack(await socket.next(), { response_action: 'update', view: view('x'.repeat(25)) });
    expect(await submitted).toMatchObject({
      ok: false,
      acked: true,
      error: expect.stringContaining('[json-pointer:/view/title/text]'),
    });
    const again = open.submit();
    socket.ack(await socket.next(), { response_action: 'errors', errors: { nowhere: 'x' } });
    expect(await again).toMatchObject({ ok: false, error: expect.stringContaining('nowhere') });
    expect(await open.isOpen()).toBe(true);
  });

  test('every kind of input arrives in its own shape', async () => {
    const socket = await connected();
    const id = await trigger(() => ann.types('C01REVIEW', '/hi'), socket);
    const option = (text: string) => ({ text: plain(text), value: text.toLowerCase() });
    const options = [option('One'), option('Two')];
    const elements: [
      string,
      { type: string; [field: string]: unknown },
      string | number | string[],
      unknown,
    ][] = [
      ['Text', { type: 'plain_text_input' }, 'x', { value: 'x' }],
      ['Number', { type: 'number_input', is_decimal_allowed: true, min_value: '0' }, '1.5', { value: '1.5' }],
      ['Email', { type: 'email_text_input' }, 'a@b.example', { value: 'a@b.example' }],
      ['Link', { type: 'url_text_input' }, 'https://b.example', { value: 'https://b.example' }],
      ['Select', { type: 'static_select', options }, 'Two', { selected_option: { value: 'two' } }],
      ['Many', { type: 'multi_static_select', options }, ['One', 'Two'], { selected_options: options }],
      ['Checks', { type: 'checkboxes', options }, ['One'], { selected_options: [{ value: 'one' }] }],
      ['Radio', { type: 'radio_buttons', options }, 'One', { selected_option: { value: 'one' } }],
      ['User', { type: 'users_select' }, 'U02BEN', { selected_user: 'U02BEN' }],
      ['Users', { type: 'multi_users_select' }, ['U02BEN'], { selected_users: ['U02BEN'] }],
      [
        'Channel',
        { type: 'conversations_select', response_url_enabled: true },
        'C02INBOX',
        { selected_conversation: 'C02INBOX' },
      ],
      ['Date', { type: 'datepicker' }, '2026-11-20', { selected_date: '2026-11-20' }],
      ['Time', { type: 'timepicker' }, '12:30', { selected_time: '12:30' }],
      ['Moment', { type: 'datetimepicker' }, 1_800_000_000, { selected_date_time: 1_800_000_000 }],
    ];
    const blocks = elements.map(([label, element]) => ({
      type: 'input',
      block_id: label,
      label: plain(label),
      element: { ...element, action_id: 'it' },
    }));
    const big = view('Form', { submit: plain('Go'), blocks });
    await client.views.open({ trigger_id: id, view: big });
    const open = await ann.modal(/Form/);
    for (const [label, , choice] of elements) await open.select(label, choice);
    const submitted = open.submit();
    const envelope = await socket.next();
    socket.ack(envelope);
    expect(await submitted).toMatchObject({ ok: true });
    const { view: sent, response_urls: urls } = envelope.payload as {
      view: { state: { values: Record<string, { it: unknown }> } };
      response_urls: { channel_id: string; response_url: string }[];
    };
    for (const [label, element, , state] of elements)
      expect(sent.state.values[label]?.it).toMatchObject({ type: element.type, ...(state as object) });
    expect(urls).toMatchObject([{ channel_id: 'C02INBOX' }]);
    await fetch(urls[0]?.response_url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'from the form', response_type: 'in_channel' }),
    });
    await slack.person('U02BEN').sees('C02INBOX', /from the form/);
  });
});

describe('the manifest', () => {
  const manifest = {
    display_information: { name: 'Deskproof' },
    features: {
      slash_commands: [{ command: '/known', description: 'Known' }],
      shortcuts: [{ name: 'Quote', type: 'message', callback_id: 'quote', description: 'x' }],
    },
    oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
    settings: {
      event_subscriptions: { bot_events: ['channel_archive', 'channel_left', 'member_joined_channel'] },
    },
  };

  test('decides on commands, shortcuts, scopes and events', async () => {
    const own = await sandboxFor({ workspace: { manifest } });
    const handle = slackHandle(own.url);
    const ben = handle.person('U02BEN');
    const socket = await connected(own);
    await expect(ben.types('C01REVIEW', '/unknown')).rejects.toThrow('/unknown is not a valid command');
    await expect(ben.shortcut('quote')).rejects.toThrow(/no global shortcut/);
    expect((await handle.state()).app).toMatchObject({
      name: 'Deskproof',
      commands: [{ command: '/known' }],
    });
    const bot = new WebClient('xoxb-sandbox', { slackApiUrl: own.apiUrl, retryConfig: { retries: 0 } });
    expect(await errorOf(bot.users.info({ user: 'U02BEN' }))).toBe('missing_scope');
    // Not subscribed: a message is not delivered. Subscribed: what happens to the channel is.
    await ben.says('C01REVIEW', 'not for the app');
    await handle.channelPatch('C01REVIEW', { archived: true });
    const archived = await socket.next();
    expect(archived.payload).toMatchObject({ event: { type: 'channel_archive', channel: 'C01REVIEW' } });
    socket.ack(archived);
    await handle.channelPatch('C02INBOX', { botIsMember: false });
    const left = await socket.next();
    expect(left.payload).toMatchObject({ event: { type: 'channel_left', channel: 'C02INBOX' } });
    socket.ack(left);
    await handle.channelPatch('C02INBOX', { botIsMember: true });
    const joined = await socket.next();
    expect(joined.payload).toMatchObject({ event: { type: 'member_joined_channel', user: 'U0BOT' } });
    socket.ack(joined);
    await own.close();
  });

  test('a private channel has events of its own, and is not found without the bot', async () => {
    const channel = 'C09PRIVATE';
    const own = await sandboxFor({ workspace: { channels: [{ id: channel, name: 'x', is_private: true }] } });
    const bot = new WebClient('xoxb-sandbox', { slackApiUrl: own.apiUrl, retryConfig: { retries: 0 } });
    const { ts = '' } = await bot.chat.postMessage({ channel, text: 'x' });
    const socket = await connected(own);
    for (const change of [{ archived: true }, { archived: false }, { botIsMember: false }])
      await slackHandle(own.url).channelPatch(channel, change);
    const types: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const envelope = await socket.next();
      socket.ack(envelope);
      types.push((envelope.payload.event as { type: string }).type);
    }
    const gone = ['group_left', 'member_left_channel'];
    expect(types).toEqual(['message', 'group_archive', 'group_unarchive', ...gone]);
    expect(await errorOf(bot.chat.update({ channel, ts, text: 'y' }))).toBe('channel_not_found');
    expect(await errorOf(bot.conversations.info({ channel }))).toBe('channel_not_found');
    await own.close();
  });
});
