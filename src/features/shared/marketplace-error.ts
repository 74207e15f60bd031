import { type CallFailure, isCallFailure } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import { date, escaped } from '../../slack/mrkdwn.ts';

/**
 * Returns the user-facing text of a failed marketplace call in mrkdwn: times in the reader's zone, the marketplace's own
 * words escaped.
 */
export function marketplaceErrorText(error: CallFailure): string {
  return sentenceFor(error, date, escaped);
}

/**
 * Returns {@link marketplaceErrorText} for anything caught.
 * @throws the error itself when it is not a failed marketplace call
 */
export function caughtMarketplaceErrorText(error: unknown): string {
  if (!isCallFailure(error)) throw error;
  return marketplaceErrorText(error);
}
