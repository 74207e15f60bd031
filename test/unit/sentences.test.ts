import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import { sentenceFor, sentenceForProblem } from '../../src/marketplace/errors.ts';
import {
  knownErrors,
  MarketplaceError,
  type MarketplaceErrorCode,
  TransportError,
  type TransportErrorKind,
} from '../../src/marketplace/index.ts';

function refusal(code: MarketplaceErrorCode, more: Partial<MarketplaceError> = {}): MarketplaceError {
  return new MarketplaceError({
    operation: 'restart_campaign',
    code,
    text: 'SOME TEXT',
    ...more,
  });
}

const codes: readonly MarketplaceErrorCode[] = [
  ...new Set(knownErrors.map(({ code }) => code)),
  'PAYMENT_TOO_LOW',
  'OTHER',
];

/** What happened, then what to do: at least two statements, none of them shouted or formatted. */
function expectSentence(sentence: string): void {
  expect(sentence).toMatch(/^[A-Z].*[.;:,] .*\.$/);
  expect(sentence).not.toMatch(/[!`*_<>]|undefined|\.\./);
  expect(sentence).not.toMatch(/\b(?:[A-Z]{4,})\b/);
}

test.each(codes)('every refusal has a sentence: %s', (code) => {
  expectSentence(sentenceFor(refusal(code, { text: 'Some text' })));
});

test('no two sentences of refusals are the same, and none is that of an unknown text', () => {
  const sentences = codes.map((code) => sentenceFor(refusal(code)));
  expect(new Set(sentences).size).toBe(codes.length);
});

test('a sentence names the next retarget, as the caller writes moments', () => {
  const error = refusal('NEXT_RETARGET', {
    details: { nextRetargetAt: new Date(Date.UTC(2026, 0, 31, 9)) },
  });
  expect(sentenceFor(error)).toContain('again from 2026-01-31 09:00 UTC');
  expect(sentenceFor(error, (at) => `<${at}>`)).toContain(`again from <${Date.UTC(2026, 0, 31, 9)}>`);
});

test('a sentence names countries, made harmless as the caller says', () => {
  const quote = (text: string) => `[${text}]`;
  const unknown = refusal('UNKNOWN_COUNTRY_CODE', { details: { unknownCountry: '<!channel>' } });
  expect(sentenceFor(unknown, String, quote)).toContain('[<!channel>]');
  const zone = refusal('COUNTRIES_NOT_AVAILABLE', { details: { unavailableCountries: ['FR', 'DE'] } });
  expect(sentenceFor(zone)).toContain('zone of this campaign: FR, DE.');
});

test('a sentence names the texts beside an error, the minimum payment, and a text nobody knows', () => {
  expect(sentenceFor(refusal('INPUT_DATA', { errorsList: ['Positions is invalid', ' '] }))).toContain(
    '(Positions is invalid)',
  );
  expect(sentenceFor(refusal('PAYMENT_TOO_LOW', { minPaymentPerTask: money('0.05000') }))).toContain(
    'at least 0.05 per task',
  );
  expect(sentenceFor(refusal('PAYMENT_TOO_LOW', { minPaymentPerTask: money('0.10000') }))).toContain(
    'at least 0.10 per task',
  );
  expect(sentenceFor(refusal('OTHER', { text: 'THE MOON IS FULL.' }))).toContain(
    'rejected this: THE MOON IS FULL. Correct',
  );
  expect(sentenceFor(refusal('OTHER', { text: '' }))).toContain('without a reason');
});

test('a sentence names a problem of one task in rate_tasks', () => {
  expectSentence(sentenceForProblem({ code: 'COMMENT_MISSING', text: 'comment IS MANDATORY' }));
  expect(sentenceForProblem({ code: 'OTHER', text: 'the moon is full' })).toContain('the moon is full');
});

const kinds: readonly TransportErrorKind[] = [
  'timeout',
  'connection',
  'http',
  'unreadable',
  'rate-limited',
  'aborted',
];

test.each(kinds)('there is a sentence for no answer: %s', (kind) => {
  const failure = { operation: 'retarget', kind, reason: 'x' };
  expectSentence(
    sentenceFor(new TransportError({ ...failure, mayHaveBeenApplied: false, retryAfterMs: 5_000 })),
  );
  const unsure = sentenceFor(new TransportError({ ...failure, mayHaveBeenApplied: true }));
  expectSentence(unsure);
  expect(unsure).toContain('not known whether');
});
