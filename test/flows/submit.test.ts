import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { listen } from '../harness/ports.ts';
import { sharedWorld } from '../harness/worlds.ts';

const hostile = '<!channel> <@U01ANN> *bold* `code` ```pre``` & "quotes"';
const running = { ...shelf, campaign_id: '12e5', title: 'Photograph a tea shelf', zone: 'int' } as const;
const finished = { campaign_id: 'f1n15hed', title: 'Photograph a coffee shop', status: 'FINISHED' } as const;

/** Every further text of submit_file_proof, the input it speaks of, and a part of what people read. */
const refusals = [
  ['Account has been restricted from doing any jobs.', 'Worker id', /does not let this worker do any tasks/],
  ['Worker must validate phone number before doing any jobs.', 'Worker id', /confirm a phone number/],
  ['This job is currently not running.', 'Campaign', /is not running/],
  ['Proof is required.', 'Proof', /proof is missing/],
  ['Targetted campaign cannot be accepted by this user.', 'Worker id', /this worker cannot take it/],
  ["User's IP isn't in any of accepted countries.", 'IP address', /in none of the campaign’s countries/],
  ["User's country is in excluded countries list.", 'Worker id', /excludes this worker’s country/],
  ["User's IP is not in accepted country.", 'IP address', /not in the accepted country/],
  ["Worker's success rate is to low.", 'Worker id', /success rate is too low/],
  ['Worker already submitted this task.', 'Worker id', /has already submitted this task/],
  ['Worker with same IP already submitted this task.', 'IP address', /A worker with the same IP address/],
  ['VCODE is incorrect.', 'Proof', /verification code/],
  ['IP address does not match.', 'IP address', /does not match the worker/],
  ['File format is not supported', 'File: replace it', /files of this type/],
  ['File has a virus', 'File: replace it', /found a virus/],
  ['File upload failure', 'File: replace it', /did not reach/],
  ['UNKNOWN WORKER', 'Worker id', /does not know this worker/],
  ['NO SUCH CAMPAIGN', 'Campaign', /does not know this campaign/],
] as const;

const world = sharedWorld({ transport: 'http', scenario: { seed: false, campaigns: [running, finished] } });

const submissions = () => world.marketplace.calls('submit_file_proof');
const tasksOf = async (worker: string) =>
  (await world.marketplace.state()).tasks.filter(({ worker_id }) => worker_id === worker);

const opens = (text = '12e5') => world.ann.enters(`/campaign submit ${text}`, /Worker id/);
async function filled(proof: string) {
  const worker = await world.freshWorker();
  const form = await opens();
  await form.fills({ 'Worker id': worker.worker_id, 'IP address': worker.ip, Proof: proof });
  return { form, worker };
}

test('submitting for a worker hands in a proof with its file, byte for byte, then offers another', async () => {
  const { form, worker } = await filled(`Line one\n${hostile}`);
  const file = await world.ann.uploads('Quittung – März.png', Buffer.from('bytes'), 'image/png');
  await form.attach('File', [file.id]);
  const done = await form.next(/was submitted for \*Photograph a tea shelf\*/);
  const [task] = await tasksOf(worker.worker_id);
  expect(task).toMatchObject({ campaign_id: '12e5', proof: [`Line one\n${hostile}`], ip: worker.ip });
  expect(task?.files).toMatchObject([
    { filename: 'Quittung – März.png', content_type: 'image/png', size: 5 },
  ]);
  expect(done.text).toContain(`\`${task?.task_id}\``);
  const next = await done.opens('Submit another', /Worker id/);
  expect(next.fields).not.toContain(worker.worker_id);
  expect(next.field('Campaign')).toBe('Photograph a tea shelf');
  await world.ann.asks('/proofdesk audit', /submitted a proof for a worker.*Photograph a tea shelf/s);
});

