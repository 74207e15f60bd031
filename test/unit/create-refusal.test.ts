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

/** Looks for the campaign “A shelf” in this list, and returns what was found, and stored. */
async function findsCampaign(listed: readonly object[], isComplete = true, isKept = true) {
  const stored: unknown[] = [];
  const store = async (_: unknown, ...some: unknown[]) => void stored.push(...some);
  const client = {
    async listCampaignsExtended(_: unknown, { onIncomplete }: { onIncomplete: () => void }) {
      if (!isComplete) onIncomplete();
      return listed;
    },
  };
  const modules = onlyModules({
    marketplace: { of: async () => client },
    log: { warn: () => undefined },
    tasks: { timesToRate: { put: isKept ? store : () => Promise.reject(new Error('full')) } },
    campaigns: { briefs: { storeCreated: store } },
  });
  const template = { of: 'F1', columns: ['shop'] };
  const proofs = { proof1: 'A', proof2: '', proof3: 'B' };
  const values = { title: 'A shelf', ttr: '12', work: 'Look', ...proofs, template };
  const draft = { id: 'd1', values, files: { csv: { id: 'F1' } }, sent: { at, before: ['known'] } };
  return { ...(await createCampaignSender(modules).find({} as never, draft as never)), stored };
}

test('what has the title of a call without an answer, and is not older than ten minutes, is there', async () => {
  const one = { id: 'c1', title: ' A  shelf', createdAt: minutesBefore(10), availablePositions: 1 };
  const lists = (some: string) => ({ isThere: true, sentence: expect.stringContaining(`lists ${some}`) });
  const found = { ...lists('1 new campaign with'), end: { campaign: 'c1' } };
  const stored = ['c1', 12, 'c1', { work: 'Look', proofs: ['A', 'B'], columns: ['shop'] }, 'd1'];
  expect(await findsCampaign([one])).toEqual({ ...found, stored });
  expect(await findsCampaign([{ ...one, createdAt: undefined }])).toEqual({ ...found, stored });
  // What is known of it is shown even if it could not be stored.
  expect(await findsCampaign([one], true, false)).toMatchObject(found);
  const several = { ...lists('2 new campaigns with'), end: {}, stored: [] };
  expect(await findsCampaign([one, { ...one, id: 'c2' }])).toEqual(several);
  for (const other of [{ id: 'known' }, { title: 'Two shelves' }, { createdAt: minutesBefore(10.1) }])
    expect(await findsCampaign([{ ...one, ...other }])).toMatchObject({ isThere: false, stored: [] });
});

test('what an incomplete answer lacks after a call without an answer may be there all the same', async () => {
  await expect(findsCampaign([], false)).rejects.toThrow(TransportError);
});
