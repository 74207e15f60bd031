import { describe, expect, test } from 'vitest';
import { rates, paidShelf as shelf } from '../harness/acts.ts';
import { transports, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

describe.each(transports)('reviewing over %s', (transport) => {
  test('a task arrives by itself, and OK rates it', async () => {
    const { ann, marketplace } = await begin({ transport });
    const [task = ''] = await marketplace.submit({
      campaign_id: shelf.campaign_id,
      proof: ['The shelf of the corner shop', '*not bold* <!channel> <@U02BEN>'],
    });

    const card = await ann.sees('C01REVIEW', /Photo of a shelf/);
    expect(card.text).toContain('The shelf of the corner shop');
    expect(card.text).toContain('*not bold* <!channel> <@U02BEN>');
    expect(card.pings).not.toContain('@channel');
    expect(card.buttons).toEqual(expect.arrayContaining(['OK', 'REVISE', 'NOK']));

    await ann.clicks(card, 'OK', /OK\* by @Ann/);
    await marketplace.rated(task, 'OK');
    await card.until(({ buttons }) => buttons.length === 0);
  });

  test('NOK needs a reason, which the worker reads', async () => {
    const { ann, marketplace } = await begin({ transport });
    const { task, card } = await world.taskWithCard('a shelf');

    const modal = await ann.opens(card, 'NOK', /Rate NOK/);
    expect((await modal.submit({ 'Reason for NOK': '   ' })).errors).toEqual({
      'Reason for NOK': expect.stringContaining('reason'),
    });
    expect((await modal.submit({ 'Reason for NOK': 'It shows another shelf' })).errors ?? {}).toEqual({});
    // Nothing else is asked.
    expect(await ann.modals()).toEqual([]);
    await card.untilText(/NOK\* by @Ann.*It shows another shelf/s);
    await marketplace.rated(task, 'NOK');
    expect((await marketplace.task(task)).employer_comment).toBe('It shows another shelf');
  });

  test('a REVISE comes back on a new card that shows before and after', async () => {
    const { ann, marketplace } = await begin({ transport });
    const { task, card } = await world.taskWithCard('blurred');
    await rates(ann, card, 'REVISE', 'Please hold the camera still');
    await marketplace.rated(task, 'REVISE');
    await card.untilText(/REVISE\* by/);

    await marketplace.correct(task, ['sharp']);
    const next = await ann.sees('C01REVIEW', /sharp/);
    expect(next.ts).not.toBe(card.ts);
    expect(next.text).toMatch(/blurred/);
    expect(next.text).toMatch(/Please hold the camera still/);
    await card.untilText(/the worker has corrected this task/);
    expect(card.buttons).toEqual([]);

    await ann.clicks(next, 'OK');
    await marketplace.rated(task, 'OK');
    await next.untilText(/OK\* by/);
  });

  test('of two reviewers at once the first wins, and the other is told by whom', async () => {
    const { ann, ben, marketplace } = await begin({ transport });
    const { task, card } = await world.taskWithCard('a shelf');
    await ann.clicks(card, 'OK');
    await marketplace.rated(task, 'OK');
    await ben.clicksOldButton(card, 'OK');
    const told = await ben.sees('C01REVIEW', /already rated/);
    expect(told.ephemeral).toBe(true);
    expect(told.text).toMatch(/Ann/);
  });
});
