import { UserError } from '../../errors.ts';
import type { Actor } from '../../slack/feature.ts';
import type { LimitedAction } from '../../store/limits.ts';
import type { Modules } from '../modules.ts';

/** Replies are delayed instead of refused. */
type RefusedAction = Exclude<LimitedAction, 'replies'>;

const what: Readonly<Record<RefusedAction, string>> = {
  results: 'You have asked for many results within a short time. Those are on their way.',
  files: 'You have fetched many files within a short time.',
  bulk: 'You have confirmed many bulk ratings within a short time.',
};

/** Counts a member's request. Throws a UserError with the retry time when the limit is exceeded. */
export async function takeFromLimit(
  { people }: Modules,
  { workspace, member }: Pick<Actor, 'workspace' | 'member'>,
  action: RefusedAction,
): Promise<void> {
  const waitMs = await people.limits.take(workspace, member, action);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new UserError(
    `${what[action]} Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then try again.`,
  );
}
