/**
 * Returns whether an address may receive the bot token: it is Slack's over https, or has the host that is configured as the
 * base of the Web API.
 */
export function isSlackAddress(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const base = new URL(apiUrl);
  if (protocol === base.protocol && host === base.host) return true;
  return protocol === 'https:' && /(^|\.)slack(-gov|-files)?\.com$/.test(hostname);
}
