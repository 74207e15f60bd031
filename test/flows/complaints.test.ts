import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import type { Person, Seen } from '../harness/slack.ts';
import type { SeenView } from '../harness/slack-modal.ts';
import { storedTask } from '../harness/stored-task.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photograph the tea shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const ref = {
  workspace: asId<WorkspaceId>('T0SANDBOX'),
  account: accountIdOf(asId('T0SANDBOX'), 'employer-demo-key'),
};

let world: World;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    env: {
      UNDO_SECONDS: '0',
      ACCOUNT_OWNERS: 'U01ANN',
      INBOX_CHANNEL: place,
      MARKETPLACE_CORRECTION_URL: 'https://marketplace.test/tasks/{task}?in={campaign}',
    },
  });
  ({ ann, ben } = world);
});
afterAll(() => world?.close());

/** A task that Ann has refused, and its card. */
async function refused(proof: string, index: number): Promise<{ task: string; card: Seen; name: string }> {
  const { workers } = await world.marketplace.state();
  const { worker_id: worker, username: name } = workers[index] ?? { worker_id: '', username: '' };
  const [task = ''] = await world.marketplace.submit({
    campaign_id: shelf.campaign_id,
    worker_id: worker,
    proof: [proof],
  });
  const card = await ann.sees(place, new RegExp(proof));
  await ann.clicks(card, 'NOK');
  const why = await ann.modal(/Refuse this task/);
  await why.fill('Why is it refused?', `too dark: ${proof}`);
  await why.submit();
  await card.untilText(/NOK\* by/);
  return { task, card, name };
}

/** The task is rated at the marketplace, and the bot knows: then it can be complained about. */
async function isRated(task: string): Promise<void> {
  await eventually('the rating is stored', async () => {
    const record = await storedTask(world.redis.url, task);
    return record?.includes('"rating":"NOK"') ? true : undefined;
  });
}

async function looks(form: SeenView, outcome: string, reason: string) {
  await form.fill('What did you find?', outcome);
  await form.fill('Why?', reason);
  return form.submit();
}

test('a subject that names a task links its card, and another reviewer looks again, once', async () => {
  const { task, card } = await refused('the shelf at dusk', 1);
  await isRated(task);
  await world.marketplace.write({
    subject: `My task ${task} <!channel> was refused`,
    message: 'Look again.',
  });
  const message = await ann.sees(place, /was refused[\s\S]*About \*Photograph the tea shelf/);
  expect(JSON.stringify(message.blocks)).toContain('Open its card');
  expect(JSON.stringify(message.blocks)).toContain(card.ts.replace('.', ''));
  expect(JSON.stringify(message.blocks)).not.toContain('<!channel>');

  await ann.clicks(message, 'Look again');
  await ann.sees(place, /You decided on this task yourself/);
  await ben.clicks(message, 'Look again');
  const form = await ben.modal(/What did you find\?/);
  expect(form.text).toMatch(/the shelf at dusk[\s\S]*too dark: the shelf at dusk/);
  expect((await looks(form, 'The rating is wrong', ' ')).errors).toEqual({
    'Why?': 'Say why, in a few words.',
  });
  await looks(form, 'The rating is wrong', 'it can be read well');
  const done = await ben.modal(/Recorded: the rating is wrong/);
  expect(done.text).toMatch(/can neither change a rating nor answer/);
  expect(JSON.stringify(await ben.modals())).toContain(
    `https://marketplace.test/tasks/${task}?in=${shelf.campaign_id}`,
  );
  await message.untilText(/Looked at again by @Ben Okafor: the rating is wrong/);
  expect(message.buttons).not.toContain('Look again');

  const redis = new Redis(world.redis.url);
  const entry = await eventually('the entry', async () => {
    for await (const line of createAudit(redis).lines(ref)) if (line.what === 'look again') return line;
    return undefined;
  }).finally(() => redis.disconnect());
  expect(entry).toMatchObject({
    by: 'U02BEN',
    member: 'U01ANN',
    task,
    campaign: shelf.campaign_id,
    after: 'rating is wrong',
    comment: 'it can be read well',
  });
  // Nothing changes at the marketplace.
  expect((await world.marketplace.task(task)).task_rating).toBe('NOK');
});

test('of what only the text names, nothing is known before a person opens the message; two at once look once', async () => {
  const { task, name } = await refused('the shelf at noon', 2);
  await isRated(task);
  await world.marketplace.write({
    subject: 'A question',
    message: `Refused in “${shelf.title}”. I am ${name}, please help.`,
  });
  const message = await ben.sees(place, /A question/);
  expect(message.text).not.toContain('About');
  await ben.clicks(message, 'Read');
  const read = await ben.modal(/please help/);
  expect(read.text).toMatch(/About \*Photograph the tea shelf[\s\S]*NOK by @Ann Reyes/);
  await message.untilText(/About \*Photograph the tea shelf/);

  const chloe = world.slack.person('U03CHLOE');
  await ben.clicks(message, 'Look again');
  const first = await ben.modal(/What did you find\?/);
  await chloe.clicks(message, 'Look again');
  const second = await chloe.modal(/What did you find\?/);
  await looks(first, 'The rating is right', 'no label can be read');
  await ben.modal(/Recorded: the rating is right/);
  await looks(second, 'The rating is wrong', 'I can read it');
  await chloe.modal(/@Ben Okafor has looked at this task again already: the rating is right/);
  await message.untilText(/Looked at again by @Ben Okafor: the rating is right/);
});

test('a message that names nothing is as before; one that names a campaign says which', async () => {
  await world.marketplace.write({ subject: 'May I do this twice?' });
  const plain = await ann.sees(place, /May I do this twice/);
  expect(plain.buttons).toEqual(['Read', 'Move to the trash']);
  await world.marketplace.write({ subject: `When does ${shelf.title} end?` });
  await ann.sees(place, /About the campaign \*Photograph the tea shelf/);
});
