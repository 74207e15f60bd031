import { expect, test } from 'vitest';
import { faultsFound, forget, runChaos } from './run.ts';
import { shortSetting } from './setting.ts';

test('nothing is lost and nothing done twice while processes and Redis are killed and calls fail', async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const outcome = await runChaos({ ...shortSetting, seed }, (line) => console.log(`chaos ${seed}: ${line}`));
  expect(faultsFound(outcome.findings), `seed ${seed}, logs in ${outcome.logs}`).toEqual([]);
  expect(outcome.findings.counts.applied).toBeGreaterThan(0);
  await forget(outcome);
});
