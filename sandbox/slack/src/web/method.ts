import { z } from 'zod';
import { checkMessage, isTooLong, type Problem, problemMessages } from '../blockkit/index.ts';
import { entitySchema } from '../entities.ts';
import type { Tier } from '../limits.ts';
import type { Attachment, Block, Channel, Metadata, Posting } from '../model.ts';
import { BOT_USER, directChannelId } from '../seed.ts';
import type { ServerParts } from '../server-parts.ts';
import type { World } from '../world.ts';

/** Thrown to fail a call as Slack does: HTTP 200 with `ok: false` and a code. */
export class SlackApiError extends Error {
  override readonly name = 'SlackApiError';
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(code: string, details: Record<string, unknown> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

export type Args = Record<string, unknown>;

/** A Web API method. */
export type Method = {
  /** Scopes of which the token needs one; if empty, it needs none. A function returns those for the given arguments. */
  scopes: readonly string[] | ((args: Args, world: World) => readonly string[]);
  token: 'bot' | 'app' | 'either' | 'none';
  tier: Tier;
  run: (args: Args, parts: ServerParts) => Record<string, unknown> | Promise<Record<string, unknown>>;
};

/** Returns an error whose messages say in Slack's words what is wrong with the arguments. */
export function invalidArguments(...messages: string[]): SlackApiError {
  return new SlackApiError('invalid_arguments', {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

export function invalidBlocks(problems: Problem[], code = 'invalid_blocks'): SlackApiError {
  const messages = problemMessages(problems);
  return new SlackApiError(code, {
    errors: messages.map((message) => message.replace('[ERROR] ', '')),
    response_metadata: { messages },
  });
}

/** Returns a string argument; an empty one counts as missing. */
export function str(args: Args, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function needStr(args: Args, name: string): string {
  const value = str(args, name);
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`);
  return value;
}

export function bool(args: Args, name: string): boolean {
  const value = args[name];
  return value === true || value === 'true' || value === '1' || value === 1;
}

export function int(args: Args, name: string, fallback: number): number {
  const value = Number(args[name]);
  return args[name] === undefined || args[name] === '' || !Number.isFinite(value)
    ? fallback
    : Math.trunc(value);
}

/** Returns an argument that is a JSON value, or a string of JSON, as form-encoded calls send it. */
export function json(args: Args, name: string, formatError: string): unknown {
  const value = args[name];
  if (typeof value !== 'string') return value;
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new SlackApiError(formatError);
  }
}

/** Returns a channel that the bot can see: private ones only as a member. A user id means the direct message channel. */
export function channelOf(world: World, id: string | undefined): Channel {
  const known =
    world.channels.get(id ?? '') ??
    (id?.startsWith('U') ? world.channels.get(directChannelId(id)) : undefined) ??
    [...world.channels.values()].find((channel) => `#${channel.name}` === id && !channel.is_im);
  if (known === undefined || (known.is_private && !known.members.includes(BOT_USER)))
    throw new SlackApiError('channel_not_found');
  return known;
}

/** Why nothing can be posted in limited channels: not as a message of the channel itself, not as a reply. */
const LIMITED: Record<Posting, { message?: string; reply?: string }> = {
  read_only: {
    message: 'restricted_action_read_only_channel',
    reply: 'restricted_action_read_only_channel',
  },
  thread_only: { message: 'restricted_action_thread_only_channel' },
  non_threadable: { reply: 'restricted_action_non_threadable_channel' },
  restricted: { message: 'restricted_action', reply: 'restricted_action' },
};

/** Returns a channel that the bot can write to: a message, or a reply in a thread. */
export function writableChannel(world: World, id: string | undefined, thread?: string): Channel {
  const channel = channelOf(world, id);
  if (channel.is_archived) throw new SlackApiError('is_archived');
  const limited = channel.posting && LIMITED[channel.posting][thread === undefined ? 'message' : 'reply'];
  if (limited !== undefined) throw new SlackApiError(limited);
  const anywhere = world.settings.scopes.includes('chat:write.public') && !channel.is_private;
  if (!channel.members.includes(BOT_USER) && !anywhere) throw new SlackApiError('not_in_channel');
  return channel;
}

/** Returns whether an image block may use this file: an image, uploaded completely and processed. */
export const imageFileIn =
  (world: World) =>
  (reference: { id?: string; url?: string }): boolean =>
    [...(reference.id === undefined ? world.files.values() : [world.files.get(reference.id)])].some(
      (stored) =>
        stored?.isComplete === true &&
        Date.now() >= stored.readyAt &&
        /^image\/(png|jpe?g|gif|webp)$/.test(stored.file.mimetype) &&
        (reference.url === undefined ||
          reference.url === stored.file.url_private ||
          reference.url === stored.file.url_private_download),
    );

export type Content = {
  text: string | undefined;
  blocks: Block[] | undefined;
  attachments: Attachment[] | undefined;
  metadata: Metadata | undefined;
};

/** Returns the validated text, blocks, attachments and metadata of a message; undefined for those not given. */
export function contentOf(world: World, args: Args): Content {
  const blocks = json(args, 'blocks', 'invalid_blocks_format');
  const attachments = json(args, 'attachments', 'invalid_attachments');
  const metadata = json(args, 'metadata', 'invalid_metadata_format');
  if (blocks !== undefined && !Array.isArray(blocks)) throw new SlackApiError('invalid_blocks_format');
  if (attachments !== undefined && !Array.isArray(attachments))
    throw new SlackApiError('invalid_attachments');
  const imageFile = imageFileIn(world);
  const problems = [
    ...(blocks === undefined ? [] : checkMessage(blocks, imageFile)),
    ...(attachments ?? []).flatMap((attachment, index) =>
      attachment?.blocks === undefined
        ? []
        : checkMessage(attachment.blocks, imageFile, `/attachments/${index}/blocks`),
    ),
  ];
  if (problems.length > 0) throw invalidBlocks(problems);
  if (isTooLong(blocks)) throw new SlackApiError('msg_blocks_too_long');
  return {
    text: typeof args.text === 'string' ? args.text : str(args, 'markdown_text'),
    blocks: blocks as Block[] | undefined,
    attachments: attachments as Attachment[] | undefined,
    metadata: metadata === undefined ? undefined : metadataOf(world, metadata),
  };
}

const isPrimitive = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isFlat = (value: unknown): boolean =>
  isPrimitive(value) ||
  (typeof value === 'object' && value !== null && Object.values(value).every(isPrimitive));

/** The most characters of metadata as JSON. Slack documents the error and no number. */
const MAX_METADATA = 8_000;

/**
 * Validates message metadata: an event type of letters, digits and underscores, and flat values, not too many; Work Objects.
 * Slack drops wrong Work Objects with a mere warning: here they are refused, so that it is noticed.
 */
function metadataOf(world: World, value: unknown): Metadata {
  const { entities, ...given } = (value ?? {}) as Metadata;
  const found = z.array(entitySchema).optional().safeParse(entities);
  const isEnabled =
    found.data?.every(({ entity_type: type }) => world.app.entity_types.includes(type)) ?? true;
  if (!found.success || !isEnabled)
    throw new SlackApiError('invalid_metadata_format', {
      response_metadata: {
        messages: [found.success ? 'entity type not enabled' : z.prettifyError(found.error)],
      },
    });
  const shown = found.data === undefined ? {} : { entities: found.data };
  const { event_type: type, event_payload: payload } = given;
  if (found.data !== undefined && type === undefined) return shown;
  const valid =
    typeof type === 'string' &&
    /^[A-Za-z0-9_]{1,50}$/.test(type) &&
    typeof payload === 'object' &&
    payload !== null &&
    Object.values(payload).every((field) => (Array.isArray(field) ? field.every(isFlat) : isFlat(field)));
  if (!valid) throw new SlackApiError('invalid_metadata_format');
  if (JSON.stringify(value).length > MAX_METADATA) throw new SlackApiError('metadata_too_large');
  return { event_type: type, event_payload: payload, ...shown };
}

/** Returns one page of a list by Slack's cursors. */
export function page<Item>(items: Item[], args: Args, fallback: number) {
  const from = Number(Buffer.from(str(args, 'cursor') ?? '', 'base64').toString() || 0);
  if (!Number.isInteger(from) || from < 0) throw new SlackApiError('invalid_cursor');
  const limit = Math.min(Math.max(int(args, 'limit', fallback), 1), 1000);
  const next = from + limit;
  return {
    items: items.slice(from, next),
    response_metadata: {
      next_cursor: next < items.length ? Buffer.from(String(next)).toString('base64') : '',
    },
    has_more: next < items.length,
  };
}
