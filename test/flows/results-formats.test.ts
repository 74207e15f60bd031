import { createServer } from 'node:http';
import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { place } from '../harness/acts.ts';
import { listen } from '../harness/ports.ts';
import { eventually, sharedWorld, worldPerTest } from '../harness/worlds.ts';

const coffee = { campaign_id: 'c0ffee', title: 'Visit a coffee shop', status: 'RUNNING' } as const;

const { begin } = worldPerTest();

describe('the results of a campaign', () => {
  const world = sharedWorld({
    transport: 'http',
    scenario: { campaigns: [coffee] },
    env: { ACCOUNT_OWNERS: 'U01ANN' },
  });
  beforeAll(async () => {
    await world.marketplace.submit({ campaign_id: 'c0ffee', ip: '203.0.113.77', proof: ['a;=1+1'] });
  });

  const figures = async (person: Person, direct: string): Promise<Seen> => {
    const after = await person.lastIn(direct);
    await person.types(place, '/campaign results c0ffee');
    return person.sees(direct, /Results: 1 task/, { after });
  };

  async function fileOf(person: Person, direct: string, name: RegExp): Promise<Buffer> {
    const { files } = await person.sees(direct, name);
    const answer = await fetch(`${world.slackUrl}/_sandbox/files/${files[0]?.id}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  test('come as a spreadsheet in which nothing runs, and with no choice of formats', async () => {
    const message = await figures(world.ben, 'D02BEN');
    expect(message.buttons).toEqual([]);
    const csv = await fileOf(world.ben, 'D02BEN', /results-Visit-a-coffee-shop-c0ffee\.csv/);
    expect(csv.toString()).toContain(`"203.0.113.…"`);
    expect(csv.toString()).toContain(`"a;'=1+1"`);
  });

  test('come as the marketplace sent them to managers, in a direct message only', async () => {
    const { ann, ben } = world;
    const refused = await figures(ben, 'D02BEN');
    const message = await figures(ann, 'D01ANN');
    expect(message.buttons).toEqual(['Original file']);
    await ben.forgesClick(refused, 'Original file', { of: message });
    await ben.sees('D02BEN', /Only managers can see workers’ addresses/);
    await world.marketplace.clearRequests();
    await ann.clicks(message, 'Original file');
    const original = await fileOf(ann, 'D01ANN', /results-Visit-a-coffee-shop-c0ffee-original\.csv/);
    expect(original.toString()).toContain(',203.0.113.77,');
    expect(original.toString()).toContain('a;=1+1');

    // Where others read it, it is not to be had.
    const inChannel = await ann.sees(place, /were sent to you/);
    await ann.forgesClick(inChannel, 'Original file', { of: message });
    await ann.sees(place, /comes in a direct message only/);
  });
});

describe('300 results asked for by one person', () => {
  const world = sharedWorld({
    transport: 'http',
    scenario: { campaigns: [{ ...coffee, tasks: { OK: 2 } }] },
  });

  test('do not stand before anybody’s rating, and most are refused with what to do', async () => {
    const card = await world.card('the shop', { campaign_id: 'c0ffee' });
    await world.marketplace.delays('results_csv', 12_000, 0);
    await world.marketplace.clearRequests();
    for (let n = 0; n < 6; n += 1)
      await Promise.all(Array.from({ length: 50 }, () => world.ann.types(place, '/campaign results c0ffee')));
    const isResults = ({ path }: { path: string }) => path.includes('results_csv');
    const isRating = ({ path }: { path: string }) => path.includes('rate_task');
    const earlier = (await world.marketplace.calls('results_csv')).length;
    await world.ben.clicks(card, 'OK');
    const requests = await eventually('the rating to be sent', async () => {
      const all = await world.marketplace.requests();
      return all.some(isRating) && all;
    });
    // The rating was the next to go; a connection may have come free for results while it was on its way.
    const before = requests.slice(0, requests.findIndex(isRating)).filter(isResults);
    expect(before.length - earlier).toBeLessThanOrEqual(2);
    await world.ann.sees(place, /You requested a lot of results.*Wait \d+ seconds/s);
    await world.marketplace.clearFaults();
    await world.settled();
    expect((await world.marketplace.calls('results_csv')).length).toBeLessThan(30);
  });
});

describe('a file that is attached to a form', () => {
  const world = sharedWorld({ transport: 'http', scenario: { campaigns: [coffee] } });

  test('is refused where it is stored outside Slack, and its host is asked nothing', async () => {
    const received: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.end('a file');
    });
    const address = `${await listen(elsewhere)}/files/shop.png`;
    onTestFinished(() => void elsewhere.close());
    const { ann, marketplace } = world;
    const { worker_id, ip } = await world.freshWorker();
    const form = await ann.enters('/campaign submit c0ffee', /Worker id/);
    await form.fills({ 'Worker id': worker_id, 'IP address': ip, Proof: 'the shop' });
    const file = await ann.uploads('shop.png', Buffer.from('x'), 'image/png', address);
    await form.attach('File', [file.id]);
    await form.next(/“shop\.png” is stored outside Slack/);
    expect(received).toEqual([]);
    expect(await marketplace.calls('submit_file_proof')).toEqual([]);
  });
});

test('results that are chosen in the form count as those that are asked for by the command', async () => {
  const { ann } = await begin({ scenario: { campaigns: [coffee] } });
  for (let n = 0; n < 12; n += 1) {
    const form = await ann.enters('/campaign results', /Campaign results/);
    await form.select('Campaign', coffee.title);
    await form.submit();
  }
  await ann.sees('D01ANN', /You requested a lot of results/);
});
