import type { Task } from '../../../domain/task.ts';
import type { AccountRef } from '../../../domain/terms.ts';
import type { Compared } from './comparison.ts';

/* Messages between the bot and its comparison thread. Both run the same version, so nothing is parsed. */

/** Start data of the thread. */
export interface ThreadData {
  readonly redisUrl: string;
}

/** A task to compare. */
export interface Request {
  readonly id: number;
  readonly ref: AccountRef;
  readonly task: Task;
  readonly instructions: string;
}

/** Result of a request; an error is identified by name and message (see isRedisUnavailable). */
export type Outcome = { readonly compared: Compared } | { readonly error: Pick<Error, 'name' | 'message'> };

export type Answer = { readonly id: number } & Outcome;

/** An error for the bot to log; the thread has no logger. */
export interface LoggedError {
  readonly logged: { readonly fields: object; readonly text: string };
}
