import { expect, onTestFinished, test } from 'vitest';
import { sharedWorld } from '../harness/worlds.ts';

const scenario = {
  campaigns: [
    { title: 'Tea', status: 'RUNNING', created_datetime: '2026-03-01 12:00:00' },
    {
      title: 'Coffee',
      status: 'FINISHED',
      folder: 'ARCHIVE',
      created_datetime: '2026-01-05 23:30:00',
      restarted_datetime: '2026-01-10 08:00:00',
      finished_datetime: '2026-02-01 08:00:00',
    },
    { title: 'Cocoa', status: 'FINISHED', folder: 'ARCHIVE', created_datetime: '2026-02-05 12:00:00' },
    {
      title: 'Old job',
      status: 'PAUSED',
      folder: 'ARCHIVE',
      created_datetime: '2025-12-01 12:00:00',
      repeat: 12,
    },
  ],
};

const world = sharedWorld({ scenario });

test('what lies in the archive alone is found by its title', async () => {
  await world.marketplace.settings({ noFolderMeans: 'DEFAULT' });
  onTestFinished(() => world.marketplace.settings({ noFolderMeans: 'every folder' }).then(() => undefined));
  await world.ann.asks('/campaign status cocoa', /Cocoa.*FINISHED|Cocoa.*Finished/s);
  await world.ann.asks(
    '/campaign status no such thing',
    /Your account has no campaign with the id “no such thing”/,
  );
});

test('filtering the list of campaigns by the archive asks the marketplace, and turns the pages of what lies there', async () => {
  const list = await world.ann.asks('/campaign list', /15 campaigns/);
  await world.ann.chooses(list, 'Filter', 'Archive');
  await list.untilText(/14 campaigns\*? \(Archive\).*Page 1 of 2/s);
  expect(list.text).not.toContain('Tea');
  await world.ann.clicks(list, 'Next', /14 campaigns\*? \(Archive\).*Page 2 of 2/s);
  await world.ann.chooses(list, 'Filter', 'All campaigns');
  await list.untilText(/15 campaigns\*?\. /);
});

test('filtering the list of campaigns by a status says when no campaign has it, and names the nearest of one that is none', async () => {
  const list = await world.ann.asks('/campaign list paused', /12 campaigns\*? \(Paused\)/);
  await world.ann.clicks(list, 'Next', /\(Paused\).*Page 2 of 2/s);
  await world.ann.chooses(list, 'Filter', 'Blocked');
  await list.untilText(/No campaign matches the filter/);
  await world.ann.asks(
    '/campaign list finnished',
    /no status “finnished”.*Did you mean `\/campaign list finished`/s,
  );
});

test('filtering the list of campaigns tells privately when the marketplace does not answer', async () => {
  const list = await world.ann.asks('/campaign list', /15 campaigns/);
  await world.marketplace.refuses('list_extend', 'INPUT_DATA', 0);
  await world.ann.chooses(list, 'Filter', 'Archive');
  await world.ann.sees('C01REVIEW', /rejected what was sent/);
});
