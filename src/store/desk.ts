import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, MemberId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './format.ts';
import { change } from './scripts.ts';

/** How long a link to the desk can be opened, once (s), and how long the session lasts that it begins. */
const ticketSeconds = 60;
export const deskSessionSeconds = 12 * 3_600;

/** Somebody at the desk, and the account that they opened it for. */
interface DeskVisitor extends AccountRef {
  readonly member: MemberId;
  /** Their own workspace, as Slack said when they opened it. */
  readonly team: WorkspaceId;
}

/** Somebody with a session, which `session` tells from others. */
export interface DeskSession extends DeskVisitor {
  readonly session: string;
}

const Stored = z.object({
  team: WorkspaceId,
  account: AccountId,
  /** The task of the link. */
  task: TaskId.optional(),
  /** When it ends (ms). */
  until: z.number(),
});

/** Returns a token of a link or a session: it names whose it is, and proves it by 32 random bytes. */
const newToken = ({ workspace, member }: Pick<DeskVisitor, 'workspace' | 'member'>): string =>
  `${workspace}.${member}.${randomBytes(32).toString('base64url')}`;

/** Returns whose a token is, and where it is stored: by its hash, so that nobody who reads Redis can use it. */
function parseToken(token: string) {
  const [, team, user, random] = /^([A-Z0-9]{1,32})\.([A-Z0-9]{1,32})\.([\w-]{43})$/.exec(token) ?? [];
  if (random === undefined) return undefined;
  const [workspace, member] = [WorkspaceId.parse(team), MemberId.parse(user)];
  const hash = createHash('sha256').update(random).digest('base64url');
  const ticket = workspaceKey(workspace, 'desk-tickets', member, hash);
  return { workspace, member, hash, ticket, sessions: sessionsKey(workspace, member) };
}

const sessionsKey = (workspace: WorkspaceId, member: MemberId) =>
  workspaceKey(workspace, 'desk-sessions', member);

/** Creates the store of the links to the desk, each of which works once, and of the sessions that they begin. */
export function createDeskSessions(redis: Redis, now: () => number) {
  const stored = (about: Omit<z.input<typeof Stored>, 'until'>, seconds: number) =>
    JSON.stringify({ ...about, until: now() + seconds * 1_000 });
  const read = (text: string | null) => {
    const found = text === null ? undefined : Stored.parse(JSON.parse(text));
    return found && found.until > now() ? found : undefined;
  };

  return {
    /** Returns the ticket of a link. @param task the task that it opens the desk at */
    async issue({ team, account, ...who }: DeskVisitor, task?: TaskId): Promise<string> {
      const token = newToken(who);
      const { ticket = '' } = parseToken(token) ?? {};
      await redis.set(ticket, stored({ team, account, task }, ticketSeconds), 'EX', ticketSeconds);
      return token;
    },

    /** Exchanges a ticket for a session, once. Returns its token, and the task of the link. */
    async begin(given: string) {
      const link = parseToken(given);
      const found = link && read(await redis.getdel(link.ticket));
      if (link === undefined || found === undefined) return undefined;
      const { task, ...about } = found;
      const token = newToken(link);
      const { hash = '', sessions = '' } = parseToken(token) ?? {};
      const session = ['HSET', sessions, hash, stored(about, deskSessionSeconds)] as const;
      await change(redis, undefined, session, ['EXPIRE', sessions, deskSessionSeconds]);
      return { token, task };
    },

    /** Returns whose session it is; undefined once it has ended. */
    async find(token: string): Promise<DeskSession | undefined> {
      const whose = parseToken(token);
      const found = whose && read(await redis.hget(whose.sessions, whose.hash));
      if (whose === undefined || found === undefined) return undefined;
      const { workspace, member, hash } = whose;
      return { workspace, member, team: found.team, account: found.account, session: hash.slice(0, 12) };
    },

    /** Ends a session. */
    async end(token: string): Promise<void> {
      const whose = parseToken(token);
      if (whose !== undefined) await redis.hdel(whose.sessions, whose.hash);
    },
  };
}

/** Ends all sessions of a member. */
export async function eraseDeskSessions(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  await redis.del(sessionsKey(workspace, member));
}

/** No key, but the name of the channel of an account. */
const newsChannel = 'desk-news';
/** Changes are passed on at most once in this time (ms), and so many tasks at a time. */
const newsEveryMs = 250;
const mostAtOnce = 1_000;

/** Returns a function that passes on what it is given: the first at once, and what comes soon after it together. */
export function collecting<T>(pass: (all: readonly T[]) => void) {
  const waiting = new Set<T>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (waiting.size === 0) return;
    const some = [...waiting].slice(0, mostAtOnce);
    for (const one of some) waiting.delete(one);
    timer = setTimeout(flush, newsEveryMs).unref();
    pass(some);
  }

  return (all: readonly T[]): void => {
    for (const one of all) waiting.add(one);
    if (timer === undefined) flush();
  };
}

/** What is told of an account: tasks that have changed, and that nothing more can be heard. */
interface Listener {
  readonly changed: (tasks: readonly string[]) => void;
  readonly lost: () => void;
}

/**
 * Creates the news of which tasks have changed, from every process to every other one.
 * @param subscribe opens the connection on which this process listens, when somebody first does
 * @param onFailure called when something could not be told
 */
export function createTaskNews(redis: Redis, subscribe: () => Redis, onFailure: (error: unknown) => void) {
  const channelOf = (ref: AccountRef) => accountKey(ref, newsChannel);
  const listeners = new Set<Listener & { readonly channel: string }>();
  let connection: Redis | undefined;

  function connected(): Redis {
    if (connection !== undefined) return connection;
    connection = subscribe();
    connection.on('message', (channel: string, task: string) => {
      for (const listener of listeners) if (listener.channel === channel) listener.changed([task]);
    });
    // What was told meanwhile is missed: whoever listens has to look anew.
    connection.on('close', () => {
      for (const { lost } of listeners) lost();
    });
    return connection;
  }

  return {
    /** Tells every process that a task has changed. */
    tell(ref: AccountRef, task: TaskId): void {
      void redis.publish(channelOf(ref), task).catch(onFailure);
    },

    /** Listens to the changes of an account. Returns the function that ends it. */
    async listen(ref: AccountRef, listener: Listener): Promise<() => void> {
      const channel = channelOf(ref);
      // The channel stays subscribed: an account has few changes.
      await connected().subscribe(channel);
      const own = { ...listener, channel };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
