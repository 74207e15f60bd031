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
export interface DeskVisitor extends AccountRef {
  readonly member: MemberId;
  /** Their own workspace, as Slack said when they opened it. */
  readonly team: WorkspaceId;
}

/** What is stored of a link or a session: never its token, so that nobody who reads Redis can use it. */
const Stored = z
  .object({ team: WorkspaceId, account: AccountId, task: TaskId.exactOptional(), until: z.number() })
  .readonly();

/** A token names whose it is, and proves it by 32 random bytes. */
const Token = /^([A-Z0-9]{1,32})\.([A-Z0-9]{1,32})\.([\w-]{43})$/;

function parseToken(token: string) {
  const [, workspace, member, random = ''] = Token.exec(token) ?? [];
  if (workspace === undefined || member === undefined) return undefined;
  return { workspace: WorkspaceId.parse(workspace), member: MemberId.parse(member), hash: hashOf(random) };
}

const hashOf = (random: string): string => createHash('sha256').update(random).digest('base64url');

function newToken({ workspace, member }: DeskVisitor): { readonly token: string; readonly hash: string } {
  const random = randomBytes(32).toString('base64url');
  return { token: `${workspace}.${member}.${random}`, hash: hashOf(random) };
}

const sessionsKey = (workspace: WorkspaceId, member: MemberId) =>
  workspaceKey(workspace, 'desk-sessions', member);

/** Creates the store of the links to the desk, each of which works once, and of the sessions that they begin. */
export function createDeskSessions(redis: Redis, now: () => number) {
  const ticketKey = (workspace: WorkspaceId, member: MemberId, hash: string) =>
    workspaceKey(workspace, 'desk-tickets', member, hash);

  function decoded(text: string | null | undefined) {
    try {
      const stored = Stored.parse(JSON.parse(text ?? ''));
      return stored.until > now() ? stored : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns the sessions of a member that have ended by themselves. */
  async function ended(workspace: WorkspaceId, member: MemberId): Promise<string[]> {
    const all = Object.entries(await redis.hgetall(sessionsKey(workspace, member)));
    return all.flatMap(([hash, text]) => (decoded(text) === undefined ? [hash] : []));
  }

  return {
    /** Returns the ticket of a link. @param task the task that it opens the desk at */
    async issue({ team, account, ...who }: DeskVisitor, task?: TaskId): Promise<string> {
      const { token, hash } = newToken({ team, account, ...who });
      const until = now() + ticketSeconds * 1_000;
      const stored = { team, account, until, ...(task === undefined ? {} : { task }) };
      await redis.set(
        ticketKey(who.workspace, who.member, hash),
        JSON.stringify(stored),
        'EX',
        ticketSeconds,
      );
      return token;
    },

    /** Exchanges a ticket for a session, once. Returns its token, and the task of the link. */
    async begin(ticket: string): Promise<{ readonly token: string; readonly task?: TaskId } | undefined> {
      const parsed = parseToken(ticket);
      if (parsed === undefined) return undefined;
      const { workspace, member } = parsed;
      const found = decoded(await redis.getdel(ticketKey(workspace, member, parsed.hash)));
      if (found === undefined) return undefined;
      const { team, account, task } = found;
      const { token, hash } = newToken({ workspace, member, team, account });
      const stored = JSON.stringify({ team, account, until: now() + deskSessionSeconds * 1_000 });
      const key = sessionsKey(workspace, member);
      const old = await ended(workspace, member);
      await change(
        redis,
        undefined,
        ...(old.length === 0 ? [] : [['HDEL', key, ...old] as const]),
        ['HSET', key, hash, stored],
        ['EXPIRE', key, deskSessionSeconds],
      );
      return { token, ...(task === undefined ? {} : { task }) };
    },

    /** Returns whose session it is; undefined once it has ended. */
    async find(token: string): Promise<DeskVisitor | undefined> {
      const parsed = parseToken(token);
      if (parsed === undefined) return undefined;
      const { workspace, member, hash } = parsed;
      const found = decoded(await redis.hget(sessionsKey(workspace, member), hash));
      return found && { workspace, member, team: found.team, account: found.account };
    },

    /** Ends a session. */
    async end(token: string): Promise<void> {
      const parsed = parseToken(token);
      if (parsed !== undefined) await redis.hdel(sessionsKey(parsed.workspace, parsed.member), parsed.hash);
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

/** Told of the tasks of an account that have changed, and when nothing more can be heard. */
export interface NewsListener {
  readonly changed: (tasks: readonly TaskId[]) => void;
  readonly lost: () => void;
}

const Changed = z.array(TaskId);

/**
 * Creates the news of which tasks have changed, from every process to every other one.
 * @param subscribe opens the connection on which this process listens, when somebody first does
 * @param onFailure called when something could not be told
 */
export function createTaskNews(redis: Redis, subscribe: () => Redis, onFailure: (error: unknown) => void) {
  const channelOf = (ref: AccountRef) => accountKey(ref, newsChannel);
  const publishers = new Map<string, (tasks: readonly TaskId[]) => void>();
  const listeners = new Map<string, Set<NewsListener>>();
  let connection: Redis | undefined;

  function connected(): Redis {
    if (connection !== undefined) return connection;
    connection = subscribe();
    connection.on('message', (channel: string, text: string) => {
      const changed = Changed.safeParse(JSON.parse(text)).data ?? [];
      for (const { changed: tell } of listeners.get(channel) ?? []) tell(changed);
    });
    // What was told meanwhile is missed: whoever listens has to look anew.
    connection.on('close', () => {
      for (const { lost } of [...listeners.values()].flatMap((some) => [...some])) lost();
    });
    return connection;
  }

  return {
    /** Tells every process that a task has changed. */
    tell(ref: AccountRef, task: TaskId): void {
      const channel = channelOf(ref);
      let publish = publishers.get(channel);
      if (publish === undefined) {
        publish = collecting((tasks) => {
          redis.publish(channel, JSON.stringify(tasks)).catch(onFailure);
        });
        publishers.set(channel, publish);
      }
      publish([task]);
    },

    /** Listens to the changes of an account. Returns the function that ends it. */
    async listen(ref: AccountRef, listener: NewsListener): Promise<() => void> {
      const channel = channelOf(ref);
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(listener));
      const leave = () => {
        others.delete(listener);
        if (others.size > 0 || listeners.get(channel) !== others) return;
        listeners.delete(channel);
        connection?.unsubscribe(channel).catch(onFailure);
      };
      try {
        await connected().subscribe(channel);
        return leave;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
