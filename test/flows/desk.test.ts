import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTask, opensReason, rates, paidShelf as shelf, startsReview } from '../harness/acts.ts';
import { readsAudit } from '../harness/audit-file.ts';
import { comesToDesk, type Desk, deskLink, samplePage } from '../harness/desk.ts';
import { eventually } from '../harness/eventually.ts';
import { sharedWorld, worldPerTest } from '../harness/worlds.ts';

const place = 'C01REVIEW';
const other = { campaign_id: 'c0ffee02', title: 'Visit a coffee shop', status: 'RUNNING' } as const;
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = (name: string) => ({ filename: name, content_type: 'image/png', base64: pixel });

const world = sharedWorld({
  transport: 'http',
  deskFolder: samplePage,
  scenario: { campaigns: [shelf, other] },
  env: { UNDO_SECONDS: '60' },
});
let ann: Person;
let ben: Person;
let desk: Desk;
beforeEach(async () => {
  ({ ann, ben } = world);
  desk = await comesToDesk(ann);
});
afterEach(async () => {
  await desk.looks('none');
  for (const { task_id, task_rating } of (await world.marketplace.state()).tasks)
    if (task_rating === 'NOTRATED') await world.marketplace.rate(task_id, 'OK');
  await eventually('an empty queue', async () => (await desk.queue()).length === 0);
});

/** The card of a task, as it reads now. */
const shows = (card: Seen, pattern: RegExp) => card.untilText(pattern);

describe('the way in', () => {
  test('is a link that is shown privately where the button was pressed: in Home, in a review, under the waiting tasks', async () => {
    const { task } = await world.taskWithCard('looked at first');
    expect(await deskLink(ann)).toContain(`http://127.0.0.1:${world.port}/desk#T0SANDBOX.U01ANN.`);

    const review = await startsReview(ben, place);
    const shown = await review.opens('Open the desk', /works once/);
    const [link = ''] = shown.links;
    await shown.close({ all: true });
    const bens = await comesToDesk(ben, link);
    expect(await bens.me()).toMatchObject({ member: 'U02BEN', name: 'Ben', warnings: [] });
    expect(await bens.queue()).toEqual([task]);
  });
});

