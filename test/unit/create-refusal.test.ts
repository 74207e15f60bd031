import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import { createCampaignSender, refusalProblems } from '../../src/features/campaigns/create-send.ts';
import { MarketplaceError, type MarketplaceErrorCode, TransportError } from '../../src/marketplace/index.ts';
import { onlyModules } from '../harness/modules.ts';

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

const at = Date.UTC(2026, 10, 20);
const minutesBefore = (minutes: number) => new Date(at - 60_000 * minutes);

/** Looks for the campaign “A shelf” in this list. */
async function findsCampaign(listed: readonly object[], isComplete = true) {
  const client = {
    async listCampaignsExtended(_: unknown, { onIncomplete }: { onIncomplete: () => void }) {
      if (!isComplete) onIncomplete();
      return listed;
    },
  };
  const modules = onlyModules({
    marketplace: { of: async () => client },
    tasks: { timesToRate: { put: async () => undefined } },
    campaigns: { briefs: { storeCreated: async () => undefined } },
  });
  const draft = { values: { title: 'A shelf' }, files: {}, sent: { at, before: ['known'] } };
  return (await createCampaignSender(modules).find({} as never, draft as never)).isThere;
}

test('what has the title of a call without an answer, and is not older than ten minutes, is there', async () => {
  const one = { id: 'c1', title: ' A  shelf', createdAt: minutesBefore(10), availablePositions: 1 };
  expect(await findsCampaign([one])).toBe(true);
  for (const other of [{ id: 'known' }, { title: 'Two shelves' }, { createdAt: minutesBefore(10.1) }])
    expect(await findsCampaign([{ ...one, ...other }])).toBe(false);
});

test('what an incomplete answer lacks after a call without an answer may be there all the same', async () => {
  await expect(findsCampaign([], false)).rejects.toThrow(TransportError);
});
