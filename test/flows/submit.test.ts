import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { listen } from '../harness/ports.ts';
import { sharedWorld } from '../harness/worlds.ts';

const hostile = '<!channel> <@U01ANN> *bold* `code` ```pre``` & "quotes"';
const running = { ...shelf, campaign_id: '12e5', title: 'Photograph a tea shelf', zone: 'int' } as const;
const finished = { campaign_id: 'f1n15hed', title: 'Photograph a coffee shop', status: 'FINISHED' } as const;

/** Every further text of submit_file_proof, and a part of what people read. */
const refusals = [
  ['Account has been restricted from doing any jobs.', /does not let this worker do any tasks/],
  ['Worker must validate phone number before doing any jobs.', /confirm a phone number/],
  ['This job is currently not running.', /is not running/],
  ['Proof is required.', /proof is missing/],
  ['Targetted campaign cannot be accepted by this user.', /this worker cannot take it/],
  ["User's IP isn't in any of accepted countries.", /in none of the campaign’s countries/],
  ["User's country is in excluded countries list.", /excludes this worker’s country/],
  ["User's IP is not in accepted country.", /not in the accepted country/],
  ["Worker's success rate is to low.", /success rate is too low/],
  ['Worker already submitted this task.', /has already submitted this task/],
  ['Worker with same IP already submitted this task.', /A worker with the same IP address/],
  ['VCODE is incorrect.', /verification code/],
  ['IP address does not match.', /does not match the worker/],
  ['File format is not supported', /files of this type/],
  ['File has a virus', /found a virus/],
  ['File upload failure', /did not reach/],
  ['UNKNOWN WORKER', /does not know this worker/],
  ['NO SUCH CAMPAIGN', /does not know this campaign/],
  ['INPUT_DATA', /rejected what was sent/],
  ['SURPRISE & <!channel>', /The marketplace rejected this: SURPRISE & <!channel>/],
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

test('submitting for a worker hands in a proof with its file, byte for byte', async () => {
  const { form, worker } = await filled(`Line one\n${hostile}`);
  const file = await world.ann.uploads('Quittung – März.png', Buffer.from('bytes'), 'image/png');
  await form.attach('File', [file.id]);
  const done = await form.next(/for \*Photograph a tea shelf\* was submitted/);
  const [task] = await tasksOf(worker.worker_id);
  expect(task).toMatchObject({ campaign_id: '12e5', proof: [`Line one\n${hostile}`], ip: worker.ip });
  expect(task?.files).toMatchObject([
    { filename: 'Quittung – März.png', content_type: 'image/png', size: 5 },
  ]);
  expect(done.text).toContain(`\`${task?.task_id}\``);
  await world.ann.asks('/proofdesk audit', /submitted a proof for a worker.*Photograph a tea shelf/s);
});

test('submitting for a worker asks which campaign when none or several are meant, and says when there is none', async () => {
  const form = await opens('');
  expect((await form.submit({ 'Worker id': 'w1', 'IP address': '192.0.2.7', Proof: 'x' })).errors).toEqual({
    Campaign: expect.stringMatching(/required|Choose/),
  });
  expect((await form.types('Campaign', 'COFFEE')).map(({ text }) => text.text)).toEqual([finished.title]);
  await form.select('Campaign', finished.title);
  await form.next(
    /^Submit for a worker\n\*Nothing was submitted\.\* The marketplace does not know this worker/,
  );

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

test('every refusal is a sentence above the form, and what was typed stays', async () => {
  const { form: first, worker } = await filled(`Kept ${hostile}${'𝔘'.repeat(2_900)}`);
  let form = first;
  const file = await world.ann.uploads('a.txt', Buffer.from('x'));
  await form.attach('File', [file.id]);
  for (const [index, [error, sentence]] of refusals.entries()) {
    await world.marketplace.refuses('submit_file_proof', error);
    form = await form.next(sentence);
    expect(form.text).toMatch(/^Submit for a worker\n\*Nothing was submitted\.\*/);
    expect(form.text.includes('Attach the file again')).toBe(index === 0);
    for (const kept of [worker.worker_id, worker.ip, 'Kept <!channel>', running.title])
      expect(form.sent()).toContain(kept);
    // Slack empties it.
    await form.attach('File', []);
  }
  await form.next(/was submitted/);
  expect((await tasksOf(worker.worker_id))[0]?.files).toEqual([]);
});

test('a file that is too large, empty or not handed out is named at its input', async () => {
  const before = (await submissions()).length;
  const { form } = await filled('With a file');
  const attach = async (name: string, bytes: Buffer) =>
    form.attach('File', [(await world.ann.uploads(name, bytes)).id]);
  for (const [name, bytes, problem] of [
    ['huge.bin', Buffer.alloc(10 * 1024 * 1024 + 1), /“huge\.bin” has 10\.0 MB, and the limit is 10 MB/],
    ['none.txt', Buffer.alloc(0), /“none\.txt” is empty/],
  ] as const) {
    await attach(name, bytes);
    expect((await form.submit()).errors).toEqual({ File: expect.stringMatching(problem) });
  }
  await world.slack.fault({ match: { method: 'download' }, kind: '500' });
  await attach('lost.txt', Buffer.from('x'));
  const again = await form.next(/Slack did not deliver “lost\.txt”.*Attach the file again/s);
  expect((await submissions()).length).toBe(before);
  await again.next(/was submitted/);
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
  const outside = expect.stringMatching(/“shop\.png” is stored outside Slack/);
  expect((await form.submit()).errors).toEqual({ File: outside });
  expect(received).toEqual([]);
  expect((await submissions()).length).toBe(before);
});

test('when the answer is lost, the proof is not sent again, and the form says where to look', async () => {
  const { form, worker } = await filled('Lost answer');
  await world.marketplace.fault({ match: { path: 'submit_file_proof' }, kind: 'drop-after' });
  await form.next(/no clear answer.*not sent again.*`\/campaign results 12e5`.*```Lost answer```/s);
  await world.settled();
  expect(await tasksOf(worker.worker_id)).toHaveLength(1);
  await world.ann.asks('/proofdesk audit', /tried to submit a proof.*outcome unknown/s);
});

test('a form is closed while it is sent: a refusal is told privately, with the proof that was typed', async () => {
  const { form, worker } = await filled('Closed');
  const held = { match: { path: 'submit_file_proof' }, kind: 'latency', delayMs: 12_000 } as const;
  const latency = await world.marketplace.fault(held);
  await world.marketplace.refuses('submit_file_proof', 'VCODE is incorrect.');
  await form.submit();
  await form.close({ all: true });
  await world.marketplace.clearFaults(latency);
  const told = await world.ann.sees(place, /was not submitted.*verification code.*Closed/s);
  expect(told.ephemeral).toBe(true);
  expect(await tasksOf(worker.worker_id)).toEqual([]);
});
