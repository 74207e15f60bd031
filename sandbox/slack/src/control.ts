import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { changeChannel, channelPatch, deleteChannel } from './channel-changes.ts';
import { faultSchema } from './faults.ts';
import type { Channel, Settings } from './model.ts';
import { BODIES, createActions } from './people/actions.ts';
import { ActError } from './people/payloads.ts';
import { changeUser, changeUsergroup, usergroupPatch, userPatch } from './people-changes.ts';
import { settingsSchema } from './seed.ts';
import type { ServerParts } from './server-parts.ts';
import { changedMessages, trackChanges, updatesOf } from './updates.ts';
import { stateOf, type World } from './world.ts';

/** Longest wait of `GET /_sandbox/changes`. */
const CHANGES_MS = 10_000;

/** Any payload, delivered to the app unchanged. */
const deliverySchema = z.strictObject({
  kind: z.enum(['slash_commands', 'interactive', 'events_api']),
  payload: z.unknown(),
});

/** An event, delivered to the app unchanged. */
const eventSchema = z.looseObject({ type: z.string() });

/** Parses the input. If it is invalid, answers 400 with the problems and returns undefined. */
function parsed<Output>(schema: z.ZodType<Output>, input: unknown, reply: FastifyReply): Output | undefined {
  const result = schema.safeParse(input ?? {});
  if (result.success) return result.data;
  reply.code(400).send({ ok: false, error: z.prettifyError(result.error) });
  return undefined;
}

