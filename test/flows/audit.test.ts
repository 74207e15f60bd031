import { expect, test } from 'vitest';
import { addsBonus, finishedShop as finished, place, restarts, paidShelf as shelf } from '../harness/acts.ts';
import { readsAudit } from '../harness/audit-file.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({
  transport: 'http',
  scenario: { campaigns: [shelf, finished] },
  env: { UNDO_SECONDS: '120' },
});
const { ann, ben, marketplace, slack } = world;

/** The rows of the audit about one kind of act, oldest first. */
const rowsOf = async (act: string) => (await readsAudit(world)).filter(({ what }) => what === act);

/** The next private answer that reads so. */
const asks = (text: string, pattern: RegExp) => ann.asks(text, pattern);

/** Ann types a restart and confirms its total. */
async function restartsWith(positions: number, outcome: RegExp, meanwhile?: () => Promise<unknown>) {
  const shows = new RegExp(`${positions} positions? × 0\\.25`);
  const asked = `${finished.campaign_id} ${positions}`;
  await restarts(ann, asked, outcome, shows, meanwhile);
}

/** Ann restarts the campaign, then tries to while it runs. */
async function restartsTwice(): Promise<void> {
  const become = (status: 'FINISHED' | 'RUNNING') =>
    marketplace.patchCampaign(finished.campaign_id, { status });
  await restartsWith(4, /now has 4 more positions/);
  await become('FINISHED');
  await restartsWith(2, /Only a finished campaign can be restarted/, () => become('RUNNING'));
}

/** Ann decides OK, and Ben undoes it. */
async function undoneByBen() {
  const { task, card } = await world.taskWithCard('the upper shelf');
  await ann.clicks(card, 'OK', /unless undone/);
  await ben.clicks(card, 'Undo');
  await card.until(({ buttons }) => buttons.includes('NOK'));
  return { task, card };
}

/** Ben subscribes the channel to one campaign, and ends all its subscriptions. */
async function subscribesAndEnds(): Promise<void> {
  await ben.asks(`/proofdesk subscribe ${shelf.campaign_id}`, /will be posted in this channel/);
  await ben.asks('/proofdesk unsubscribe', /no longer posted|Nothing .* posted|ended/i);
}

test('the audit has of a restart who did it, its total, and what the marketplace answered', async () => {
  await begin();
  await restartsTwice();
  const act = { who: 'U01ANN', how: 'form', campaign: finished.campaign_id };
  const change = { money: '1', before: '16 positions', after: '20 positions' };
  const [claimed, done, again, failed, ...others] = await rowsOf('restart');
  expect(claimed).toMatchObject({ ...act, ...change, stage: 'claimed' });
  expect(done).toMatchObject({ ...act, ...change, stage: 'done', answer: 'OK', act: claimed?.act });
  expect(again).toMatchObject({ ...act, stage: 'claimed' });
  expect(failed).toMatchObject({ ...act, stage: 'failed', act: again?.act });
  expect(failed?.answer).toMatch(/^[A-Z_]+: /);
  expect(others).toEqual([]);
});

test('the audit has of an undo by another person both, and of a bonus its amount', async () => {
  await begin();
  const { task, card } = await undoneByBen();
  const [decided] = await rowsOf('decided');
  expect(decided).toMatchObject({ who: 'U01ANN', how: 'click', task, rating: 'OK' });
  expect(await rowsOf('undone')).toMatchObject([
    { who: 'U02BEN', how: 'click', other_member: 'U01ANN', task, decision: decided?.decision },
  ]);

  await world.setUndo(0);
  await (await addsBonus(ann, card, '0.05')).submit();
  await card.untilText(/:white_check_mark:.*with a bonus of 0\.05/);
  expect((await rowsOf('decided')).at(-1)).toMatchObject({ how: 'form', money: '0.05' });
  expect(await rowsOf('applied')).toMatchObject([
    { who: 'U01ANN', how: 'job', task, task_rating: 'OK', before: 'NOTRATED', money: '0.05', answer: 'OK' },
  ]);
});

test('the audit has who excluded a worker, moved a message and changed countries, and that a call was unanswered', async () => {
  await begin();
  const [worker = ''] = (await marketplace.state()).workers.map(({ worker_id }) => worker_id);
  await ann.clicks(await asks(`/proofdesk workers ${worker}`, /seen here/), 'Exclude worker', /Excluded: /);
  const [claimed, excluded] = await rowsOf('exclude worker');
  expect(claimed).toMatchObject({ who: 'U01ANN', how: 'click', worker, stage: 'claimed' });
  expect(excluded).toMatchObject({ worker, stage: 'done', act: claimed?.act });

  const message = await marketplace.write({ subject: 'Out of stock' });
  const announced = await ben.sees(place, /Out of stock/);
  await ben.clicks(announced, 'Move to trash', /Moved to the trash by @Ben/);
  const trashed = await rowsOf('trash message');
  expect(trashed.map(({ stage }) => stage)).toEqual(['claimed', 'done']);
  expect(trashed.at(-1)).toMatchObject({ who: 'U02BEN', how: 'click', message });

  await asks(`/campaign retarget ${shelf.campaign_id} US`, /now open to workers in United States/);
  await marketplace.settings({ retargetWaitSeconds: 3_600 });
  await asks(`/campaign retarget ${shelf.campaign_id} FR -IT`, /can be changed again from/);
  const refused = { who: 'U01ANN', how: 'command', campaign: shelf.campaign_id, after: 'FR except IT' };
  expect((await rowsOf('retarget')).at(-1)).toMatchObject({ ...refused, stage: 'failed' });

  await marketplace.fault({ match: { path: 'restart_campaign' }, kind: 'drop-after' });
  await restartsWith(1, /may or may not have 1 more position now/);
  expect((await rowsOf('restart')).at(-1)).toMatchObject({ stage: 'unknown', money: '0.25' });
  const list = await asks('/proofdesk audit', /outcome unknown: the marketplace gave no clear answer/);
  expect(list.text).toMatch(/@Ann.* tried to change the countries/);
});

