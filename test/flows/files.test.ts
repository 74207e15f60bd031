import { expect, test } from 'vitest';
import { opensFromDetails, place, proofFile, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const bytes = Buffer.from('%PDF-1.4 of <!channel>\n');
const files = [
  proofFile('Étagère & <!channel> 棚.pdf', bytes),
  proofFile('shelf.png'),
  { ...proofFile('broken.txt', bytes), broken: true },
  proofFile('empty.txt', ''),
];

const world = sharedWorld({ scenario: { campaigns: [shelf] } });

const cardWith = (proof: string, given = files) => world.card(proof, { files: given });

test('proof files that the marketplace reports a problem with are marked on the card, which nobody’s text can abuse', async () => {
  const status = 'VIRUS FOUND <!channel>';
  const card = await world.card('a proof with a bad file', {
    files: files.slice(0, 1),
    file_proof_status: status,
  });
  expect(card.text).toContain(
    `Marketplace warning about the files: “${status}”. Check them before you rate.`,
  );
  expect(card.pings).not.toContain('@channel');
  expect((await cardWith('a proof with good files')).text).not.toContain('The marketplace says');
});

test('proof files that are in the thread already can be opened as often as a member likes', async () => {
  const many = Array.from({ length: 10 }, (_, n) => proofFile(`page ${n}.txt`, bytes));
  const tooMany = /You have fetched many files/;
  const opened = await cardWith('ten pages', many);
  for (let n = 0; n < 9; n += 1) {
    await world.slack.clearRequests();
    await world.chloe.clicks(opened, 'Files…');
    // The modal is drawn again after each file, so it was gone through to the end, or to where it was refused.
    await eventually('all files to be gone through', async () => {
      const drawn = (await world.slack.requests()).filter(({ method }) => method === 'views.update');
      const seen = await world.chloe.reads(place);
      return drawn.length > many.length || seen.some(({ text }) => tooMany.test(text));
    });
  }
  expect((await world.chloe.reads(place)).filter(({ text }) => tooMany.test(text))).toEqual([]);
  await world.chloe.closesAll();
});

test('proof files are fetched into the thread of the card, with their own names, once however often they are asked for', async () => {
  const card = await cardWith('first proof');
  const modal = await opensFromDetails(world.ann, card, 'Files…', /Files of this task/);
  expect(modal.text).toContain('Étagère & <!channel> 棚.pdf (23 bytes)');
  const bens = await opensFromDetails(world.ben, card, 'Files…', /Files of this task/);

  await Promise.all([modal.clicks('Post in thread'), bens.clicks('Post in thread')]);
  await modal.untilText(/In the card’s thread, posted by/);
  const [reply, ...more] = await card.thread();
  expect(more).toEqual([]);
  expect(reply?.files.map(({ name, size }) => ({ name, size }))).toEqual([
    { name: 'Étagère & <!channel> 棚.pdf', size: bytes.length },
  ]);
  expect(reply?.raw.text).toContain('Proof file 1 of 4');
  expect(reply?.raw.text).not.toContain('<!channel>');
  const stored = await fetch(`${world.slackUrl}/_sandbox/files/${reply?.files[0]?.id}`);
  const received = Buffer.from(await stored.arrayBuffer());
  expect(received).toEqual(bytes);

  // An image, which Slack previews.
  await modal.clicks('Post in thread');
  await modal.until(({ text }) => text.match(/In the card’s thread/g)?.length === 2);
  expect((await card.thread()).at(-1)?.files[0]?.mimetype).toBe('image/png');
});

test('proof files of a type that says nothing are shown if they begin like a picture, and else listed', async () => {
  const content_type = 'application/octet-stream';
  await world.slack.clearRequests();
  const card = await cardWith('a vague proof', [
    { ...proofFile('some.pdf', bytes), content_type },
    { ...proofFile('some.png'), content_type },
  ]);
  expect(card.pictures).toHaveLength(1);
  expect(card.pictures.join()).toContain('Proof file 2: some.png');
  expect(card.text).toContain('some.pdf');
  expect(await world.slack.requests({ method: 'files.getUploadURLExternal' })).toHaveLength(1);
  expect(card.buttons).toContain('1 picture, 1 file…');
});

test('proof files that cannot be had are told with why, and can be tried again', async () => {
  const card = await cardWith('second proof', files.slice(2));
  const modal = await opensFromDetails(world.ann, card, 'Files…', /Files of this task/);
  await modal.clicks('Post in thread', /could not send this file/);
  expect(modal.buttons).toContain('Try again');
  await modal.clicks('Post in thread', /This file is empty/);

  await world.marketplace.refuses('download_file_proof', 'NO FILE PROOF');
  await modal.clicks('Try again', /has no such file for this task/);
  expect(await card.thread()).toEqual([]);
});

test('proof files that Slack does not take, or of which nobody knows, are told so', async () => {
  const card = await cardWith('third proof', files.slice(0, 1));
  await world.slack.refuses('files.getUploadURLExternal', 'storage_limit_reached');
  const modal = await opensFromDetails(world.ann, card, 'Files…', /Files of this task/);
  await modal.clicks(
    'Post in thread',
    /Slack rejected the file \(`storage_limit_reached`\)\. Open it on the website/,
  );
  await world.slack.refuses('files.getUploadURLExternal', 'file_type_blocked');
  await modal.clicks('Try again', /Slack rejected the file \(`file_type_blocked`\)/);
  await world.slack.fault({ match: { method: 'upload' }, kind: '500' });
  await modal.clicks('Try again', /did not reach Slack, so it was not posted/);
  await world.slack.fault({ match: { method: 'files.completeUploadExternal' }, kind: 'drop-before' });
  await modal.clicks('Try again', /Slack gave no answer/);
  await modal.clicks('Try again', /In the card’s thread/);
  expect(await card.thread()).toHaveLength(1);
});

test('proof files of a rated task can still be fetched', async () => {
  const card = await cardWith('fourth proof', files.slice(0, 1));
  await world.ann.clicks(card, 'OK', /OK\* by/);
  await world.ann.picks(card, 'Files…', /Files of this task/);
});

test('proof files are listed when they are asked for, if the marketplace did not tell of them before', async () => {
  await world.marketplace.refuses('get_task_info', 'NO SUCH TASK');
  const card = await cardWith('sixth proof', files.slice(1, 2));
  expect(card.text).not.toContain('shelf.png');
  await world.marketplace.refuses('get_task_info', 'SYSTEM ERROR');
  await world.ann.opens(card, 'Files…', /had a system error/);
  const modal = await world.ann.opens(card, 'Files…', /shelf\.png \(70 bytes\)/);
  await modal.clicks('Post in thread', /In the card’s thread/);
  expect((await card.thread()).at(-1)?.files.map(({ name }) => name)).toEqual(['shelf.png']);
});

test('proof files that were asked for in a window that is closed by now are no failure; why they cannot be had is still told', async () => {
  const asks = { match: { path: 'get_task_info' } } as const;
  await world.marketplace.fault({ ...asks, kind: 'error', error: 'NO SUCH TASK' });
  const card = await cardWith('seventh proof', files.slice(1, 2));
  expect(card.text).not.toContain('shelf.png');

  // In this order, since a fault that only delays lets others follow.
  const latency = await world.marketplace.fault({ ...asks, kind: 'latency', delayMs: 12_000 });
  await world.marketplace.fault({ ...asks, kind: 'error', error: 'NO FILE PROOF' });
  await (await world.ann.opens(card, 'Files…', /Loading the list of files/)).close();
  await world.marketplace.clearFaults(latency);
  const told = await world.ann.sees(place, /has no such file for this task/);
  expect(told.ephemeral).toBe(true);

  await world.slack.clearRequests();
  await world.marketplace.fault({ ...asks, kind: 'latency', delayMs: 12_000 });
  await (await world.ann.opens(card, 'Files…', /Loading the list of files/)).close();
  await world.marketplace.clearFaults();
  await world.slack.request(({ method, error }) => method === 'views.update' && error === 'not_found');
  await world.settled();
  expect((await world.ann.reads(place)).map(({ text }) => text).join()).not.toContain('went wrong');
});

test('proof files are not for somebody who may not see the account', async () => {
  const card = await world.ann.sees(place, /second proof/);
  const ofAnother = (hidden: string) => hidden.replace(/[0-9a-f]{16}/, '0123456789abcdef');
  await world.ben.forgesClick(card, 'Files…', { change: ofAnother });
  await world.ben.sees(place, /not connected/);
});
