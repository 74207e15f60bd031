import type { Delivery } from '../delivery.ts';
import { addMessage, apiMessage, changeMessage } from '../messages.ts';
import type { ActResult } from '../model.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Args, SlackApiError } from '../web/method.ts';
import { findMessage } from '../world.ts';
import { ActError, channelField, commandFields, interaction, personOf, placeOf } from './payloads.ts';
import { respond } from './respond.ts';

/** Returns the result of a delivery as the person sees it. */
export function outcome(ack: { acked: boolean; ms: number; error?: string }): ActResult {
  return {
    ok: ack.acked,
    acked: ack.acked,
    ms: ack.ms,
    ...(ack.acked ? {} : { error: `operation_timeout: ${ack.error ?? 'not acked'}` }),
  };
}

/** Sends a slash command as a person. */
export async function runCommand(
  input: { user: string; channel: string; command: string; text: string },
  parts: ServerParts,
): Promise<ActResult> {
  const { world, deliver, responseUrls, triggers } = parts;
  const user = personOf(world, input.user);
  const channel = placeOf(world, input.channel);
  if (channel.is_archived) throw new ActError('The channel is archived');
  const known = world.app.commands.some(({ command }) => command === input.command);
  if (world.app.has_manifest && !known) throw new ActError(`${input.command} is not a valid command`);
  const responseUrl = responseUrls.issue({ channel: channel.id, user: user.id });
  const ack = await deliver.once({
    kind: 'slash_commands',
    type: 'slash_commands',
    channel: channel.id,
    acceptsPayload: true,
    payload: commandFields(world, user, channel, {
      command: input.command,
      text: input.text,
      responseUrl,
      triggerId: triggers.issue({ user: user.id, viewId: undefined }),
    }),
  });
  if (!ack.acked || ack.body === undefined) return outcome(ack);
  const body: Args = typeof ack.body === 'object' ? (ack.body as Args) : { text: ack.body };
  try {
    respond({ channel: channel.id, user: user.id }, body, parts);
  } catch (error) {
    if (!(error instanceof SlackApiError)) throw error;
    return { ...outcome(ack), ok: false, error: error.code };
  }
  return outcome(ack);
}

/** Writes a message as a person. */
export function writeMessage(
  input: {
    user: string;
    channel: string;
    text: string;
    thread_ts?: string | undefined;
    /** Also shown in the channel. */
    reply_broadcast?: boolean | undefined;
  },
  { world, events }: ServerParts,
): ActResult & { ts: string } {
  const user = personOf(world, input.user);
  const channel = placeOf(world, input.channel);
  if (channel.is_archived) throw new ActError('The channel is archived');
  const message = addMessage(world, {
    channel: channel.id,
    user: user.id,
    text: input.text,
    thread_ts: input.thread_ts,
    reply_broadcast: input.reply_broadcast === true,
  });
  events.message(message);
  return { ok: true, acked: true, ms: 0, ts: message.ts };
}

/** Edits a person's message. */
export function editMessage(
  input: { user: string; channel: string; ts: string; text: string },
  { world, events }: ServerParts,
): ActResult {
  const user = personOf(world, input.user);
  const message = findMessage(world, placeOf(world, input.channel).id, input.ts);
  if (message === undefined || message.user !== user.id)
    throw new ActError('There is no such message of yours');
  const previous = apiMessage(world, message);
  changeMessage(world, message, { text: input.text });
  events.message(message, 'changed', previous);
  return { ok: true, acked: true, ms: 0 };
}

/** Starts a global or message shortcut as a person. */
export async function runShortcut(
  input: { user: string; callback_id: string; channel?: string | undefined; ts?: string | undefined },
  { world, deliver, triggers, responseUrls }: ServerParts,
): Promise<ActResult> {
  const user = personOf(world, input.user);
  const onMessage = input.channel !== undefined && input.ts !== undefined;
  const type = onMessage ? 'message' : 'global';
  const known = world.app.shortcuts.some(
    (shortcut) => shortcut.callback_id === input.callback_id && shortcut.type === type,
  );
  if (world.app.has_manifest && !known)
    throw new ActError(`There is no ${type} shortcut ${input.callback_id}`);
  const base = {
    ...interaction(world, user),
    callback_id: input.callback_id,
    trigger_id: triggers.issue({ user: user.id, viewId: undefined }),
    action_ts: world.nextTs(),
  };
  const delivery: Pick<Delivery, 'kind' | 'acceptsPayload'> = { kind: 'interactive', acceptsPayload: false };
  if (!onMessage) {
    return outcome(
      await deliver.once({ ...delivery, type: 'shortcut', payload: { ...base, type: 'shortcut' } }),
    );
  }
  const channel = placeOf(world, input.channel ?? '');
  const message = findMessage(world, channel.id, input.ts ?? '');
  if (message === undefined) throw new ActError('There is no such message');
  return outcome(
    await deliver.once({
      ...delivery,
      type: 'message_action',
      channel: channel.id,
      payload: {
        ...base,
        type: 'message_action',
        message_ts: message.ts,
        channel: channelField(channel),
        message: apiMessage(world, message),
        response_url: responseUrls.issue({ channel: channel.id, user: user.id, ts: message.ts }),
      },
    }),
  );
}
