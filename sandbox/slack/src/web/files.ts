import { addMessage, apiFile } from '../messages.ts';
import type { SlackFile } from '../model.ts';
import { BOT_USER } from '../seed.ts';
import { newId, type StoredFile, type World } from '../world.ts';
import {
  contentOf,
  int,
  invalidArguments,
  json,
  type Method,
  needStr,
  SlackApiError,
  str,
  writableChannel,
} from './method.ts';

const TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  csv: 'text/csv',
  txt: 'text/plain',
  log: 'text/plain',
  json: 'application/json',
  zip: 'application/zip',
  mp4: 'video/mp4',
};

/** Creates a file; its bytes are uploaded later. */
export function newFile(
  world: World,
  input: { name: string; size: number; user: string; alt_text?: string | undefined; mimetype?: string },
): StoredFile {
  const id = newId('F');
  const extension = /\.([a-z0-9]+)$/i.exec(input.name)?.[1]?.toLowerCase() ?? '';
  const path = `${world.team.id}-${id}`;
  const file: SlackFile = {
    id,
    name: input.name,
    title: input.name,
    mimetype: input.mimetype ?? TYPES[extension] ?? 'application/octet-stream',
    filetype: extension === '' ? 'binary' : extension,
    size: input.size,
    user: input.user,
    created: Math.floor(world.now() / 1000),
    ...(input.alt_text === undefined ? {} : { alt_text: input.alt_text }),
    permalink: `${world.baseUrl}/_sandbox/files/${id}`,
    url_private: `${world.baseUrl}/files-pri/${path}/${encodeURIComponent(input.name)}`,
    url_private_download: `${world.baseUrl}/files-pri/${path}/download/${encodeURIComponent(input.name)}`,
    sandbox_url: `/_sandbox/files/${id}`,
  };
  const stored: StoredFile = { file, bytes: undefined, isComplete: false, readyAt: 0, shares: [] };
  world.files.set(id, stored);
  return stored;
}

/** Stores the bytes of an upload. Returns false if the upload URL is unknown or already used. */
export function receiveUpload(world: World, id: string, bytes: Buffer): boolean {
  const stored = world.files.get(id);
  if (stored === undefined || stored.isComplete || stored.bytes !== undefined) return false;
  stored.bytes = bytes;
  stored.file.size = bytes.length;
  return true;
}

/** Returns a file as the Web API describes it: its type only once Slack has processed it. */
function described({ file, readyAt }: StoredFile): Record<string, unknown> {
  return { ...apiFile(file), ...(Date.now() < readyAt ? { mimetype: '', filetype: '' } : {}) };
}

function requested(value: unknown): { id: string; title?: string }[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidArguments('missing required field: files');
  return value.map((entry) => {
    if (typeof entry?.id !== 'string') throw invalidArguments('missing required field: id');
    return { id: entry.id, ...(typeof entry.title === 'string' ? { title: entry.title } : {}) };
  });
}

export const fileMethods: Record<string, Method> = {
  'files.getUploadURLExternal': {
    scopes: ['files:write'],
    token: 'bot',
    tier: 'tier4',
    run: (args, { world }) => {
      const name = needStr(args, 'filename');
      const size = int(args, 'length', -1);
      if (size < 0) throw invalidArguments('missing required field: length');
      if (size === 0) throw new SlackApiError('invalid_arguments');
      const { file } = newFile(world, { name, size, user: BOT_USER, alt_text: str(args, 'alt_txt') });
      return { upload_url: `${world.baseUrl}/upload/v1/${file.id}`, file_id: file.id };
    },
  },
  'files.completeUploadExternal': {
    scopes: ['files:write'],
    token: 'bot',
    tier: 'tier4',
    run: (args, { world, events }) => {
      const wanted = requested(json(args, 'files', 'invalid_arguments'));
      const ids = [str(args, 'channel_id'), ...(str(args, 'channels') ?? '').split(',')];
      const channels = ids.flatMap((id) =>
        id === undefined || id === '' ? [] : [writableChannel(world, id, str(args, 'thread_ts'))],
      );
      const stored = wanted.map(({ id, title }) => {
        const found = world.files.get(id);
        if (found === undefined) throw new SlackApiError('file_not_found');
        if (found.bytes === undefined) throw new SlackApiError('file_update_failed');
        return { found, title };
      });
      for (const { found, title } of stored) {
        const [shortest, longest] = world.settings.fileReadyMs;
        found.isComplete = true;
        found.readyAt = Date.now() + shortest + Math.random() * (longest - shortest);
        if (title !== undefined) found.file.title = title;
        world.changed({ what: 'file' });
      }
      const files = stored.map(({ found }) => found.file);
      const { blocks } = contentOf(world, args);
      for (const channel of channels) {
        const message = addMessage(world, {
          channel: channel.id,
          user: BOT_USER,
          text: str(args, 'initial_comment') ?? '',
          blocks: blocks ?? [],
          files,
          thread_ts: str(args, 'thread_ts'),
        });
        for (const { found } of stored) found.shares.push({ channel: channel.id, ts: message.ts });
        events.message(message);
      }
      return { files: stored.map(({ found }) => described(found)) };
    },
  },
  'files.info': {
    scopes: ['files:read'],
    token: 'bot',
    tier: 'tier4',
    run: (args, { world }) => {
      const stored = world.files.get(needStr(args, 'file'));
      if (stored?.isComplete !== true) throw new SlackApiError('file_not_found');
      const shares: Record<string, Record<string, { ts: string }[]>> = {};
      for (const { channel, ts } of stored.shares) {
        const kind = world.channels.get(channel)?.is_private === true ? 'private' : 'public';
        const places = shares[kind] ?? {};
        shares[kind] = { ...places, [channel]: [...(places[channel] ?? []), { ts }] };
      }
      return { file: { ...described(stored), shares }, comments: [] };
    },
  },
  'files.delete': {
    scopes: ['files:write'],
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => {
      if (!world.files.delete(needStr(args, 'file'))) throw new SlackApiError('file_not_found');
      world.changed({ what: 'file' });
      return {};
    },
  },
};
