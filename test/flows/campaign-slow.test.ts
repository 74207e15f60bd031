import { beforeEach, expect, test } from 'vitest';
import { worldPerTest } from '../harness/worlds.ts';

const finished = { campaign_id: 'f1n15hed', title: 'Visit a coffee shop', status: 'FINISHED' } as const;
const archived = {
  campaign_id: 'a5c41ved',
  title: 'Visit a tea house',
  status: 'FINISHED',
  folder: 'ARCHIVE',
  targeted_countries: ['DE'],
} as const;

/** Nothing of the account was looked at before: every campaign has to be asked for. */
const { world, begin } = worldPerTest({
  scenario: { settings: { noFolderMeans: 'DEFAULT' }, campaigns: [finished, archived] },
  env: { REVIEW_CHANNEL: undefined },
});
const { ann, marketplace } = world;
beforeEach(() => begin());

const slow = (delayMs: number) => marketplace.delays('list_extend', delayMs, 0);
const answers = (text: string, pattern: RegExp) => ann.asks(text, pattern);

test('a slow marketplace opens the form of a campaign that only the archive has, asking for it once', async () => {
  await slow(200);
  const restart = await ann.enters('/campaign restart a5c41ved', /Visit a tea house.*Positions to add/s);
  expect(restart.text).not.toContain('did not answer');
  const asked = await marketplace.calls('list_extend');
  expect(asked.map(({ query }) => query.folder ?? 'list').sort()).toEqual(['ARCHIVE', 'list']);
  await ann.enters('/campaign retarget tea house', /Visit a tea house.*Countries: Germany \(DE\)/s);
});

test('a slow marketplace opens the form of a known campaign as it was last seen, and says so', async () => {
  await answers('/campaign list', /1 campaign/);
  await slow(12_000);
  for (const command of ['retarget coffee', 'restart f1n15hed'])
    await ann.enters(`/campaign ${command}`, /Visit a coffee shop.*did not answer in time/s);

  const pick = await ann.enters('/campaign restart', /Restart a campaign/);
  await pick.select('Campaign', finished.title);
  expect(await pick.submit()).toMatchObject({ acked: true });
  await ann.modal(/did not answer in time.*Positions to add/s);
});

test('a number that is corrected in a form that was slow to open is taken', async () => {
  await answers('/campaign list', /1 campaign/);
  await marketplace.patchCampaign('f1n15hed', { status: 'RUNNING' });
  await answers('/campaign list', /Running/);
  await slow(12_000);
  const form = await ann.enters('/campaign restart f1n15hed', /did not answer in time.*Positions to add/s);
  await form.submit({ 'Positions to add': '7' });
  await form.untilText(/7 positions × .* fees not included/, 8_000);
  await form.clicks('Change the number');
  await form.untilText(/Positions to add/, 8_000);
  await form.submit({ 'Positions to add': '8' });
  await form.untilText(/8 positions × .* fees not included/, 8_000);
});

test('a slow marketplace that does not answer at all is told of instead of a form, in time', async () => {
  // It answers nothing while this test runs.
  await slow(600_000);
  for (const command of ['restart a5c41ved', 'retarget a5c41ved', 'status tea'])
    await answers(`/campaign ${command}`, /marketplace took too long to answer/);
});

test('a slow marketplace has more time for an answer without a form', async () => {
  await slow(3_000);
  await answers('/campaign status tea house', /Visit a tea house.*Finished/s);
});
