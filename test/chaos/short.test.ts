import { expect, test } from 'vitest';
import { notWorthwhile } from './exercised.ts';
import { removeLogs, runChaos } from './run.ts';
import { shortSettings } from './settings.ts';
import { problemsFound } from './verify.ts';

test('nothing is lost, done twice or said wrongly while outages overlap, calls fail and processes die', async () => {
  // A fixed schedule for tests; `npm run chaos -- --short` uses a different one each time.
  const seed = 7;
  const outcome = await runChaos({ ...shortSettings, seed }, (line) => console.log(`chaos ${seed}: ${line}`));
  expect(problemsFound(outcome.findings), `seed ${seed}, logs in ${outcome.logs}`).toEqual([]);
  expect(outcome.log.accepted.size).toBeGreaterThan(0);
  expect(notWorthwhile(outcome.evidence)).toEqual([]);
  await removeLogs(outcome);
});
