import { isIP } from 'node:net';

/**
 * Checks of single settings. Each returns what is wrong, as the rest of a sentence that begins with the setting's name and
 * never quotes its value; undefined when nothing is.
 */
export type Check = (value: string) => string | undefined;

/** One way to be wrong, and how the sentence goes on. */
type Rule = readonly [isWrong: (value: string) => boolean, says: string];

/** Returns a check that tells the first rule that is broken. @param must how each sentence begins */
function rules(must: string, ...all: readonly Rule[]): Check {
  return (value) => {
    const broken = all.find(([isWrong]) => isWrong(value));
    return broken && `${must}${broken[1]}`;
  };
}

const has = (pattern: RegExp) => (value: string) => pattern.test(value);
const lacks = (pattern: RegExp) => (value: string) => !pattern.test(value);

/** Returns a check of a text's form. */
export const form = (pattern: RegExp, must: string): Check => rules(must, [lacks(pattern), '']);

/** Returns whether a setting begins or ends with a quotation mark: none does so by itself. */
export const isQuoted = has(/^["'“”‘’`]|["'“”‘’`]$/u);

/** Placeholders that people copy from instructions instead of the value. */
const placeholder =
  /^$|…|\.{2,}|^[<[{(].*[>\]})]$|^(your|replace|change|insert|enter|paste)[-_ ]|^(changeme|example|placeholder|secret|token|todo|xxx+)$/i;

/** Checks a token or key: no extra text, and no placeholder. @param prefix what it starts with @param what what it is */
export const secret = (what: string, prefix = ''): Check =>
  rules(
    `must be ${what}`,
    [has(/[\r\n]/), ' alone, and contains a line break: remove it'],
    [has(/\s/u), ' alone, and contains a space: remove it'],
    [
      has(/[\u200b-\u200f\u2028-\u202f\u2060\ufeff\u00ad]/u),
      ' alone, and contains invisible characters: type it again or copy it from elsewhere',
    ],
    [has(/\p{Cc}/u), ' alone, and contains control characters: copy it again'],
    [(value) => !value.startsWith(prefix), `, which starts with ${prefix}`],
    [
      (value) => placeholder.test(value.slice(prefix.length)),
      ': what it has is the placeholder of the instructions',
    ],
    [lacks(/^[\x21-\x7e]+$/), ', and contains a character that it cannot have: copy it again'],
  );

/** HTTP's own headers, and those that every request sets. */
const takenHeader =
  /^(accept(-charset|-encoding)?|connection|content-(encoding|length|type)|cookie|date|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|(proxy|sec)-.*)$/i;

/** Checks the name of a header that carries a key. */
export const headerName = rules(
  'must be the name of an HTTP header, such as ServiceApiKey',
  [has(/\s/), ': it contains a space or a line break'],
  [has(/:/), ', without a colon or a value'],
  [lacks(/^[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*$/), ': letters, digits, - and _ only'],
  [has(takenHeader), ': this one has a meaning of its own in HTTP'],
);

/** Checks an http(s) address to which paths are added. @param placeholders hosts that stand in instructions */
export const webAddress = (example: string, placeholders: readonly string[] = []): Check =>
  rules(
    `must be an address such as ${example}`,
    [has(/\s|…|\.\.\./u), ': complete, and without spaces'],
    [lacks(/^https?:\/\//i), ', with http:// or https://'],
    [(value) => !URL.canParse(value), ': its host or port is not valid'],
    [
      (value) => new URL(value).username + new URL(value).password !== '',
      ', without a user name or password',
    ],
    [has(/[?#]/), ', without a ? or # and what follows'],
    [
      (value) => placeholders.includes(new URL(value).hostname),
      ': what it has is the placeholder of the instructions',
    ],
  );

/** Checks the base of Slack's Web API. Other hosts than Slack's are proxies and sandboxes. */
export const slackAddress: Check = (value) => {
  const fault = webAddress('https://slack.com/api/')(value);
  if (fault !== undefined) return fault;
  const { protocol, hostname, pathname } = new URL(value);
  if (!/(^|\.)slack(-gov)?\.com$/.test(hostname)) return undefined;
  return protocol === 'https:' && /^\/api\/?$/.test(pathname)
    ? undefined
    : `must be https://${hostname}/api/ at Slack itself`;
};

/** Checks the address of a proxy, which may have a user name and password. */
export const proxyAddress = rules('must be the address of a proxy, such as http://proxy.example:3128', [
  (value) => !/^https?:\/\/[^\s/]+\/?$/i.test(value) || !URL.canParse(value),
  '',
]);

/** Returns whether an address is reached unencrypted, on more than this machine. */
export function isUnencrypted(address: string): boolean {
  if (!/^http:/i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Checks the address of this machine on which a port is opened. */
export const hostAddress = rules(
  'must be an address of this machine, such as 127.0.0.1, 0.0.0.0 (all) or ::1',
  [has(/^\w+:\/\//), ', without http://'],
  [
    (value) => isIP(value) === 0 && /^\[.*\]$|:\d+$/.test(value),
    ', without brackets and without a port: that is PORT',
  ],
  [(value) => isIP(value) === 0 && !/^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value), ''],
);

const createKey = 'Create one with: openssl rand -base64 32';

/** Checks an encryption key: 32 bytes in base64. */
export const encryptionKey: Check = (value) => {
  const bytes = Buffer.from(value, 'base64');
  return rules(
    'must be 32 bytes in base64',
    [has(/^[0-9a-f]{64}$/i), `: it looks like hexadecimal. ${createKey}`],
    [lacks(/^[A-Za-z0-9+/_-]+={0,2}$/), `: it contains a character that base64 does not have. ${createKey}`],
    [() => bytes.length !== 32, `: it has ${bytes.length}. ${createKey}`],
    [
      () => bytes.toString('latin1') === 'some 32 bytes made with openssl!',
      ` of your own: what it has is the example of the instructions, which everybody knows. ${createKey}`,
    ],
  )(value);
};

const escapeLogin =
  ': a user name or password with special characters (@ : / ? # %) must have them percent-encoded, such as %40 for @';

/** Checks REDIS_URL in each of its forms, part by part: it may contain a password, so no part is quoted. */
export const redisUrl: Check = (value) => {
  const [, group, rest = ''] = /^rediss?(?:\+(sentinel|cluster))?:\/\/(.*)$/s.exec(value) ?? [];
  const authority = rest.split(/[/?#]/)[0] ?? '';
  const path = rest.slice(authority.length);
  const at = authority.lastIndexOf('@');
  const login = authority.slice(0, Math.max(at, 0));
  const hosts = authority.slice(at + 1).split(',');
  const [, name = '', database = '0'] =
    (group === 'sentinel' ? /^\/([^/?#]*)(?:\/([^?#]*))?/ : /^()\/?([^?#]*)/).exec(path) ?? [];
  return rules(
    'must be an address such as redis://localhost:6379, redis+sentinel://host:26379,host:26379/master-name or redis+cluster://host:6379,host:6379',
    [has(/\s/u), ', without spaces'],
    [() => rest === '', ''],
    [() => login.includes('@') || (at < 0 && path.includes('@')) || !isDecodable(login), escapeLogin],
    [() => group === undefined && hosts.length > 1, ': redis:// takes one host'],
    ...hosts.flatMap(ofHost),
    [() => group === 'sentinel' && name === '', ': the name of the master is missing after the hosts'],
    [() => group === 'sentinel' && /[?#]/.test(path), ': it takes no ? or #'],
    [() => group === 'cluster' && database !== '', ': a cluster has no database'],
    [
      () => !/^\d{1,5}$/.test(database) && (database !== '' || group === 'sentinel'),
      ': the database must be a whole number',
    ],
  )(value);
};

/** Returns whether every percent escape in a text is valid. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

function ofHost(text: string): Rule[] {
  const [, host, port = '1'] = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(.*))?$/is.exec(text) ?? [];
  return [
    [() => host === undefined, ': a host with colons is an IPv6 address, which stands in square brackets'],
    [() => host === '', ': a host is missing'],
    [() => !/^\[.+\]$|^[A-Za-z0-9._-]+$/.test(host ?? ''), ': a host contains characters that no host has'],
    [
      () => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535,
      ': a port must be a whole number from 1 to 65535',
    ],
  ];
}