describe('what is seen', () => {
  test('the queue is that of a review, with its filters; rows say who has a task and who looks at it', async () => {
    const same = 'I went to the shop at the corner and counted each tin on its upper shelf';
    const first = await world.taskWithCard(`${same} first`, {
      country: 'KE',
      finished_datetime: new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
    });
    const second = await world.taskWithCard(`${same} with a coffee`, { campaign_id: other.campaign_id });
    expect(await desk.queue()).toEqual([first.task, second.task]);
    expect(await desk.queue({ campaigns: [other.campaign_id] })).toEqual([second.task]);
    expect(await desk.queue({ country: 'Kenya' })).toEqual([first.task]);
    expect(await desk.queue({ text: 'COFFEE' })).toEqual([second.task]);
    expect(await desk.queue({ mine: true })).toEqual([]);
    expect((await desk.me()).campaigns).toEqual([
      { id: shelf.campaign_id, title: shelf.title, waiting: 1 },
      { id: other.campaign_id, title: other.title, waiting: 1 },
    ]);

    await ben.chooses(first.card, '…', 'Take');
    const row = await desk.rowWhere(first.task, ({ assignedTo }) => assignedTo !== undefined);
    const taken = { isMine: false, assignedTo: 'Ben', assignment: expect.stringMatching(/^U02BEN \d+$/) };
    const submitted = { task: first.task, round: 1, worker: expect.any(String), country: 'Kenya' };
    expect(row).toEqual({ ...submitted, campaign: shelf.title, hasEvidence: true, ...taken });
    expect(await desk.queue()).toEqual([second.task, first.task]);
    expect((await desk.task(second.task)).evidence).toContain(`Nearly the same text as ${row.worker}`);
  });

  test('a task has what was asked and submitted, its files, record, notes and reasons, and later what has changed in it', async () => {
    const vague = { content_type: 'application/octet-stream', base64: pixel };
    const files = [
      picture('shelf.png'),
      { ...vague, filename: 'till.JPG' },
      { ...vague, filename: 'till.jpg.zip' },
      { ...vague, filename: 'list.png', content_type: 'application/pdf' },
    ];
    const { task, card } = await world.taskWithCard('three red tins at https://tins.example/1', { files });
    await desk.notes(task, 'Compare with the list');
    await shows(card, /Compare with the list/);
    const shown = await desk.task(task);
    const row = await desk.row(task);
    const url = (round: number, index: number) =>
      `/desk/api/proof?task=${task}&round=${round}&index=${index}`;
    const text = 'three red tins at https://tins.example/1';
    const slot = {
      asked: 'Tell what you did.',
      links: [{ url: 'https://tins.example/1', host: 'tins.example' }],
    };
    const kinds = ['picture', 'picture', 'other', 'pdf'];
    const whole = (of: number) => ({
      ...row,
      round: of,
      slots: [{ ...slot, pieces: [{ text, isDifferent: false }] }],
      instructions: 'Do what the title says.',
      payment: '0.10',
      files: files.map(({ filename: name }, at) => ({ url: url(of, at + 1), name, kind: kinds[at] })),
      evidence: [],
      record: ['No ratings here yet'],
      notes: [
        { by: expect.stringMatching(/^Ann · today at \d+:\d\d [AP]M$/), text: 'Compare with the list' },
      ],
      reasons: { NOK: expect.any(Array), REVISE: expect.any(Array) },
    });
    expect(shown).toEqual(whole(1));
    expect(shown.reasons.REVISE.map(({ name }) => name)).toContain('The link does not open');
    expect(shown.reasons.NOK[0]?.text).not.toContain('{');
    const file = await desk.asks(shown.files[0]?.url ?? '');

    await world.setUndo(0);
    await desk.rates([task], 'REVISE', { comment: 'Which color?' });
    await world.marketplace.rated(task, 'REVISE');
    await world.marketplace.correct(task, ['three blue tins at https://tins.example/1'], { files });
    await world.setUndo(60);
    // Its pictures are known a moment after its text.
    const again = await eventually('the correction', async () => {
      const found = await desk.task(task);
      return found.before?.sentence === 'Same pictures as before the correction.' && found;
    });
    const marked = (word: string) => [
      { text: 'three', isDifferent: false },
      { text: word, isDifferent: true },
      { text: 'tins at https://tins.example/1', isDifferent: false },
    ];
    expect(again).toEqual({
      ...whole(2),
      slots: [{ ...slot, before: marked('red'), pieces: marked('blue') }],
      before: {
        comment: 'Which color?',
        by: 'Ann',
        files: [1, 2, 3].map((at) => ({ url: url(1, at), name: `Picture ${at}`, kind: 'picture' })),
        sentence: 'Same pictures as before the correction.',
      },
    });
    const earlier = await desk.asks(again.before?.files[0]?.url ?? '');
    expect(earlier).toMatchObject({ status: 200, text: file.text });
  });
});

