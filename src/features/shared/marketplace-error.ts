import type { CallFailure } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import { date, escaped } from '../../slack/mrkdwn.ts';

/**
 * Returns what people read about a failed call to the marketplace, as mrkdwn: times in the reader's own zone, the
 * marketplace's own words escaped.
 */
export function marketplaceErrorText(error: CallFailure): string {
  return sentenceFor(error, date, escaped);
}
