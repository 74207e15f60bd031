import type { SeenView } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  confirms,
  decidesTogether,
  opensSelection,
  place,
  presses,
  pressesOf,
  proofFile,
  paidShelf as shelf,
  startsReview,
  tickedIn,
} from '../harness/acts.ts';
import { createWorld, eventually, sharedWorld, type World } from '../harness/worlds.ts';

const direct = 'D01ANN';

/** Opens the selection in Home, once so many tasks wait in all. */
const opensAll = async ({ ann }: World, count: number) =>
  eventually(`${count} tasks`, async () => {
    const page = await opensSelection(ann);
    return page.text.includes(`of ${count} waiting`) && page;
  });

describe('many tasks decided on together', () => {
  /** As many as a flow has time for; `npm run bench` decides on 300. */
  const many = 40;

  const world = sharedWorld(
    {
      scenario: { campaigns: [shelf] },
      env: { UNDO_SECONDS: '1' },
      rateLimits: { marketplacePerSecond: 1_000 },
    },
    createWorld,
  );
  beforeAll(async () => {
    // Too short to look like one another.
    await world.marketplace.submit({ campaign_id: shelf.campaign_id, count: many, proof: ['a shelf'] });
    await world.startBot();
  });

  test('all pages are ticked with a click each, and every task is rated once, with its placeholders filled in', async () => {
    const page = await opensAll(world, many);
    const before = await pressesOf(world.slack, 'U01ANN');
    expect(page.boxes).toHaveLength(25);
    expect(tickedIn(page)).toEqual([]);
    expect(page.text).toContain('Tasks 1–25 of 40 waiting.');
    await presses(page, 'Select these 25, next page');
    await presses(page, 'Select these 15');
    const preview = await decidesTogether(page, 'NOK');
    expect(preview.text).toContain('*Rate 40 tasks NOK?*');
    expect(preview.text).toContain('will not be paid *4.00*');
    const unrated = (await world.marketplace.state()).tasks;
    expect(unrated.every(({ task_rating }) => task_rating === 'NOTRATED')).toBe(true);
    // A second press where Preview was does nothing: the button that rates is another one, and says what.
    expect(preview.submitLabel).toBe('');
    await confirms(preview);
    const clicks = (await pressesOf(world.slack, 'U01ANN')) - before;
    // Select… is pressed in Home, and 300 tasks have 10 pages more.
    expect(clicks + 11).toBeLessThanOrEqual(18);

    const message = await world.ann.sees(direct, /Rating|waiting|rated/);
    await message.untilText(/\*40 tasks\* rated \*NOK\*/);
    expect(message.buttons).toEqual([]);
    expect(await world.postsOf('bulk', direct)).toHaveLength(1);
    const { tasks } = await world.marketplace.state();
    expect(tasks.map(({ task_rating, history }) => [task_rating, history.length])).toEqual(
      tasks.map(() => ['NOK', 2]),
    );
    expect(
      tasks.every(({ employer_comment }) => employer_comment !== '' && !/\{\w+\}/.test(employer_comment)),
    ).toBe(true);
  });

  test('cards of those that had one fold, and the message was updated at most once a second', async () => {
    const shown = await eventually('folded cards', async () => {
      const found = await world.postsOf('card');
      return found.length > 0 && found.every(({ buttons }) => buttons.length === 0) && found;
    });
    expect(shown.length).toBeGreaterThan(0);
    const [message] = await world.postsOf('bulk', direct);
    const updates = (await world.slack.requests({ method: 'chat.update' })).filter(({ args }) =>
      JSON.stringify(args).includes(message?.ts ?? '-'),
    );
    const times = updates.map(({ at }) => at);
    expect(times.length).toBeGreaterThan(0);
    // How long a call is on its way differs: one may come close behind another.
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    expect(times.length).toBeLessThanOrEqual(2 + seconds);
  });
});

