import { lengthOf } from '../blockkit/rules.ts';
import { findElement, initialState, stateFrom } from '../elements.ts';
import { apiMessage } from '../messages.ts';
import type { ActResult, Block, ElementState, Option, OptionsResult, StateValues, View } from '../model.ts';
import type { ServerParts } from '../server-parts.ts';
import { apiView } from '../views.ts';
import { findEphemeral, findMessage, findView } from '../world.ts';
import { outcome } from './commands.ts';
import { ActError, channelField, interaction, personOf, placeOf } from './payloads.ts';

/** The place of an element: a message or ephemeral, or a modal or home. */
type Place = {
  user: string;
  channel?: string | undefined;
  ts?: string | undefined;
  view_id?: string | undefined;
};

export type Click = Place & {
  action_id: string;
  block_id?: string | undefined;
  /** The choice or typed text: Slack's own field (`selected_option`…), an option's text or value, or text. */
  value?: unknown;
  /** The values of the view's other elements, by block and action id. */
  values?: Record<string, Record<string, unknown>> | undefined;
  /** It is sent even if the element no longer exists, as by a person whose screen is behind. */
  stale?: boolean | undefined;
  /** What that person sees; a button with this value if not given. */
  element?: Block | undefined;
  [field: string]: unknown;
};

/** Returns the key, by place, block and action id, for the options that an external select was offered last. */
const offeredKey = (place: Place, blockId: unknown, actionId: unknown): string =>
  `${place.view_id ?? `${place.channel}:${place.ts}`}:${String(blockId)}:${String(actionId)}`;

export type Clicks = {
  click: (input: Click) => Promise<ActResult>;
  options: (
    input: Place & { block_id?: string | undefined; action_id: string; value: string },
  ) => Promise<OptionsResult>;
  /** Stores a person's input in the view's state. */
  fill: (view: View, values: Record<string, Record<string, unknown>>) => void;
};

