import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ElementState, LoggedRequest } from '../../src/sandbox/slack/model.ts';
import { elementNamed } from '../harness/seen-blocks.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { type Running, startAll, type Transport } from './sandbox-slack-app.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (text: string, value = text) => ({ text: plain(text), value });

const modal = (title: string, callback: string): ModalView => ({
  type: 'modal',
  callback_id: callback,
  notify_on_close: true,
  title: plain(title),
  submit: plain('Save'),
  blocks: [
    {
      type: 'input',
      block_id: 'reason',
      label: plain('Reason'),
      element: { type: 'plain_text_input', action_id: 'text', max_length: 20 },
    },
    {
      type: 'input',
      block_id: 'campaign',
      label: plain('Campaign'),
      optional: true,
      element: { type: 'external_select', action_id: 'find', min_query_length: 0 },
    },
    {
      type: 'input',
      block_id: 'kind',
      label: plain('Kind'),
      optional: true,
      element: {
        type: 'static_select',
        action_id: 'pick',
        options: [option('Photo', 'p'), option('Text', 't')],
        initial_option: option('Text', 't'),
      },
    },
  ],
});

const card = [
  { type: 'section' as const, text: { type: 'mrkdwn' as const, text: 'Photo of a shelf' } },
  {
    type: 'actions' as const,
    block_id: 'verdict',
    elements: [
      {
        type: 'button' as const,
        action_id: 'task.ok',
        text: plain('OK'),
        value: '12e5',
        style: 'primary' as const,
      },
      { type: 'button' as const, action_id: 'open', text: plain('Refuse') },
      { type: 'button' as const, action_id: 'private', text: plain('Private') },
      {
        type: 'overflow' as const,
        action_id: 'more',
        options: [option('Download', 'd'), option('History', 'h')],
      },
    ],
  },
];

/** The app under test: a bit of everything. */
function listen(app: App): void {
  app.command('/card', async ({ ack, client, command }) => {
    await ack();
    await client.chat.postMessage({ channel: command.channel_id, text: 'A task', blocks: card });
  });
  app.command('/quick', ({ ack, command }) => ack(`You typed "${command.text}"`));
  app.command('/loud', ({ ack }) => ack({ response_type: 'in_channel', text: 'For everybody' }));
  app.command('/silent', async () => {});
  app.command('/slow', async ({ ack, respond }) => {
    await ack();
    for (let n = 1; n <= 6; n += 1) {
      try {
        await respond({ text: `answer ${n}`, response_type: 'ephemeral' });
      } catch {
        await app.client.chat.postMessage({ channel: 'C02INBOX', text: `respond ${n} failed` });
      }
    }
  });
  app.action('task.ok', async ({ ack, body, action, client }) => {
    await ack();
    if (body.type !== 'block_actions' || action.type !== 'button') return;
    await client.chat.update({
      channel: body.channel?.id ?? '',
      ts: body.message?.ts ?? '',
      text: 'Rated',
      blocks: [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `Rated OK by <@${body.user.id}> (${action.value})` },
        },
      ],
    });
  });
  app.action('more', async ({ ack, respond, action }) => {
    await ack();
    if (action.type === 'overflow') await respond(`chose ${action.selected_option.value}`);
  });
  app.action('private', async ({ ack, body, client }) => {
    await ack();
    await client.chat.postEphemeral({
      channel: body.channel?.id ?? '',
      user: body.user.id,
      text: 'Only you',
      blocks: [
        { type: 'section', text: plain('Only you') },
        { type: 'actions', elements: [{ type: 'button', action_id: 'dismiss', text: plain('Dismiss') }] },
      ],
    });
  });
  app.action('dismiss', async ({ ack, respond }) => {
    await ack();
    await respond({ replace_original: true, text: 'Replaced' });
    await respond({ delete_original: true });
  });
  app.action('open', async ({ ack, body, client }) => {
    await ack();
    if (body.type === 'block_actions')
      await client.views.open({ trigger_id: body.trigger_id, view: modal('Refuse', 'refuse') });
  });
  app.options('find', async ({ ack, options }) => {
    const names = ['Survey', 'Photo of a shelf'].filter((name) =>
      name.toLowerCase().includes(options.value.toLowerCase()),
    );
    await ack({ options: names.map((name) => option(name)) });
  });
  app.view('refuse', async ({ ack, view, client, body }) => {
    const reason = view.state.values.reason?.text?.value ?? '';
    if (reason.trim() === '') return ack({ response_action: 'errors', errors: { reason: 'Say why' } });
    if (reason === 'update') return ack({ response_action: 'update', view: modal('Updated', 'refuse') });
    if (reason === 'push') return ack({ response_action: 'push', view: modal('Second', 'second') });
    await ack();
    const found = view.state.values.campaign?.find?.selected_option?.value ?? 'none';
    const kind = view.state.values.kind?.pick?.selected_option?.value;
    await client.chat.postMessage({
      channel: 'C02INBOX',
      text: `${body.user.id} refused: ${reason}, ${found}, ${kind}`,
    });
  });
  app.view('second', ({ ack }) => ack({ response_action: 'clear' }));
  app.view({ callback_id: 'refuse', type: 'view_closed' }, async ({ ack, body, client }) => {
    await ack();
    await client.chat.postMessage({
      channel: 'C02INBOX',
      text: `closed${'is_cleared' in body && body.is_cleared ? ' all' : ''}`,
    });
  });
  app.shortcut('new_campaign', async ({ ack, shortcut, client }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: modal('From shortcut', 'refuse') });
  });
  app.shortcut('quote', async ({ ack, shortcut, client }) => {
    await ack();
    if (shortcut.type === 'message_action')
      await client.chat.postMessage({ channel: 'C02INBOX', text: `quoted: ${shortcut.message.text}` });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: [{ type: 'section', text: plain('Your queue') }] },
    });
  });
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: `heard ${event.user}`, thread_ts: event.ts });
  });
}

