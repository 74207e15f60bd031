import { App, type BlockAction, LogLevel } from '@slack/bolt';
import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createSandboxSlack } from '../../src/index.ts';
import { buildPage } from '../../src/page/build.ts';
import { openWorkspace } from '../../src/testing/page/browser.ts';

/** A proof as an unkind worker would write it. */
export const hostileText =
  '<!channel> <script>alert(1)</script> <@U01ANN> *bold* &amp; <https://evil.example|click>';

const text = (value: string) => ({ type: 'plain_text' as const, text: value });
const option = (value: string): PlainTextOption => ({ text: text(value), value: value.toLowerCase() });
const section = (value: string): KnownBlock => ({ type: 'section', text: { type: 'mrkdwn', text: value } });
const escaped = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const campaigns = ['Grocery receipts', 'Street photos', 'App reviews'];

const manifest = {
  display_information: { name: 'Proofdesk' },
  features: {
    app_home: { home_tab_enabled: true },
    slash_commands: [
      { command: '/form', description: 'Opens a form with every kind of input' },
      { command: '/card', description: 'Posts a card', usage_hint: '[title]' },
      { command: '/private', description: 'Answers only you' },
      { command: '/slow', description: 'Never answers' },
      { command: '/stack', description: 'Opens modals on modals' },
    ],
    shortcuts: [
      { name: 'New form', type: 'global', callback_id: 'new_form', description: 'Opens the form' },
      { name: 'About this', type: 'message', callback_id: 'about', description: 'Tells about a message' },
    ],
  },
  oauth_config: {
    scopes: { bot: ['chat:write', 'commands', 'files:read', 'im:write', 'reactions:read', 'users:read'] },
  },
  settings: {
    event_subscriptions: { bot_events: ['app_home_opened', 'reaction_added', 'reaction_removed'] },
  },
};

const tour = [
  { title: 'Welcome', text: 'This is a workspace.', at: 'main .composer-box' },
  { title: 'Write something', text: 'Type /card and press Enter.', until: 'New task', done: 'That was it' },
];

/** A sandbox workspace with its page, and a small app that uses everything the page can show. */
async function startPageApp() {
  await buildPage();
  const sandbox = await createSandboxSlack({ workspace: { manifest, tour } });
  const app = new App({
    token: 'xoxb-sandbox',
    appToken: 'xapp-sandbox',
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: sandbox.apiUrl },
  });
  addForm(app);
  addCard(app);
  addStack(app);
  addRest(app);
  await app.start();
  return {
    url: sandbox.url,
    client: app.client,
    close: async () => {
      await app.stop();
      await sandbox.close();
    },
  };
}

/** Starts the app for the tests of a `describe`, and resets the workspace before each. */
export function sharedPageApp(browser: () => Browser) {
  let started: Awaited<ReturnType<typeof startPageApp>>;
  beforeAll(async () => {
    started = await startPageApp();
  });
  afterAll(() => started?.close());
  beforeEach(async () => {
    await fetch(`${started.url}/_sandbox/reset`, { method: 'POST' });
  });
  return {
    app: {
      get url() {
        return started.url;
      },
      get client() {
        return started.client;
      },
    },
    open: (as: string, more: object = {}) =>
      openWorkspace(browser(), started.url, { as, channel: 'C01REVIEW', ...more }),
    post: (text: string, more: object = {}) =>
      started.client.chat.postMessage({ channel: 'C01REVIEW', text, ...more }),
  };
}

function input(id: string, label: string, element: object, more: object = {}): KnownBlock {
  const block = {
    type: 'input',
    block_id: id,
    label: text(label),
    element: { action_id: 'value', ...element },
  };
  return { ...block, ...more } as KnownBlock;
}

const optional = { optional: true };