describe('what is decided', () => {
  test('at the desk shows on the card, and can be undone there or here; what is decided on the card shows at the desk', async () => {
    const { task, card } = await world.taskWithCard('decided twice');
    const [made] = await desk.rates([task], 'OK');
    expect(made).toMatchObject({ kind: 'done', row: { task, decided: { verdict: 'OK' } } });
    expect(made?.row?.decided?.sentence).toMatch(/^OK by Ann, sends at \d+:\d\d:\d\d [AP]M unless undone\.$/);
    expect(made?.row?.decided?.undoUntil).toBeGreaterThan(Date.now());
    await shows(card, /\*OK\* by @Ann Reyes/);

    const undone = await desk.undoes(task, made?.row?.decided?.id ?? '');
    expect(undone).toMatchObject({ kind: 'done', row: { task } });
    expect(undone.row?.decided).toBeUndefined();
    expect(await desk.undoes(task, made?.row?.decided?.id ?? '')).toMatchObject({ kind: 'done' });
    await card.until(({ buttons }) => buttons.includes('OK'));

    await rates(ben, card, 'NOK', 'It shows another shop');
    const row = await desk.rowWhere(task, ({ decided }) => decided !== undefined);
    expect(row.decided?.sentence).toMatch(/^NOK by Ben, “It shows another shop”, sends at/);
    const { task: away } = await world.taskWithCard('rated on the website');
    await world.marketplace.rate(away, 'NOK');
    const elsewhere = await desk.rowWhere(away, ({ decided }) => decided !== undefined);
    const sentence = expect.stringMatching(/^NOK, rated outside of Slack, seen today at \d+:\d\d [AP]M\.$/);
    expect(elsewhere.decided).toEqual({ id: '', verdict: 'NOK', sentence });
    expect(
      (await readsAudit(world))
        .filter(({ task: of }) => of === task)
        .map(({ what, how }) => `${what} ${how}`),
    ).toEqual(['decided desk', 'undone desk', 'decided form']);
  });

  test('in a race between desk and card counts once: the desk is told who was first, and its text is offered again in Slack', async () => {
    const { task, card } = await world.taskWithCard('raced for');
    await ben.clicks(card, 'OK', /\*OK\* by @Ben/);
    const [late] = await desk.rates([task], 'NOK', { comment: ' No price tag\n' });
    expect(late).toMatchObject({ kind: 'missed', row: { decided: { verdict: 'OK' } } });
    expect(late?.sentence).toMatch(
      /^Ben already rated this OK, today at \d+:\d\d [AP]M\. Your NOK was not sent\. Only Ben or a manager can undo it\.$/,
    );
    await ben.clicks(card, 'Undo');
    await card.until(({ buttons }) => buttons.includes('NOK'));
    const form = await ann.opens(card, 'NOK', /Rate NOK/);
    expect(form.field('Reason for NOK')).toBe('No price tag');
  });

  test('is decided once, however often the same request arrives; together, each has its own outcome', async () => {
    const [first, second, third] = await Promise.all(
      ['one of three', 'two of three', 'three of three'].map((proof) => world.taskWithCard(proof)),
    );
    if (!first || !second || !third) throw new Error('no tasks');
    await ben.clicks(second.card, 'OK', /\*OK\* by @Ben/);
    const all = [first.task, second.task, third.task];
    const ids = ['same-1', 'same-2', 'same-3'];
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => desk.rates(all, 'REVISE', { comment: 'Add the price.', ids })),
    );
    for (const outcome of outcomes)
      expect(outcome.map(({ kind }) => kind)).toEqual(['done', 'missed', 'done']);
    const audit = await readsAudit(world);
    expect(audit.filter(({ what, task }) => what === 'decided' && task === first.task)).toHaveLength(1);
    const made = outcomes[0]?.[0]?.row?.decided;
    await desk.undoes(first.task, made?.id ?? '');
    const [repeated] = await desk.rates([first.task], 'REVISE', {
      comment: 'Add the price.',
      ids: ['same-1'],
    });
    expect(repeated).toMatchObject({ kind: 'missed', sentence: 'This rating was undone in the meantime.' });
  });

  test('needs a reason for NOK and REVISE that is not too long; a saved one is counted', async () => {
    const { task } = await world.taskWithCard('without a reason');
    const refused = await desk.rates([task], 'NOK');
    expect(refused).toMatchObject([
      { kind: 'missed', sentence: 'Enter a reason, or choose a saved one. The worker reads it.' },
    ]);
    expect(await desk.rates([task], 'NOK', { comment: 'x'.repeat(4_000) })).toMatchObject([
      { kind: 'missed' },
    ]);
    expect((await desk.row(task))?.decided).toBeUndefined();
    const [reason] = (await desk.task(task)).reasons.NOK;
    await desk.rates([task], 'NOK', { comment: reason?.text ?? '', reason: reason?.id ?? '' });
    expect((await desk.row(task))?.decided).toMatchObject({ verdict: 'NOK' });
  });
});

