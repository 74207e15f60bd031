import type { Seen, SeenView } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { beginsCampaign, shelf as named, place, proofFile, refusesAsSaved } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const shelf = {
  ...named,
  required_work: 'Find the shelf with tea.\nPhotograph all of it <!channel>.',
  required_proof: ['Name of the shop', 'Street'],
} as const;
const shops = { ...shelf, campaign_id: 'c0ffee02', title: 'Shops', description_type: 'UNIQUE' } as const;

const menus = { campaign_id: 'c0ffee03', title: 'Compare two menus', status: 'RUNNING' } as const;
const reason = 'The instructions were not followed';

const scenario = { campaigns: [shelf, shops, menus], settings: { reviewSeconds: 0 } };
const world = sharedWorld({ scenario });
const { ann, marketplace } = world;

test('what was asked stands above the proof as it was sent, with the row where each worker has their own', async () => {
  const card = await world.card('Corner Grocer');
  expect(card.text).toContain('*Name of the shop / Street:*\n');
  const unique = await world.card('Main shop', { campaign_id: shops.campaign_id, csv_record_nr: 17 });
  expect(unique.text).toContain('*Name of the shop / Street:* (row 17 of the template)\n');

  const modal = await ann.opens(card, 'Instructions', /Find the shelf/);
  expect(modal.text).toMatch(/Find the shelf with tea\.\nPhotograph all of it <!channel>\./);
  // What is on the card behind it is not said again.
  expect(modal.text).not.toMatch(/Name of the shop|Corner Grocer/);
  await modal.close();

  // Above the input of the reason form, too.
  for (const button of ['REVISE', 'NOK']) {
    const form = await ann.opens(card, button, /Corner Grocer/);
    expect(form.text).toMatch(
      /Find the shelf with tea[\s\S]*Name of the shop \/ Street[\s\S]*Corner Grocer[\s\S]*(corrected\?|Reason for NOK)/,
    );
  }
});

test('what was asked stands at each slot, with the values of the row, for a campaign that was created here', async () => {
  const work = await beginsCampaign(ann, { title: 'Visit a shop' });
  await work.select('Description', 'Different for each worker');
  await work.untilText(/CSV template/);
  const csv = Buffer.from('Shop,Street\nCorner Grocer,High Street 1\n"Müller, Sohn",Bahnhofstraße\n');
  const file = await ann.uploads('shops.csv', csv, 'text/csv');
  await work.attach('CSV template', [file.id]);
  await work.fill('What the worker does', 'Visit {{shop}} in {{street}}.');
  const check: SeenView = await work.next(/Nothing is sent before/, {
    'What the worker submits as proof': 'What {{Shop}} sells',
    'Second proof': 'When it opens',
  });
  await check.clicks('Create', /was created\. Its id is/);
  await check.close();
  const made = (await marketplace.state()).campaigns.find(({ title }) => title === 'Visit a shop');
  await marketplace.submit({
    campaign_id: made?.campaign_id ?? '',
    csv_record_nr: 2,
    proof: ['Tea and coffee', 'At nine'],
  });
  const card = await ann.sees(place, /Tea and coffee/);
  expect(card.text).toMatch(
    /\*What Müller, Sohn sells:\*\n[\s\S]*Tea and coffee[\s\S]*\*When it opens:\*\n[\s\S]*At nine/,
  );
  await ann.opens(card, 'Instructions', /Visit Müller, Sohn in Bahnhofstraße\./);
});

test('links stay text on the card; their host and whole address are shown before they are offered', async () => {
  await world.submit('See https://bank.example@evil.example/login?a=1&b=2, and www.shop.example.');
  const card = await ann.sees(place, /bank\.example/);
  expect(card.links).toEqual([]);
  const modal = await ann.opens(card, 'Links…', /Links in this proof/);
  expect(modal.text).toMatch(
    /Host: `evil\.example`\n```https:\/\/bank\.example@evil\.example\/login\?a=1&b=2```/,
  );
  expect(modal.links).toEqual([
    'https://bank.example@evil.example/login?a=1&b=2',
    'https://www.shop.example/',
  ]);
});

test('details tell id and row; the worker’s record is current in its own entry', async () => {
  const { workers } = await marketplace.state();
  const worker_id = workers.at(-1)?.worker_id ?? '';
  const more = { campaign_id: shops.campaign_id, worker_id, csv_record_nr: 3 };
  const { task: first, card } = await world.taskWithCard('the first', more);
  expect(card.text).toContain('No ratings here yet · Finished');
  await ann.clicks(card, 'OK');
  await marketplace.rated(first, 'OK');
  const next = await world.card('the second', more);
  // As of posting; the first card still says what was so then.
  expect(next.text).toContain('1 OK · Finished');

  const details = await ann.picks(card, 'Details…', /Details of this task/);
  expect(details.text).toMatch(/Row of the template: `3`[\s\S]*Rating: OK/);
  expect(details.text).toContain(first);

  await world.card('the third', more);
  await ann.picks(next, 'Worker…', /1 OK · 2 waiting/);
  expect((await next.refresh()).text).toContain('1 OK · Finished');
});

test('a file opens in two clicks, and once it was fetched is there', async () => {
  const card = await world.card('a receipt', { files: [proofFile('receipt.pdf', '%PDF-1.4 receipt\n')] });
  const modal = await ann.opens(card, 'Open file…', /Files of this task/);
  await modal.until(({ buttons }) => buttons.includes('Open'));
  const [url = ''] = modal.links;
  expect(await (await fetch(url)).text()).toContain('%PDF-1.4 receipt');
  expect((await card.thread()).map(({ files }) => files[0]?.name)).toEqual(['receipt.pdf']);
  await modal.close();
  // Opened again, it is there already.
  await (await ann.opens(card, 'Open file…', /Files of this task/)).until(({ buttons }) =>
    buttons.includes('Open'),
  );
  expect(await card.thread()).toHaveLength(1);
});

/** A worker submits, and Ann refuses it with the saved reason. */
async function refuses(worker: number, proof: string): Promise<Seen> {
  const worker_id = (await marketplace.state()).workers[worker]?.worker_id ?? '';
  const card = await world.card(proof, { campaign_id: menus.campaign_id, worker_id });
  await refusesAsSaved(ann, card, reason, 'We could not accept');
  // The refusal counts once the marketplace has it: until then the card says so with another mark.
  return card.untilText(/:x: \*NOK\* by/);
}

test('several workers refused for one reason: the team is told once, with the cases side by side', async () => {
  await refuses(1, 'only the first menu');
  await refuses(1, 'the first menu again');
  await refuses(2, 'menu <!channel> two');
  const third = await refuses(3, 'a menu on its own');
  const message = await ann.sees(place, /instructions may be unclear/);
  expect(message.text).toMatch(new RegExp(`Compare two menus.*: 3 workers got NOK for “${reason}”`));

  const cases = await ann.opens(message, 'Cases…', /Cases/);
  for (const proof of ['the first menu again', 'a menu on its own']) expect(cases.text).toContain(proof);
  // One case for each worker: the latest.
  expect(cases.text).not.toContain('only the first menu');
  expect(cases.links.some((link) => link.includes(third.ts.replace('.', '')))).toBe(true);
  expect(cases.pings).not.toContain('@channel');

  await refuses(4, 'the fourth menu');
  // What the fourth refusal might bring comes with a later poll.
  await marketplace.polls();
  expect(await world.posts(/instructions may be unclear/)).toHaveLength(1);
  expect((await ann.opens(message, 'Cases…', /Cases/)).text).toContain('the fourth menu');
});
