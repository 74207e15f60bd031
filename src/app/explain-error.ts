import { Forbidden } from '../domain/permissions.ts';
import { NotConnected } from '../errors.ts';
import { connectPrompt } from '../features/people/accounts.view.ts';
import { askButton } from '../features/people/public.ts';
import { refusalMessage } from '../features/people/roles.view.ts';
import { marketplaceErrorText } from '../kit/marketplace-act.ts';
import { MarketplaceError, TransportError } from '../marketplace/index.ts';
import type { Message } from '../slack/blocks.ts';
import { notice } from '../slack/blocks.ts';
import { code } from '../slack/mrkdwn.ts';
import { SlackError } from '../slack/slack-error.ts';
import { isRedisUnavailable, refusalCode, refusalReason } from '../store/redis.ts';

/** Returns the message to people about an error that they can fix; undefined for a bug. */
export function explain(error: unknown): Message | undefined {
  if (error instanceof NotConnected) return connectPrompt(error.intent);
  if (error instanceof Forbidden) {
    const { ref, refusal, role, intent, capability } = error.refused;
    // Without any role in the account of somebody else's key, a key of their own is the first way.
    const isConnectable = ref !== undefined && refusal === undefined && role === undefined;
    if (!isConnectable || capability === undefined) return refusalMessage(error.refused);
    return connectPrompt(intent, askButton(ref.account, capability));
  }
  if (error instanceof MarketplaceError || error instanceof TransportError) {
    return notice(marketplaceErrorText(error));
  }
  if (error instanceof SlackError && error.code === 'missing_scope') {
    const scope = code(error.details.join(', '));
    return notice(
      `Proofdesk is not allowed to do this. Ask an admin to give it the scope ${scope}, then try again.`,
    );
  }
  if (isRedisUnavailable(error)) return notice(redisErrorText(error));
  return undefined;
}

/**
 * Returns the user-facing text of a Redis failure. An answer may have been lost, or an earlier write of the same request
 * accepted, so it never says that nothing was stored.
 */
function redisErrorText(error: unknown): string {
  const refusal = refusalCode(error);
  return refusal === undefined
    ? 'Proofdesk cannot reach its database (Redis) right now, so this may not have been saved. Decisions already shown on cards are safe. Check again in a minute and repeat what is missing; if this continues, tell Proofdesk’s operator.'
    : `Proofdesk’s database (Redis) accepts no changes right now, because ${refusalReason(refusal)} (${refusal}). This may not have been saved. Check again in a few minutes and repeat what is missing; if this continues, tell Proofdesk’s operator.`;
}