/** A modal with one input of each kind. */
const form: ModalView = {
  type: 'modal',
  callback_id: 'form',
  title: text('Every input'),
  submit: text('Send'),
  blocks: [
    input(
      'reason',
      'Reason',
      { type: 'plain_text_input', multiline: true },
      { hint: text('The worker reads it.') },
    ),
    input('title', 'Title', { type: 'plain_text_input', initial_value: 'Receipts' }, optional),
    input('email', 'E-mail', { type: 'email_text_input' }, optional),
    input('url', 'Link', { type: 'url_text_input' }, optional),
    input('positions', 'Positions', { type: 'number_input', is_decimal_allowed: false }, optional),
    input('speed', 'Speed', { type: 'static_select', options: ['Slow', 'Fast'].map(option) }, optional),
    input(
      'zones',
      'Zones',
      { type: 'multi_static_select', options: ['Asia', 'Europe', 'West'].map(option) },
      optional,
    ),
    input('campaign', 'Campaign', { type: 'external_select', min_query_length: 2 }, optional),
    input('person', 'Person', { type: 'users_select' }, optional),
    input('people', 'People', { type: 'multi_users_select' }, optional),
    input('channel', 'Channel', { type: 'channels_select' }, optional),
    input('place', 'Place', { type: 'conversations_select' }, optional),
    input('extras', 'Extras', { type: 'checkboxes', options: ['Favorite', 'Bonus'].map(option) }, optional),
    input('rating', 'Rating', { type: 'radio_buttons', options: ['Accept', 'Refuse'].map(option) }, optional),
    input('day', 'Day', { type: 'datepicker' }, optional),
    input('hour', 'Hour', { type: 'timepicker' }, optional),
    input('moment', 'Moment', { type: 'datetimepicker' }, optional),
    input('template', 'Template', { type: 'file_input', filetypes: ['csv'] }, optional),
  ],
};

/** What a state holds, bare. */
function bare(state: object): unknown {
  const [value] = Object.entries(state)
    .filter(([field]) => field !== 'type')
    .map(([, held]) => held as unknown);
  if (Array.isArray(value))
    return value.map((item: { value?: string; name?: string }) => item.value ?? item.name ?? item);
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}

function addForm(app: App): void {
  app.command('/form', async ({ ack, client, body }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: form });
  });
  app.shortcut('new_form', async ({ ack, client, body }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: form });
  });
  app.options('value', async ({ ack, payload }) => {
    const found = campaigns.filter((name) => name.toLowerCase().includes(payload.value.toLowerCase()));
    await ack({ options: found.map(option) });
  });
  app.view('form', async ({ ack, client, view }) => {
    const values = Object.fromEntries(
      Object.entries(view.state.values).map(([block, actions]) => [block, bare(actions.value ?? {})]),
    );
    if (values.reason === 'no') {
      await ack({ response_action: 'errors', errors: { reason: 'Say more than no.' } });
      return;
    }
    await ack();
    await client.chat.postMessage({
      channel: 'C01REVIEW',
      text: escaped(`Submitted ${JSON.stringify(values)}`),
    });
  });
}

/** A task card as reviewers know it; decided, it says by whom and has lost its buttons. */
function card(title: string, decided?: string): KnownBlock[] {
  const head = section(`*${escaped(title)}*\n${escaped(hostileText)}`);
  if (decided) return [head, { type: 'context', elements: [{ type: 'mrkdwn', text: decided }] }];
  return [
    {
      ...head,
      accessory: { type: 'overflow', action_id: 'more', options: ['Exclude worker', 'History'].map(option) },
    } as KnownBlock,
    {
      type: 'actions',
      block_id: 'decide',
      elements: [
        { type: 'button', action_id: 'task.ok', text: text('OK'), style: 'primary', value: title },
        {
          type: 'button',
          action_id: 'task.nok',
          text: text('NOK'),
          style: 'danger',
          value: title,
          confirm: {
            title: text('Refuse it?'),
            text: text('This cannot be undone.'),
            confirm: text('Refuse'),
            deny: text('Keep'),
          },
        },
        {
          type: 'static_select',
          action_id: 'reason',
          placeholder: text('Saved reasons'),
          options: ['Blurry', 'Wrong shop'].map(option),
        },
        {
          type: 'external_select',
          action_id: 'campaign',
          placeholder: text('Find a campaign'),
          min_query_length: 0,
        },
      ],
    },
  ];
}

