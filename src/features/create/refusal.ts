import type { Money } from '../../domain/money.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import { MarketplaceError, type MarketplaceErrorCode } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import type { Problem } from '../../ui/draft.ts';
import type { FieldName } from './draft.ts';

/**
 * Maps a token of `errors` to its field. The API names only POSITIONS and AUTO RATE. Assumed: a token spelled like a
 * parameter means that parameter.
 */
const fieldOfToken: Readonly<Record<string, FieldName>> = {
  POSITIONS: 'positions',
  'AVAILABLE POSITIONS': 'positions',
  'AUTO RATE': 'autoRate',
  TITLE: 'title',
  'GROUP ID': 'group',
  CATEGORY: 'category',
  'MINUTES TO FINISH': 'minutes',
  'MAX POSITIONS PER WORKER': 'perWorker',
  'PAYMENT PER TASK': 'payment',
  'DESCRIPTION TYPE': 'description',
  'REQUIRED WORK': 'work',
  'REQUIRED PROOF': 'proof1',
  TTR: 'ttr',
  'FILE PROOF': 'fileProof',
  'QT REQUIRED': 'qtRequired',
  FILE: 'file',
  CSV: 'csv',
};

/** Maps a refusal of new_campaign to problems: at the named field, else at the top. */
export function refusalProblems(error: MarketplaceError, payment: Money): Problem[] {
  const minimum = error.minPaymentPerTask;
  const paysTooLittle = minimum?.gt(payment) === true;
  const tokens = [...error.errorsList, ...error.errors];
  const known: Problem[] = [];
  const unknown: string[] = [];
  for (const [index, token] of tokens.entries()) {
    const field =
      fieldOfToken[
        token
          .trim()
          .toUpperCase()
          .replace(/[\s_-]+/gu, ' ')
      ];
    if (field === undefined) unknown.push(`“${inline(token, 200)}”`);
    else if (field !== 'payment' || !paysTooLittle) {
      known.push({ field, text: sentenceOf(error, error.problems[index]) ?? notAccepted(token) });
    }
  }
  if (paysTooLittle) known.unshift({ field: 'payment', text: sentenceAs(error, 'PAYMENT_TOO_LOW') });
  if (unknown.length > 0) {
    known.push({
      text: `The marketplace did not accept the campaign, and says: ${unknown.join(', ')}. Correct it and press Create again.`,
    });
  }
  return known.length > 0 ? known : [{ text: marketplaceErrorText(error) }];
}

function sentenceOf(error: MarketplaceError, code: MarketplaceErrorCode | undefined): string | undefined {
  return code === undefined || code === 'OTHER' ? undefined : sentenceAs(error, code);
}

function sentenceAs(error: MarketplaceError, code: MarketplaceErrorCode): string {
  const { operation, text, details, minPaymentPerTask } = error;
  const minimum = minPaymentPerTask === undefined ? {} : { minPaymentPerTask };
  const one = { operation, code, text, details, ...minimum };
  return sentenceFor(new MarketplaceError(one), date, escaped);
}

function notAccepted(token: string): string {
  return `The marketplace did not accept this (“${inline(token, 80)}”). Change it and send the campaign again.`;
}
