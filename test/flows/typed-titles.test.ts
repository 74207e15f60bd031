import { beforeAll, describe, expect, test } from 'vitest';
import { paidShelf, place } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const receipt = { ...paidShelf, campaign_id: '5ec1', title: 'Transcribe a grocery receipt' } as const;
const longer = { ...receipt, campaign_id: '5ec2', title: 'Transcribe a grocery receipt in French' } as const;
const cafe = { campaign_id: 'cafe', title: 'The neighbor’s “best” café', status: 'RUNNING' } as const;
const archived = {
  campaign_id: 'a5c4',
  title: 'Read a water meter',
  status: 'FINISHED',
  folder: 'ARCHIVE',
} as const;
const twins = [16, 16, 20].map((positions, index) => ({
  campaign_id: `7w1n${index}`,
  title: 'Visit a coffee shop',
  status: 'FINISHED' as const,
  available_positions: positions,
  tasks: { OK: positions },
}));
const another = 'C02INBOX';

describe('a campaign that somebody names', () => {
  const world = sharedWorld({ scenario: { campaigns: [receipt, longer, cafe, archived, ...twins] } });
  beforeAll(async () => {
    for (const { campaign_id } of [receipt, longer]) await world.marketplace.submit({ campaign_id });
    for (const { title } of [receipt, longer]) await world.ann.sees(place, new RegExp(`${title}(?! in)`));
  });

  test.each([
    ['"Transcribe a grocery receipt"', receipt.title],
    ['“Transcribe a grocery receipt”', receipt.title],
    ['receipt in french', longer.title],
    ['The neighbor\'s "best" cafe\u0301', cafe.title],
    ['"Read a water meter"', archived.title],
  ])('as %s is found by the commands', async (typed, title) => {
    const status = await world.ann.asks(`/campaign status ${typed}`, /\d positions in all/);
    expect(status.text.split('\n')[0]).toContain(title);

    const form = await world.ann.enters(`/campaign submit ${typed}`, /Worker/);
    expect(form.field('Campaign')).toBe(title);

    const countries = /^["“]/.test(typed) ? ' DE' : '';
    const retarget = await world.ann.enters(`/campaign retarget ${typed}${countries}`, /Change countries/);
    expect(retarget.text).toContain(title);
    if (countries) expect(retarget.field('Countries to include')).toContain('Germany (DE)');

    await world.ann.asks(`/proofdesk subscribe ${typed}`, new RegExp(`asks of \\*${title}\\*`), another);
    await world.ann.asks('/proofdesk unsubscribe', /no longer posted here/, another);
  });

  test.each(['"Transcribe a grocery receipt"', '“transcribe a grocery receipt”', '5EC1'])(
    'as %s is the only one of a review',
    async (typed) => {
      const review = await world.ann.enters(`/review ${typed}`, /Transcribe a grocery receipt/);
      expect(review.text).not.toContain('in French');
    },
  );

  test.each([
    ['status', /Campaign status/],
    ['restart', /Restart a campaign/],
    ['retarget', /Change countries/],
    ['results', /Campaign results/],
  ])(
    'is offered by the chooser of /campaign %s, the archive included, the whole title first',
    async (word, title) => {
      const form = await world.ann.enters(`/campaign ${word}`, title);
      const offered = async (query: string) =>
        (await form.types('Campaign', query)).map(({ text }) => text.text);
      expect(await offered('“Transcribe a grocery receipt”')).toEqual([receipt.title, longer.title]);
      expect(await offered('NEIGHBOR\'S "best" cafe\u0301')).toEqual([cafe.title]);
      expect(await offered('water meter')).toEqual([archived.title]);
    },
  );

  test('that shares its title with others is offered with what tells it apart, also where a restart spends money', async () => {
    const told = (descriptions: readonly (string | undefined)[]) => {
      expect(new Set(descriptions).size).toBe(twins.length);
      for (const [index, description] of descriptions.entries())
        expect(description).toMatch(
          new RegExp(`created .+ · ${twins[index]?.available_positions} positions · 7w1n${index}`),
        );
    };
    const options = await (await world.ann.enters('/campaign restart', /Restart a campaign/)).types(
      'Campaign',
      'coffee shop',
    );
    told(options.sort((a, b) => a.value.localeCompare(b.value)).map(({ description }) => description?.text));

    const several = await world.ann.asks('/campaign restart Visit a coffee shop 4', /3 campaigns have/);
    const choices = several.blocks.flatMap(({ elements = [] }) =>
      (elements as { options: typeof options }[]).flatMap((select) => select.options),
    );
    told(choices.sort((a, b) => a.value.localeCompare(b.value)).map(({ description }) => description?.text));
    expect((await world.ann.enters('/campaign restart 7w1n1 4', /Positions to add/)).text).toMatch(
      /created .* · 16 positions · 7w1n1/,
    );

    const list = await world.ann.asks('/campaign list finished', /7w1n0/);
    for (const index of twins.keys()) expect(list.text).toContain(`7w1n${index}`);
    const subscribed = await world.ann.asks('/proofdesk subscribe coffee shop', /Several campaigns match/);
    expect(subscribed.text).toMatch(/Visit a coffee shop \(created .+ · 20 positions · 7w1n2\)/);
  });
});

describe('a campaign without a title', () => {
  const untitled = { campaign_id: 'b1a4c', title: '', status: 'RUNNING' } as const;
  const world = sharedWorld({ scenario: { campaigns: [untitled] } });

  test('is named by its id on cards, in their modals, in reviews and in Home', async () => {
    const { ann } = world;
    const card = await world.card('An empty shelf');
    const name = new RegExp(`Campaign ${untitled.campaign_id}`);
    await card.untilText(name);
    await ann.picks(card, 'Details…', name);
    await ann.opens(card, 'NOK', name);
    await ann.enters('/review', name);
    await ann.clicks(card, 'OK');
    await ann.looksAtHome(new RegExp(`${name.source} · `));
  });
});
