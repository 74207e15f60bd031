import type { WebClient } from '@slack/web-api';
import type { MessageRef } from '../domain/live-message.ts';

/** How many links are cached. */
const most = 5_000;

/** Creates the cache of links to messages. A message's link never changes, so Slack is asked for it once. */
export function createPermalinks(client: Pick<WebClient, 'chat'>) {
  const known = new Map<string, string>();

  /** Returns a link to a message, or undefined when Slack returns none. */
  return async ({ channel, ts }: MessageRef): Promise<string | undefined> => {
    const key = `${channel} ${ts}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    try {
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      if (permalink === undefined) return undefined;
      if (known.size >= most) known.delete(known.keys().next().value ?? '');
      known.set(key, permalink);
      return permalink;
    } catch {
      return undefined;
    }
  };
}
