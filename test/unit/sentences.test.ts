import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import { sentenceFor, sentenceForProblem } from '../../src/marketplace/errors.ts';
import {
  knownErrors,
  MarketplaceError,
  type MarketplaceErrorCode,
  TransportError,
} from '../../src/marketplace/index.ts';

function refusal(code: MarketplaceErrorCode, more: Partial<MarketplaceError> = {}): MarketplaceError {
  return new MarketplaceError({ operation: '', code, text: 'SOME TEXT', ...more });
}

const known = knownErrors.map(({ code }) => code);
const codes = [...new Set<MarketplaceErrorCode>([...known, 'PAYMENT_TOO_LOW', 'OTHER'])];

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
  const details = { nextRetargetAt: new Date(Date.UTC(2026, 0, 31, 9)) };
  const error = refusal('NEXT_RETARGET', { details });
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
  const said = (...given: Parameters<typeof refusal>) => sentenceFor(refusal(...given));
  expect(said('INPUT_DATA', { errorsList: ['Positions is invalid', ' '] })).toContain(
    '(Positions is invalid)',
  );
  const minimum = (amount: string) => said('PAYMENT_TOO_LOW', { minPaymentPerTask: money(amount) });
  expect(minimum('0.05000')).toContain('at least 0.05 per task');
  expect(minimum('0.10000')).toContain('at least 0.10 per task');
  expect(said('OTHER', { text: 'THE MOON IS FULL.' })).toContain('rejected this: THE MOON IS FULL. Correct');
  expect(said('OTHER', { text: '' })).toContain('without a reason');
});

test('a sentence names a problem of one task in rate_tasks', () => {
  expectSentence(sentenceForProblem({ code: 'COMMENT_MISSING', text: 'comment IS MANDATORY' }));
  expect(sentenceForProblem({ code: 'OTHER', text: 'the moon is full' })).toContain('the moon is full');
});

const kinds = ['timeout', 'connection', 'http', 'unreadable', 'rate-limited', 'aborted'] as const;

test.each(kinds)('there is a sentence for no answer: %s', (kind) => {
  const failure = { operation: 'retarget', kind, reason: 'x', retryAfterMs: 5_000 };
  expectSentence(sentenceFor(new TransportError({ ...failure, mayHaveBeenApplied: false })));
  const unsure = sentenceFor(new TransportError({ ...failure, mayHaveBeenApplied: true }));
  expectSentence(unsure);
  expect(unsure).toContain('not known whether');
});
