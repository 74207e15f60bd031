import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSandboxMarketplace, type SandboxMarketplace } from '@proofdesk/marketplace-sandbox';
import { type MarketplaceHandle, marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const example = fileURLToPath(new URL('../../examples/rate-waiting-tasks.ts', import.meta.url));

let server: SandboxMarketplace;
let market: MarketplaceHandle;
beforeAll(async () => {
  server = await createSandboxMarketplace({
    scenario: { campaigns: [{ campaign_id: 'c1', title: 'Survey', status: 'RUNNING' }] },
  });
  market = marketplaceHandle(server.url);
});
afterAll(() => server.close());

/** Runs the example as its comment says, with the client taken from the source instead of from a build. */
function run(apiKey: string, ...args: readonly string[]) {
  return promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=proofdesk-source', example, ...args],
    { env: { ...process.env, MARKETPLACE_BASE_URL: server.url, MARKETPLACE_API_KEY: apiKey } },
  );
}

test('the example lists what waits, and rates', async () => {
  const [task = ''] = await market.submit({ campaign_id: 'c1', proof: ['done, see the photo'] });
  const { stdout } = await run('employer-demo-key', task);
  expect(stdout).toBe(`Survey: 1 waiting\n  ${task}  done, see the photo\n${task} is rated OK\n`);
  expect((await market.task(task)).task_rating).toBe('OK');
});

test('a refusal is a sentence', async () => {
  await expect(run('no-such-key')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not accept the account’s key'),
  });
});