/** Serves everything under `/_sandbox/` except the events socket. */
export function serveControl(app: FastifyInstance, parts: ServerParts): void {
  const { world, log, faults, sockets, limits, triggers, responseUrls, deliver } = parts;
  const acts = createActions(parts);

  for (const name of Object.keys(acts) as (keyof typeof acts)[]) {
    app.post(`/_sandbox/${name}`, async (request, reply) => {
      const body = parsed<unknown>(BODIES[name], request.body, reply);
      if (body === undefined) return reply;
      try {
        return await acts[name](body as never);
      } catch (error) {
        if (!(error instanceof ActError)) throw error;
        return { ok: false, acked: false, ms: 0, error: error.message };
      }
    });
  }

  app.post('/_sandbox/tokens', (request, reply) => {
    const person = parsed(z.strictObject({ user: z.string(), channel: z.string() }), request.body, reply);
    if (person === undefined) return reply;
    return {
      trigger_id: triggers.issue({ user: person.user, viewId: undefined }),
      response_url: responseUrls.issue(person),
    };
  });
  app.post('/_sandbox/deliver', (request, reply) => {
    const delivery = parsed(deliverySchema, request.body, reply);
    if (delivery === undefined) return reply;
    const { kind, payload } = delivery;
    // Delivered unchanged, even if Slack would never send it.
    const as = payload as Record<string, unknown>;
    return deliver.once({ kind, type: kind, payload: as, acceptsPayload: kind !== 'events_api' });
  });

  app.get('/_sandbox/state', () => stateOf(world, sockets.count(), log.count()));
  app.get<{ Querystring: { after?: string } }>('/_sandbox/changes', (request) =>
    nextChange(world, Number(request.query.after ?? -1)),
  );
  app.get<{ Querystring: { since?: string } }>('/_sandbox/requests', (request) => ({
    requests: log.since(Number(request.query.since ?? 0)),
  }));
  app.delete('/_sandbox/requests', () => {
    log.clear();
    return { ok: true };
  });
  app.patch('/_sandbox/settings', (request, reply) => {
    const patch = parsed(settingsSchema.partial(), request.body, reply);
    if (patch === undefined) return reply;
    Object.assign(world.settings, patch as Partial<Settings>);
    if (patch.rateLimits !== undefined) limits.reset();
    world.changed({ what: 'settings' });
    return { ok: true, settings: stateOf(world, 0, 0).settings };
  });
  app.post('/_sandbox/reset', () => {
    world.reset();
    faults.remove();
    limits.reset();
    return { ok: true };
  });
  app.post('/_sandbox/faults', (request, reply) => {
    const fault = parsed(faultSchema, request.body, reply);
    return fault === undefined ? reply : { id: faults.add(fault) };
  });
  app.delete('/_sandbox/faults', () => {
    faults.remove();
    return { ok: true };
  });
  app.delete<{ Params: { id: string } }>('/_sandbox/faults/:id', (request) => {
    faults.remove(request.params.id);
    return { ok: true };
  });
  app.get<{ Params: { id: string }; Querystring: { user?: string } }>(
    '/_sandbox/channels/:id/messages',
    (request, reply) => {
      const channel = world.channels.get(request.params.id);
      if (channel === undefined) return reply.code(404).send({ ok: false, error: 'channel_not_found' });
      return { changes: world.changes, messages: seenBy(channel, request.query.user) };
    },
  );
  const changes = trackChanges(world);
  app.get<{ Querystring: { after?: string } }>('/_sandbox/messages', (request) =>
    changedMessages(world, changes.since(Number(request.query.after ?? -1))),
  );
  app.get<{ Querystring: { after?: string; latest?: string } }>('/_sandbox/updates', (request) => {
    const { after = -1, latest } = request.query;
    const counts = { sockets: sockets.count(), requests: log.count() };
    return updatesOf(world, changes.since(Number(after)), latest ? Number(latest) : undefined, counts);
  });
  app.get<{ Params: { id: string } }>('/_sandbox/views/:id', (request) => ({
    changes: world.changes,
    views: world.views.get(request.params.id) ?? [],
    home: world.homes.get(request.params.id),
    flexpane: world.flexpanes.get(request.params.id),
  }));
  app.patch<{ Params: { id: string } }>('/_sandbox/channels/:id', (request, reply) => {
    const patch = parsed(channelPatch, request.body, reply);
    const channel = world.channels.get(request.params.id);
    if (patch === undefined) return reply;
    if (channel === undefined) return reply.code(404).send({ ok: false, error: 'channel_not_found' });
    changeChannel(parts, channel, patch);
    return { ok: true };
  });
  app.patch<{ Params: { id: string } }>('/_sandbox/users/:id', (request, reply) => {
    const patch = parsed(userPatch, request.body, reply);
    const user = world.users.find(({ id }) => id === request.params.id);
    if (patch === undefined) return reply;
    if (user === undefined) return reply.code(404).send({ ok: false, error: 'user_not_found' });
    changeUser(parts, user, patch);
    return { ok: true };
  });
  app.patch<{ Params: { id: string } }>('/_sandbox/usergroups/:id', (request, reply) => {
    const patch = parsed(usergroupPatch, request.body, reply);
    const group = world.usergroups.find(({ id }) => id === request.params.id);
    if (patch === undefined) return reply;
    if (group === undefined) return reply.code(404).send({ ok: false, error: 'no_such_subteam' });
    changeUsergroup(parts, group, patch);
    return { ok: true };
  });
  app.delete<{ Params: { id: string } }>('/_sandbox/channels/:id', (request, reply) => {
    const channel = world.channels.get(request.params.id);
    if (channel === undefined) return reply.code(404).send({ ok: false, error: 'channel_not_found' });
    deleteChannel(parts, channel);
    return { ok: true };
  });
  app.post('/_sandbox/events', (request, reply) => {
    const event = parsed(eventSchema, request.body, reply);
    if (event === undefined) return reply;
    parts.events.emit(event.type, event);
    return { ok: true };
  });
  app.get<{ Params: { id: string } }>('/_sandbox/files/:id', (request, reply) => {
    const stored = world.files.get(request.params.id);
    if (stored?.bytes === undefined) return reply.code(404).send({ ok: false, error: 'file_not_found' });
    return reply.type(stored.file.mimetype).send(stored.bytes);
  });
}

/** Returns what a person sees in a channel: messages with replies and their own ephemerals, in order. */
function seenBy(channel: Channel, person: string | undefined) {
  const own = channel.ephemerals
    .filter((ephemeral) => ephemeral.user === person)
    .map((ephemeral) => ({ ...ephemeral, type: 'message', ephemeral: true, replies: [], files: [] }));
  const everybody = channel.messages.map((message) => ({ ...message, ephemeral: false }));
  return [...everybody, ...own].sort((a, b) => (a.ts < b.ts ? -1 : 1));
}

/** Resolves with the count of changes once it is above `after`, or after 10 s. */
function nextChange(world: World, after: number): Promise<{ changes: number }> {
  return new Promise((resolve) => {
    if (world.changes > after) {
      resolve({ changes: world.changes });
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve({ changes: world.changes });
    };
    const timer = setTimeout(done, CHANGES_MS);
    timer.unref();
    const stop = world.onChange(done);
  });
}
