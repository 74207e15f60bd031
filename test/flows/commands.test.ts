import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { place } from '../harness/acts.ts';
import { sharedWorld, transports } from '../harness/worlds.ts';

describe.each(transports)('commands over %s', (transport) => {
  const world = sharedWorld({ transport, scenario: { campaigns: [{ title: 'Photo of a shelf' }] } });

  /** The private answer to a command. */
  async function answerTo(text: string, channel = place): Promise<Seen> {
    const answer = await world.ann.asks(text, /./, channel);
    expect(answer.ephemeral).toBe(true);
    return answer;
  }

  test('a command works where the bot is not', async () => {
    expect((await answerTo('/proofdesk', 'C03RANDOM')).text).toContain('/proofdesk subscribe');
  });

  test('a command that is delivered twice acts once', async () => {
    const before = (await world.ann.reads('C02INBOX')).length;
    await world.slack.fault({ match: { delivery: 'slash_commands' }, kind: 'twice' });
    await world.ann.asks('/proofdesk unsubscribe', /isn’t subscribed to anything/, 'C02INBOX');
    await answerTo('/proofdesk help', 'C02INBOX');
    expect((await world.ann.reads('C02INBOX')).length).toBe(before + 2);
  });

  test('what an old button, menu or form was for answers that it is gone', async () => {
    const gone =
      /Nothing was done: Proofdesk no longer has this\. To see what it has, type `\/proofdesk help`\./;
    const message = await world.ann.asks('A message', /A message/);
    await world.ann.clicksStale(message, 'no-longer.open', 'x');
    await world.ann.sees(place, gone, { after: message.ts });
    const last = await world.ann.lastIn(place);
    const by = { team: { id: 'T0SANDBOX' }, user: { id: world.ann.id } };
    const deliver = (payload: object) => world.slack.delivers('interactive', { ...by, ...payload });
    const chosen = { callback_id: 'no-longer.review', trigger_id: 'x', channel: { id: place } };
    await deliver({ type: 'message_action', ...chosen, message: {}, message_ts: message.ts });
    await world.ann.sees(place, gone, { after: last });
    const view = {
      ...{ type: 'modal', id: 'V1', hash: '1', callback_id: 'no-longer.save', private_metadata: '' },
      ...{ blocks: [], state: { values: {} }, title: { type: 'plain_text', text: 'Old' } },
    };
    expect(JSON.stringify(await deliver({ type: 'view_submission', view }))).toContain('no longer has this');
  });

  test('a fault of ours is told privately with an id that is in the log', async () => {
    await world.slack.refuses('views.open', 'internal_error');
    const answer = await answerTo('/proofdesk connect');
    expect(answer.text).toContain('Something went wrong.');
    const [, id = ''] = /this id: `([0-9a-f]{8})`/.exec(answer.text) ?? [];
    const failure = world.log.find((line) => line.includes('interaction failed')) ?? '';
    const line = { delivery: id, what: '/proofdesk', err: { type: 'SlackError' } };
    expect(JSON.parse(failure)).toMatchObject(line);
  });
});