const payloadOf = (request: LoggedRequest) => request.payload as Record<string, never>;

describe.each<Transport>(['socket', 'http'])('a Bolt app over %s', (transport) => {
  let running: Running;
  beforeAll(async () => {
    running = await startAll(transport, listen);
  });
  afterAll(() => running.stop());
  beforeEach(() => running.slack.clearRequests());
  const people = () => ({ ann: running.slack.person('U01ANN'), ben: running.slack.person('U02BEN') });

  test('is sent slash commands and answers with the ack', async () => {
    const { ann, ben } = people();
    expect(await ann.types('C01REVIEW', '/quick  two  words ')).toMatchObject({ ok: true, acked: true });
    const answer = await ann.sees('C01REVIEW', /You typed/);
    expect(answer).toMatchObject({ text: 'You typed "two  words "', ephemeral: true });
    expect((await ben.reads('C01REVIEW')).some(({ text }) => /You typed/.test(text))).toBe(false);
    const [sent] = await running.slack.requests({ method: 'slash_commands' });
    expect(sent?.payload).toMatchObject({
      command: '/quick',
      text: 'two  words ',
      user_id: 'U01ANN',
      user_name: 'ann',
      channel_id: 'C01REVIEW',
      channel_name: 'review',
      team_id: 'T0SANDBOX',
    });
    expect(sent).toMatchObject({ transport, ok: true });
    await ann.types('C01REVIEW', '/loud');
    expect(await ben.sees('C01REVIEW', /For everybody/)).toMatchObject({ ephemeral: false });
  });

  test('sees a person time out when it does not ack within 3 seconds', async () => {
    const { ann } = people();
    const result = await ann.types('C01REVIEW', '/silent');
    expect(result).toMatchObject({
      ok: false,
      acked: false,
      error: expect.stringMatching(/^operation_timeout/),
    });
    expect(result.ms).toBeGreaterThanOrEqual(2900);
  });

  test('is sent clicks on a message, with everything Slack gives', async () => {
    const { ann, ben } = people();
    await ann.types('C01REVIEW', '/card');
    const seen = await ann.sees('C01REVIEW', /Photo of a shelf/);
    expect(seen.buttons).toEqual(['OK', 'Refuse', 'Private']);
    expect((await ann.chooses(seen, '…', 'History')).acked).toBe(true);
    await ann.sees('C01REVIEW', /chose h/);
    await running.slack.clearRequests();
    expect(await ben.clicks(seen, 'OK')).toMatchObject({ ok: true, acked: true });
    await seen.untilText(/Rated OK by @Ben Okafor \(12e5\)/);
    expect(seen).toMatchObject({ edited: true, buttons: [] });
    const [sent] = await running.slack.requests({ method: 'block_actions' });
    expect(sent?.payload).toMatchObject({
      type: 'block_actions',
      user: { id: 'U02BEN', username: 'ben', team_id: 'T0SANDBOX' },
      container: { type: 'message', message_ts: seen.ts, channel_id: 'C01REVIEW', is_ephemeral: false },
      channel: { id: 'C01REVIEW', name: 'review' },
      message: { ts: seen.ts, text: 'A task' },
      trigger_id: expect.any(String),
      response_url: expect.stringContaining('/actions/'),
      state: { values: {} },
      actions: [
        {
          type: 'button',
          action_id: 'task.ok',
          block_id: 'verdict',
          value: '12e5',
          text: { text: 'OK' },
          action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
        },
      ],
    });
  });

  test('is sent a click on a button that is gone meanwhile', async () => {
    const { ann } = people();
    await ann.types('C01REVIEW', '/card');
    const seen = await ann.sees('C01REVIEW', /Photo of a shelf/);
    const asSeenBefore = { ...seen };
    await ann.clicks(seen, 'OK');
    await seen.untilText(/Rated/);
    await ann.clicks(asSeenBefore, 'OK');
    const clicks = await running.slack.requests({ method: 'block_actions' });
    expect(clicks.map((click) => payloadOf(click).actions)).toMatchObject([
      [{ value: '12e5' }],
      [{ value: '12e5' }],
    ]);
  });

  test('is sent what somebody chose in a menu that is gone meanwhile', async () => {
    const { ann } = people();
    await ann.types('C01REVIEW', '/card');
    const seen = await ann.sees('C01REVIEW', /Photo of a shelf/);
    const menu = elementNamed(seen.blocks, '…', (type) => type === 'overflow').element;
    await ann.clicks(seen, 'OK');
    await seen.untilText(/Rated/);
    const click = { user: ann.id, channel: seen.channel, ts: seen.ts, action_id: menu.action_id, value: 'h' };
    const { act } = sandboxClient(running.slack.url);
    await expect(act('click', click)).rejects.toThrow('There is no element');
    await act('click', { ...click, stale: true, element: menu });
    await ann.sees('C01REVIEW', /chose h/);
  });

  test('replaces and deletes an ephemeral through its response URL', async () => {
    const { ann, ben } = people();
    await ann.types('C01REVIEW', '/card');
    await ann.clicks(await ann.sees('C01REVIEW', /Photo/), 'Private');
    const seen = await ann.sees('C01REVIEW', /Only you/);
    expect(seen.ephemeral).toBe(true);
    await expect(ben.clicks(seen, 'Dismiss')).rejects.toThrow(/somebody else/);
    await running.slack.clearRequests();
    await ann.clicks(seen, 'Dismiss');
    await seen.until((message) => message.gone);
    const [sent] = await running.slack.requests({ method: 'block_actions' });
    expect(sent?.payload).toMatchObject({ container: { is_ephemeral: true, message_ts: seen.ts } });
    expect(sent?.payload).not.toHaveProperty('message');
    const used = await running.slack.requests({ method: 'response_url' });
    expect(used.map(({ ok }) => ok)).toEqual([true, true]);
  });

  test('can use a response URL five times', async () => {
    const { ann } = people();
    await ann.types('C02INBOX', '/slow');
    await ann.sees('C02INBOX', /respond 6 failed/);
    await ann.sees('C02INBOX', /answer 5/);
    const used = await running.slack.requests({ method: 'response_url' });
    expect(used.map(({ status, error }) => [status, error])).toEqual([
      ...Array.from({ length: 5 }, () => [200, undefined]),
      [404, 'used_url'],
    ]);
  });

  test('opens a modal, answers with errors, then takes the submission', async () => {
    const { ann } = people();
    await ann.types('C01REVIEW', '/card');
    await ann.clicks(await ann.sees('C01REVIEW', /Photo/), 'Refuse');
    const open = await ann.modal(/Refuse/);
    expect(await open.submit()).toMatchObject({ local: true, errors: { Reason: /required/ } });
    await open.fill('Reason', '   ');
    expect(await open.submit()).toMatchObject({
      ok: true,
      response_action: 'errors',
      errors: { Reason: 'Say why' },
    });
    await open.fill('Reason', 'a reason that is much too long');
    expect((await open.submit()).errors).toMatchObject({ Reason: expect.stringMatching(/at most 20/) });
    expect(await open.types('Campaign', 'sur')).toEqual([option('Survey')]);
    await open.fill('Reason', 'Wrong shelf');
    await open.select('Campaign', 'Survey');
    const result = await open.submit();
    expect(result).toMatchObject({ ok: true, acked: true });
    expect(result).not.toHaveProperty('response_action');
    expect(await open.isOpen()).toBe(false);
    await ann.sees('C02INBOX', /U01ANN refused: Wrong shelf, Survey, t/);
    const sent = (await running.slack.requests({ method: 'view_submission' })).at(-1);
    expect(sent?.payload).toMatchObject({
      type: 'view_submission',
      response_urls: [],
      view: {
        id: open.id,
        callback_id: 'refuse',
        hash: expect.any(String),
        root_view_id: open.id,
        previous_view_id: null,
        state: {
          values: {
            reason: { text: { type: 'plain_text_input', value: 'Wrong shelf' } },
            campaign: { find: { type: 'external_select', selected_option: { value: 'Survey' } } },
          },
        },
      },
    });
  });

  test('updates, pushes and clears views with the ack of a submission', async () => {
    const { ann } = people();
    await ann.shortcut('new_campaign');
    const first = await ann.modal(/From shortcut/);
    await first.fill('Reason', 'update');
    expect((await first.submit()).response_action).toBe('update');
    await first.refresh();
    expect(first.title).toBe('Updated');
    // What was typed stays where block and action ids are the same.
    const typed = first.view.state.values.reason?.text as ElementState;
    expect(typed.value).toBe('update');
    await first.fill('Reason', 'push');
    expect((await first.submit()).response_action).toBe('push');
    const second = await ann.modal(/Second/);
    expect(second.view).toMatchObject({ previous_view_id: first.id, root_view_id: first.id });
    expect(await ann.modals()).toHaveLength(2);
    await second.fill('Reason', 'x');
    expect((await second.submit()).response_action).toBe('clear');
    expect(await ann.modals()).toEqual([]);
  });

  test('hears that a modal was closed', async () => {
    const { ben } = people();
    await ben.shortcut('new_campaign');
    await (await ben.modal(/From shortcut/)).close();
    await ben.sees('C02INBOX', /^closed$/);
    await ben.shortcut('new_campaign');
    await (await ben.modal(/From shortcut/)).close({ all: true });
    await ben.sees('C02INBOX', /^closed all$/);
  });

  test('is sent message shortcuts, home and mentions', async () => {
    const { ann } = people();
    const { ts } = await ann.says('C01REVIEW', 'a line of Ann');
    const line = await ann.sees('C01REVIEW', /a line of Ann/);
    await ann.shortcut('quote', line);
    await ann.sees('C02INBOX', /quoted: a line of Ann/);
    await ann.opensHome();
    expect((await ann.home(/Your queue/)).view.type).toBe('home');
    await ann.says('C01REVIEW', '<@U0BOT> hello', line);
    const heard = await ann.sees('C01REVIEW', /heard U01ANN/);
    expect(heard.raw.thread_ts).toBe(ts);
    expect((await line.thread()).map(({ text }) => text)).toEqual(['@Proofdesk hello', 'heard U01ANN']);
  });
});
