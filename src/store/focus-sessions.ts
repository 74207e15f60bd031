import type { Redis } from 'ioredis';
import { z } from 'zod';
import { FocusSession } from '../domain/focus.ts';
import type { AccountRef, MemberId } from '../domain/terms.ts';
import { changeIf } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';

export const focusSessionCodec = createCodec('focus-session', FocusSession);

/** An abandoned focus review expires after this (ms). */
export const focusSessionMs = 12 * 3_600_000;

export type FocusSessions = ReturnType<typeof createFocusSessions>;

/** Creates the store of focus reviews: each person's position in theirs. */
export function createFocusSessions(redis: Redis) {
  const key = (ref: AccountRef, id: string) => accountKey(ref, 'focus', 'session', id);
  const latestKey = (ref: AccountRef, member: MemberId) => accountKey(ref, 'focus', 'latest', member);

  async function load(ref: AccountRef, id: string) {
    const text = (await redis.get(key(ref, id))) ?? '';
    // An unreadable review counts as ended: another one is started in its place.
    const decoded = text === '' ? undefined : focusSessionCodec.decode(text);
    return { text, session: decoded?.ok ? decoded.value : undefined };
  }

  return {
    /** Stores a new review. */
    async create(ref: AccountRef, session: FocusSession): Promise<void> {
      await redis
        .multi()
        .set(key(ref, session.id), focusSessionCodec.encode(session), 'PX', focusSessionMs)
        .set(latestKey(ref, session.member), session.id, 'PX', focusSessionMs)
        .exec();
    },

    async get(ref: AccountRef, id: string): Promise<FocusSession | undefined> {
      return (await load(ref, id)).session;
    },

    /** Returns the review that a member started last. */
    async latest(ref: AccountRef, member: MemberId): Promise<FocusSession | undefined> {
      const id = z
        .string()
        .nullable()
        .parse(await redis.get(latestKey(ref, member)));
      return id === null ? undefined : (await load(ref, id)).session;
    },

    /**
     * Changes a review; concurrent changes are made one after the other. `change` returns undefined to leave it unchanged.
     * Returns the resulting review, and whether this call changed it.
     */
    async change(
      ref: AccountRef,
      id: string,
      change: (before: FocusSession) => FocusSession | undefined,
    ): Promise<{ readonly session: FocusSession | undefined; readonly isChanged: boolean }> {
      for (;;) {
        const { text, session } = await load(ref, id);
        const after = session && change(session);
        if (after === undefined) return { session, isChanged: false };
        const name = key(ref, id);
        const set = ['SET', name, focusSessionCodec.encode(after), 'PX', focusSessionMs] as const;
        if (await changeIf(redis, [[text, 'GET', name]], [set])) return { session: after, isChanged: true };
      }
    },
  };
}
