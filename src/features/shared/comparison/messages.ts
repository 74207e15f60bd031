import type { Task } from '../../../domain/task.ts';
import type { AccountRef } from '../../../domain/terms.ts';
import type { Compared } from './comparison.ts';

/* What the bot and its thread that compares tasks say to each other. Both are of one version: nothing of it is parsed. */

/** What the thread is started with. */
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

/** What came of it: an error is known by its name and its text (see isRedisUnavailable). */
export type Outcome = { readonly compared: Compared } | { readonly error: Pick<Error, 'name' | 'message'> };

export type Answer = { readonly id: number } & Outcome;

/** An error for the log of the bot: the thread has none. */
export interface LoggedError {
  readonly logged: { readonly fields: object; readonly text: string };
}
