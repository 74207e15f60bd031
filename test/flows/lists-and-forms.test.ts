import { expect, test } from 'vitest';
import { members, opensLimits, place, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const direct = 'D01ANN';

/** More than a page of the settings lists. */
const many = Array.from({ length: 12 }, (_, index) => `U1${index}MANY`);
const workspace = {
  users: [
    members.ann,
    members.ben,
    ...many.map((id, index) => ({ id, name: `many${index}`, real_name: `Member ${index}` })),
  ],
  channels: [{ id: place, name: 'review', members: ['U01ANN', 'U02BEN'] }],
};

const world = sharedWorld({
  workspace,
  scenario: { campaigns: [shelf] },
  env: { ACCOUNT_OWNERS: 'U01ANN' },
});

const inDirect = async () => (await world.ann.reads(direct)).length;

/** Opens a list from a button of Home. */
async function listInHome(button: string, pattern: RegExp) {
  const home = await eventually(`the button ${button}`, async () => {
    const seen = await world.ann.looksAtHome(/Reviewing/);
    return seen.buttons.includes(button) && seen;
  });
  await home.clicks(button);
  return world.ann.modal(pattern);
}

test('a form opened from a list in Home changes that list, and says nothing in a direct message', async () => {
  const before = await inDirect();
  const list = await listInHome('Subscriptions (1)', /1 channel\*? gets/);
  const form = await list.opens('Settings…', /Channel settings/);
  await form.fill('Maximum open cards', '30');
  expect((await form.submit()).errors).toBeUndefined();
  await list.untilText(/Settings of #review saved\..*At most 30/s, 5_000);

  const inbox = await list.opens('Change…', /Where messages from workers/);
  await inbox.select('Channel', place);
  await inbox.submit();
  await list.untilText(/New inbox messages will be posted in #review/, 5_000);
  await list.close();
  expect(await inDirect()).toBe(before);
});

test('a message that is moved to the trash where it is read leaves the list below it', async () => {
  await world.marketplace.write({ subject: 'Old news', message: 'All of it.' });
  const list = await listInHome('Inbox', /Old news/);
  const message = await list.opens('Read', /All of it/);
  await message.clicks('Move to trash');
  await message.untilText(/in the trash now/, 5_000);
  await list.until(({ text }) => !text.includes('Old news'), 5_000);
});

test('spending limits are confirmed where they were saved', async () => {
  const form = await opensLimits(world.ann);
  await form.submit({ 'Bonuses a day': '0.5' });
  await form.untilText(/Saved\. Spending limits: bonuses a day up to 0\.50.*500\.00\.$/s, 5_000);
  const again = await opensLimits(world.ann);
  await again.select('Owners', ['Same limits for owners']);
  await again.submit();
  await again.untilText(/Saved\..*the same for owners\./s, 5_000);
});

test('a role is confirmed where it was given, and everybody with a role is on some page', async () => {
  const settings = await world.ann.enters('/proofdesk settings', /Owners/);
  const form = await settings.opens('Add a role', /Members/);
  await form.select('Members', many);
  await form.submit();
  await settings.untilText(/Saved\..*Reviewers.*@Member 11.*Page 1 of 2/s, 5_000);
  await settings.clicks('Next');
  await settings.untilText(/Member 11: reviewer, added by @Ann.*Page 2 of 2/s, 5_000);
  await settings.clicks('Remove');
  await settings.untilText(/Saved\..*Page 2 of 2/s, 5_000);
});
