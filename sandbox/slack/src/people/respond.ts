import {
  addEphemeral,
  addMessage,
  changeEphemeral,
  changeMessage,
  removeEphemeral,
  removeMessage,
} from '../messages.ts';
import { BOT_USER } from '../seed.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ResponseTarget } from '../tokens.ts';
import { type Args, bool, contentOf, SlackApiError, str } from '../web/method.ts';
import { findEphemeral, findMessage } from '../world.ts';

/**
 * Applies an app's response, sent to a response URL or in the ack of a command: posts an ephemeral message, or a public
 * one if `response_type` is `in_channel`; `replace_original` and `delete_original` change the message of the URL.
 * Throws a SlackApiError for invalid content.
 */
export function respond(target: ResponseTarget, args: Args, { world, events }: ServerParts): void {
  if (!world.channels.has(target.channel)) throw new SlackApiError('channel_not_found');
  const content = contentOf(world, args);
  const ephemeral =
    target.ts === undefined || target.ephemeral !== true
      ? undefined
      : findEphemeral(world, target.channel, target.ts);
  const message =
    target.ts === undefined || target.ephemeral === true
      ? undefined
      : findMessage(world, target.channel, target.ts);

  if (bool(args, 'delete_original')) {
    if (ephemeral !== undefined) removeEphemeral(world, ephemeral);
    if (message !== undefined && message.user === BOT_USER) {
      removeMessage(world, message);
      events.message(message, 'deleted');
    }
    return;
  }
  const empty =
    (content.text ?? '').trim() === '' &&
    (content.blocks ?? []).length === 0 &&
    (content.attachments ?? []).length === 0;
  if (empty) throw new SlackApiError('no_text');
  if (bool(args, 'replace_original') && (ephemeral ?? message) !== undefined) {
    if (ephemeral !== undefined) changeEphemeral(world, ephemeral, content);
    if (message !== undefined && message.user === BOT_USER) {
      changeMessage(world, message, { ...content, blocks: content.blocks ?? [] });
      events.message(message, 'changed');
    }
    return;
  }
  const base = {
    channel: target.channel,
    text: content.text ?? '',
    blocks: content.blocks ?? [],
    attachments: content.attachments ?? [],
    thread_ts: str(args, 'thread_ts') ?? target.thread_ts,
  };
  if (str(args, 'response_type') === 'in_channel')
    events.message(addMessage(world, { ...base, user: BOT_USER, metadata: content.metadata }));
  else addEphemeral(world, { ...base, user: target.user });
}
