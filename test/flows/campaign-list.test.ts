import { describe, expect, test } from 'vitest';
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
const _place = 'C01REVIEW';

describe('filtering the list of campaigns', () => {
  const world = sharedWorld({ scenario });

  const lastFilter = async () =>
    (await world.marketplace.requests()).filter(({ path, query }) => {
      return path.includes('list_extend') && Object.keys(query).length > 0;
    });

  test('what lies in the archive alone is found by its title, and by the button in the list', async () => {
    await world.marketplace.settings({ noFolderMeans: 'DEFAULT' });
    try {
      await world.ann.asks('/campaign status cocoa', /Cocoa.*FINISHED|Cocoa.*Finished/s);
      await world.ann.asks(
        '/campaign status no such thing',
        /Your account has no campaign with the id “no such thing”/,
      );
    } finally {
      await world.marketplace.settings({ noFolderMeans: 'every folder' });
    }
  });

  test('by folder and one span of days asks the marketplace, shows in place which filters are on, and clears them', async () => {
    const list = await world.ann.asks('/campaign list', /15 campaigns/);
    expect(list.buttons).not.toContain('Clear');

    const form = await world.ann.opens(list, 'Filter', /Filter campaigns/);
    await form.select('Folder', 'Archive');
    await form.select('From', '2026-01-05');
    await form.select('To', '2026-01-04');
    expect((await form.submit()).errors).toEqual({
      To: 'The last day is before the first. Choose a later one.',
    });
    await form.select('To', '2026-01-05');
    await form.submit();
    await list.untilText(/1 campaign\*?\. .*folder “Archive” · created from 2026-01-05 to 2026-01-05/s);
    expect(list.text).toContain('Coffee');
    expect((await lastFilter()).at(-1)?.query).toEqual({
      folder: 'ARCHIVE',
      created_from: '2026-01-05 00:00:00',
      created_to: '2026-01-05 23:59:59',
    });

    const again = await world.ann.opens(list, 'Filter', /Filter campaigns/);
    expect(again.fields).toContain('2026-01-05');
    await again.select('Date', 'Restarted');
    await again.select('From', '2026-01-10');
    await again.select('To', '2026-01-10');
    await again.submit();
    await list.untilText(/1 campaign\*?\. .*folder “Archive” · restarted from 2026-01-10 to 2026-01-10/s);
    expect((await lastFilter()).at(-1)?.query).toEqual({
      folder: 'ARCHIVE',
      restarted_from: '2026-01-10 00:00:00',
      restarted_to: '2026-01-10 23:59:59',
    });

    await world.ann.clicks(list, 'Clear', /15 campaigns/);
    expect(list.buttons).not.toContain('Clear');
  });

  test('turns the pages of what fits, and says when nothing does', async () => {
    const list = await world.ann.asks('/campaign list paused', /12 campaigns/);
    const form = await world.ann.opens(list, 'Filter', /Filter campaigns/);
    await form.select('Folder', 'Archive');
    await form.submit();
    await list.untilText(/status “Paused” · folder “Archive”.*Page 1 of 2/s);
    await world.ann.clicks(list, 'Next', /folder “Archive”.*Page 2 of 2/s);

    const none = await world.ann.opens(list, 'Filter', /Filter campaigns/);
    await none.select('Folder', 'Default');
    await none.submit();
    await list.untilText(/No campaign matches the filter/);
    expect(list.buttons).toEqual(['Filter', 'Clear']);
  });

  test('tells privately when the marketplace does not answer', async () => {
    const list = await world.ann.asks('/campaign list', /15 campaigns/);
    const form = await world.ann.opens(list, 'Filter', /Filter campaigns/);
    await form.select('Folder', 'Archive');
    await world.marketplace.refuses('list_extend', 'INPUT_DATA', 0);
    await form.submit();
    await world.ann.sees('D01ANN', /rejected what was sent/);
    await world.marketplace.clearFaults();
  });
});
