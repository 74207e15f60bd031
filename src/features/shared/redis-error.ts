import { refusalCode, refusalReason } from '../../store/redis-errors.ts';

/**
 * Returns the user-facing text of a Redis failure. An answer may have been lost, or an earlier write of the same request
 * accepted, so it never says that nothing was stored.
 */
export function redisErrorText(error: unknown): string {
  const code = refusalCode(error);
  return code === undefined
    ? 'Proofdesk cannot reach its database (Redis) right now, so this may not have been saved. Decisions already shown on cards are safe. Check again in a minute and repeat what is missing; if this continues, tell your administrator.'
    : `Proofdesk’s database (Redis) accepts no changes right now, because ${refusalReason(code)} (${code}). This may not have been saved. Check again in a few minutes and repeat what is missing; if this continues, tell your administrator.`;
}