test('submitting for a worker asks which campaign when none or several are meant, and says when there is none', async () => {
  const form = await opens('');
  expect((await form.submit({ 'Worker id': 'w1', 'IP address': '192.0.2.7', Proof: 'x' })).errors).toEqual({
    Campaign: expect.stringMatching(/required|Choose/),
  });
  expect((await form.types('Campaign', 'COFFEE')).map(({ text }) => text.text)).toEqual([finished.title]);
  await form.select('Campaign', finished.title);
  await form.next(/Check this\.\* The marketplace does not know this worker/);

  const several = await opens('photograph');
  expect(several.text).toContain('2 campaigns have “photograph” in their titles');

  const none = await world.ann.asks(
    `/campaign submit nothing ${hostile}`,
    /Your account has no campaign with the id “nothing/,
  );
  expect(none.ephemeral).toBe(true);
});

test('submitting for a worker names what is wrong beside its input, and sends nothing', async () => {
  const before = (await submissions()).length;
  const form = await opens();
  await form.fills({ 'Worker id': '  ', Proof: '  ' });
  for (const ip of ['300.1.1.1', 'localhost', '1.2.3', '1.2.3.4/8', hostile, '1'.repeat(3_000)]) {
    expect((await form.submit({ 'IP address': ip })).errors).toEqual({
      'Worker id': 'Enter the id of the worker.',
      'IP address': 'Enter an IP address, such as 192.0.2.7.',
      Proof: 'Enter the proof.',
    });
  }
  expect((await submissions()).length).toBe(before);
});

test('every refusal is a sentence at its input, and what was typed stays', async () => {
  const { form: first, worker } = await filled(`Kept ${hostile}${'𝔘'.repeat(2_900)}`);
  let form = first;
  const file = await world.ann.uploads('a.txt', Buffer.from('x'));
  await form.attach('File', [file.id]);
  for (const [error, input, sentence] of refusals) {
    await world.marketplace.refuses('submit_file_proof', error);
    form = await form.next(sentence);
    // Below the input, and what helps to fill it in.
    const lines = form.text.split('\n');
    const at = lines.findIndex((line) => line.startsWith(input));
    expect(lines.slice(at + 1, at + 3).join('\n')).toMatch(sentence);
    expect(form.fields).toContain(worker.worker_id);
    expect(form.fields).toContain('Kept <!channel>');
    expect(form.text).toContain('File: *a.txt* (1 byte)');
  }
  for (const [error, sentence] of [
    ['INPUT_DATA', /rejected what was sent/],
    ['SURPRISE & <!channel>', /The marketplace rejected this: SURPRISE & <!channel>/],
  ] as const) {
    await world.marketplace.refuses('submit_file_proof', error);
    form = await form.next(sentence);
    expect(form.text).toMatch(/^Submit for a worker\n\*Nothing was submitted\.\*/);
  }
  await form.clicks('Remove');
  await form.until(({ text }) => !text.includes('a.txt'));
  await form.next(/was submitted for/);
  expect((await tasksOf(worker.worker_id))[0]?.files).toEqual([]);
});

test('a file that is too large, empty or not handed out is named at its input', async () => {
  const before = (await submissions()).length;
  let { form } = await filled('With a file');
  for (const [name, bytes, problem] of [
    ['huge.bin', Buffer.alloc(10 * 1024 * 1024 + 1), /“huge\.bin” has 10\.0 MB, and the limit is 10 MB/],
    ['none.txt', Buffer.alloc(0), /“none\.txt” is empty/],
    ['lost.txt', Buffer.from('x'), /Slack did not deliver “lost\.txt”/],
  ] as const) {
    if (name === 'lost.txt') await world.slack.fault({ match: { method: 'download' }, kind: '500' });
    const file = await world.ann.uploads(name, bytes);
    await form.attach('File', [file.id]);
    form = await form.next(problem);
  }
  expect((await submissions()).length).toBe(before);
  await form.next(/was submitted for/);
});

test('a file that is attached is refused where it is stored outside Slack, and its host is asked nothing', async () => {
  const received: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    received.push(request.headers.authorization);
    response.end('a file');
  });
  const address = `${await listen(elsewhere)}/files/shop.png`;
  onTestFinished(() => void elsewhere.close());
  const before = (await submissions()).length;
  const { form } = await filled('the shop');
  const file = await world.ann.uploads('shop.png', Buffer.from('x'), 'image/png', address);
  await form.attach('File', [file.id]);
  await form.next(/“shop\.png” is stored outside Slack/);
  expect(received).toEqual([]);
  expect((await submissions()).length).toBe(before);
});

