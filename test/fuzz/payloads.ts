import fc from 'fast-check';
import { type Clickable, type Corpus, clickableIn, optionsOf } from './corpus.ts';
import { planted } from './secrets.ts';
import { hostileText, mutated, weighted } from './values.ts';

type Json = Record<string, unknown>;

/** Something that Slack may send: as JSON, as a form with `payload`, or (a command) as a form of its fields. */
export interface Delivery {
  readonly kind: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: unknown;
}

/** What is filled in at the moment of sending, since it is valid once, or for seconds. */
export const placeholders = { unique: '%unique%', trigger: '%trigger%', responseUrl: '%response-url%' };

/** The people of the workspace: an owner, reviewers, a guest, somebody of another company, nobody. */
export const people = [
  { id: 'U01ANN', team: 'T0SANDBOX' },
  { id: 'U02BEN', team: 'T0SANDBOX' },
  { id: 'U03CHLOE', team: 'T0SANDBOX' },
  { id: 'U04GUEST', team: 'T0SANDBOX' },
  { id: 'U05OTHER', team: 'T9OTHER' },
  { id: 'U99NOBODY', team: 'T0SANDBOX' },
] as const;

const [owner, ...others] = people;
const person = weighted([6, fc.constant(owner)], [4, fc.constantFrom(...others)]);
const channel = fc.constantFrom('C01REVIEW', 'C02INBOX', 'C03RANDOM', 'D01ANN', 'C99NONE');

/** What people type after a command's word: ids that exist, amounts, countries, and anything else. */
const argument = weighted(
  [3, fc.constantFrom('7f3a9c21', 'c0ffee12', '5e1d77a0c3', 'Photograph', 'running')],
  [2, fc.constantFrom('5', '100', '0.05', '999999999999', 'US', '-IN', 'all', 'csv')],
  [2, hostileText],
);
const words = fc
  .array(argument, { maxLength: 4 })
  .map((parts) => parts.join(' '))
  .map((text) => text.slice(0, 8_000));

/** Commands, with every word of the table and with others. */
export function commands({ commands: routes }: Corpus): fc.Arbitrary<Delivery> {
  const route = weighted(
    [9, fc.constantFrom(...routes)],
    [1, fc.record({ command: fc.constant('/proofdesk'), word: hostileText })],
  );
  const fields = fc.record({ person, channel, route, words }).map(({ person: who, ...rest }) => ({
    token: 'verification',
    team_id: 'T0SANDBOX',
    team_domain: 'sandbox',
    channel_id: rest.channel,
    channel_name: 'review',
    user_id: who.id,
    user_name: 'somebody',
    command: rest.route.command,
    text: `${rest.route.word} ${rest.words}`.trim(),
    api_app_id: 'A0SANDBOX',
    is_enterprise_install: 'false',
    response_url: placeholders.responseUrl,
    trigger_id: placeholders.trigger,
  }));
  return delivered('slash_commands', fields);
}

const anyText = weighted(
  [3, fc.constantFrom('OK', 'Thanks', '0.05', '12', 'US, GB', '203.0.113.9')],
  [4, hostileText],
);

/** The state of an element after somebody has filled it in. */
function stateOf(blockId: string, element: Json, typed: string, at: number): Json {
  const type = String(element.type);
  const options = optionsOf(element);
  const unknown = { text: { type: 'plain_text', text: 'x' }, value: typed };
  const option = options[at % Math.max(options.length, 1)] ?? unknown;
  if (blockId === 'key') return { type, value: planted.typedApiKey };
  if (/text_input|number_input|email|url/.test(type)) return { type, value: typed };
  if (/^multi_(static|external)|checkboxes/.test(type)) return { type, selected_options: [option] };
  if (/static_select|external_select|radio|overflow/.test(type)) return { type, selected_option: option };
  if (type === 'users_select') return { type, selected_user: 'U02BEN' };
  if (type === 'multi_users_select') return { type, selected_users: ['U02BEN', 'U04GUEST'] };
  if (/channels_select/.test(type)) return { type, selected_channel: 'C02INBOX' };
  if (/conversations_select/.test(type)) return { type, selected_conversation: 'C02INBOX' };
  if (type === 'datepicker') return { type, selected_date: at % 2 === 0 ? '2026-11-22' : typed };
  if (type === 'datetimepicker') return { type, selected_date_time: 1_800_000_000 + at };
  const file = { id: 'F1', name: typed, size: at, mimetype: 'text/csv', url_private_download: typed };
  if (type === 'file_input') return { type, files: [file] };
  return { type, value: element.value ?? typed };
}

