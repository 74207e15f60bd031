import { expect, test } from 'vitest';
import { createUnexpectedErrors } from '../../src/app/unexpected-errors.ts';

function recorder() {
  const log: Record<string, unknown>[] = [];
  let time = 0;
  const errors = createUnexpectedErrors(
    { error: ((fields: object) => void log.push({ ...fields })) as never },
    () => time,
  );
  return { errors, log, wait: (ms: number) => (time += ms) };
}

test('the same error is logged once in ten minutes, and counted each time', () => {
  const { errors, log, wait } = recorder();
  const error = new TypeError('x is not a function');
  expect(errors.problem()).toBeUndefined();
  for (let times = 0; times < 1_000; times++) errors.record('uncaughtException', error);
  expect(log).toHaveLength(1);
  expect(errors.problem()).toMatch(/^1000 unexpected errors/);
  wait(600_000);
  expect(errors.problem()).toBeUndefined();
  errors.record('uncaughtException', error);
  expect(log).toHaveLength(2);
  expect(log[1]).toMatchObject({ name: 'TypeError', suppressed: 999 });
});

test('what a request said is not logged, wherever it stands in an error', async () => {
  const { errors, log } = recorder();
  const body = '{"token":"hush-hush","text":"\\n    at the office of hush-hush (hush-hush.ts:1:1)"}';
  const fields = { body, request: { headers: { authorization: 'hush-hush' } }, code: 'hush-hush header' };
  const json = await Promise.resolve(`${body}x`)
    .then(JSON.parse)
    .catch((error: unknown) => error);
  const renamed = Object.assign(new Error('a'), { name: `hush-hush ${body}` });
  const withFrames = new Error(`hush-hush\n    at hush-hush (hush-hush.ts:1:1)`);
  const others = [
    Object.assign(new Error(body), fields),
    renamed,
    withFrames,
    body,
    { body },
    null,
    undefined,
  ];
  for (const error of [json, ...others]) errors.record('unhandledRejection', error);
  expect(JSON.stringify(log)).not.toContain('hush-hush');
  expect(log[1]).toMatchObject({ name: 'Error' });
  expect(JSON.stringify(log[1])).toContain('unexpected-errors.test.ts');
});
