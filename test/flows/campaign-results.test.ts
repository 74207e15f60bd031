import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { sharedWorld } from '../harness/worlds.ts';

const scenario = {
  campaigns: [
    { campaign_id: '12e5', title: 'Photograph a tea shelf', status: 'RUNNING' },
    { campaign_id: 'c0ffee', title: 'Visit a coffee shop', status: 'RUNNING', tasks: { OK: 2 } },
  ],
};
const place = 'C01REVIEW';

describe('figures per reviewer', () => {
  const world = sharedWorld({ scenario, transport: 'http' });

  const rated = (task: string, rating: string) =>
    eventually(
      `${task} is ${rating}`,
      async () => (await world.marketplace.task(task)).task_rating === rating,
    );

  test('stand below the others, only of what was decided here', async () => {
    const proofs = ['The first shelf', 'The second shelf', 'The third shelf'];
    const submitted: string[] = [];
    for (const proof of proofs)
      submitted.push(...(await world.marketplace.submit({ campaign_id: '12e5', proof: [proof] })));
    const [first = '', second = '', third = ''] = submitted;
    const cards = await eventually('three cards', async () => {
      const all = (await world.ann.reads(place)).filter(({ buttons }) => buttons.includes('OK'));
      return all.length === 3 && all;
    });
    const cardOf = (task: string) => {
      const proof = proofs[submitted.indexOf(task)] ?? '';
      const card = cards.find(({ text }) => text.includes(proof));
      if (card === undefined) throw new Error(`no card of ${task}`);
      return card;
    };
    await world.ann.clicks(cardOf(first), 'OK');
    await world.ann.clicks(cardOf(second), 'OK');
    const reason = await world.ben.opens(cardOf(third), 'NOK', /Rate NOK/);
    await reason.submit({ 'Reason for NOK': 'The shelf cannot be seen' });
    await Promise.all([rated(first, 'OK'), rated(second, 'OK'), rated(third, 'NOK')]);
    // The marketplace has a rating before it is recorded here.
    for (const task of [first, second]) await cardOf(task).untilText(/:white_check_mark:/);
    await cardOf(third).untilText(/:x:/);

    await world.ann.types(place, '/campaign results 12e5');
    const figures = await world.ann.sees('D01ANN', /Decisions made here, by reviewer/);
    expect(figures.text).toContain('Results: 3 tasks');
    expect(figures.text).toContain('@Ann Reyes: 2 decisions (OK 2, REVISE 0, NOK 0)');
    expect(figures.text).toContain('@Ben Okafor: 1 decision (OK 0, REVISE 0, NOK 1)');
    expect(figures.raw.text).toContain('<@U01ANN>: 2 decisions');

    const sent = await world.ann.sees(place, /tea shelf\*? were sent to you/);
    await world.ann.clicks(sent, 'Post in this channel');
    await world.ben.sees(place, /Results: 3 tasks.*posted by @Ann.*@Ben Okafor: 1 decision/s);
  });

  test('that take long say so in the message that then shows them, or why they could not be sent', async () => {
    // For ever: a look may read the same results meanwhile.
    const slow = { match: { path: 'results_csv' }, kind: 'latency', delayMs: 12_000, times: 0 } as const;
    await world.marketplace.fault(slow);
    await world.ann.types(place, '/campaign results c0ffee');
    const waiting = await world.ann.sees('D01ANN', /preparing the results of \*?Visit a coffee shop/);
    await world.ann.sees(place, /results of \*?Visit a coffee shop\*? are taking a while/);
    await world.marketplace.clearFaults();
    await waiting.untilText(/Results: 2 tasks/);
    await world.ann.sees('D01ANN', /results-Visit-a-coffee-shop/);

    await world.marketplace.fault(slow);
    await world.ann.types(place, '/campaign results c0ffee');
    const { ts } = waiting;
    const again = await world.ann.sees('D01ANN', /preparing the results/, { after: ts });
    await world.slack.fault({
      match: { method: 'chat.update', channel: 'D01ANN' },
      kind: 'error',
      error: 'cant_update_message',
    });
    await world.marketplace.clearFaults();
    await again.untilText(/could not be sent, and no file was made/);
    await world.ann.sees(place, /Slack rejected the file \(`?cant_update_message/);
  });

  test('whose file Slack does not take say so where they announced it', async () => {
    const sent = await world.ann.asks('/campaign results c0ffee', /were sent to you/);
    const fault = { match: { method: 'files.completeUploadExternal' } } as const;

    await world.slack.fault({ ...fault, kind: 'error', error: 'file_uploads_disabled' });
    await world.ann.clicks(sent, 'Post in this channel');
    await world.ann.sees(place, /File sharing is switched off/);
    const refused = await world.ben.sees(place, /coffee shop.*posted by @Ann/s);
    await refused.untilText(/The file could not be shared\. @Ann[^.]* was told why/);
    expect(refused.text).not.toContain('The file follows');
    expect(refused.raw.text).toContain('could not be shared');
    // The figures are still there.
    expect(refused.text).toMatch(/Results: \d tasks/);
    expect(sent.buttons).toEqual(['Post in this channel']);

    await world.slack.fault({ ...fault, kind: 'drop-after' });
    await world.ann.clicks(sent, 'Post in this channel');
    await world.ann.sees(place, /may or may not have arrived/);
    const unsure = await world.ben.sees(place, /coffee shop.*posted by @Ann/s, { after: refused.ts });
    await unsure.untilText(/may or may not have been shared\. Look in the thread/);

    await world.slack.fault({ ...fault, kind: 'error', error: 'file_uploads_disabled' });
    const before = await world.ann.lastIn('D01ANN');
    await world.ann.types(place, '/campaign results c0ffee');
    const direct = await world.ann.sees('D01ANN', /Results: \d tasks/, { after: before });
    await direct.untilText(/could not be shared\. The reason is shown where you asked/);
  });

  test('are left out where nothing was decided here', async () => {
    await world.ben.types(place, '/campaign results c0ffee');
    await world.ben.sees('D02BEN', /results-Visit-a-coffee-shop/);
    const texts = (await world.ben.reads('D02BEN')).map(({ text }) => text);
    expect(texts.join('\n')).not.toContain('Decisions made here');
  });
});
