/**
 * Returns the message that a link of `chat.getPermalink` leads to, as parameters of the page's address; undefined for every
 * other link. A reply is found below the message that its thread began with.
 */
export function messageAt(url: string): { channel: string; message: string } | undefined {
  const { pathname, searchParams, hostname } = new URL(url);
  const [, channel, seconds, fraction] = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(pathname) ?? [];
  if (channel === undefined || !/^(localhost|127\.0\.0\.1)$/.test(hostname)) return undefined;
  return { channel, message: searchParams.get('thread_ts') ?? `${seconds}.${fraction}` };
}
