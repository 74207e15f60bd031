import { expect, test } from 'vitest';
import { sharedWorld } from '../harness/worlds.ts';

const scenario = {
  campaigns: [
    { title: 'Tea', status: 'RUNNING' },
    { title: 'Coffee', status: 'FINISHED', folder: 'ARCHIVE', repeat: 2 },
    { title: 'Old job', status: 'PAUSED', folder: 'ARCHIVE', repeat: 12 },
  ],
};

const world = sharedWorld({ scenario });

test('filtering the list of campaigns by the archive asks the marketplace, and turns the pages of what lies there', async () => {
  const list = await world.ann.asks('/campaign list', /15 campaigns/);
  await world.ann.chooses(list, 'Filter', 'Archive');
  await list.untilText(/14 campaigns\*? \(Archive\).*Page 1 of 2/s);
  expect(list.text).not.toContain('Tea');
  await world.ann.clicks(list, 'Next', /14 campaigns\*? \(Archive\).*Page 2 of 2/s);
  await world.ann.chooses(list, 'Filter', 'All campaigns');
  await list.untilText(/15 campaigns\*?\. /);
});

test('filtering the list of campaigns by a status says when no campaign has it, names the nearest of one that is none, and says what the marketplace refuses', async () => {
  const list = await world.ann.asks('/campaign list paused', /12 campaigns\*? \(Paused\)/);
  await world.ann.clicks(list, 'Next', /\(Paused\).*Page 2 of 2/s);
  await world.ann.chooses(list, 'Filter', 'Blocked');
  await list.untilText(/No campaign matches the filter/);
  await world.ann.asks(
    '/campaign list finnished',
    /no status “finnished”.*Did you mean `\/campaign list finished`/s,
  );
  await world.marketplace.refuses('list_extend', 'INPUT_DATA', 0);
  await world.ann.chooses(list, 'Filter', 'Archive');
  await world.ann.sees('C01REVIEW', /rejected what was sent/);
});
