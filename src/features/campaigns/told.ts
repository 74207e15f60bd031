import type { CallFailure } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import { date, escaped } from '../../slack/mrkdwn.ts';

export { type CallFailure, hasUnknownOutcome, isCallFailure } from '../../marketplace/index.ts';

/** What people are told of it, in mrkdwn: moments in the reader's own zone, the marketplace's words harmless. */
export function told(error: CallFailure): string {
  return sentenceFor(error, date, escaped);
}