test('the audit has keys and subscriptions by the configuration and by people, and their end', async () => {
  await begin();
  expect(await rowsOf('connect')).toMatchObject([{ how: 'setting' }]);
  await subscribesAndEnds();
  const [byConfiguration, byBen] = await rowsOf('subscribe');
  expect(byConfiguration).toMatchObject({ how: 'setting', channel: place });
  const ben = { who: 'U02BEN', how: 'command', channel: place };
  expect(byBen).toMatchObject({ ...ben, campaign: shelf.campaign_id });
  const ended = await rowsOf('unsubscribe');
  expect(ended).toHaveLength(2);
  expect(ended[0]).toMatchObject(ben);
});

test('/proofdesk audit shows what was done in sentences, filtered, by page and as a file', async () => {
  await begin();
  await restartsTwice();
  const { card } = await undoneByBen();
  await ann.clicks(card, 'OK', /unless undone/);
  await subscribesAndEnds();
  const list = await asks('/proofdesk audit', /Audit/);
  expect(list.ephemeral).toBe(true);
  expect(list.text).toMatch(/@Ben.* ended a subscription/s);
  expect(list.text).toMatch(/@Ben.* undid @Ann Reyes’s OK\ntask of .* · \*Photo of a shelf\*/);
  expect(list.text).toMatch(
    /@Ann.* restarted the campaign\n\*Visit a coffee shop\* · 16 positions → 20 positions · total 1\.00/,
  );
  // The claim of an act whose end is known is no line of its own.
  expect(list.text.match(/restart(?:ed)? the campaign/g)).toHaveLength(2);
  expect(list.text).not.toContain(finished.campaign_id);
  expect(list.text).not.toMatch(/connected an API key/);
  await ann.clicks(list, 'Next', /Proofdesk’s configuration.* connected an API key/);
  expect(list.text).not.toContain(finished.campaign_id);
  await ann.clicks(list, 'Previous');
  await list.until(({ buttons }) => !buttons.includes('Previous'));

  const filter = await ann.opens(list, 'Filter', /Filter the audit/);
  await filter.select('What', 'Restarted the campaign');
  await filter.select('Campaign', finished.title);
  await filter.submit();
  await list.untilText(/restarted the campaign · Visit a coffee shop/);
  expect(list.text).toContain('16 positions → 20 positions');
  expect(list.text).not.toMatch(/undid|subscription/);

  await ann.clicks(list, 'Send as a file');
  await ann.sees(place, /The file is in your direct messages/);
  const { files } = await slack.state();
  expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^audit-.*\.csv$/));
});

test('a rating is one line of the audit, with its outcome and a link to its card', async () => {
  await begin();
  await world.setUndo(0);
  const { card } = await world.taskWithCard('the upper shelf');
  await ann.clicks(card, 'OK', /:white_check_mark:/);
  const { card: lower } = await world.taskWithCard('the lower shelf');
  await marketplace.refuses('rate_task', 'TASK NOT IN THIS CAMPAIGN', 1);
  await ben.clicks(lower, 'OK', /was rejected/);
  const list = await asks('/proofdesk audit', /Audit/);
  const lines = list.text.split('\n').filter((line) => /rat(?:ed|ing)|accepted|rejected|decided/.test(line));
  expect(lines).toHaveLength(4);
  expect(list.text).toMatch(/@Ben Okafor\* rated a task \*OK\*\n.*rejected by the marketplace/);
  expect(list.text).toMatch(/@Ann Reyes\* rated a task \*OK\*\n.*accepted by the marketplace/);
  expect(list.sent()).toMatch(/<http[^|>]+\|task of [^>]+> · \*Photo of a shelf\*/);
});

test('each entry of the audit is also a line of the log, once, with its fields', async () => {
  const { log } = await begin();
  await restartsTwice();
  await undoneByBen();
  await subscribesAndEnds();
  const rows = await readsAudit(world);
  const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'audit');
  const logged = lines.map(({ by, member, verdict, rating, ...fields }) => ({
    ...fields,
    ...{ who: by, other_member: member, rating: verdict, task_rating: rating },
  }));
  const shown =
    'what who how other_member campaign task rating task_rating decision act stage money before after answer';
  const textsOf = (entries: readonly Readonly<Record<string, string | undefined>>[]) =>
    entries
      .map((entry) =>
        shown
          .split(' ')
          .map((name) => `${name}: ${entry[name] ?? ''}`)
          .join(' · '),
      )
      .sort();
  expect(rows.length).toBeGreaterThan(8);
  expect(textsOf(logged)).toEqual(textsOf(rows));
});
