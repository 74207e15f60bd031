import { afterEach, describe, expect, test } from 'vitest';
import type { Person } from '../harness/slack.ts';
import { startWorld, type World, type WorldOptions } from '../harness/world.ts';

const key = 'employer-demo-key';
const newKey = 'employer-new-key';
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const menu = { campaign_id: 'c0ffee02', title: 'Type a menu', status: 'RUNNING' } as const;
const other = {
  campaign_id: 'c0ffee09',
  title: 'Translate a page',
  status: 'RUNNING',
  key: 'other-employer-demo-key',
} as const;
const place = 'C01REVIEW';

let world: World;
afterEach(() => world?.close());

/** A workspace whose environment has no key. */
async function startWithoutKey(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({
    scenario: { campaigns: [shelf, menu, other] },
    ...options,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined, ...options.env },
  });
  return world;
}

async function startWithKey(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({ scenario: { campaigns: [shelf, menu, other] }, ...options });
  return world;
}

/** Types a key into the modal of `/proofdesk connect`. */
async function connects(person: Person, typed: string) {
  await person.types(place, '/proofdesk connect');
  const modal = await person.modal(/Connect your account/);
  await modal.fill('API key', typed);
  await modal.submit();
  return modal;
}

const submit = (proof: string) =>
  world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] }).then(([id = '']) => id);

const cardsOf = async (proof: RegExp) =>
  (await world.ann.reads(place)).filter(({ text, ephemeral }) => !ephemeral && proof.test(text));

/** How often the marketplace has applied a rating of a task. */
const timesRated = async (task: string) =>
  (await world.marketplace.requests()).filter(
    ({ path, applied, form }) => applied && path.includes('rate_task') && JSON.stringify(form).includes(task),
  ).length;

/** The employer creates another key and revokes the former one. */
async function replaceKey(): Promise<void> {
  await world.marketplace.addKey(newKey);
  await world.marketplace.revokeKey(key);
}

/** Restarts the bot with another key in its environment. */
async function restartWith(apiKey: string): Promise<void> {
  await world.stopBots();
  world.environment.MARKETPLACE_API_KEY = apiKey;
  await world.startBot();
}

/** One card that waits for a decision, and one whose decision waits for a key that works. */
async function oneOpenOneHeld() {
  const open = await submit('the first shelf');
  const card = await world.ann.sees(place, /the first shelf/);
  const held = await submit('the second shelf');
  const decided = await world.ann.sees(place, /the second shelf/);
  await replaceKey();
  await world.ann.clicks(decided, 'OK');
  await decided.untilText(/not sent yet/);
  return { open, card, held, decided };
}

/** Each task has one card, the decision that waited was sent once, and work goes on as before. */
async function expectSameAccount({ open, card, held, decided }: Awaited<ReturnType<typeof oneOpenOneHeld>>) {
  await decided.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(held)).toBe(1);
  await submit('the third shelf');
  await world.ann.sees(place, /the third shelf/);
  await world.ann.clicks(card, 'OK');
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(open)).toBe(1);
  await world.settled();
  expect(await cardsOf(/the third shelf/)).toHaveLength(1);
  expect(await cardsOf(/Photo of a shelf.*Worker/s)).toHaveLength(3);
}

describe('a replaced key', () => {
  test('of the same account, connected by a member and confirmed, continues the account', async () => {
    const { ann } = await startWithoutKey();
    const modal = await connects(ann, key);
    await modal.untilText(
      /You are connected\. The account has 2 campaigns: .*Photo of a shelf.*Nobody else here uses it/s,
    );
    await ann.types(place, '/proofdesk subscribe');
    await ann.sees(place, /are posted in this channel from now on/);
    const tasks = await oneOpenOneHeld();
    await connects(ann, newKey);
    const question = await ann.modal(/This key sees the same campaigns as the account/);
    expect(question.text).toMatch(/#review/);
    await question.clicks('Use as its new key');
    await question.untilText(/You are connected/);
    await expectSameAccount(tasks);
  });

  test('of the same account in the environment continues the account, and says so in the channel', async () => {
    const { ann } = await startWithKey();
    const tasks = await oneOpenOneHeld();
    await restartWith(newKey);
    await ann.sees(place, /MARKETPLACE_API_KEY is a new key of the same account/);
    await expectSameAccount(tasks);
  });
});