describe('beside deciding', () => {
  test('tasks are taken, assigned and released, unless somebody was quicker', async () => {
    const { task, card } = await world.taskWithCard('for somebody');
    const shown = await desk.row(task);
    if (shown === undefined) throw new Error('no row');
    const taken = await desk.assigns(shown, 'U01ANN');
    expect(taken).toMatchObject({ kind: 'done', row: { isMine: true, assignedTo: 'Ann' } });
    await shows(card, /Assigned to @Ann Reyes/);
    expect(await desk.members()).toEqual([
      { member: 'U01ANN', name: 'Ann' },
      { member: 'U02BEN', name: 'Ben' },
      { member: 'U03CHLOE', name: 'Chloé' },
    ]);
    const given = await desk.assigns(taken.row ?? shown, 'U02BEN');
    expect(given).toMatchObject({ row: { assignedTo: 'Ben' } });
    expect(await desk.assigns(taken.row ?? shown, 'U01ANN')).toMatchObject({
      kind: 'missed',
      sentence: expect.stringMatching(
        /^Somebody was quicker, so nothing was changed\. Assigned to Ben by you\./,
      ),
    });
    const nobody = await desk.assigns(given.row ?? shown, 'U0NOBODY');
    expect(`${nobody.kind}: ${nobody.sentence}`).toMatch(/^missed: Only reviewers can be assigned/);
    expect(await desk.assigns(given.row ?? shown)).toMatchObject({ kind: 'done' });
    expect((await desk.row(task))?.assignedTo).toBeUndefined();
  });

  test('a note is left once, and what is typed is offered in Slack’s form until it is sent', async () => {
    const { task, card } = await world.taskWithCard('noted');
    await desk.notes(task, 'Call the shop');
    await desk.notes(task, 'Call the shop');
    await shows(card, /@Ann Reyes: Call the shop/);
    expect((await desk.task(task)).notes).toHaveLength(1);
    expect(await desk.notes(task, '  ', 'n2')).toMatchObject({
      kind: 'missed',
      sentence: 'A note needs some text.',
    });

    await desk.types(task, 'REVISE', 'Please show the whole');
    const review = await startsReview(ann, place);
    const form = await opensReason(review, 'REVISE');
    expect(form.field('What should be corrected?')).toBe('Please show the whole');
    await form.close({ all: true });
    expect((await desk.task(task)).typed).toEqual({ verdict: 'REVISE', text: 'Please show the whole' });
    await desk.rates([task], 'REVISE', { comment: 'Please show the whole shelf' });
    await desk.types(task, 'REVISE', 'Please show the whole shelf');
    expect((await desk.task(task)).typed).toBeUndefined();
  });

  test('a review passes over the tasks that a desk holds; each side is told who else looks', async () => {
    const [first, second] = [await world.taskWithCard('held one'), await world.taskWithCard('held two')];
    const third = await world.taskWithCard('free three');
    expect(await desk.looks(first.task, [second.task])).toEqual({});
    const review = await startsReview(ben, place);
    expect(review.text).toContain('free three');
    const bens = await comesToDesk(ben);
    expect(await bens.row(first.task)).toMatchObject({ lookedAtBy: 'Ann', heldBy: 'Ann' });
    expect(await bens.row(second.task)).toMatchObject({ heldBy: 'Ann' });
    expect((await bens.row(second.task))?.lookedAtBy).toBeUndefined();
    expect(await bens.looks('none', [second.task, third.task])).toEqual({ [second.task]: 'Ann' });
    expect(await desk.looks(first.task, [second.task, third.task])).toEqual({ [third.task]: 'Ben' });
    const [told] = await bens.rates([first.task], 'OK');
    expect(told).toMatchObject({
      kind: 'done',
      sentence: expect.stringContaining('Ann is reviewing this task right now.'),
    });
    // What is only asked about is not held.
    expect(await desk.looks('none', [], [second.task, third.task])).toEqual({ [third.task]: 'Ben' });
    expect((await bens.row(second.task))?.heldBy).toBeUndefined();
    // The page moves on: what it held is free again.
    await desk.looks(third.task);
    const again = await startsReview(ben, place);
    expect(hasTask(again)).toBe(true);
    expect(again.text).toContain('held two');
    await again.close({ all: true });
  });

  test('what others change arrives by itself, from whichever process', async () => {
    const second = await world.startBot({ PORT: '0' });
    const { task, card } = await world.taskWithCard('watched');
    const news = await desk.listens();
    expect(news.headers.get('content-type')).toBe('text/event-stream');
    const began = performance.now();
    await ben.chooses(card, '…', 'Take');
    await news.hears(task);
    // Where the machine is busy, everything waits longer.
    expect(performance.now() - began).toBeLessThan(process.env.CI ? 5_000 : 1_000);
    news.stop();

    const elsewhere = { address: `http://127.0.0.1:${second.port}` };
    const heard = await fetch(`${elsewhere.address}/desk/api/events`, { headers: { cookie: desk.cookie } });
    const reader = heard.body?.getReader();
    await reader?.read();
    await desk.rates([task], 'OK');
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain(task);
    await second.stop();
    while (!(await reader?.read())?.done);
  });
});

