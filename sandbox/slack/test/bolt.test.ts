import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ElementState } from '../src/model.ts';
import { elementNamed, sandboxClient } from '../src/testing/index.ts';
import { type Running, startAll, type Transport } from './app.ts';

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
  ],
});

const card = [
  { type: 'section' as const, text: plain('A task') },
  {
    type: 'actions' as const,
    elements: [
      { type: 'button' as const, action_id: 'private', text: plain('Private') },
      {
        type: 'overflow' as const,
        action_id: 'more',
        options: [option('Download', 'd'), option('Old', 'h')],
      },
    ],
  },
];

/** The app under test: what the bot of this project does not do, or not to an end that its tests would see. */
function listen(app: App): void {
  const tell = (text: string) => app.client.chat.postMessage({ channel: 'C02INBOX', text });
  app.command('/card', async ({ ack, client, command }) => {
    await ack();
    await client.chat.postMessage({ channel: command.channel_id, text: 'A task', blocks: card });
  });
  app.command('/loud', ({ ack }) => ack({ response_type: 'in_channel', text: 'For everybody' }));
  app.command('/silent', async () => {});
  app.command('/slow', async ({ ack, respond }) => {
    await ack();
    for (let n = 1; n <= 6; n += 1)
      await respond({ text: `answer ${n}`, response_type: 'ephemeral' }).catch(() =>
        tell(`respond ${n} failed`),
      );
  });
  app.action('more', async ({ ack, respond, action }) => {
    await ack();
    if (action.type === 'overflow') await respond(`chose ${action.selected_option.value}`);
  });
  app.action('private', async ({ ack, body, client }) => {
    await ack();
    const dismiss = { type: 'button' as const, action_id: 'dismiss', text: plain('Dismiss') };
    await client.chat.postEphemeral({
      channel: body.channel?.id ?? '',
      user: body.user.id,
      text: 'Only you',
      blocks: [
        { type: 'section', text: plain('Only you') },
        { type: 'actions', elements: [dismiss] },
      ],
    });
  });
  app.action('dismiss', async ({ ack, respond }) => {
    await ack();
    await respond({ replace_original: true, text: 'Replaced' });
    await respond({ delete_original: true });
  });
  app.view('refuse', ({ ack, view }) => {
    if (view.state.values.reason?.text?.value === 'update')
      return ack({ response_action: 'update', view: modal('Updated', 'refuse') });
    return ack({ response_action: 'push', view: modal('Second', 'second') });
  });
  app.view('second', ({ ack }) => ack({ response_action: 'clear' }));
  app.view({ callback_id: 'refuse', type: 'view_closed' }, async ({ ack, body }) => {
    await ack();
    await tell(`closed${'is_cleared' in body && body.is_cleared ? ' all' : ''}`);
  });
  app.shortcut('new_campaign', async ({ ack, shortcut, client }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: modal('From shortcut', 'refuse') });
  });
  app.shortcut('quote', async ({ ack, shortcut }) => {
    await ack();
    if (shortcut.type === 'message_action') await tell(`quoted: ${shortcut.message.text}`);
  });
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: `heard ${event.user}`, thread_ts: event.ts });
  });
}

describe.each<Transport>(['socket', 'http'])('a Bolt app over %s', (transport) => {
  let running: Running;
  beforeAll(async () => {
    running = await startAll(transport, listen);
  });
  afterAll(() => running.stop());
  beforeEach(() => running.slack.clearRequests());
  const people = () => ({ ann: running.slack.person('U01ANN'), ben: running.slack.person('U02BEN') });

  test('answers everybody, or sees a person time out when it does not ack within 3 seconds', async () => {
    const { ann, ben } = people();
    await ann.types('C01REVIEW', '/loud');
    expect(await ben.sees('C01REVIEW', /For everybody/)).toMatchObject({ ephemeral: false });
    const result = await ann.types('C01REVIEW', '/silent');
    const error = expect.stringMatching(/^operation_timeout/);
    expect(result).toMatchObject({ ok: false, acked: false, error });
    expect(result.ms).toBeGreaterThanOrEqual(2900);
  });

  test('is sent what somebody chose in a menu that is gone meanwhile', async () => {
    const { ann } = people();
    await ann.types('C01REVIEW', '/card');
    const seen = await ann.sees('C01REVIEW', /A task/);
    const menu = elementNamed(seen.blocks, '…', (type) => type === 'overflow').element;
    await running.app.client.chat.update({ channel: seen.channel, ts: seen.ts, text: 'Rated' });
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
    await ann.clicks(await ann.sees('C01REVIEW', /A task/), 'Private');
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

  test('updates, pushes and clears views with the ack of a submission', async () => {
    const { ann } = people();
    await ann.shortcut('new_campaign');
    const first = await ann.modal(/From shortcut/);
    expect(await first.submit()).toMatchObject({ local: true, errors: { Reason: /required/ } });
    await first.fill('Reason', 'a reason that is much too long');
    expect((await first.submit()).errors).toMatchObject({ Reason: expect.stringMatching(/at most 20/) });
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
    for (const all of [false, true]) {
      await ben.shortcut('new_campaign');
      await (await ben.modal(/From shortcut/)).close({ all });
      await ben.sees('C02INBOX', all ? /^closed all$/ : /^closed$/);
    }
  });

  test('is sent message shortcuts and mentions', async () => {
    const { ann } = people();
    await ann.says('C01REVIEW', 'a line of Ann');
    const line = await ann.sees('C01REVIEW', /a line of Ann/);
    await ann.shortcut('quote', line);
    await ann.sees('C02INBOX', /quoted: a line of Ann/);
    await ann.says('C01REVIEW', '<@U0BOT> hello', line);
    await ann.sees('C01REVIEW', /heard U01ANN/);
    expect((await line.thread()).map(({ text }) => text)).toEqual(['@Proofdesk hello', 'heard U01ANN']);
  });
});
