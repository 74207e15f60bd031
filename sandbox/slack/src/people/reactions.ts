import type { Message } from '../model.ts';
import type { ServerParts } from '../server-parts.ts';
import { addReaction } from '../web/other.ts';
import { findMessage } from '../world.ts';
import { ActError, personOf, placeOf } from './payloads.ts';

/** A person's reaction to a message. */
type Reaction = { user: string; channel: string; ts: string; name: string };

const done = { ok: true, acked: true, ms: 0 };

/** Returns functions that add and remove a person's reaction. Each change is delivered to the app once. */
export function createReactions({ world, events }: ServerParts) {
  const messageOf = (body: Reaction): Message => {
    const message = findMessage(world, placeOf(world, body.channel).id, body.ts);
    if (message === undefined) throw new ActError('There is no such message');
    personOf(world, body.user);
    return message;
  };
  const changed = (type: 'reaction_added' | 'reaction_removed', message: Message, body: Reaction): void => {
    const { channel, ts } = message;
    world.changed({ what: 'message', channel, ts });
    const item = { type: 'message', channel, ts };
    events.emit(type, { type, user: body.user, reaction: body.name, item_user: message.user, item }, channel);
  };
  return {
    add: (body: Reaction) => {
      const message = messageOf(body);
      if (addReaction(message.reactions, body.name, body.user)) changed('reaction_added', message, body);
      return done;
    },
    remove: (body: Reaction) => {
      const message = messageOf(body);
      const known = message.reactions.find(({ name }) => name === body.name);
      if (!known?.users.includes(body.user)) return done;
      known.users = known.users.filter((user) => user !== body.user);
      known.count = known.users.length;
      message.reactions = message.reactions.filter(({ count }) => count > 0);
      changed('reaction_removed', message, body);
      return done;
    },
  };
}
