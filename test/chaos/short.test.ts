import { expect, test } from 'vitest';
import { notWorthwhile } from './exercised.ts';
import { removeLogs, runChaos } from './run.ts';
import { shortSettings } from './settings.ts';
import { problemsFound } from './verify.ts';

test('nothing is lost, done twice or said wrongly while outages overlap, calls fail and processes die', async () => {
  // One schedule for every run of the tests; `npm run chaos -- --short` takes another one each time.
  const seed = 7;
  const outcome = await runChaos({ ...shortSettings, seed }, (line) => console.log(`chaos ${seed}: ${line}`));
  expect(problemsFound(outcome.findings), `seed ${seed}, logs in ${outcome.logs}`).toEqual([]);
  expect(outcome.log.accepted.size).toBeGreaterThan(0);
  expect(notWorthwhile(outcome.evidence)).toEqual([]);
  await removeLogs(outcome);
});
