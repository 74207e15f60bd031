import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { beginsCampaign, connects, opensNewCampaign, place, previewsCampaign } from '../harness/acts.ts';
import { sharedWorld, type World, worldPerTest } from '../harness/worlds.ts';

const hostile = '<!channel> <@U01ANN> *bold* `code` ```pre``` & "quotes"';
const template = Buffer.from(
  'Shop,Street\nCorner Grocer,High Street 1\n"Müller, Sohn",Bahnhofstraße\nThird,3\nFourth,4\n',
);

const scenario = { seed: false, settings: { reviewSeconds: 3_600 } };
const { begin } = worldPerTest({ scenario });

const world = sharedWorld({ scenario });
afterEach(() => world.marketplace.settings({ newCampaignShape: 'fields' }));

const campaigns = async () => (await world.marketplace.state()).campaigns;
const creations = () => world.marketplace.calls('new_campaign');
const texts = (work: string, proof = 'A name') => ({
  'What the worker does': work,
  'What the worker submits as proof': proof,
});

const opens = () => opensNewCampaign(world.ann);

const usual = { payment: '0,25', positions: '40' };
const firstPage = (title: string) => beginsCampaign(world.ann, { ...usual, title });
const checked = (title: string) => previewsCampaign(world.ann, { ...usual, title });

test('creating a campaign shows the minimums of its category, everything once more with its cost, then creates it once', async () => {
  const form = await opens();
  await form.fill('Title', `Shelves ${hostile}`);
  await form.select('Category', 'Short survey');
  await form.untilText(/Minimum payment per task: .*International zone/);
  await form.fill('Positions', '30');
  await form.fill('Payment per task', '0,5');
  const work = await form.next(/What the worker does/, { 'Minutes to finish': '5' });
  await work.fill('What the worker does', `Look.\n${hostile}`);
  await work.fill('What the worker submits as proof', 'A name');
  const picture = await world.ann.uploads('brief – März.png', Buffer.from('bytes'), 'image/png');
  await work.attach('File for the workers', [picture.id]);
  await work.fill('Days to rate', '12');
  await work.select('Files as proof', 'A file is required');
  await work.fill('Third proof', 'A street');
  const check = await work.next(/Nothing is sent before/);
  expect(check.text).toContain('Total cost: 30 × 0.50 = *15.00*');
  expect(check.text).toContain('File for the workers: brief – März.png (5 bytes)');
  await check.clicks('Create', /was created\. Its id is/);
  expect(check.text).not.toContain('speed');
  expect(check.text).toContain('within 12 days');

  const [campaign, ...others] = (await campaigns()).filter(({ title }) => title.startsWith('Shelves'));
  expect(others).toEqual([]);
  const sent = (await creations()).find(({ form }) => form.title === campaign?.title);
  expect(sent?.form).toMatchObject({
    title: `Shelves ${hostile}`,
    minutes_to_finish: '5',
    available_positions: '30',
    max_positions_per_worker: '1',
    payment_per_task: '0.50000',
    description_type: 'SAME',
    required_work: `Look.\n${hostile}`,
    'required_proof[]': ['A name', 'A street'],
    ttr: '12',
    auto_rate: 'NO',
    file_proof: '2',
    file: { filename: 'brief – März.png', content_type: 'image/png', size: 5 },
  });
  await world.ann.asks(`/campaign status ${campaign?.campaign_id}`, /Tasks are due after 12 days/);
});