/** The state of all inputs of a message or view. */
function valuesOf(within: Json, typed: readonly string[]): Json {
  const values: Json = {};
  for (const [index, { blockId, element }] of clickableIn(within.blocks, within).entries()) {
    if (element.type === 'button') continue;
    const text = typed[index % Math.max(typed.length, 1)] ?? '';
    values[blockId] = { [String(element.action_id)]: stateOf(blockId, element, text, index + text.length) };
  }
  return values;
}

const typedTexts = fc.array(anyText, { minLength: 1, maxLength: 5 });

function interactionOf({ id, team }: (typeof people)[number]): Json {
  return {
    user: { id, username: 'somebody', name: 'somebody', team_id: team },
    api_app_id: 'A0SANDBOX',
    token: 'verification',
    team: { id: 'T0SANDBOX', domain: 'sandbox' },
    enterprise: null,
    is_enterprise_install: false,
  };
}

function viewOf(within: Json, values: Json): Json {
  const id = `V${placeholders.unique}`;
  const more = { id, root_view_id: id, previous_view_id: null, app_id: 'A0SANDBOX', bot_id: 'B0BOT' };
  return { private_metadata: '', ...within, ...more, team_id: 'T0SANDBOX', hash: '1.x', state: { values } };
}

const messageTs = fc.constantFrom('1800000000.000100', placeholders.unique);

/** Clicks on every action of the tables, wherever the samples show it, and on some that nobody knows. */
export function clicks({ clicks: all }: Corpus): fc.Arbitrary<Delivery> {
  const pressed = weighted(
    [19, fc.constantFrom(...Object.entries(all))],
    [1, hostileText.map((id): [string, readonly Clickable[]] => [id, []])],
  );
  const payload = fc
    .record({
      person,
      channel,
      pressed,
      pick: fc.nat(1_000),
      typed: typedTexts,
      ts: messageTs,
      value: anyText,
    })
    .map(({ person: who, channel: id, pressed: [entry, samples], pick, typed, ts, value }) => {
      const sample = samples[pick % Math.max(samples.length, 1)] ?? {
        blockId: 'block',
        element: { type: 'button', action_id: entry, value },
        within: { type: 'message', blocks: [] },
      };
      const { blockId, element, within } = sample;
      const values = valuesOf(within, typed);
      const inView = within.type === 'modal' || within.type === 'home';
      const chosen = optionsOf(element).filter(({ value: own }) =>
        `${String(element.action_id)}.${String(own)}`.startsWith(`${entry} `),
      );
      const state =
        chosen.length > 0
          ? { type: element.type, selected_option: chosen[pick % chosen.length] }
          : stateOf(blockId, element, value, pick);
      const at = { action_id: element.action_id, block_id: blockId, action_ts: placeholders.unique };
      return {
        type: 'block_actions',
        ...interactionOf(who),
        trigger_id: placeholders.trigger,
        ...(inView
          ? { container: { type: 'view', view_id: `V${placeholders.unique}` }, view: viewOf(within, values) }
          : {
              container: { type: 'message', message_ts: ts, channel_id: id, is_ephemeral: pick % 2 === 0 },
              channel: { id, name: 'review' },
              message: { type: 'message', user: 'U0BOT', ts, text: '', blocks: within.blocks },
              state: { values },
              response_url: placeholders.responseUrl,
            }),
        actions: [{ ...state, ...at }],
      };
    });
  return delivered('interactive', payload);
}

/** Submissions of every modal, filled in with anything. */
export function submissions({ submissions: all }: Corpus): fc.Arbitrary<Delivery> {
  const payload = fc
    .record({
      person,
      form: fc.constantFrom(...Object.entries(all)),
      pick: fc.nat(1_000),
      typed: typedTexts,
      type: fc.constantFrom('view_submission', 'view_submission', 'view_submission', 'view_closed'),
    })
    .map(({ person: who, form: [callback, samples], pick, typed, type }) => {
      const unknown = { type: 'modal', callback_id: callback, blocks: [] };
      const sample = samples[pick % Math.max(samples.length, 1)] ?? unknown;
      return {
        type,
        ...interactionOf(who),
        trigger_id: placeholders.trigger,
        view: viewOf(sample, valuesOf(sample, typed)),
        response_urls: [],
      };
    });
  return delivered('interactive', payload);
}