describe('an account of many', () => {
  const crowd = Array.from({ length: 150 }, (_, at) => `U1${String(at).padStart(4, '0')}`);
  const named = { U01ANN: 'Ann Reyes', U02BEN: 'Ben Okafor', U98BEN: 'Ben Later', U99ZOE: 'Zoe Last' };
  const people = { ...Object.fromEntries(crowd.map((id) => [id, `Somebody ${id}`])), ...named };
  const { begin } = worldPerTest({
    deskFolder: samplePage,
    scenario: { campaigns: [shelf] },
    workspace: {
      users: Object.entries(people).map(([id, real_name]) => ({ id, name: id.toLowerCase(), real_name })),
      channels: [{ id: place, name: 'review', members: [...crowd, ...Object.keys(named)] }],
    },
    env: { ACCOUNT_OWNERS: 'U01ANN' },
  });

  test('finds its people by their names; of two who have the same, only the one who was shown is replaced', async () => {
    const crowded = await begin();
    await crowded.slack.person('U99ZOE').opensHome();
    await crowded.slack.person('U99ZOE').home(/Reviewing/);
    const { task } = await crowded.taskWithCard('for one of two');
    const own = await comesToDesk(crowded.ann);
    const known = await own.members();
    expect(known).toContainEqual({ member: 'U99ZOE', name: 'Zoe' });
    expect(known).toHaveLength(102);
    expect(known).toEqual(known.toSorted((one, next) => one.name.localeCompare(next.name)));
    const open = await own.row(task);
    const first = open && (await own.assigns(open, 'U02BEN')).row;
    const second = first && (await own.assigns(first, 'U98BEN')).row;
    if (first === undefined) throw new Error('not assigned');
    expect([first.assignedTo, second?.assignedTo]).toEqual(['Ben', 'Ben']);
    expect(await own.assigns(first, 'U01ANN')).toMatchObject({ kind: 'missed' });
  });
});

describe('a task that has no card yet', () => {
  const { begin } = worldPerTest({
    deskFolder: samplePage,
    scenario: { campaigns: [shelf] },
    env: { OPEN_CARDS: '0' },
  });

  test('comes with its files once the marketplace has told of them; each is fetched once, for the page, Slack and the evidence', async () => {
    const { ann: reader, marketplace, slack } = await begin();
    const files = [picture('shelf.png')];
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, files });
    const read = await comesToDesk(reader);
    await eventually('the queue', async () => (await read.queue()).includes(task));
    await marketplace.delays('get_task_info', 700);
    const [file] = (await read.task(task)).files;
    expect(file).toMatchObject({ name: 'shelf.png' });
    for (let times = 0; times < 2; times += 1) expect((await read.asks(file?.url ?? '')).status).toBe(200);
    await slack.request(({ method }) => method === 'files.completeUploadExternal');
    expect(await marketplace.calls('download_file_proof')).toHaveLength(1);
  });
});

describe('where there is no desk', () => {
  const { begin, create } = worldPerTest({ scenario: { campaigns: [shelf] } });

  test('nothing is shown of it, and its addresses answer nothing', async () => {
    const without = await begin();
    await without.ann.opensHome();
    expect((await without.ann.home(/Reviewing/)).buttons).not.toContain('Open the desk');
    await without.card('no desk');
    expect((await startsReview(without.ann, place)).buttons).not.toContain('Open the desk');
    expect((await fetch(`http://127.0.0.1:${without.port}/desk`)).status).toBe(404);
  });

  test('a bot that is to have one, but whose page is not built, says at the start what to run', async () => {
    const fresh = await create({ deskFolder: '/nowhere' });
    await expect(fresh.startBot()).rejects.toThrow('the page of the desk is not built. Run npm run build');
  });

  test('the message that counts waiting tasks has its button only with one', async () => {
    const limited = { deskFolder: samplePage, env: { OPEN_CARDS: '1' } };
    const with_ = await begin(limited);
    await with_.marketplace.submit({ campaign_id: shelf.campaign_id, count: 3 });
    const summary = await with_.ann.sees(place, /more tasks waiting/);
    expect(summary.buttons).toContain('Open the desk');
    await with_.ben.clicks(summary, 'Open the desk');
    const [link = ''] = (await with_.ben.sees(place, /works once/)).links;
    expect(await (await comesToDesk(with_.ben, link)).queue()).toHaveLength(3);
    expect((await with_.ann.reads(place)).some(({ text }) => text.includes('works once'))).toBe(false);
  });
});