test('creating a campaign names what is wrong beside its input, and sends nothing', async () => {
  const before = (await creations()).length;
  const form = await opens();
  await form.fill('Title', '   ');
  await form.select('Category', 'Short survey');
  await form.fill('Payment per task', '1e9');
  expect((await form.submit({ Positions: '5', 'Minutes to finish': '5' })).errors).toEqual({
    Title: expect.stringContaining('Enter a title'),
    'Payment per task': expect.stringContaining('as a number such as'),
  });
  await form.fill('Title', 'Good');
  for (const [payment, problem] of [
    ['0', /more than 0/],
    ['0.000001', /five decimal places/],
    ['9'.repeat(30), /1,000,000 at most/],
    ['9'.repeat(3_000), /as a number such as/],
    ['0,05€', /without a currency sign/],
    ['0.01', /The minimum for this category is 0\.04 per task \(zone asia1\)/],
    [hostile, /as a number such as/],
  ] as const) {
    expect((await form.submit({ 'Payment per task': payment })).errors).toEqual({
      'Payment per task': expect.stringMatching(problem),
    });
  }
  const work = await form.next(/What the worker does/, { 'Payment per task': '0.05' });
  expect((await work.submit(texts(' \n ', '\n'))).errors).toEqual({
    'What the worker does': expect.stringContaining('Describe what the worker has to do'),
    'What the worker submits as proof': expect.stringContaining('Describe the proof'),
  });
  expect((await creations()).length).toBe(before);
});

test('creating a campaign takes the longest texts there can be, and keeps what was typed on the way back', async () => {
  const long = `${hostile}${'𝔘'.repeat(2_900)}`;
  const work = await firstPage(long);
  await work.fills(texts(long, long));
  const file = await world.ann.uploads('a.txt', Buffer.from('x'));
  await work.attach('File for the workers', [file.id]);
  const first = await work.opens('Back', /Positions per worker/);
  expect(first.fields).toContain('0,25');
  const again = await first.next(/File for the workers: \*a\.txt\* \(1 byte\)/);
  const check = await again.next(/Nothing is sent before/);
  await check.clicks('Create', /was created/);
  expect((await campaigns()).at(-1)).toMatchObject({ title: long, required_work: long });
});

test('a description for each worker shows its first rows filled in, and sends the template as it is', async () => {
  const work = await firstPage('Unique');
  await work.select('Description', 'Different for each worker');
  await work.untilText(/CSV template/);
  const asked = 'Go to {{shop}}, {{ STREET }}, and ask for {{thing}}.';
  expect((await work.submit(texts(asked, 'A receipt'))).errors).toEqual({
    'CSV template': expect.stringContaining('Attach the CSV'),
  });
  const file = await world.ann.uploads('shops.csv', template, 'text/csv');
  await work.attach('CSV template', [file.id]);
  const check = await work.next(/Nothing is sent before/);
  expect(check.text).toContain('Go to Corner Grocer, High Street 1, and ask for {{thing}}.');
  expect(check.text).toContain('Go to Müller, Sohn, Bahnhofstraße');
  expect(check.text).not.toContain('Go to Fourth');
  expect(check.text).toContain('rows 1 to 3 of 4');
  expect(check.text).toContain('no column for “thing”');
  expect(check.text).toContain('only 4 rows for 40 positions');
  await world.marketplace.settings({ newCampaignShape: 'worked' });
  await check.clicks('Create', /was created.*It costs 10\.00\./s);
  const sent = (await creations()).at(-1);
  expect(sent?.form).toMatchObject({
    description_type: 'UNIQUE',
    csv: {
      filename: 'shops.csv',
      size: template.length,
      sha256: createHash('sha256').update(template).digest('hex'),
    },
  });
});

test.each([
  ['empty.csv', Buffer.from(''), /“empty\.csv” is empty/],
  ['head.csv', Buffer.from('Shop,Street\n'), /no rows below its first line/],
  ['picture.csv', Buffer.from([0x89, 0x50, 0, 1, 2, 0xff, 0xfe, 10, 65, 10]), /not a text file in UTF-8/],
  [
    'huge.csv',
    Buffer.alloc(10 * 1024 * 1024 + 1, 'a,b\n'),
    /“huge\.csv” has 10\.0 MB, and the limit is 10 MB/,
  ],
  ['quote.csv', Buffer.from(`a,b\n"${'x'.repeat(1_200_000)}`), /cannot be read as CSV|too long/],
])('a template that cannot be used is refused at its field: %s', async (name, bytes, problem) => {
  const before = (await creations()).length;
  const work = await firstPage('Unusable');
  await work.select('Description', 'Different for each worker');
  await work.untilText(/CSV template/);
  await work.fills(texts('Go to {{shop}}.', 'A receipt'));
  const file = await world.ann.uploads(name, bytes, 'text/csv');
  await work.attach('CSV template', [file.id]);
  const refused = await work.next(problem);
  expect(refused.fields).toContain('Go to {{shop}}.');
  expect((await creations()).length).toBe(before);
});

