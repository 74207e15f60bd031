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
    await world.ann.opensHome();
    const seen = await world.ann.home(/Reviewing/);
    return seen.buttons.includes(button) && seen;
  });
  await home.clicks(button);
  return world.ann.modal(pattern);
}

test('a form opened from a list in Home changes that list, and says nothing in a direct message', async () => {
  const before = await inDirect();
  const list = await listInHome('Subscriptions (1)', /1 channel\*? gets/);
  const form = await list.opens('Settings…', /Channel settings/);
  await form.select('Daily summary', '17:30');
  expect((await form.submit()).errors).toBeUndefined();
  await list.untilText(/Settings of #review saved: .*17:30/, 5_000);

  const inbox = await list.opens('Change…', /Where messages from workers/);
  await inbox.select('Channel', place);
  await inbox.submit();
  await list.untilText(/New inbox messages will be posted in #review/, 5_000);
  await list.close();
  expect(await inDirect()).toBe(before);
});

test('settings that are saved unchanged are confirmed too', async () => {
  const list = await world.ann.asks('/proofdesk subscriptions', /1 channel\*? gets/);
  await (await world.ann.opens(list, 'Settings…', /Channel settings/)).submit();
  await list.untilText(/Settings of #review saved/, 5_000);
  const inbox = await world.ann.opens(list, 'Change…', /Where messages from workers/);
  await inbox.submit();
  await list.untilText(/New inbox messages will be posted in #review/, 5_000);
});

test('workers excluded by a form are in the list below it', async () => {
  const [worker] = (await world.marketplace.state()).workers;
  const list = await world.ann.asks('/proofdesk workers', /Excluded workers\*?: none/);
  const form = await world.ann.opens(list, 'Exclude by id', /Worker ids/);
  await form.submit({ 'Worker ids': worker?.worker_id ?? '' });
  await form.untilText(/Excluded: /, 5_000);
  await list.untilText(/Excluded workers\*?: 1/, 5_000);
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
  await form.submit({ 'One bonus': '0.5' });
  await form.untilText(/are saved.*Managers\*?: one bonus up to 0\.50.*Owners\*?: no limits/s, 5_000);
  const again = await opensLimits(world.ann);
  await again.select('Owners', ['Same limits for owners']);
  await again.submit();
  await again.untilText(/are saved.*Owners\*?: the same/s, 5_000);
});

test('a role is confirmed where it was given, and everybody with a role is on some page', async () => {
  const settings = await world.ann.enters('/proofdesk settings', /Owners/);
  const form = await settings.opens('Add a role', /Members/);
  await form.select('Members', many);
  await form.submit();
  await settings.untilText(/Member 11 are now reviewers.*Page 1 of 2/s, 5_000);
  await settings.clicks('Next');
  await settings.untilText(/Member 11: reviewer, added by @Ann.*Page 2 of 2/s, 5_000);
  await settings.clicks('Remove');
  await settings.untilText(/no longer has that role.*Page 2 of 2/s, 5_000);
});

test('one who may ask for one role may ask for another one at once, but not twice for the same', async () => {
  const { ann, ben } = world;
  const asks = async (command: string, refusal: RegExp, answer: RegExp) => {
    const refused = await ben.asks(command, refusal);
    await ben.clicks(refused, 'Ask the owners');
    await refused.untilText(answer, 5_000);
  };
  await asks('/proofdesk settings', /Only owners/, /@Ann Reyes was asked/);
  await asks('/proofdesk audit', /Only managers/, /@Ann Reyes was asked/);
  await ann.sees(direct, /@Ben Okafor asks to become a manager/);
  await asks('/proofdesk settings', /Only owners/, /You already asked for this role/);
});
