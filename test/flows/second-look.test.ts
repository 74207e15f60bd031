import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createLookDraw } from '../../src/store/second-looks.ts';
import { eventually } from '../harness/eventually.ts';
import { focusReviewer, taskIn, textIn } from '../harness/focus-reviewer.ts';
import { asId } from '../harness/ids.ts';
import type { Seen } from '../harness/slack.ts';
import { startWorld, transports, type World } from '../harness/world.ts';

const shelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  available_positions: 1000,
} as const;
const place = 'C01REVIEW';
const workspace = asId<WorkspaceId>('T0SANDBOX');
const ref = { workspace, account: accountIdOf(workspace, 'employer-demo-key') };
const draw = createLookDraw();
/** With a share of 20 %, what new reviewers decide waits below 40 %, what the others do below 20 %. */
const isDrawn = (task: string) => draw(ref, asId<TaskId>(task), 1) < 0.2;
const isNever = (task: string) => draw(ref, asId<TaskId>(task), 1) >= 0.4;

describe.each(transports)('second looks (%s)', (transport) => {
  let world: World;
  /** Tasks that wait for a second look once somebody decides, with their cards. */
  const drawn: { task: string; card: Seen }[] = [];

  beforeAll(async () => {
    world = await startWorld({
      transport,
      scenario: { campaigns: [shelf] },
      env: { UNDO_SECONDS: '0', OPEN_CARDS: '0' },
    });
    const needed = { drawn: 4, never: 1 };
    const wanted: string[] = [];
    let never = '';
    // One at a time until there are enough: which are drawn follows from their ids, which are the marketplace's.
    for (let count = 1; wanted.length < needed.drawn || never === ''; count++) {
      const [task = ''] = await world.marketplace.submit({
        campaign_id: shelf.campaign_id,
        proof: [`shelf ${count}.`],
      });
      if (isDrawn(task)) wanted.push(task);
      else if (isNever(task)) never ||= task;
    }
    for (const task of wanted) drawn.push({ task, card: await cardOf(task) });
    // Ben is active from here on.
    const his = await cardOf(never);
    await world.ben.clicks(his, 'OK');
    await his.untilText(/:white_check_mark: \*OK\* by @Ben/);
  });
  afterAll(() => world?.close());

  const cardOf = (task: string) =>
    eventually('its card', async () =>
      (await world.ann.reads(place)).find(({ raw }) => raw.metadata?.event_payload.task === task),
    );
  const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;
  const one = (index: number) => drawn[index] ?? { task: '', card: undefined as unknown as Seen };

  async function refuses(by: World['ann'], card: Seen, reason: string): Promise<void> {
    await by.clicks(card, 'NOK');
    const form = await by.modal(/Refuse this task/);
    await form.fill('Why is it refused?', reason);
    await form.submit();
  }

  test('an owner turns them on in the settings', async () => {
    await world.ann.types(place, '/proofdesk settings');
    await (await world.ann.modal(/Owners/)).clicks('Second looks');
    const form = await world.ann.modal(/How many decisions wait/);
    expect(form.text).toMatch(/All campaigns.*off/);
    await form.select('How many decisions wait', '20');
    expect((await form.submit()).errors).toBeUndefined();
  });

  test('the first verdict is nowhere for those who may look, and the same verdict sends it once', async () => {
    const { task, card } = one(0);
    await refuses(world.ann, card, 'Too dark to read');
    await card.untilText(/Waits for a second look by somebody other than @Ann/);
    await world.ann.sees(place, /Your \*NOK\* waits for a second look by somebody else/);
    expect(card.buttons).toEqual(expect.arrayContaining(['OK', 'REVISE', 'NOK', 'Undo']));
    expect(JSON.stringify(card.blocks)).not.toMatch(/Too dark/);
    expect(await rating(task)).toBe('NOTRATED');

    // Nor is it in the audit, or in what Ben reads.
    await world.ann.types(place, '/proofdesk audit');
    const audit = await world.ann.sees(place, /made a decision that waits for a second look/);
    expect(audit.text).not.toMatch(/Too dark/);
    for (const { text } of await world.ben.reads(place)) expect(text).not.toMatch(/Too dark|\*NOK\*/);

    // Ann cannot look again.
    await world.ann.clicks(card, 'OK');
    await world.ann.sees(place, /You have decided \*NOK\* on this task.*somebody else must look/s);
    expect(await rating(task)).toBe('NOTRATED');

    await refuses(world.ben, card, 'I cannot read it');
    await card.untilText(/\*NOK\* by @Ann.*“Too dark to read”/s);
    await card.untilText(/second look by @Ben.* agreed/);
    const rated = await eventually('the rating', async () => {
      const found = await world.marketplace.task(task);
      return found.task_rating === 'NOK' ? found : undefined;
    });
    expect(rated.employer_comment).toBe('Too dark to read');
    const calls = (await world.marketplace.requests()).filter(
      ({ path, applied }) => path.includes('/rate_task') && applied,
    );
    expect(calls.filter((call) => JSON.stringify(call).includes(task))).toHaveLength(1);
  });

  test('of two who differ both learn it, and a third decides who sees both', async () => {
    const { task, card } = one(1);
    await world.ann.clicks(card, 'OK');
    await card.untilText(/Waits for a second look/);
    await refuses(world.ben, card, 'The shelf is empty');
    await card.untilText(
      /Two reviewers differ.*@Ann.* said \*OK\*.*@Ben.* said \*NOK\*, “The shelf is empty”/s,
    );
    await world.ann.sees('D01ANN', /You and @Ben.* differ: you said \*OK\*, they said \*NOK\*/);
    await world.ben.sees('D02BEN', /You and @Ann.* differ: you said \*NOK\*, they said \*OK\*/);
    // Neither of them decides.
    await world.ben.clicks(card, 'OK');
    await world.ben.sees(place, /somebody else decides between you/);
    expect(await rating(task)).toBe('NOTRATED');

    await world.chloe.clicks(card, 'OK');
    await card.untilText(/\*OK\* by @Ann.*@Chl.* decided between two/s);
    await eventually('the rating', async () => (await rating(task)) === 'OK');
    await world.ann.sees('D01ANN', /@Chl.* decided \*OK\*/);
    await world.ben.sees('D02BEN', /@Chl.* decided \*OK\*/);
  });

  test('what came of them is in the figures, and whoever decided first sees what a third said', async () => {
    const figures = await eventually('both outcomes in the figures', async () => {
      await world.ann.opensHome();
      await (await world.ann.home(/Reviewing/)).clicks('Second looks');
      const shown = await world.ann.modal(/By campaign/);
      if (shown.text.includes('2 second looks: 1 differ, 50 %')) return shown;
      await shown.close();
      return undefined;
    });
    expect(figures.text).toMatch(/@Ann.* \(you\)\*?\n.*1 differ.*\nOf 1 that a third decided, 1 stayed/);
    await figures.close();
  });

  test('in focus review it is just another task, for everybody but the first', async () => {
    const { task, card } = one(2);
    await world.ann.clicks(card, 'OK');
    await card.untilText(/Waits for a second look/);
    const ben = focusReviewer(world.slackUrl, 'U02BEN');
    let view = await ben.start(place);
    for (let left = 60; taskIn(view) !== task && left > 0; left--) {
      const shown = taskIn(view);
      await ben.click('focus.skip');
      view = await ben.until((now) => taskIn(now) !== shown);
    }
    expect(taskIn(view)).toBe(task);
    expect(textIn(view)).not.toMatch(/second look|Ann Reyes|U01ANN/i);
    await ben.submit();
    await card.untilText(/:white_check_mark: \*OK\* by @Ann.*second look by @Ben/s);
    await ben.close();

    const ann = focusReviewer(world.slackUrl, 'U01ANN');
    const last = one(3);
    await world.ann.clicks(last.card, 'OK');
    await last.card.untilText(/Waits for a second look/);
    const seen = new Set<string>();
    let mine = await ann.start(place);
    while (mine.callback_id === 'focus.task') {
      const shown = taskIn(mine) ?? '';
      seen.add(shown);
      await ann.click('focus.skip');
      mine = await ann.until((now) => taskIn(now) !== shown);
    }
    expect(seen.size).toBeGreaterThan(0);
    expect(seen).not.toContain(last.task);
    await ann.close();
  });

  test('Undo takes the decision back while it waits', async () => {
    const { task, card } = one(3);
    await world.ann.clicks(card, 'Undo');
    await card.until(({ text }) => !/second look/.test(text));
    expect(card.buttons).toContain('OK');
    expect(await rating(task)).toBe('NOTRATED');
  });
});
