import { beforeAll, expect, test } from 'vitest';
import { connects } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const place = 'C03RANDOM';
const worker = '7700112233ab';
const day = (index: number) => `2026-01-${String(index + 1).padStart(2, '0')} 09:00:00`;

const world = sharedWorld({
  transport: 'http',
  scenario: {
    seed: true,
    accounts: [
      { key: 'second-key', username: 'second' },
      { key: 'third-key', username: 'third' },
    ],
    campaigns: [{ campaign_id: 'many', title: 'Many tasks', status: 'RUNNING' }],
  },
  env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined },
});
beforeAll(async () => {
  for (let index = 0; index < 23; index++) {
    const about = { worker_id: worker, finished_datetime: day(index) };
    await world.submit(`Proof ${index} <!channel>`, about);
  }
  const { tasks } = await world.marketplace.state();
  const own = tasks.filter((task) => task.campaign_id === 'many');
  for (const task of own.slice(0, 3)) await world.marketplace.rate(task.task_id, 'NOK', 'Not *sharp*');
  await connectsWith('worker-demo-key');
});

const connectsWith = async (key: string, name = 'default') =>
  (await (await connects(world.ann, key, name, place)).untilText(/You are connected/)).close();
const asks = (pattern: RegExp, person = world.ann) => person.asks('/proofdesk worker-side', pattern, place);

test('the worker side is left out of the help, which is for employers', async () => {
  const help = await world.ann.asks('/proofdesk help', /\/proofdesk workers/, place);
  expect(help.text).not.toContain('worker-side');
});

test('the worker side shows the own tasks by the marketplace’s pager, with filters by rating and days', async () => {
  const tasks = await asks(/Your submitted tasks\*: 1 to 10 of/);
  expect(tasks.ephemeral).toBe(true);
  await world.ann.clicks(tasks, 'Next', /11 to 20 of/);
  await world.ann.clicks(tasks, 'Previous', /: 1 to 10 of/);

  await world.ann.chooses(tasks, 'From day', '2026-01-01');
  await tasks.untilText(/from 2026-01-01/);
  await world.ann.chooses(tasks, 'To day', '2026-01-05');
  await tasks.untilText(/\(from 2026-01-01 to 2026-01-05\): 1 to 5 of 5/);
  expect(tasks.text).toMatch(/Many tasks.*Proof 4 <!channel>/s);
  await world.ann.chooses(tasks, 'Rating', 'NOK');
  await tasks.untilText(/\(NOK, from 2026-01-01 to 2026-01-05\): 1 to 3 of 3/);
  expect(tasks.text).toContain('Not');
  await world.ann.clicks(tasks, 'Any day', /\(NOK\)/);

  await world.ann.chooses(tasks, 'Rating', 'Waiting');
  await tasks.untilText(/\(Waiting\): 1 to 10 of/);
  const own = (await world.marketplace.state()).tasks.filter((task) => task.campaign_id === 'many');
  for (const { task_id } of own.slice(6)) await world.marketplace.rate(task_id, 'OK');
  // Its page is no longer there.
  await world.ann.clicks(tasks, 'Next', /\(Waiting\): 1 to 3 of 3/);
  await world.ann.chooses(tasks, 'Rating', 'At the marketplace');
  await tasks.untilText(/At the marketplace\): (none|1)/);
});

test('the worker side shows the lists of employers, and adds to the exclude list', async () => {
  const list = await asks(/Your submitted tasks/);
  await world.ann.clicks(list, 'Included employers', /Included employers\*: 1\..*tasty/s);
  await world.ann.clicks(list, 'Excluded employers', /Excluded employers\*: \d\..*späte/s);

  const employer = await idOf('employer-demo-key');
  const form = await world.ann.opens(list, 'Exclude employers', /Exclude employers/);
  expect((await form.submit({ 'Employer ids': '   ' })).errors?.['Employer ids']).toContain('at least one');
  expect((await form.submit({ 'Employer ids': `${employer}, nobody <@U02BEN>` })).errors).toBeUndefined();
  await form.untilText(/1 of 3 added\. The others are on the list already, or unknown/);
  expect((await account('worker-demo-key'))?.excluded_employers).toContain(employer);
  await world.ann.clicks(list, 'Your tasks', /Your submitted tasks/);
});

const write = { match: { method: 'POST', path: 'worker/exclude_list' } } as const;
const account = async (of: string) =>
  (await world.marketplace.state()).accounts.find(({ key }) => key === of);
const idOf = async (key: string) => (await account(key))?.id ?? '';

/** Has employers excluded by the form, and gives it as it stands then. */
async function submits(ids: string) {
  const list = await asks(/Your submitted tasks/);
  await world.ann.clicks(list, 'Included employers', /Included employers/);
  const form = await world.ann.opens(list, 'Exclude employers', /Employer ids/);
  expect((await form.submit({ 'Employer ids': ids })).errors).toBeUndefined();
  return { form, list };
}

test('what is added is told, and that it is not known where there was no answer', async () => {
  const one = await submits(await idOf('second-key'));
  await one.form.untilText(/They are on your exclude list now/);
  await world.marketplace.fault({ ...write, kind: 'drop-before' });
  const two = await submits(await idOf('third-key'));
  await two.form.untilText(/not known whether the change was made\. Check before you try again/);
});

test('a modal that was closed meanwhile takes no outcome with it: it is said privately', async () => {
  await world.marketplace.fault({ ...write, kind: 'latency', delayMs: 12_000 });
  const { form } = await submits('nobody-there');
  await form.close();
  await world.marketplace.clearFaults();
  // The bot is not in this channel: a direct message is the private way to say it.
  await world.ann.sees('D01ANN', /No employer was added: they are already on the list, or unknown/);
  for (const each of [place, 'D01ANN'])
    expect((await world.ann.reads(each)).map(({ text }) => text).join()).not.toContain('went wrong');
});

test('the worker side says plainly what the marketplace answers to an employer’s key, and asks those without a key to connect', async () => {
  await connectsWith('employer-demo-key', 'Other');
  await asks(/answered “API NOT ENABLED”.*does not act as a worker/);
  await asks(/not connected/, world.ben);
  await connectsWith('worker-demo-key');
});
