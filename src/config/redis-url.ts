import type { Check } from './setting-checks.ts';

const examples =
  'redis://localhost:6379, redis+sentinel://host:26379,host:26379/master-name or redis+cluster://host:6379,host:6379';

/** Checks REDIS_URL in each of its forms, part by part: it may contain a password, so no part is quoted. */
export const redisUrl: Check = (value) => {
  const must = `must be an address such as ${examples}`;
  if (/\s/u.test(value)) return `${must}, without spaces`;
  const [, group, rest = ''] = /^rediss?(?:\+(sentinel|cluster))?:\/\/(.*)$/s.exec(value) ?? [];
  if (rest === '') return must;
  const authority = rest.split(/[/?#]/)[0] ?? '';
  const at = authority.lastIndexOf('@');
  const login = authority.slice(0, Math.max(at, 0));
  const hosts = authority.slice(at + 1).split(',');
  const path = rest.slice(authority.length);
  if (login.includes('@') || (at < 0 && path.includes('@'))) return `${must}: ${escapeLogin}`;
  if (decoded(login) === undefined) return `${must}: ${escapeLogin}`;
  if (group === undefined && hosts.length > 1) return `${must}: redis:// takes one host`;
  for (const host of hosts) {
    const fault = hostFault(host);
    if (fault !== undefined) return `${must}: ${fault}`;
  }
  const pathFault = group === 'sentinel' ? sentinelPathFault(path) : databaseFault(path, group);
  return pathFault && `${must}: ${pathFault}`;
};

const escapeLogin =
  'a user name or password with special characters (@ : / ? # %) must have them percent-encoded, such as %40 for @';

/** Returns the text without its percent escapes; undefined when one of them is invalid. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function hostFault(text: string): string | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(.*))?$/is.exec(text) ?? [];
  if (host === undefined) return 'a host with colons is an IPv6 address, which stands in square brackets';
  if (host === '') return 'a host is missing';
  if (!/^\[.+\]$|^[A-Za-z0-9._-]+$/.test(host)) return 'a host contains characters that no host has';
  if (port === undefined) return undefined;
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return isPort ? undefined : 'a port must be a whole number from 1 to 65535';
}

function sentinelPathFault(path: string): string | undefined {
  const [, name = '', database] = /^\/([^/?#]*)(?:\/([^?#]*))?/.exec(path) ?? [];
  if (name === '') return 'the name of the master is missing after the hosts';
  if (/[?#]/.test(path)) return 'it takes no ? or #';
  return database === undefined || /^\d{1,5}$/.test(database)
    ? undefined
    : 'the database must be a whole number';
}

function databaseFault(path: string, group: string | undefined): string | undefined {
  const database = path.split(/[?#]/)[0]?.replace(/^\//, '') ?? '';
  if (group === 'cluster' && database !== '') return 'a cluster has no database';
  return database === '' || /^\d{1,5}$/.test(database) ? undefined : 'the database must be a whole number';
}