export function createClicks(parts: ServerParts): Clicks {
  const { world, deliver, triggers, responseUrls } = parts;
  const offered = new Map<string, Option[]>();

  const locate = (place: Place) => {
    const user = personOf(world, place.user);
    if (place.view_id !== undefined) {
      const view = findView(world, place.view_id);
      if (view === undefined || view.user !== user.id) throw new ActError('There is no such view open');
      return { kind: 'view' as const, user, view, blocks: view.blocks, state: view.state };
    }
    const channel = placeOf(world, place.channel ?? '');
    const ephemeral = findEphemeral(world, channel.id, place.ts ?? '');
    if (ephemeral !== undefined && ephemeral.user !== user.id)
      throw new ActError('That message is shown to somebody else');
    const message = findMessage(world, channel.id, place.ts ?? '');
    const found = ephemeral ?? message;
    if (found === undefined) throw new ActError('There is no such message');
    const blocks = [...found.blocks, ...found.attachments.flatMap((one) => one.blocks ?? [])];
    const key = `${channel.id}:${found.ts}:${user.id}`;
    const state = world.messageState.get(key) ?? { values: initialState(blocks) };
    world.messageState.set(key, state);
    return { kind: 'message' as const, user, channel, ephemeral, message, found, blocks, state };
  };

  const put = (
    values: StateValues,
    block: Block,
    element: Block,
    given: unknown,
    place: Place,
  ): ElementState => {
    let state: ElementState;
    try {
      state = stateFrom(
        world,
        element,
        given,
        offered.get(offeredKey(place, block.block_id, element.action_id)) ?? [],
      );
    } catch (error) {
      throw new ActError(error instanceof Error ? error.message : String(error));
    }
    if (element.type !== 'overflow') {
      const blockId = String(block.block_id);
      values[blockId] = { ...values[blockId], [String(element.action_id)]: state };
    }
    return state;
  };

  const fill: Clicks['fill'] = (view, values) => {
    for (const [blockId, actions] of Object.entries(values)) {
      for (const [actionId, given] of Object.entries(actions)) {
        const found = findElement(view.blocks, actionId, blockId);
        if (found === undefined) throw new ActError(`There is no input ${blockId} / ${actionId}`);
        put(view.state.values, found.block, found.element, given, {
          user: view.user,
          view_id: view.id,
        });
      }
    }
  };

  const actionOf = (input: Click, located: ReturnType<typeof locate>): Record<string, unknown> => {
    const { action_id, block_id = 'gone', value: shown } = input;
    const found = findElement(located.blocks, action_id, input.block_id);
    if (found === undefined && input.stale !== true)
      throw new ActError(`There is no element ${action_id} any more`);
    const gone = { type: 'button', text: { type: 'plain_text', text: '', emoji: true }, value: shown };
    const block: Block = found?.block ?? { type: 'actions', block_id };
    const element: Block = found?.element ?? input.element ?? gone;
    const base = { type: element.type, block_id: block.block_id, action_id, action_ts: world.nextTs() };
    if (['button', 'workflow_button', 'icon_button', 'feedback_buttons'].includes(element.type)) {
      const value = element.type === 'feedback_buttons' ? input.value : element.value;
      return {
        ...base,
        ...(element.text === undefined ? {} : { text: element.text }),
        ...(value === undefined ? {} : { value }),
        ...(element.style === undefined ? {} : { style: element.style }),
        ...(element.url === undefined ? {} : { url: element.url }),
      };
    }
    const given = input.value ?? input;
    return { ...base, ...put(located.state.values, block, element, given, input) };
  };

  const click: Clicks['click'] = async (input) => {
    const located = locate(input);
    if (located.kind === 'view') {
      if (input.values !== undefined) fill(located.view, input.values);
      const action = actionOf(input, located);
      const view = apiView(world, located.view);
      return outcome(
        await deliver.once({
          kind: 'interactive',
          type: 'block_actions',
          acceptsPayload: false,
          payload: {
            type: 'block_actions',
            ...interaction(world, located.user),
            container: { type: 'view', view_id: located.view.id },
            trigger_id: triggers.issue({
              user: located.user.id,
              viewId: located.view.type === 'modal' ? located.view.id : undefined,
            }),
            view,
            actions: [action],
          },
        }),
      );
    }
    const { channel, user, ephemeral, message, found } = located;
    const action = actionOf(input, located);
    return outcome(
      await deliver.once({
        kind: 'interactive',
        type: 'block_actions',
        channel: channel.id,
        acceptsPayload: false,
        payload: {
          type: 'block_actions',
          ...interaction(world, user),
          container: {
            type: 'message',
            message_ts: found.ts,
            channel_id: channel.id,
            is_ephemeral: ephemeral !== undefined,
            ...(found.thread_ts === undefined ? {} : { thread_ts: found.thread_ts }),
          },
          trigger_id: triggers.issue({ user: user.id, viewId: undefined }),
          channel: channelField(channel),
          // Slack does not send the content of a message that only one person saw.
          ...(message === undefined ? {} : { message: apiMessage(world, message) }),
          state: structuredClone(located.state),
          response_url: responseUrls.issue({
            channel: channel.id,
            user: user.id,
            ts: found.ts,
            ephemeral: ephemeral !== undefined,
            ...(found.thread_ts === undefined ? {} : { thread_ts: found.thread_ts }),
          }),
          actions: [action],
        },
      }),
    );
  };

  const options: Clicks['options'] = async (input) => {
    const located = locate(input);
    const found = findElement(located.blocks, input.action_id, input.block_id);
    if (found === undefined || !found.element.type.endsWith('external_select'))
      throw new ActError(`There is no external select ${input.action_id}`);
    const least = Number(found.element.min_query_length ?? 3);
    if (lengthOf(input.value) < least) return { ok: true, acked: true, ms: 0, options: [] };
    const where =
      located.kind === 'view'
        ? {
            container: { type: 'view', view_id: located.view.id },
            view: apiView(world, located.view),
          }
        : {
            container: {
              type: 'message',
              message_ts: located.found.ts,
              channel_id: located.channel.id,
              is_ephemeral: located.ephemeral !== undefined,
            },
            channel: channelField(located.channel),
            ...(located.message === undefined ? {} : { message: apiMessage(world, located.message) }),
          };
    const ack = await deliver.once({
      kind: 'interactive',
      type: 'block_suggestion',
      acceptsPayload: true,
      ...(located.kind === 'view' ? {} : { channel: located.channel.id }),
      payload: {
        type: 'block_suggestion',
        ...interaction(world, located.user),
        ...where,
        action_id: input.action_id,
        block_id: found.block.block_id,
        value: input.value,
      },
    });
    const answer = optionsAnswer(ack.body);
    if (!ack.acked) return outcome(ack);
    if (typeof answer === 'string') return { ...outcome(ack), ok: false, error: answer };
    const flat = [
      ...(answer.options ?? []),
      ...(answer.option_groups ?? []).flatMap((group) => group.options),
    ];
    const key = offeredKey(input, found.block.block_id, input.action_id);
    offered.set(key, [...flat, ...(offered.get(key) ?? [])].slice(0, 500));
    return { ...outcome(ack), ...answer };
  };

  return { click, options, fill };
}

/** Returns the options in an app's answer, or what is wrong with them. */
function optionsAnswer(body: unknown): Pick<OptionsResult, 'options' | 'option_groups'> | string {
  const answer = (body ?? {}) as Pick<OptionsResult, 'options' | 'option_groups'>;
  const { options, option_groups: groups } = answer;
  if (options === undefined && groups === undefined)
    return 'The answer holds neither options nor option_groups';
  const all = [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)];
  if ((options ?? []).length > 100 || (groups ?? []).length > 100)
    return 'No more than 100 options are allowed';
  const bad = all.find(
    (option) =>
      typeof option?.text?.text !== 'string' ||
      option.text.text === '' ||
      lengthOf(option.text.text) > 75 ||
      typeof option.value !== 'string' ||
      lengthOf(option.value) > 150,
  );
  if (bad !== undefined) return `An option is not valid: ${JSON.stringify(bad)}`;
  return {
    ...(options === undefined ? {} : { options }),
    ...(groups === undefined ? {} : { option_groups: groups }),
  };
}