/** What is typed into selects that load their options, and shortcuts. */
export function typings({ typings: all, shortcuts }: Corpus): fc.Arbitrary<Delivery> {
  const typing = fc
    .record({
      person,
      select: fc.constantFrom(...Object.entries(all)),
      pick: fc.nat(1_000),
      value: anyText,
      typed: typedTexts,
    })
    .map(({ person: who, select: [action, samples], pick, value, typed }) => {
      const sample = samples[pick % Math.max(samples.length, 1)];
      const within = sample?.within ?? { type: 'modal', callback_id: 'x', blocks: [] };
      return {
        type: 'block_suggestion',
        ...interactionOf(who),
        container: { type: 'view', view_id: 'V1' },
        action_id: action,
        block_id: sample?.blockId ?? 'block',
        value,
        view: viewOf(within, valuesOf(within, typed)),
      };
    });
  const messages = Object.values(all).flatMap((samples) => samples.map(({ within }) => within));
  const shortcut = fc
    .record({
      person,
      channel,
      id: fc.oneof(fc.constantFrom(...shortcuts), hostileText),
      onMessage: fc.boolean(),
      within: fc.constantFrom({ blocks: [] }, ...messages),
    })
    .map(({ person: who, channel: place, id, onMessage, within }) => ({
      type: onMessage ? 'message_action' : 'shortcut',
      ...interactionOf(who),
      callback_id: id,
      trigger_id: placeholders.trigger,
      action_ts: placeholders.unique,
      ...(onMessage
        ? {
            channel: { id: place, name: 'review' },
            message_ts: '1800000000.000100',
            message: { type: 'message', user: 'U0BOT', blocks: within.blocks },
          }
        : {}),
    }));
  return delivered('interactive', weighted([4, typing], [1, shortcut]));
}

/** Every event that is listened to, some that are not, and what else comes by that way. */
export function events({ events: all, clicks: shown }: Corpus): fc.Arbitrary<Delivery> {
  const messages = Object.values(shown).flatMap((samples) => samples.map(({ within }) => within));
  const unheard = ['reaction_added', 'app_uninstalled'];
  const event = fc
    .record({
      person,
      channel,
      type: fc.oneof(fc.constantFrom(...all), fc.constantFrom(...unheard), hostileText),
      within: fc.constantFrom(...messages),
      deleted: fc.boolean(),
      said: fc.option(fc.oneof(fc.constantFrom('ok', 'nok: blurred', 'revise', 'note x'), hostileText)),
    })
    .map(({ person: who, channel: id, type, within, deleted, said }) => {
      const common = { type, event_ts: placeholders.unique };
      if (type === 'user_change')
        return { ...common, user: { id: who.id, team_id: who.team, deleted, profile: {} } };
      if (type === 'app_home_opened') return { ...common, user: who.id, channel: id, tab: 'home' };
      if (type !== 'message') return { ...common, channel: id, user: who.id, team: who.team };
      const reply = {
        ...{ type: 'message', user: who.id, team: who.team, text: said ?? '' },
        ...{ ts: '1800000000.000200', thread_ts: '1800000000.000100' },
      };
      const place = { channel: id, channel_type: 'channel' };
      if (said !== null && deleted)
        return { ...common, ...place, subtype: 'message_changed', message: reply, previous_message: reply };
      if (said !== null) return { ...common, ...place, ...reply };
      const card = { type: 'message', user: 'U0BOT', bot_id: 'B0BOT', blocks: within.blocks };
      const gone = { ts: '1800000001.000100', deleted_ts: '1800000000.000100', previous_message: card };
      return { ...common, ...place, subtype: 'message_deleted', ...gone };
    });
  const callback = event.map((inner) => ({
    token: 'verification',
    team_id: 'T0SANDBOX',
    api_app_id: 'A0SANDBOX',
    event: inner,
    type: 'event_callback',
    event_id: `Ev${placeholders.unique}`,
    event_time: 1_800_000_000,
    authorizations: [{ team_id: 'T0SANDBOX', user_id: 'U0BOT', is_bot: true }],
  }));
  const rest = fc.constantFrom(
    { type: 'url_verification', token: 'x', challenge: 'abc' },
    { type: 'app_rate_limited', token: 'x', team_id: 'T0SANDBOX', minute_rate_limited: 1 },
  );
  return delivered('events_api', weighted([9, callback], [1, rest]));
}

function delivered(kind: Delivery['kind'], payload: fc.Arbitrary<unknown>): fc.Arbitrary<Delivery> {
  return fc.record({ kind: fc.constant(kind), payload: mutated(payload) });
}
