import { afterAll, beforeEach } from 'vitest';
import { createSandboxMarketplace, type Scenario } from '../src/index.ts';
import { marketplaceHandle, rawMarketplace } from '../src/testing/index.ts';

/** A running campaign with a task of every rating, and another campaign with one task. */
export const scenarioWithEveryRating: Scenario = {
  settings: { balance: '1.00000' },
  campaigns: [
    {
      campaign_id: 'c1',
      payment_per_task: '0.30',
      tasks: (['NOTRATED', 'NOTRATED', 'NOTRATED', 'OK', 'NOK', 'REVISE', 'NOTREVIEWED'] as const).map(
        (rating, at) => ({ task_id: `t${at}`, rating, comment: '' }),
      ),
    },
    { campaign_id: 'c2', tasks: [{ task_id: 'elsewhere' }] },
  ],
};

/** Starts a sandbox marketplace for the tests of one file, and resets it to the scenario before each test. */
export async function startSandboxMarketplace(scenario?: Scenario) {
  const server = await createSandboxMarketplace();
  const market = marketplaceHandle(server.url);
  afterAll(() => server.close());
  beforeEach(() => market.reset(scenario));
  return { server, market, api: rawMarketplace(server.url) };
}
