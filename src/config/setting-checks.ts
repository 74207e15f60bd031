import { isIP } from 'node:net';

/**
 * Checks of single settings. Each returns what is wrong, as the rest of a sentence that begins with the setting's name and
 * never quotes its value; undefined when nothing is.
 */
export type Check = (value: string) => string | undefined;

/** Returns the first fault that one of the checks finds. */
function firstFault(...checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) {
      const fault = check(value);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** Returns whether a setting begins or ends with a quotation mark: none does so by itself. */
export function isQuoted(value: string): boolean {
  return /^["'“”‘’`]|["'“”‘’`]$/u.test(value);
}

/** Text around a secret that is not part of it, and its description. */
const junk: readonly (readonly [RegExp, string])[] = [
  [/[\r\n]/, 'contains a line break: remove it'],
  [/\s/u, 'contains a space: remove it'],
  [
    /[\u200b-\u200f\u2028-\u202f\u2060\ufeff\u00ad]/u,
    'contains invisible characters: type it again or copy it from elsewhere',
  ],
  [/\p{Cc}/u, 'contains control characters: copy it again'],
];

/** Placeholders that people copy from instructions instead of the value. */
const placeholder =
  /^$|…|\.{2,}|^[<[{(].*[>\]})]$|^(your|replace|change|insert|enter|paste)[-_ ]|^(changeme|example|placeholder|secret|token|todo|xxx+)$/i;

/** Checks a token or key: no extra text, and no placeholder. @param prefix what it starts with @param what what it is */
export function secret(what: string, prefix = ''): Check {
  return firstFault(
    (value) => {
      const found = junk.find(([pattern]) => pattern.test(value))?.[1];
      return found && `must be ${what} alone, and ${found}`;
    },
    (value) => (value.startsWith(prefix) ? undefined : `must be ${what}, which starts with ${prefix}`),
    (value) =>
      placeholder.test(value.slice(prefix.length))
        ? `must be ${what}: what it has is the placeholder of the instructions`
        : undefined,
    (value) =>
      /^[\x21-\x7e]+$/.test(value)
        ? undefined
        : `must be ${what}, and contains a character that it cannot have: copy it again`,
  );
}

/** HTTP's own headers, and those that every request sets. */
const takenHeaders = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Checks the name of a header that carries a key. */
export const headerName: Check = (value) => {
  const example = 'must be the name of an HTTP header, such as ServiceApiKey';
  if (/\s/.test(value)) return `${example}: it contains a space or a line break`;
  if (value.includes(':')) return `${example}, without a colon or a value`;
  if (!/^[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*$/.test(value))
    return `${example}: letters, digits, - and _ only`;
  if (takenHeaders.has(value.toLowerCase()) || /^(proxy|sec)-/i.test(value))
    return `${example}: this one has a meaning of its own in HTTP`;
  return undefined;
};

/** Checks an http(s) address to which paths are added. @param placeholders hosts that stand in instructions */
export function webAddress(example: string, placeholders: readonly string[] = []): Check {
  const must = `must be an address such as ${example}`;
  return (value) => {
    if (/\s|…|\.\.\./u.test(value)) return `${must}: complete, and without spaces`;
    if (!/^https?:\/\//i.test(value)) return `${must}, with http:// or https://`;
    if (!URL.canParse(value)) return `${must}: its host or port is not valid`;
    const { username, password, search, hash, hostname } = new URL(value);
    if (username !== '' || password !== '') return `${must}, without a user name or password`;
    if (search !== '' || hash !== '' || /[?#]/.test(value))
      return `${must}, without a ? or # and what follows`;
    if (placeholders.includes(hostname)) return `${must}: what it has is the placeholder of the instructions`;
    return undefined;
  };
}

/** Checks the address of a proxy, which may have a user name and password. */
export const proxyAddress: Check = (value) =>
  /^https?:\/\/[^\s/]+\/?$/i.test(value) && URL.canParse(value)
    ? undefined
    : 'must be the address of a proxy, such as http://proxy.example:3128';

/** Returns whether an address is reached unencrypted, on more than this machine. */
export function isUnencrypted(address: string): boolean {
  if (!/^http:/i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Checks the address of this machine on which a port is opened. */
export const hostAddress: Check = (value) => {
  const must = 'must be an address of this machine, such as 127.0.0.1, 0.0.0.0 (all) or ::1';
  if (/^\w+:\/\//.test(value)) return `${must}, without http://`;
  if (isIP(value) !== 0) return undefined;
  if (/^\[.*\]$|:\d+$/.test(value)) return `${must}, without brackets and without a port: that is PORT`;
  return /^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value) ? undefined : must;
};

/** Checks the base of Slack's Web API. Other hosts than Slack's are proxies and sandboxes. */
export const slackAddress: Check = firstFault(webAddress('https://slack.com/api/'), (value) => {
  const { protocol, hostname, pathname } = new URL(value);
  if (!/(^|\.)slack(-gov)?\.com$/.test(hostname)) return undefined;
  return protocol === 'https:' && /^\/api\/?$/.test(pathname)
    ? undefined
    : `must be https://${hostname}/api/ at Slack itself`;
});

/** Checks an encryption key: 32 bytes in base64. */
export const encryptionKey: Check = (value) => {
  const must = 'must be 32 bytes in base64';
  const create = 'Create one with: openssl rand -base64 32';
  if (/^[0-9a-f]{64}$/i.test(value)) return `${must}: it looks like hexadecimal. ${create}`;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value))
    return `${must}: it contains a character that base64 does not have. ${create}`;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== 32) return `${must}: it has ${bytes.length}. ${create}`;
  if (bytes.toString('latin1') === 'some 32 bytes made with openssl!')
    return `${must} of your own: what it has is the example of the instructions, which everybody knows. ${create}`;
  return undefined;
};
