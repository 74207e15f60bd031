import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { afterEach, expect, test } from 'vitest';
import { beginsCampaign } from '../harness/acts.ts';
import { isReady } from '../harness/health.ts';
import { type HeldDownloads, holdDownloads } from '../harness/held-downloads.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const shelf = { campaign_id: '12e5', title: 'Photograph a shelf', status: 'RUNNING' } as const;
const template = Buffer.from('Shop\nCorner Grocer\nHigh Street\n');

let held: HeldDownloads | undefined;
const world = sharedWorld({
  transport: 'http',
  scenario: { seed: false, campaigns: [shelf], settings: { reviewSeconds: 3_600 } },
});
afterEach(() => {
  held?.release();
  held = undefined;
});

const created = async (title: string) =>
  (await world.marketplace.calls('new_campaign')).filter(({ form }) => form.title === title).length;
const submitted = async (proof: string) => {
  const calls = await world.marketplace.calls('submit_file_proof');
  return calls.filter(({ form }) => JSON.stringify(form).includes(proof)).length;
};

const opens = (command: string, shows: RegExp) => world.ann.enters(command, shows);

/** The second page of a new campaign, filled in. */
async function workPage(title: string): Promise<SeenView> {
  const work = await beginsCampaign(world.ann, { title });
  await work.fills({
    'What the worker does': `Look at {{shop}} for ${title}.`,
    'What the worker submits as proof': 'A name',
  });
  return work;
}

const twice = () => world.slack.fault({ match: { delivery: 'view_submission' }, kind: 'twice' });

/** Goes on from the second page, where the bot reads a file that does not come. */
async function reading(title: string, prepare = async (): Promise<unknown> => undefined): Promise<SeenView> {
  const work = await workPage(title);
  await work.select('Description', 'Different for each worker');
  await work.untilText(/CSV template/);
  const file = await world.ann.uploads('shops.csv', template, 'text/csv');
  await work.attach('CSV template', [file.id]);
  held = holdDownloads();
  await prepare();
  expect((await work.submit()).errors).toBeUndefined();
  await heldOne();
  return world.ann.modal(/Reading the files/);
}

/** Presses Create, where the bot fetches a file that does not come. */
async function creating(title: string): Promise<SeenView> {
  const work = await workPage(title);
  const file = await world.ann.uploads('brief.txt', Buffer.from('brief'));
  await work.attach('File for the workers', [file.id]);
  const check = await work.next(/Nothing is sent before/);
  held = holdDownloads();
  await check.clicks('Create');
  await heldOne();
  return world.ann.modal(/Sending to the marketplace/);
}

/** Presses Submit, where the bot fetches a file that does not come. */
async function submitting(
  proof: string,
  prepare = async (): Promise<unknown> => undefined,
): Promise<SeenView> {
  const { worker_id, ip } = await world.freshWorker();
  const form = await opens('/campaign submit 12e5', /Worker id/);
  await form.fills({ 'Worker id': worker_id, 'IP address': ip, Proof: proof });
  const file = await world.ann.uploads('receipt.txt', Buffer.from('receipt'));
  await form.attach('File', [file.id]);
  held = holdDownloads();
  await prepare();
  await form.submit();
  await heldOne();
  return world.ann.modal(/Sending to the marketplace/);
}

const heldOne = () => eventually('the file to be fetched', async () => held?.count() === 1);

/** What was delivered before a command has been dealt with once that is answered. */
async function answersBen(): Promise<void> {
  await world.ben.asks('/proofdesk help', /Answers to commands are only visible to you/);
}

/** As SIGTERM does it: what does not end by itself is left where it is. Then another bot takes over. */
async function anotherBot(): Promise<void> {
  await world.stopBots();
  held?.release();
  await world.startBot();
}

const create = (check: SeenView) => check.clicks('Create', /was created\. Its id is/);

