import type { App } from '@slack/bolt';
import { WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { Forbidden } from '../../src/domain/permissions.ts';
import { NotConnected, UserError } from '../../src/errors.ts';
import { createLogger } from '../../src/logger.ts';
import * as blocks from '../../src/slack/blocks.ts';
import type { Click, Feature } from '../../src/slack/feature.ts';
import type { Messenger } from '../../src/slack/messenger.ts';
import { connectBolt } from '../../src/slack/receiver.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { recorded } from '../harness/recorded.ts';

const said = blocks.notice('said');
const fails = (error: unknown) => () => {
  throw error;
};

/** What a bot answers Slack (`acks`), passes to its feature (`got`) and asks of Slack (`calls`) when Slack sends this. */
async function sent(
  of: object,
  featureOf: (run: never) => Feature,
  act: (input: never) => unknown = () => undefined,
  answers: Record<string, unknown> = {},
) {
  const { calls, object } = recorded<Messenger>(answers);
  const acks: unknown[] = [];
  const got: unknown[] = [];
  const run = async (input: never) => {
    got.push(JSON.parse(JSON.stringify(input)));
    return act(input);
  };
  let bolt: Pick<App, 'processEvent'> | undefined;
  const init = (app: typeof bolt) => {
    bolt = app;
  };
  const listenerParts = {
    explain: () => undefined,
    logger: createLogger('silent', []),
    track: (work: unknown) => work,
    features: [{}, featureOf(run as never)],
    messengerOf: () => object,
    claimOnce: async () => calls.length === 0,
    retryEvent: (_topic: string, _what: string, handle: () => unknown) => handle(),
    onAppRemoved: async (...removed: unknown[]) => void got.push(removed),
    isRetired: () => false,
  } as never;
  const authorize = async () => ({ botId: 'B0BOT', teamId: 'T1' });
  const logger = createLogger('silent', []);
  await connectBolt({ apiUrl: undefined, receiver: { init } as never, authorize, logger, listenerParts });
  const common = { user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1' }, team_id: 'T1', trigger_id: '1.2' };
  const body = { ...common, ...of } as never;
  await bolt?.processEvent({ body, ack: async (answer) => void acks.push(answer) });
  return { acks, got, calls };
}

const view = { id: 'V1', callback_id: blocks.messageModalId, private_metadata: '', hash: 'h', blocks: [] };
const shown = { ...view, type: 'modal', title: blocks.plainText('Worker'), submit: null, close: null };
const button = { type: 'button', action_id: 'a', block_id: 'b', action_ts: '7.1', text: { text: 'Go' } };
const direct = ['answer', { member: 'U1' }, said];

test('the fourth modal takes the place of the third, and what Slack opens no modal for comes as a direct message', async () => {
  const click = { type: 'block_actions', view: shown, container: {}, actions: [button] };
  const answers = async ({ answer, showLoading }: Click) => {
    await showLoading?.();
    await answer(said);
  };
  const push = (error: string) => ({
    pushModal: new SlackError('', new WebAPIPlatformError({ ok: false, error } as never)),
  });
  const asked = async (act: typeof answers, slack?: object) =>
    (await sent(click, (run) => ({ clicks: { a: { needs: 'anyone', run } } }), act, slack as never)).calls;
  const loading = blocks.loadingMessageModal('Go');
  const message = blocks.messageModal('Go', said);
  expect(await asked(answers, push('push_limit_reached'))).toEqual([
    ['pushModal', '1.2', loading],
    ['updateModal', 'V1', loading],
    ['updateModal', 'V1', message],
  ]);
  const late = await asked(({ answer }) => answer(said), push('exchanged_trigger_id'));
  expect(late).toEqual([['pushModal', '1.2', message], direct]);
});

const late = new SlackError('', new WebAPIPlatformError({ ok: false, error: 'expired_trigger_id' } as never));
test.each([
  { type: 'block_actions', container: {}, actions: [button] },
  { type: 'shortcut', callback_id: 'a' },
])('whoever is too late to open anything is told so: $type', async (of) => {
  const entries = (run: never) => ({ a: { needs: 'anyone' as const, run } });
  const featureOf = (run: never) => ({ clicks: entries(run), shortcuts: entries(run) });
  const told = ['answer', { member: 'U1' }, blocks.notice(blocks.triggerExpired)];
  expect((await sent(of, featureOf, fails(late))).calls).toEqual([told]);
});

test.each([
  ['what is found', () => [1], { options: [1] }, []],
  ['groups of it', () => ({ groups: [2] }), { option_groups: [2] }, []],
  ['nothing without an account', fails(new NotConnected()), { options: [] }, []],
  ['nothing without the right', fails(new Forbidden({})), { options: [] }, []],
  ['nothing after an error, which is told', fails(new UserError('said')), { options: [] }, [direct]],
])('whoever types into a select gets %s', async (_, act, answer, told) => {
  const typing = { type: 'block_suggestion', action_id: 'find', block_id: 'b', value: 'she' };
  const { acks, calls } = await sent(typing, (run) => ({ typings: { find: { needs: 'anyone', run } } }), act);
  expect([acks, calls]).toEqual([[answer], told]);
  expect((await sent(typing, () => ({}))).acks).toEqual([{ options: [] }]);
});

const own = { bot_id: 'B0BOT', blocks: [1] };
const deletion = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '5.1' };
const at = { workspace: 'T1', channel: 'C1' };
test.each([
  [{ type: 'member_joined_channel', channel: 'C1', user: 'U1' }, [{ ...at, member: 'U1' }]],
  [{ type: 'group_left', channel: 'C1', user: 'U1' }, [at]],
  [{ type: 'user_change', user: { id: 'U1' } }, [{ workspace: 'T1', member: 'U1', isDeactivated: false }]],
  [{ ...deletion, previous_message: own }, [{ ...at, ts: '5.1', blocks: [1] }]],
  [{ ...deletion, previous_message: { ...own, blocks: undefined } }, []],
  [{ ...deletion, previous_message: { ...own, bot_id: 'B1' } }, []],
  [{ ...deletion, previous_message: { blocks: [1] } }, []],
  [{ type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } }, [[['T1'], undefined]]],
  [{ type: 'tokens_revoked', tokens: { oauth: ['U1'] } }, []],
])('the event %j concerns these', async (event, expected) => {
  const featureOf = (run: never): Feature => {
    return {
      channelEvents: { member_joined_channel: run, channel_left: run },
      memberChanged: run,
      messageDeleted: run,
    };
  };
  expect((await sent({ type: 'event_callback', event_id: 'E1', event }, featureOf)).got).toEqual(expected);
});
