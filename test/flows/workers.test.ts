import { afterEach, beforeAll, expect, test } from 'vitest';
import { place, presses, refusesAsSaved, shelf, startsReview } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const other = { campaign_id: 'c0ffee02', title: 'Photo of a door', status: 'RUNNING' } as const;

/** Workers of the sandbox, who have handed in nothing yet. */
let ids: string[];
const world = sharedWorld({ scenario: { campaigns: [shelf, other] } });
beforeAll(async () => {
  ids = (await world.marketplace.state()).workers.map(({ worker_id }) => worker_id);
});
afterEach(async () => {
  await world.marketplace.clearFaults();
  const list = await asks('/proofdesk workers', /Excluded workers/);
  if (!list.buttons.includes('Remove all')) return;
  await world.ann.clicks(list, 'Remove all', /Excluded workers\*: none/);
});

const excluded = async () => {
  const { accounts } = await world.marketplace.state();
  return accounts.find(({ key }) => key === 'employer-demo-key')?.excluded_workers ?? [];
};
const asks = (text: string, pattern: RegExp) => world.ann.asks(text, pattern);
async function excludes(text: string, button = 'Exclude by id'): Promise<string> {
  const list = await asks('/proofdesk workers', /Excluded workers/);
  const form = await world.ann.opens(list, button, /Worker ids/);
  expect((await form.submit({ 'Worker ids': text })).errors).toBeUndefined();
  await form.until(({ text: shown }) => !/Updating the exclude list|Worker ids/.test(shown));
  await form.close();
  return form.text;
}

test('a card’s menu excludes its worker and removes them from the list again, with their record over all campaigns', async () => {
  const worker_id = ids.at(-1) ?? '';
  await world.marketplace.submit({ campaign_id: other.campaign_id, worker_id, proof: ['a door'] });
  const [first = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, worker_id });
  await world.marketplace.rate(first, 'NOK', 'No');
  const card = await world.card('second try', { worker_id });

  // It shows their history; excluding them is a button of its own.
  const modal = await world.ann.picks(card, 'Worker…', /^Worker$/m);
  expect(modal.text).toContain(worker_id);
  expect(modal.text).toMatch(/1 NOK · (?:.* · )?2 waiting in 2 campaigns/);
  await (await modal.opens('All their tasks', /Tasks with .*Photo of a door/s)).close();
  await modal.clicks('Exclude worker', /Excluded: .*Excluded by @Ann/s);
  expect(await excluded()).toContain(worker_id);

  const list = await asks('/proofdesk workers', /Excluded workers\*: 1/);
  expect(list.ephemeral).toBe(true);
  expect(list.text).toMatch(/Excluded by @Ann/);
  expect(list.text).toMatch(/Proofdesk knows only the workers who were excluded in Slack/);
  // Somebody who may not use the account gets a Connect button.
  await world.ben.forgesClick(card, 'Remove all', {
    of: list,
    change: (hidden) => hidden.replace(/[0-9a-f]{16}/, '0123456789abcdef'),
  });
  await world.ben.sees(place, /not connected/);
  expect(await excluded()).toContain(worker_id);

  const again = await world.ann.picks(card, 'Worker…', /Excluded by @Ann/);
  await again.clicks('Remove from exclude list', /Removed from the exclude list/);
  expect(await excluded()).not.toContain(worker_id);
});

test('several are excluded at once; those unknown and those there already are named', async () => {
  const [one = '', two = '', three = ''] = ids.slice(5);
  const told = await excludes(`${one}, ${two}\nnobody-like-that <!channel>`);
  expect(told).toMatch(/Excluded: .*unknown to the marketplace \(check the ids\): nobody-like-that/s);
  expect(await excluded()).toEqual(expect.arrayContaining([one, two]));
  expect(await excludes(`${one} ${three}`)).toMatch(/Already on the exclude list/);

  const list = await asks('/proofdesk workers', /Excluded workers\*: 3/);
  const form = await world.ann.opens(list, 'Remove by id', /Worker ids/);
  await form.next(/Removed from the exclude list/, { 'Worker ids': `${one} ${two}` });
  await list.untilText(/Excluded workers\*: 1/);
  expect(await excluded()).toEqual([three]);

  await world.ann.clicks(list, 'Remove all', /1 worker removed.*Excluded workers\*: none/s);
  expect(await excluded()).toEqual([]);
});

