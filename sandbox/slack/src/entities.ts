import { z } from 'zod';
import type { ServerParts } from './server-parts.ts';
import { findMessage } from './world.ts';

// Work Objects: https://docs.slack.dev/messaging/work-objects-implementation

const action = z.strictObject({
  text: z.string().min(1),
  action_id: z.string().min(1).max(255),
  value: z.string().max(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  url: z.url().max(3000).optional(),
  accessibility_label: z.string().max(75).optional(),
});

const field = z.strictObject({
  value: z.union([z.string(), z.int(), z.boolean()]).optional(),
  type: z.string().optional(),
  label: z.string().optional(),
  link: z.url().optional(),
  long: z.boolean().optional(),
  format: z.literal('markdown').optional(),
  tag_color: z.enum(['red', 'yellow', 'green', 'gray', 'blue']).optional(),
  user: z.strictObject({ user_id: z.string().optional(), text: z.string().optional() }).optional(),
});

/** An entity, as messages carry it and the app shows it beside them. */
export const entitySchema = z.strictObject({
  entity_type: z.string(),
  url: z.url(),
  app_unfurl_url: z.url().optional(),
  external_ref: z.strictObject({ id: z.string().min(1), type: z.string().optional() }),
  entity_payload: z.strictObject({
    attributes: z.strictObject({
      title: z.strictObject({ text: z.string().min(1) }),
      display_type: z.string().optional(),
      display_id: z.string().optional(),
      product_name: z.string().optional(),
      metadata_last_modified: z.int().optional(),
      full_size_preview: z
        .strictObject({
          is_supported: z.boolean(),
          preview_url: z.url().optional(),
          mime_type: z.string().optional(),
        })
        .optional(),
    }),
    fields: z.record(z.string(), field).optional(),
    custom_fields: z
      .array(field.extend({ key: z.string().min(1), label: z.string().min(1), type: z.string() }))
      .optional(),
    display_order: z.array(z.string()).optional(),
    actions: z
      .strictObject({
        primary_actions: z.array(action).max(2).optional(),
        overflow_actions: z.array(action).max(5).optional(),
      })
      .optional(),
  }),
});

export type Entity = z.output<typeof entitySchema>;

/** What is open beside a person's messages: an entity, and how the app has answered. */
export type Flexpane = {
  trigger: string;
  entity: Entity;
  shown?: Entity;
  error?: { status: string; custom_message?: string | undefined };
};

/** Opens the entity of a message, as a person does who clicks it. Returns false if the message has none. */
export function openEntity(
  { world, events, triggers }: ServerParts,
  { user, channel, ts }: { user: string; channel: string; ts: string },
): boolean {
  const [entity] = findMessage(world, channel, ts)?.metadata?.entities ?? [];
  if (entity === undefined) return false;
  const trigger = triggers.issue({ user, viewId: undefined });
  world.flexpanes.set(user, { trigger, entity });
  events.emit('entity_details_requested', {
    type: 'entity_details_requested',
    user,
    trigger_id: trigger,
    external_ref: entity.external_ref,
    entity_url: entity.url,
    link: { url: entity.url, domain: new URL(entity.url).hostname },
    user_locale: 'en-US',
    channel,
    message_ts: ts,
  });
  return true;
}