test('the bot ends while it reads a file: the form comes back with everything typed, and goes on', async () => {
  const note = await reading('Read by nobody');
  await anotherBot();
  const work = await note.opens('Back to the form', /CSV template: \*shops\.csv\*/);
  expect(work.fields).toContain('Look at {{shop}} for Read by nobody.');
  await create(await work.next(/What workers read\* \(rows 1 to 2 of 2\)/));
  expect(await created('Read by nobody')).toBe(1);
});

test('the bot ends before it has sent a campaign: it can be gone on with, and is created once', async () => {
  const note = await creating('Sent by nobody');
  await anotherBot();
  expect(note.text).toContain('press Check again');
  const check = await opens(
    '/campaign new',
    /unfinished draft.*Sent by nobody.*File for the workers: brief\.txt/s,
  );
  expect(await created('Sent by nobody')).toBe(0);
  await create(check);
  expect(await created('Sent by nobody')).toBe(1);
});

test('the bot ends before it has submitted a proof: what was typed stays in view, with what to do, and is not submitted', async () => {
  const note = await submitting('By nobody');
  await anotherBot();
  await world.settled();
  await note.refresh();
  expect(note.text).toMatch(/still here in a minute, look for it in .*\/campaign results.*By nobody/s);
  expect(await submitted('By nobody')).toBe(0);
});

test('whoever goes back while a file is read stays in the form, and pressing Next again works', async () => {
  const note = await reading('Impatient');
  const work = await note.opens('Back to the form', /CSV template: \*shops\.csv\*/);
  await work.fill('What the worker does', 'Something else at {{shop}}.');
  held?.release();
  await world.settled();
  expect((await work.refresh()).text).toContain('CSV template: *shops.csv*');
  await create(await work.next(/Something else at Corner Grocer/));
  expect(await created('Impatient')).toBe(1);
});

test('whoever takes a campaign back before it is sent has it sent once, by their next press', async () => {
  const note = await creating('Taken back');
  const check = await note.opens('Check again', /Nothing was created/);
  held?.release();
  await world.settled();
  expect(await created('Taken back')).toBe(0);
  await create(await check.refresh());
  expect(await created('Taken back')).toBe(1);
});

test('a campaign that is sent from two modals is created once', async () => {
  await creating('From two');
  const check = await opens('/campaign new', /unfinished draft.*From two.*Nothing is sent before/s);
  await check.clicks('Create');
  await eventually('the second to be on its way', async () => held?.count() === 2);
  held?.release();
  await eventually('an end in the modal', async () =>
    /was created|there is no answer yet/.test((await check.refresh()).text),
  );
  await eventually('it to be created', async () => (await created('From two')) === 1);
  await world.settled();
  expect(await created('From two')).toBe(1);
});

test('a page that Slack delivers twice is read once, a form delivered twice submitted once', async () => {
  await world.slack.clearRequests();
  const note = await reading('Twice', twice);
  await answersBen();
  expect(held?.count()).toBe(1);
  held?.release();
  await note.untilText(/Nothing is sent before/);
  const form = await submitting('Twice', twice);
  await answersBen();
  expect(held?.count()).toBe(1);
  held?.release();
  await form.untilText(/was submitted/);
  await world.settled();
  expect(await world.slack.requests({ method: 'download' })).toHaveLength(2);
  expect(await submitted('Twice')).toBe(1);
});

test('Redis goes away while a file is read: nothing typed is lost', async () => {
  const note = await reading('Forgetful');
  await world.redis.persist();
  await world.redis.kill();
  await world.slack.clearRequests();
  held?.release();
  await world.slack.request(
    ({ method, args }) => method === 'chat.postMessage' && /database \(Redis\)/.test(String(args?.text)),
  );
  await world.redis.restart();
  await eventually('the bot to be ready again', () => isReady(world));
  const work = await note.opens('Back to the form', /CSV template: \*shops\.csv\*/);
  expect(work.fields).toContain('Look at {{shop}} for Forgetful.');
  await create(await work.next(/Nothing is sent before/));
});
