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
/** Presses a button of one worker. Returns what it came to. */
async function changes(id: string, press = 'Exclude worker'): Promise<string> {
  const found = await asks(`/proofdesk workers ${id}`, new RegExp(id));
  await world.ann.clicks(found, press, /Excluded:|exclude list[,:]|clear answer|Not changed/);
  return found.text.split('\n')[0] ?? '';
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

test('a worker who is not known here is excluded by id, and the list is cleared', async () => {
  const [one = '', two = ''] = ids.slice(5);
  expect(await changes(one)).toContain(`Excluded: ${one}.`);
  expect(await changes(two)).toContain(`Excluded: ${two}.`);
  expect(await changes('nobody-like-that')).toMatch(/unknown to the marketplace \(check the id\)/);
  expect(await excluded()).toEqual(expect.arrayContaining([one, two]));

  const list = await asks('/proofdesk workers', /Excluded workers\*: 2/);
  await world.ann.clicks(list, 'Remove', /Removed from the exclude list: .*Excluded workers\*: 1/s);
  expect(await excluded()).toHaveLength(1);
  await world.ann.clicks(list, 'Remove all', /1 worker removed.*Excluded workers\*: none/s);
  expect(await excluded()).toEqual([]);
});

test('what the marketplace rejects is told from what nobody knows', async () => {
  await asks('/proofdesk workers all', /Give one id or name at a time/);
  const [one = '', two = ''] = ids.slice(9);
  await world.marketplace.refuses('employer/exclude_list', 'INPUT DATA');
  expect(await changes(one)).toMatch(/Not changed\. .*rejected what was sent/s);
  // After a fault of its own nobody knows: it may have been applied.
  await world.marketplace.refuses('employer/exclude_list', 'SYSTEM ERROR');
  expect(await changes(two)).toMatch(/^The marketplace gave no clear answer\. Try again/);

  // Nobody knows whether a call without an answer was applied. Whoever is on the list then, and has tasks, is listed.
  const [three = ''] = ids.slice(11);
  await world.card('third', { worker_id: three });
  await world.marketplace.fault({ match: { path: 'employer/exclude_list' }, kind: 'drop-after' });
  expect(await changes(three)).toMatch(/no clear answer.*Try again/);
  expect(await changes(three)).toMatch(/Already on the exclude list/);
  const again = await asks(`/proofdesk workers ${three}`, /Already excluded at the marketplace/);
  await world.ann.clicks(again, 'Remove from exclude list', new RegExp(`exclude list: ${three}`));
  await world.ann.clicks(again, 'Exclude worker', /Excluded: /);
  await world.ann.clicks(again, 'Remove from exclude list', /Removed/);
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
  expect(await changes(worker_id)).toMatch(/Excluded: /);
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

test('several ids are looked up one at a time', async () => {
  const unknown = await asks(
    '/proofdesk workers nobody at-all',
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
