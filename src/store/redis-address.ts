import { UserError } from '../errors.ts';

interface Node {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

/** The address of Redis: one server, the sentinels that know the primary of a name, or some nodes of a cluster. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      readonly sentinels: readonly Node[];
      readonly name: string;
      readonly db: number;
    } & Login)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly Node[] } & Login);

const shape = /^redis(s)?\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^/?]*))?(?:\/(\d+))?$/;

/**
 * Parses REDIS_URL: `redis://…` or `rediss://…` for one server,
 * `redis+sentinel://[user:password@]host:port,host:port/name[/db]`,
 * `redis+cluster://[user:password@]host:port,host:port`; with `rediss+` over TLS.
 * Throws UserError, which never quotes the address: it may contain a password.
 */
export function parseRedisAddress(url: string): RedisAddress {
  if (/^rediss?:\/\//.test(url)) return { kind: 'single', url };
  const [, secure, kind, login = '', hosts = '', name = '', db = '0'] = shape.exec(url) ?? [];
  const nodes = hosts.split(',').map(nodeOf);
  if (kind === undefined || (kind === 'sentinel' && name === '')) {
    throw new UserError(
      'REDIS_URL must be redis://host:port, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port.',
    );
  }
  const [username = '', password = ''] = login.includes(':') ? login.split(/:(.*)/s) : ['', login];
  const credentials = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    tls: secure !== undefined,
  };
  if (kind === 'cluster') return { kind, nodes, ...credentials };
  return { kind: 'sentinel', sentinels: nodes, name, db: Number(db), ...credentials };
}

function nodeOf(text: string): Node {
  const [, host = text, port = '6379'] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
