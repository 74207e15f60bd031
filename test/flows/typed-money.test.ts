import { expect, test } from 'vitest';
import { sharedWorld } from '../harness/worlds.ts';

const world = sharedWorld({ env: { ACCOUNT_OWNERS: 'U01ANN' } });

async function limitsForm() {
  await (await world.ann.enters('/proofdesk settings', /Owners/)).clicks('Spending limits');
  return world.ann.modal(/One bonus/);
}

test('an amount that somebody types as a spending limit is never taken for another sum, in any of the four fields', async () => {
  const form = await limitsForm();
  const fields = ['One bonus', 'Bonuses a day', 'One restart or campaign', 'Restarts and campaigns a day'];
  for (const field of fields) await form.fill(field, '1,000');
  expect((await form.submit()).errors).toEqual(
    Object.fromEntries(
      fields.map((field) => [field, '“1,000” can mean 1000.00 or 1.00. Enter the one you mean.']),
    ),
  );

  const shown = async (typed: readonly string[]) => {
    const again = await limitsForm();
    for (const [index, field] of fields.entries()) await again.fill(field, typed[index] ?? '');
    expect((await again.submit()).errors).toBeUndefined();
    return fields.map((await limitsForm()).field);
  };
  const typed = ['1,000.50', '1.000,50', '1 000', '.05'];
  expect(await shown(typed)).toEqual(['1000.50', '1000.50', '1000.00', '0.05']);
  expect(await shown(['0,05', '2000', '1.1250', '7'])).toEqual(['0.05', '2000.00', '1.1250', '7.00']);
  // What the form is filled in with can be saved as it is.
  expect((await (await limitsForm()).submit()).errors).toBeUndefined();
});

test('an amount that somebody types as a payment with a currency sign is refused by the first Next, also while the form is drawn anew', async () => {
  const form = await world.ann.enters('/campaign new', /Positions per worker/);
  await form.fill('Title', 'Receipts');
  await form.select('Category', 'Short survey');
  await form.fill('Positions', '40');
  await form.untilText(/Minimum payment per task/);
  await form.fill('Minutes to finish', '5');
  await world.slack.clearRequests();
  await world.slack.delays('views.update', 1_000);
  const answer = await form.submit({ 'Payment per task': '0,05€' });
  await world.slack.request(({ method }) => method === 'views.update');
  await world.slack.clearFaults();
  expect(answer.errors).toEqual({ 'Payment per task': expect.stringContaining('without a currency sign') });
  // Slack forgets an answer's errors with a drawing that had begun before, unless that one came first.
  await form.untilText(/Enter the amount as a number .* without a currency sign/);

  await form.fill('Payment per task', '0,25');
  await form.until(({ text }) => /= \*10\.00\*/.test(text) && !text.includes('Check this'));
  expect((await form.submit()).errors).toBeUndefined();
  const work = await world.ann.modal(/What the worker does/);
  await work.submit({ 'What the worker does': 'Look.', 'What the worker submits as proof': 'A name' });
  // Nobody chose a zone, so the preview speaks of none.
  const preview = await world.ann.modal(/Nothing is sent before/);
  expect(preview.text).toContain('= *10.00*');
  expect(preview.text).not.toMatch(/zone|not reached/i);
});