test('a file that is attached when another one is removed takes its place', async () => {
  const { form: first, worker } = await filled('Replaced');
  const [old, next] = [
    await world.ann.uploads('old.txt', Buffer.from('x')),
    await world.ann.uploads('next.txt', Buffer.from('y')),
  ];
  await first.attach('File', [old.id]);
  await world.marketplace.refuses('submit_file_proof', 'VCODE is incorrect.');
  const form = await first.next(/File: \*old\.txt\*/);
  await form.attach('File: replace it', [next.id]);
  await form.clicks('Remove', /File: \*next\.txt\*/);
  await form.next(/was submitted for/);
  expect((await tasksOf(worker.worker_id))[0]?.files).toMatchObject([{ filename: 'next.txt' }]);
});

test('when the answer is lost, the form looks for the task and never sends it again', async () => {
  const { form, worker } = await filled('Lost answer');
  await world.marketplace.fault({ match: { path: 'submit_file_proof' }, kind: 'drop-after' });
  await form.next(/no clear answer.*most likely submitted/s);
  const tasks = await tasksOf(worker.worker_id);
  expect(tasks).toHaveLength(1);
  expect(form.text).toContain(`\`${tasks[0]?.task_id}\``);
});

test('when a proof did not arrive, the form says so, looks again on request, and sends again only on purpose', async () => {
  const { form, worker } = await filled('Never arrived');
  const before = (await submissions()).length;
  await world.marketplace.refuses('submit_file_proof', 'SYSTEM ERROR');
  const unsure = await form.next(/show no such task/);
  await world.marketplace.fault({ match: { path: 'results_csv' }, kind: 'garbage', times: 0 });
  await unsure.clicks('Check again', /can’t be read right now/);
  expect((await submissions()).length).toBe(before + 1);
  const again = await unsure.opens('Back to the form', /This was sent before/);
  await again.next(/was submitted for/);
  expect(await tasksOf(worker.worker_id)).toHaveLength(1);
});

test('a proof without an answer whose draft is not kept any more is not said to be unsent', async () => {
  const { form, worker } = await filled('Forgotten');
  await world.marketplace.fault({ match: { path: 'submit_file_proof' }, kind: 'drop-after' });
  const sent = await form.next(/most likely submitted/);
  await world.redis.loses('texts');
  await sent.clicks('Check again', /no longer available.*`\/campaign submit`/);
  expect(sent.text).not.toContain('Nothing was submitted');
  expect(await tasksOf(worker.worker_id)).toHaveLength(1);
});

test('what was begun is offered until it is discarded', async () => {
  const { form, worker } = await filled('Discarded');
  await world.marketplace.refuses('submit_file_proof', 'VCODE is incorrect.');
  await form.next(/verification code/);
  const next = await opens();
  expect(next.text).toContain(`unfinished draft: the proof of worker \`${worker.worker_id}\``);
  await next.fill('Worker id', 'typed anew');
  await next.clicks('Discard');
  await next.until(({ text }) => !text.includes('unfinished draft'));
  expect(next.fields).toContain('typed anew');
  await next.fill('Worker id', '');
  await next.close({ all: true });
  expect(await tasksOf(worker.worker_id)).toEqual([]);
});

test('a form is closed while it is sent: the end is told privately, and the form can be opened as it was', async () => {
  const { form, worker } = await filled('Closed');
  const held = { match: { path: 'submit_file_proof' }, kind: 'latency', delayMs: 12_000 } as const;
  const latency = await world.marketplace.fault(held);
  await world.marketplace.refuses('submit_file_proof', 'VCODE is incorrect.');
  await form.submit();
  await form.close({ all: true });
  await world.marketplace.clearFaults(latency);
  const told = await world.ann.sees(place, /was not submitted.*verification code/s);
  expect(told.ephemeral).toBe(true);
  const again = await world.ann.opens(told, 'Open the form', /verification code/);
  await again.next(/was submitted for/);
  expect(await tasksOf(worker.worker_id)).toHaveLength(1);
});