describe('bulk', () => {
  const world = sharedWorld({ scenario: { campaigns: [] }, env: { UNDO_SECONDS: '2' } });
  // Of two processes each takes a part of what is done.
  beforeAll(() => world.startBot({ PORT: '0' }));

  /** Starts both processes again, with another time to undo. */
  async function setUndo(seconds: number): Promise<void> {
    await world.setUndo(seconds);
    await world.startBot({ PORT: '0' });
  }

  /** A campaign whose tasks wait, the oldest first; each test selects its own. */
  const waiting = async (title: string, count: number) => {
    const proofs = Array.from({ length: count }, (_, index) => `${title} number ${index}`);
    return (await world.campaignWith(title, proofs)).tasks;
  };

  /** Opens the selection in Home, and filters it by a campaign, once so many of its tasks wait. */
  const selects = async (title: string, count: number) =>
    eventually(`${count} tasks of ${title}`, async () => {
      const opened = await opensSelection(world.ann);
      const form = await opened.opens('Filter…', /Filter tasks/);
      await form.submit({ Filter: title });
      const page = await form.untilText(/of \d+ waiting|No waiting/);
      return page.text.includes(`of ${count} waiting`) && page;
    });

  /** Goes on from the selection to a comment for each task, to be corrected. */
  async function asksForEach(page: SeenView): Promise<void> {
    await page.clicks('REVISE…', /Required: each worker/);
    await page.clicks('A comment for each task…');
    await page.until(({ title }) => title === 'A comment for each');
  }

  test('what somebody else decides or reviews meanwhile is left out, or listed with who; and why one failed', async () => {
    const tasks = await waiting('Meanwhile', 5);
    const [first = ''] = tasks;
    const page = await selects('Meanwhile', 5);
    await presses(page, 'Select these 5');
    const review = await startsReview(world.ben, place, 'Meanwhile');
    expect(review.text).toContain('Meanwhile number 0');
    await review.next(/Meanwhile number 1/);
    const preview = await decidesTogether(page, 'OK');
    // Ben holds the next tasks already.
    expect(preview.text).toContain('left out');
    expect(preview.text).toMatch(/already rated \*OK\* by @Ben Okafor/);
    expect(preview.text).toMatch(/@Ben Okafor is reviewing it/);
    await review.close({ all: true });
    await world.settled();
    await presses(preview, 'Back to the tasks');
    const again = await decidesTogether(page, 'OK');
    expect(again.text).toContain('*Rate 4 tasks OK?*');
    expect(again.text).toContain('*0.40* is paid');
    // Ben's own must not meet the fault.
    await world.marketplace.rated(first, 'OK');
    await world.marketplace.refuses('rate_task', 'TASK NOT IN THIS CAMPAIGN', 1);
    await confirms(again);
    const message = await world.ann.sees(direct, /not rated \*OK\*/);
    await message.untilText(/the marketplace rejected OK/);
  });

  test('Undo all takes back what waits, and nothing is sent', async () => {
    const tasks = await waiting('Undone', 4);
    await setUndo(120);
    const page = await selects('Undone', 4);
    await presses(page, 'Select these 4');
    const confirmed = await confirms(await decidesTogether(page, 'NOK'));
    await world.ann.sees(direct, /4 tasks\*? waiting to be sent as \*?NOK\*?\. They’ll be sent /);
    await confirmed.opens('Undo all', /4 undone/);
    const message = await world.ann.sees(direct, /4 undone/);
    expect(message.buttons).toEqual([]);
    for (const task of tasks) expect(await world.ratingOf(task)).toBe('NOTRATED');
    expect(tickedIn(await selects('Undone', 4))).toEqual([]);
    await setUndo(1);
  });

  test('Undo all pressed too late says so where it was pressed', async () => {
    const tasks = await waiting('Too late', 2);
    const page = await selects('Too late', 2);
    await presses(page, 'Select these 2');
    const confirmed = await confirms(await decidesTogether(page, 'OK'));
    for (const task of tasks) await world.marketplace.rated(task, 'OK');
    const before = (await world.ann.reads(direct)).length;
    const view = await confirmed.opens('Undo all', /Nothing was undone/);
    expect(view.text).toMatch(/2 tasks\*? rated \*?OK/);
    expect(view.buttons).toEqual([]);
    expect(await world.ann.reads(direct)).toHaveLength(before);
  });

  test('a focus review opens the selection above it with its filter', async () => {
    await waiting('From review', 3);
    // A selection of other tasks is not gone on with here.
    const other = await selects('From review', 3);
    await other.ticks(other.boxes[0]?.label ?? '');
    await other.close({ all: true });
    const review = await eventually('the tasks', async () => {
      const opened = await startsReview(world.ann, place, 'From review');
      return opened.text.includes(' · 2 left') && opened;
    });
    await review.select('…', 'Select several tasks…');
    const page = await world.ann.modal(/of 3 waiting/);
    expect(await world.ann.modals()).toHaveLength(2);
    expect(tickedIn(page)).toEqual([]);
    const whole = await page.opens('See all…', /^Full task/);
    expect(whole.text).toContain('From review number 0');
  });

  test('a task that looks like others is said so, is ticked only by itself, and is warned of before it is paid', async () => {
    const copied = 'The clerk said that the green tea by the window was sold out since Tuesday morning.';
    await world.campaignWith('Copies', ['A receipt from the corner shop.', copied, copied, copied]);
    const page = await eventually('the evidence', async () => {
      const opened = await selects('Copies', 4);
      return opened.text.match(/:mag: Same text as 2 tasks/g)?.length === 3 && opened;
    });
    expect(page.text).toContain('3 tasks on this page look like others. The Select buttons skip them');
    expect(page.buttons).toContain('Select this one');
    await presses(page, 'Select this one');
    expect(tickedIn(page)).toHaveLength(1);
    expect((await decidesTogether(page, 'OK')).text).not.toContain('like others');

    await presses(page, 'Back to the tasks');
    for (const { label } of page.boxes) await page.ticks(label);
    const preview = await decidesTogether(page, 'OK');
    expect(preview.text).toContain('*3 of 4 look like others.*');
    expect(preview.buttons.join()).toContain('Rate 4 OK for 0.');
    await confirms(preview);
  });

  test('ten tasks are rated in a few clicks, also when one of them is left out and another taken in', async () => {
    const tasks = await waiting('Ten', 12);
    const page = await selects('Ten', 12);
    const before = await pressesOf(world.slack, 'U01ANN');
    await presses(page, 'Select 1–10');
    const [, , third = ''] = page.boxes.map(({ label }) => label);
    await page.ticks(third, false);
    await page.ticks(page.boxes[10]?.label ?? '');
    await decidesTogether(page, 'OK');
    expect(page.text).toContain('*Rate 10 tasks OK?*');
    await confirms(page);
    // Select… in Home is one more. Ten single ticks would make 13.
    expect((await pressesOf(world.slack, 'U01ANN')) - before + 1).toBeLessThanOrEqual(6);
    await world.ann.sees(direct, /\*10 tasks\* rated \*OK\*\. 1\.00 is paid/);
    const left = new Set([tasks[2], tasks[11]]);
    for (const task of tasks) if (!left.has(task)) await world.marketplace.rated(task, 'OK');
    for (const task of left) expect(await world.ratingOf(task ?? '')).toBe('NOTRATED');
  });

  test('the picture of a task is shown in its row, and where its comment is written', async () => {
    const { campaign: campaign_id } = await world.campaignWith('Pictures', []);
    await world.submit('a shelf', { campaign_id, files: [proofFile('shelf.png')] });
    const page = await eventually('the picture', async () => {
      const opened = await selects('Pictures', 1);
      return opened.pictures.length === 1 && opened;
    });
    await presses(page, 'Select this one');
    expect(page.pictures).toHaveLength(1);
    await asksForEach(page);
    await page.until(({ pictures }) => pictures.length === 1);
  });
});
