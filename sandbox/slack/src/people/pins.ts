import type { ActResult, Message } from '../model.ts';
import type { ServerParts } from '../server-parts.ts';
import { findMessage } from '../world.ts';
import { ActError, personOf, placeOf } from './payloads.ts';

/** A person's request to pin or unpin a message. */
type Pin = { user: string; channel: string; ts: string };

const done: ActResult = { ok: true, acked: true, ms: 0 };

/** Pins a message to its channel for everyone, and delivers the event unless it was already pinned. */
export function pinMessage(pin: Pin, parts: ServerParts): ActResult {
  const message = messageOf(pin, parts);
  if (message.pinned_info !== undefined) return done;
  message.pinned_to = [pin.channel];
  message.pinned_info = {
    channel: pin.channel,
    pinned_by: pin.user,
    pinned_ts: Math.floor(parts.world.now() / 1000),
  };
  changed('pin_added', pin, parts);
  return done;
}

/** Unpins a message. */
export function unpinMessage(pin: Pin, parts: ServerParts): ActResult {
  const message = messageOf(pin, parts);
  if (message.pinned_info === undefined) return done;
  delete message.pinned_to;
  delete message.pinned_info;
  changed('pin_removed', pin, parts);
  return done;
}

function messageOf({ user, channel, ts }: Pin, { world }: ServerParts): Message {
  const message = findMessage(world, placeOf(world, channel).id, ts);
  if (message === undefined) throw new ActError('There is no such message');
  personOf(world, user);
  return message;
}

function changed(type: 'pin_added' | 'pin_removed', pin: Pin, { world, events }: ServerParts): void {
  const { user, channel, ts } = pin;
  world.changed({ what: 'message', channel, ts });
  const item = { type: 'message', channel, message: { ts } };
  events.emit(type, { type, user, channel_id: channel, item }, channel);
}
