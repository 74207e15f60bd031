import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import { refusalProblems } from '../../src/features/campaigns/create.ts';
import { MarketplaceError, type MarketplaceErrorCode } from '../../src/marketplace/index.ts';

function refused(
  errors: readonly string[],
  problems: readonly MarketplaceErrorCode[],
  minimum?: string,
): MarketplaceError {
  return new MarketplaceError({
    operation: 'createCampaign',
    code: problems.find((code) => code !== 'OTHER') ?? (minimum ? 'PAYMENT_TOO_LOW' : 'OTHER'),
    text: errors.join(', '),
    errors,
    ...(minimum ? { minPaymentPerTask: money(minimum) } : {}),
  });
}

const paid = money('0.05');

test('a refusal of new_campaign puts the tokens that the API names at their fields', () => {
  expect(refusalProblems(refused(['POSITIONS', 'AUTO RATE'], ['POSITIONS', 'AUTO_RATE']), paid)).toEqual([
    { field: 'positions', text: expect.stringContaining('number of positions is not valid') },
    { field: 'autoRate', text: expect.stringContaining('automatic rating is not valid') },
  ]);
});

test('a refusal of new_campaign says unknown tokens at the top, harmless', () => {
  const problems = refusalProblems(refused(['POSITIONS', '<!channel> NEW'], ['POSITIONS', 'OTHER']), paid);
  expect(problems).toEqual([
    { field: 'positions', text: expect.any(String) },
    { text: expect.stringContaining('says: “&lt;!channel&gt; NEW”') },
  ]);
});

test('a refusal of new_campaign names the minimum only where the payment is below it', () => {
  expect(refusalProblems(refused(['PAYMENT PER TASK'], ['OTHER'], '0.12'), paid)).toEqual([
    { field: 'payment', text: expect.stringContaining('Pay at least 0.12 per task') },
    { text: expect.stringContaining('says: “PAYMENT PER TASK”') },
  ]);
  expect(refusalProblems(refused([], [], '0.12'), paid)).toEqual([
    { field: 'payment', text: expect.stringContaining('Pay at least 0.12 per task') },
  ]);
  expect(refusalProblems(refused(['POSITIONS'], ['POSITIONS'], '0.05'), paid)).toEqual([
    { field: 'positions', text: expect.any(String) },
  ]);
});

test('a refusal of new_campaign that says nothing of a field stands at the top', () => {
  expect(refusalProblems(refused([], []), paid)).toEqual([{ text: expect.stringContaining('rejected') }]);
});
