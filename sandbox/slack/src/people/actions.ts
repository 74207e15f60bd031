import { z } from 'zod';
import { openEntity } from '../entities.ts';
import { removeEphemeral, removeMessage } from '../messages.ts';
import { directChannelId } from '../seed.ts';
import type { ServerParts } from '../server-parts.ts';
import { apiView } from '../views.ts';
import { newFile } from '../web/files.ts';
import { findEphemeral, findMessage } from '../world.ts';
import { createClicks } from './clicks.ts';
import { editMessage, runCommand, runShortcut, writeMessage } from './commands.ts';
import { createModals } from './modals.ts';
import { ActError, personOf } from './payloads.ts';
import { pinMessage, unpinMessage } from './pins.ts';
import { createReactions } from './reactions.ts';

const values = z.record(z.string(), z.record(z.string(), z.unknown()));
const user = z.string();
const place = {
  user,
  channel: z.string().optional(),
  ts: z.string().optional(),
  view_id: z.string().optional(),
};

/** The input of each control call that acts for a person. */
export const BODIES = {
  command: z.strictObject({ user, channel: z.string(), command: z.string(), text: z.string().default('') }),
  click: z.looseObject({
    ...place,
    action_id: z.string(),
    block_id: z.string().optional(),
    value: z.unknown().optional(),
    values: values.optional(),
    stale: z.boolean().optional(),
    element: z.looseObject({ type: z.string() }).optional(),
  }),
  submit: z.strictObject({ user, view_id: z.string(), values: values.default({}) }),
  close: z.strictObject({ user, view_id: z.string(), all: z.boolean().optional() }),
  options: z.strictObject({
    ...place,
    action_id: z.string(),
    block_id: z.string().optional(),
    value: z.string().default(''),
  }),
  shortcut: z.strictObject({
    user,
    callback_id: z.string(),
    channel: z.string().optional(),
    ts: z.string().optional(),
  }),
  message: z.strictObject({
    user,
    channel: z.string(),
    text: z.string(),
    thread_ts: z.string().optional(),
    reply_broadcast: z.boolean().optional(),
  }),
  edit: z.strictObject({ user, channel: z.string(), ts: z.string(), text: z.string() }),
  upload: z.strictObject({
    user,
    filename: z.string(),
    base64: z.string(),
    content_type: z.string().optional(),
    stored_at: z.string().optional(),
  }),
  home: z.strictObject({ user }),
  entity: z.strictObject({ user, channel: z.string(), ts: z.string() }),
  react: z.strictObject({ user, channel: z.string(), ts: z.string(), name: z.string() }),
  unreact: z.strictObject({ user, channel: z.string(), ts: z.string(), name: z.string() }),
  pin: z.strictObject({ user, channel: z.string(), ts: z.string() }),
  unpin: z.strictObject({ user, channel: z.string(), ts: z.string() }),
  delete: z.strictObject({ channel: z.string(), ts: z.string() }),
  disconnect: z.strictObject({ reason: z.string().optional(), hard: z.boolean().optional() }),
};

type Body<Name extends keyof typeof BODIES> = z.output<(typeof BODIES)[Name]>;

/** Returns the control calls that act for a person, by name. */
export function createActions(parts: ServerParts) {
  const { world, events, sockets } = parts;
  const clicks = createClicks(parts);
  const modals = createModals(parts, clicks);
  const reactions = createReactions(parts);
  return {
    command: (body: Body<'command'>) => runCommand(body, parts),
    click: (body: Body<'click'>) => clicks.click(body),
    submit: (body: Body<'submit'>) => modals.submit(body),
    close: (body: Body<'close'>) => modals.close(body),
    options: (body: Body<'options'>) => clicks.options(body),
    shortcut: (body: Body<'shortcut'>) => runShortcut(body, parts),
    message: async (body: Body<'message'>) => writeMessage(body, parts),
    edit: async (body: Body<'edit'>) => editMessage(body, parts),
    upload: async (body: Body<'upload'>) => {
      personOf(world, body.user);
      const bytes = Buffer.from(body.base64, 'base64');
      const stored = newFile(world, {
        name: body.filename,
        size: bytes.length,
        user: body.user,
        ...(body.content_type === undefined ? {} : { mimetype: body.content_type }),
      });
      if (body.stored_at !== undefined)
        Object.assign(stored.file, { url_private: body.stored_at, url_private_download: body.stored_at });
      stored.bytes = bytes;
      stored.isComplete = true;
      world.changed({ what: 'file' });
      return { ok: true, acked: true, ms: 0, file: stored.file };
    },
    home: async (body: Body<'home'>) => {
      const person = personOf(world, body.user);
      const view = world.homes.get(person.id);
      events.emit('app_home_opened', {
        type: 'app_home_opened',
        user: person.id,
        channel: directChannelId(person.id),
        tab: 'home',
        ...(view === undefined ? {} : { view: apiView(world, view) }),
      });
      return { ok: true, acked: true, ms: 0 };
    },
    entity: async (body: Body<'entity'>) => {
      personOf(world, body.user);
      if (!openEntity(parts, body)) throw new ActError('That message has no Work Object');
      return { ok: true, acked: true, ms: 0 };
    },
    react: async (body: Body<'react'>) => reactions.add(body),
    unreact: async (body: Body<'unreact'>) => reactions.remove(body),
    pin: async (body: Body<'pin'>) => pinMessage(body, parts),
    unpin: async (body: Body<'unpin'>) => unpinMessage(body, parts),
    delete: async (body: Body<'delete'>) => {
      const ephemeral = findEphemeral(world, body.channel, body.ts);
      const message = findMessage(world, body.channel, body.ts);
      if (ephemeral !== undefined) removeEphemeral(world, ephemeral);
      else if (message === undefined) throw new ActError('There is no such message');
      else {
        events.message(message, 'deleted');
        removeMessage(world, message);
      }
      return { ok: true, acked: true, ms: 0 };
    },
    disconnect: async (body: Body<'disconnect'>) => {
      sockets.disconnect(body.reason ?? 'refresh_requested', body.hard === true);
      return { ok: true, acked: true, ms: 0 };
    },
  };
}
