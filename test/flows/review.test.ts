import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startWorld, transports, type World, type WorldOptions } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
} as const;

let world: World;
afterEach(() => world?.close());

async function begin(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({ scenario: { campaigns: [shelf] }, ...options });
  return world;
}

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

    await ann.clicks(card, 'OK');
    await card.untilText(/OK\* by @Ann/);
    await eventually(
      'the rating at the marketplace',
      async () => (await marketplace.task(task)).task_rating === 'OK',
    );
    await card.until(({ buttons }) => buttons.length === 0);
  });

  test('NOK needs a reason, which the worker reads', async () => {
    const { ann, marketplace } = await begin({ transport });
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id });
    const card = await ann.sees('C01REVIEW', /Photo of a shelf/);

    await ann.clicks(card, 'NOK');
    const modal = await ann.modal(/Refuse this task/);
    await modal.fill('Why is it refused?', '   ');
    expect((await modal.submit()).errors).toEqual({
      'Why is it refused?': expect.stringContaining('reason'),
    });
    await modal.fill('Why is it refused?', 'It shows another shelf');
    expect((await modal.submit()).errors ?? {}).toEqual({});

    await card.untilText(/NOK\* by @Ann.*It shows another shelf/s);
    const rated = await eventually('the refusal', async () => {
      const found = await marketplace.task(task);
      return found.task_rating === 'NOK' && found;
    });
    expect(rated.employer_comment).toBe('It shows another shelf');
  });

  test('a REVISE comes back on a new card that shows before and after', async () => {
    const { ann, marketplace } = await begin({ transport });
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['blurred'] });
    const card = await ann.sees('C01REVIEW', /blurred/);
    await ann.clicks(card, 'REVISE');
    const modal = await ann.modal(/Ask for a revision/);
    await modal.fill('What should be corrected?', 'Please hold the camera still');
    await modal.submit();
    await eventually('REVISE', async () => (await marketplace.task(task)).task_rating === 'REVISE');
    await card.untilText(/REVISE\* by/);

    await marketplace.correct(task, ['sharp']);
    const next = await ann.sees('C01REVIEW', /sharp/);
    expect(next.ts).not.toBe(card.ts);
    expect(next.text).toMatch(/blurred/);
    expect(next.text).toMatch(/Please hold the camera still/);
    await card.untilText(/the worker has corrected this task/);
    expect(card.buttons).toEqual([]);

    await ann.clicks(next, 'OK');
    await eventually('OK', async () => (await marketplace.task(task)).task_rating === 'OK');
    await next.untilText(/OK\* by/);
  });

  test('of two reviewers at once the first wins, and the other is told by whom', async () => {
    const { ann, ben, marketplace } = await begin({ transport });
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id });
    const card = await ann.sees('C01REVIEW', /Photo of a shelf/);
    await ann.clicks(card, 'OK');
    await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
    await ben.clicksOldButton(card, 'OK');
    const told = await ben.sees('C01REVIEW', /already decided/);
    expect(told.ephemeral).toBe(true);
    expect(told.text).toMatch(/Ann/);
  });

  test('an inbox message is announced once, is read in a modal and can be trashed', async () => {
    const { ann, marketplace } = await begin({ transport });
    const id = await marketplace.write({
      subject: 'About your campaign',
      message: 'Could you explain step 2?',
    });
    const announced = await ann.sees('C01REVIEW', /About your campaign/);
    await ann.clicks(announced, 'Read');
    await ann.modal(/Could you explain step 2/);
    await announced.untilText(/Read by/);
    await ann.clicks(announced, 'Move to the trash');
    await announced.untilText(/Moved to the trash by/);
    const { messages } = await marketplace.state();
    expect(messages.find(({ message_id }) => message_id === id)?.folder).toBe('TRASH');
  });
});
