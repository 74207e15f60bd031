import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, MemberId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './format.ts';
import { literal, scanKeys } from './scripts.ts';

/** How long a link to the desk can be opened, once (s), and how long the session lasts that it begins. */
const ticketSeconds = 60;
export const deskSessionSeconds = 12 * 3_600;

/** Somebody at the desk, and the account that they opened it for. */
const DeskVisitor = z.object({
  workspace: WorkspaceId,
  member: MemberId,
  /** Their own workspace, as Slack said when they opened it. */
  team: WorkspaceId,
  account: AccountId,
  /** The task of their link. */
  task: TaskId.optional(),
});
type DeskVisitor = z.infer<typeof DeskVisitor>;

/** Returns where a token is stored: by its hash, so that nobody who reads Redis can use it. */
function keysOf(token: string) {
  const [workspaceId, member = ''] = token.split('.');
  const workspace = WorkspaceId.parse(workspaceId);
  const hash = createHash('sha256').update(token).digest('base64url');
  return {
    ticket: workspaceKey(workspace, 'desk-tickets', hash),
    session: workspaceKey(workspace, 'desk-sessions', member, hash),
  };
}

/** Creates the store of the links to the desk, each of which works once, and of the sessions that they begin. */
export function createDeskSessions(redis: Redis) {
  /** Stores a visitor for a time. Returns the token that proves who they are by 32 random bytes. */
  async function put(kind: 'ticket' | 'session', visitor: DeskVisitor, seconds: number) {
    const token = [visitor.workspace, visitor.member, randomBytes(32).toString('base64url')].join('.');
    await redis.set(keysOf(token)[kind], JSON.stringify(visitor), 'EX', seconds);
    return token;
  }
  const read = (text: string | null) => (text === null ? undefined : DeskVisitor.parse(JSON.parse(text)));

  return {
    /** Returns the ticket of a link. */
    issue: (visitor: DeskVisitor) => put('ticket', visitor, ticketSeconds),

    /** Exchanges a ticket for a session, once. Returns its token, and the task of the link. */
    async begin(ticket: string) {
      const visitor = read(await redis.getdel(keysOf(ticket).ticket));
      if (visitor === undefined) return undefined;
      return { token: await put('session', visitor, deskSessionSeconds), task: visitor.task };
    },

    /** Returns whose session it is, and a name that tells it from others; undefined once it has ended. */
    async find(token: string) {
      const key = keysOf(token).session;
      const visitor = read(await redis.get(key));
      return visitor && { ...visitor, session: key.slice(-12) };
    },

    /** Ends a session. */
    end: (token: string) => redis.del(keysOf(token).session),
  };
}

/** Ends all sessions of a member. */
export async function eraseDeskSessions(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  const sessions = workspaceKey(workspace, 'desk-sessions', member, '');
  for await (const key of scanKeys(redis, `${literal(sessions)}*`)) await redis.unlink(key);
}

/** No key, but the name of the channel of an account. */
const newsChannel = 'desk-news';
/** What is told is passed on at most once in this time (ms): an import changes thousands of tasks in a second. */
const newsEveryMs = 250;

/**
 * Creates the news of which tasks have changed, from every process to every other one.
 * @param subscribe opens the connection on which this process listens, when somebody first does
 * @param onFailure called when something could not be told
 */
export function createTaskNews(redis: Redis, subscribe: () => Redis, onFailure: (error: unknown) => void) {
  const channelOf = (ref: AccountRef) => accountKey(ref, newsChannel);
  /** Tasks by their account's channel; and `lost`: what is told meanwhile is missed. */
  const heard = new EventEmitter().setMaxListeners(0);
  const waiting = new Map<string, Set<string>>();
  let connection: Redis | undefined;

  function hear(channel: string, task: string): void {
    if (waiting.size === 0) setTimeout(passOn, newsEveryMs).unref();
    waiting.set(channel, (waiting.get(channel) ?? new Set()).add(task));
  }

  function passOn(): void {
    for (const [channel, tasks] of waiting) heard.emit(channel, [...tasks]);
    waiting.clear();
  }

  return {
    /** Tells every process that a task has changed. */
    tell(ref: AccountRef, task: TaskId): void {
      void redis.publish(channelOf(ref), task).catch(onFailure);
    },

    /** Listens to the changes of an account. Returns the function that ends it. */
    async listen(ref: AccountRef, changed: (tasks: readonly string[]) => void, lost: () => void) {
      const channel = channelOf(ref);
      connection ??= subscribe()
        .on('message', hear)
        .on('close', () => heard.emit('lost'));
      // The channel stays subscribed: an account has few changes.
      await connection.subscribe(channel);
      heard.on(channel, changed).on('lost', lost);
      return () => void heard.off(channel, changed).off('lost', lost);
    },
  };
}
