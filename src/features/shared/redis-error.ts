import { isBeforeAnyWrite, refusalCode, refusalReason } from '../../store/redis-errors.ts';

const unreachable =
  'Proofdesk cannot reach its database (Redis) right now, so this may not have been saved. Decisions already shown on cards are safe. Check again in a minute and repeat what is missing; if this continues, tell your administrator.';

/**
 * Returns the user-facing text of a Redis failure. It says that nothing was stored only when that is certain: Redis
 * refused the first write of the request. After a timeout or lost connection it may have been stored.
 */
export function redisErrorText(error: unknown): string {
  const code = refusalCode(error);
  if (code === undefined) return unreachable;
  const why = `Proofdesk’s database (Redis) accepts no changes right now, because ${refusalReason(code)} (${code}).`;
  return isBeforeAnyWrite(error)
    ? `${why} This was not saved, and nothing was changed. Try again in a few minutes; if this continues, tell your administrator.`
    : `${why} This may have been saved in part. Check again in a few minutes and repeat what is missing; if this continues, tell your administrator.`;
}