test('a file that cannot be used is named together with the texts that are missing', async () => {
  const work = await firstPage('Incomplete');
  const file = await world.ann.uploads('none.txt', Buffer.from(''));
  await work.attach('File for the workers', [file.id]);
  await work.fills({ 'What the worker does': 'Look.', 'What the worker submits as proof': '\n' });
  const marked = await work.next(/“none\.txt” is empty/);
  expect(marked.text).toContain('*Check this.* Describe the proof that the worker submits.');
  expect(marked.fields).toContain('Look.');
  // Its input is empty again: it is not refused once more.
  await marked.fills({ 'What the worker submits as proof': 'A photo' });
  await marked.next(/Nothing is sent before/);
});

test('what the marketplace does not accept comes back at the fields it speaks of, the rest of it at the top', async () => {
  const check = await checked('Refused');
  const errors = ['POSITIONS', 'AUTO RATE', 'NEW RULE <!channel>'];
  await world.marketplace.fault({ match: { path: 'new_campaign' }, kind: 'error', errors });
  const back = await check.opens('Create', /says: “AUTO RATE”, “NEW RULE <!channel>”/);
  expect(back.text).toMatch(/Positions.*Check this\.\* The number of positions is not valid/s);
  const work = await back.next(/What the worker does/);
  const again = await work.next(/Nothing is sent before/);
  await again.clicks('Create', /was created/);
});

test('when the answer is lost, the form looks for the campaign and never sends it again', async () => {
  const check = await checked('Lost answer');
  await world.marketplace.fault({ match: { path: 'new_campaign' }, kind: 'drop-after' });
  await check.clicks('Create', /no clear answer/);
  const created = (await campaigns()).filter(({ title }) => title === 'Lost answer');
  expect(created).toHaveLength(1);
  expect(check.text).toContain(`id \`${created[0]?.campaign_id}\``);
  expect(check.text).toContain('most likely created');
});

test('when a campaign did not arrive, the form says so, looks again on request, and sends again only on purpose', async () => {
  const before = (await creations()).length;
  const check = await checked('Never arrived');
  await world.marketplace.fault({ match: { path: 'new_campaign' }, kind: 'drop-before' });
  await check.clicks('Create', /lists no new campaign with this title/);
  // However often: the bot looks at this list by itself too.
  await world.marketplace.refuses('list_extend', 'SYSTEM ERROR', 0);
  await check.clicks('Check again', /can’t be read right now/);
  await world.marketplace.clearFaults();
  await check.clicks('Check again', /lists no new campaign with this title/);
  expect((await creations()).length).toBe(before + 1);
  const again = await check.opens('Back to the form', /This was sent before/);
  await again.clicks('Create', /was created/);
  expect((await campaigns()).filter(({ title }) => title === 'Never arrived')).toHaveLength(1);
});

test('a form is closed while it is sent: the end is told privately, and the form can be opened as it was', async () => {
  const check = await checked('Closed');
  const held = { match: { path: 'new_campaign' }, kind: 'latency', delayMs: 12_000 } as const;
  const latency = await world.marketplace.fault(held);
  await world.marketplace.refuses('new_campaign', 'SURPRISE');
  await check.clicks('Create');
  await check.close({ all: true });
  await world.marketplace.clearFaults(latency);
  const told = await world.ann.sees(place, /\*Closed\* was not created/);
  expect(told.ephemeral).toBe(true);
  expect(told.text).toContain('SURPRISE');
  const other = await world.ben.asks('/proofdesk help', /./);
  await world.ben.forgesClick(other, 'Open the form', { of: told });
  await world.ben.sees(place, /This draft is no longer available/);
  const again = await world.ann.opens(told, 'Open the form', /Nothing is sent before/);
  await again.clicks('Create', /was created/);
});