function addCard(app: App): void {
  app.command('/card', async ({ ack, client, body }) => {
    await ack();
    const title = body.text || 'Photo of a receipt';
    await client.chat.postMessage({
      channel: body.channel_id,
      text: `New task: ${escaped(title)}`,
      blocks: card(title),
    });
  });
  app.options('campaign', async ({ ack, payload }) => {
    const found = campaigns.filter((name) => name.toLowerCase().includes(payload.value.toLowerCase()));
    await ack({ options: found.map(option) });
  });
  app.action<BlockAction>(/.*/, async ({ ack, body, action, client }) => {
    await ack();
    const { channel, message, user } = body;
    if (!channel || !message || !('action_id' in action)) return;
    const said = 'selected_option' in action ? (action.selected_option?.text.text ?? '') : feedbackOf(action);
    if (action.action_id === 'task.ok' || action.action_id === 'task.nok') {
      const verdict = action.action_id === 'task.ok' ? 'Accepted' : 'Refused';
      const title = 'value' in action ? String(action.value) : '';
      const when = `<!date^${Math.floor(Date.now() / 1000)}^{date_short_pretty} at {time}|now>`;
      const blocks = card(title, `${verdict} by <@${user.id}> ${when}`);
      await client.chat.update({ channel: channel.id, ts: message.ts ?? '', text: verdict, blocks });
    }
    const thread_ts = message.ts ?? '';
    await client.chat.postMessage({
      channel: channel.id,
      thread_ts,
      text: `${action.action_id} ${said}`.trim(),
    });
  });
}

/** What a button under an answer says beside its name: which of the two it was. */
function feedbackOf(action: object): string {
  const { type, value } = action as { type?: string; value?: string };
  return type === 'feedback_buttons' ? (value ?? '') : '';
}

/** A modal at some depth: it can push another one, and tells what was typed when Enter is pressed. */
function level(depth: number, note = 'Nothing typed yet'): ModalView {
  return {
    type: 'modal',
    callback_id: 'level',
    private_metadata: String(depth),
    title: text(`Level ${depth}`),
    blocks: [
      input(
        'name',
        'Name',
        { type: 'plain_text_input', action_id: 'name' },
        { dispatch_action: true, optional: true },
      ),
      { ...section(note), block_id: 'note' },
      { type: 'actions', elements: [{ type: 'button', action_id: 'deeper', text: text('Deeper') }] },
    ],
    submit: text('Done'),
  };
}

function addStack(app: App): void {
  app.view('level', ({ ack }) => ack());
  app.command('/stack', async ({ ack, client, body }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: level(1) });
  });
  app.action<BlockAction>('deeper', async ({ ack, client, body }) => {
    await ack();
    const depth = Number(body.view?.private_metadata ?? '1');
    await client.views.push({ trigger_id: body.trigger_id, view: level(depth + 1) });
  });
  app.action<BlockAction>('name', async ({ ack, client, body, action }) => {
    await ack();
    const typed = 'value' in action ? String(action.value) : '';
    const depth = Number(body.view?.private_metadata ?? '1');
    await client.views.update({ view_id: body.view?.id ?? '', view: level(depth, `Typed ${typed}`) });
  });
}

function addRest(app: App): void {
  app.command('/private', async ({ ack, respond }) => {
    await ack();
    const button = { type: 'button', action_id: 'private.connect', text: text('Connect') };
    await respond({
      response_type: 'ephemeral',
      text: 'Connect your account first',
      blocks: [{ ...section('Connect your account first.'), accessory: button } as KnownBlock],
    });
  });
  app.action<BlockAction>('private.connect', async ({ ack, respond }) => {
    await ack();
    await respond({ replace_original: true, text: 'Connected.', blocks: [section('Connected.')] });
  });
  app.command('/slow', () => new Promise(() => {}));
  app.shortcut('about', async ({ ack, client, body }) => {
    await ack();
    if (body.type !== 'message_action') return;
    const { channel, message_ts, user } = body;
    await client.chat.postEphemeral({
      channel: channel.id,
      user: user.id,
      text: `Message ${message_ts} it is`,
    });
  });
  app.event('app_home_opened', async ({ client, event }) => {
    const button = { type: 'button' as const, action_id: 'home.greet', text: text('Greet') };
    const blocks: KnownBlock[] = [
      { type: 'header', text: text('Campaigns & tasks') },
      { type: 'actions', elements: [button] },
    ];
    await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
  });
  app.action<BlockAction>('home.greet', async ({ ack, client, body }) => {
    await ack();
    const blocks = [section(`Hello <@${body.user.id}>`)];
    await client.views.publish({ user_id: body.user.id, view: { type: 'home', blocks } });
  });
}