test('the form refuses what are no ids, and a refusal of the marketplace is told for that worker only', async () => {
  const list = await asks('/proofdesk workers', /Excluded workers/);
  const form = await world.ann.opens(list, 'Exclude by id', /Worker ids/);
  expect((await form.submit({ 'Worker ids': 'all' })).errors?.['Worker ids']).toContain('not an id');

  const [one = '', two = ''] = ids.slice(9);
  await world.marketplace.refuses('employer/exclude_list', 'INPUT DATA');
  expect(await excludes(`${one} ${two}`)).toMatch(/Excluded: .*Not changed: .*rejected what was sent/s);
  expect(await excluded()).toHaveLength(1);
  // After a fault of its own nobody knows: it may have been applied.
  await world.marketplace.refuses('employer/exclude_list', 'SYSTEM ERROR');
  const unclear = await excludes(`${ids[3]}`);
  expect(unclear).toMatch(new RegExp(`no clear answer for ${ids[3]}\\. Try again`));
  expect(unclear).not.toContain('Not changed');

  // Nobody knows whether a call without an answer was applied. Whoever is on the list then, and has tasks, is listed.
  const [three = ''] = ids.slice(11);
  await world.card('third', { worker_id: three });
  await world.marketplace.fault({ match: { path: 'employer/exclude_list' }, kind: 'drop-after' });
  expect(await excludes(three)).toMatch(/no clear answer for .*Try again/);
  expect(await excludes(three)).toMatch(/Already on the exclude list/);
  await asks('/proofdesk workers', new RegExp(`${three}[^]*Already excluded at the marketplace`));
  const told = await excludes(`${three} nobody`, 'Remove by id');
  expect(told).toMatch(new RegExp(`Removed from the exclude list: ${three}`));
  expect(told).toMatch(/Not on the exclude list: nobody/);
});

test('a modal that was closed meanwhile takes no outcome with it: it is said privately', async () => {
  const [, , worker = ''] = ids;
  const list = await asks('/proofdesk workers', /Excluded workers/);
  const form = await world.ann.opens(list, 'Exclude by id', /Worker ids/);
  await form.fill('Worker ids', worker);
  await world.marketplace.delays('employer/exclude_list', 12_000);
  await form.submit();
  await form.close();
  await world.marketplace.clearFaults();
  const told = await world.ann.sees(place, /Excluded: /, { after: list.ts });
  expect(told).toMatchObject({ ephemeral: true, text: expect.stringContaining(`Excluded: ${worker}.`) });
  expect(await excluded()).toContain(worker);
});

test('cards and focus review say by which reasons their worker was refused, and that they are excluded', async () => {
  const worker_id = ids.at(-3) ?? '';
  const reason = 'The instructions were not followed';
  await world.marketplace.submit({ campaign_id: other.campaign_id, worker_id, proof: ['a door for once'] });
  for (const proof of ['a shelf from the side', 'a shelf from behind']) {
    const card = await world.card(proof, { worker_id });
    await refusesAsSaved(world.ann, card, reason, 'could not accept');
    await card.untilText(/:x: \*NOK\* by/);
    // What is applied is in the worker's record.
    await world.settled();
  }
  expect(await excludes(worker_id)).toMatch(/Excluded: /);
  const card = await world.card('a shelf at last', { worker_id });
  await card.untilText(/2 NOK · here 2 NOK/);
  const said = new RegExp(`NOK 2 times for “${reason}”\\nWorker was excluded here by @Ann`);
  await card.untilText(said);
  // What is decided says it no more.
  expect((await world.ann.sees(place, /NOK\* by/)).text).not.toContain('2 times for');

  const record = await world.ann.opens(card, 'Record…', /Record of the worker/);
  expect(record.text).toMatch(
    /Here \(Photo of a shelf\): .*\n.*In Photo of a door: no ratings yet, 1 waiting/,
  );
  expect(record.text).toContain(`By reason: NOK 2 times for “${reason}”`);

  const review = await startsReview(world.ann, place);
  while (!review.text.includes('a shelf at last')) await presses(review, 'Skip');
  expect(review.text).toMatch(/NOK 2 times for “/);
});

test('one worker is looked up by id, and a favorite set with a rating shows', async () => {
  const worker_id = ids.at(-2) ?? '';
  const { task, card } = await world.taskWithCard('a fine one', { worker_id });
  const extras = await world.ann.picks(card, 'OK with bonus or favorite', /OK with extras/);
  await extras.select('Favorite workers', 'Add this worker');
  await extras.submit();
  await world.marketplace.rated(task, 'OK');
  await card.untilText(/worker added to favorites/);

  const found = await eventually('the favorite and the record', async () => {
    const shown = await asks(`/proofdesk workers ${worker_id}`, new RegExp(worker_id));
    return /1 OK\n.*favorite by @Ann/s.test(shown.text) && shown;
  });
  await world.ann.clicks(found, 'Exclude', /Excluded: .*Excluded by @Ann/s);
  await world.ann.clicks(found, 'Remove from exclude list', /Removed from the exclude list: /);
  await asks('/proofdesk workers', /Favorites.*as set with ratings/);
  const unknown = await asks(
    '/proofdesk workers <!channel>',
    /No tasks from this worker have been seen here/,
  );
  expect(unknown.buttons).toEqual([]);
});

test('one worker is looked up by the name that stands on their cards', async () => {
  const worker_id = ids.at(-3) ?? '';
  const card = await world.card('by name', { worker_id });
  const [, name = ''] = /Worker \W*([\w ]+?)\W* ·/.exec(card.text) ?? [];
  expect(name).not.toBe('');
  const found = await eventually('the search to know the task', async () => {
    const shown = await asks(`/proofdesk workers “${name.toUpperCase()}”`, /Worker|worker|Exclude/);
    return shown.text.includes(worker_id) && shown;
  });
  expect(found.text).toMatch(/\d waiting/);
});