test('whoever goes on while the page is still drawn anew is not put back', async () => {
  const form = await opens();
  await form.fills({ Title: 'Quick', 'Payment per task': '0.25', 'Minutes to finish': '5' });
  await world.slack.clearRequests();
  await world.slack.delays('views.update', 9_000);
  await form.select('Category', 'Short survey');
  expect((await form.submit({ Positions: '40' })).errors).toBeUndefined();
  await world.ann.modal(/What the worker does/);
  await world.slack.clearFaults();
  await world.slack.request(({ method, error }) => method === 'views.update' && error === 'hash_conflict');
  await world.ann.modal(/What the worker does/);
});

test.each([
  ['is not kept', ({ redis }: World) => redis.loses('texts'), false],
  ['cannot be read', ({ redis }: World) => redis.spoils('texts:new-campaign'), true],
])('when what was typed %s any more, the page at hand loses nothing', async (_, happens, isLogged) => {
  const own = await begin();
  const work = await beginsCampaign(own.ann, { title: 'Forgotten' });
  await work.fills(texts('Still here.'));
  await happens(own);
  const first = await work.next(/Enter a title: workers see it first/);
  expect(own.log.some((line) => line.includes('stored draft unreadable'))).toBe(isLogged);
  await first.fill('Title', 'Again');
  await first.select('Category', 'Short survey');
  const rest = { 'Payment per task': '1', Positions: '1', 'Minutes to finish': '1' };
  const kept = await first.next(/What the worker does/, rest);
  expect(kept.fields).toContain('Still here.');
});

test('the shortcut opens the same form', async () => {
  await opens();
  await world.ann.shortcut('new_campaign');
  await world.ann.modal(/Positions per worker/);
});

test('while the categories cannot be read, their select says so, and offers them when it is opened again', async () => {
  const world = await begin();
  const fault = { match: { path: 'categories_list' }, kind: 'error', times: 0 } as const;
  await world.marketplace.fault({ ...fault, error: 'API ACCESS IP DENIED' });
  const form = await world.ann.enters('/campaign new', /Positions per worker/);
  const offered = async () => (await form.types('Category', '')).map(({ text }) => text.text);
  expect(await offered()).toEqual(['The marketplace gives no categories right now. Try again in a minute.']);
  await world.marketplace.clearFaults();
  expect(await offered()).toContain('Short survey');
});

test('a page without inputs that cannot be taken has the Connect button for who is not connected any more', async () => {
  const { ann, marketplace, redis } = await begin({
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined },
  });
  await (await connects(ann, 'employer-demo-key')).untilText(/You are connected/);
  const check = await previewsCampaign(ann);
  // As whoever disconnects, and as a restored copy of Redis that lacks the key.
  await redis.loses('api-keys');
  await check.clicks('Create', /You’re not connected .*Nothing is sent before/s);
  // The form stays as it is.
  const form = await check.opens('Connect', /Connect your account/);
  await form.next(/You are connected/, { 'API key': 'employer-demo-key' });
  expect(await marketplace.calls('new_campaign')).toEqual([]);
});

test('a page without inputs that cannot be taken names the id under which a fault of ours is logged', async () => {
  const { ann, log, redis } = await begin();
  const check = await previewsCampaign(ann);
  await redis.confuses('texts:new-campaign');
  await check.clicks('Create', /Something went wrong/);
  const id = /give Proofdesk’s operator this id: .?([0-9a-f]{8})/.exec(check.text)?.[1];
  expect(id).toBeDefined();
  expect(log.some((line) => line.includes(`"delivery":"${id}"`))).toBe(true);
  expect(check.text).toContain('Nothing is sent before');
});

test('what was begun is opened where it was left, until it is discarded', async () => {
  const work = await firstPage('Begun');
  await work.close({ all: true });
  const left = await world.ann.enters(
    '/campaign new',
    /^New campaign\nThis is your unfinished draft.*What the worker does/s,
  );
  const first = await left.opens('Back', /Positions per worker/);
  expect(first.fields).toContain('Begun');
  await first.close({ all: true });
  const again = await world.ann.enters('/campaign new', /unfinished draft/);
  await again.clicks('Discard', /The draft was discarded\. Start again with `\/campaign new`/);
  const fresh = await opens();
  expect(fresh.text).not.toContain('unfinished');
  expect(fresh.fields).not.toContain('Begun');
});
