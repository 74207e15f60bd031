import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountId, WorkspaceId } from '../../src/domain/terms.ts';
import { encodeCardBlock } from '../../src/slack/card-block.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { asId } from '../harness/ids.ts';
import type { Person, Seen } from '../harness/slack.ts';
import type { SeenView } from '../harness/slack-modal.ts';
import { startWorld, type World } from '../harness/world.ts';

const otherKey = 'other-employer-demo-key';
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const page = {
  campaign_id: 'c0ffee09',
  title: 'Translate a page',
  status: 'RUNNING',
  key: otherKey,
} as const;
const [review, inbox] = ['C01REVIEW', 'C02INBOX'];
const text = 'The second chapter is about a lighthouse <!channel> whose keeper counts ships.';
const hidden = /Also in|Translate a page/;

describe('what tasks of two accounts have in common', () => {
  let world: World;
  let ann: Person;
  let ben: Person;
  let here: Seen;
  let there: Seen;
  let taskThere: string;

  /** Ben has the key of another account, and gets its cards; he may see the shared one like everybody in the workspace. */
  beforeAll(async () => {
    world = await startWorld({
      scenario: { campaigns: [shelf, page] },
      env: { ACCOUNT_OWNERS: 'U01ANN' },
    });
    ({ ann, ben } = world);
    await ben.types(inbox, '/proofdesk connect');
    const connect = await ben.modal(/Connect your account/);
    await connect.fill('API key', otherKey);
    await connect.submit();
    await connect.untilText(/You are connected/);
    await ben.types(inbox, '/proofdesk subscribe');
    await ben.sees(inbox, /are posted in this channel/);
    const workers = (await world.marketplace.state()).workers.map(({ worker_id }) => worker_id);
    const submit = async (campaign_id: string, worker: number) =>
      world.marketplace.submit({ campaign_id, worker_id: workers[worker] ?? '', proof: [text] });
    [taskThere = ''] = await submit(page.campaign_id, 1);
    there = await ben.sees(inbox, /lighthouse/);
    await submit(shelf.campaign_id, 2);
    here = await ann.sees(review, /lighthouse/);
  });
  afterAll(() => world?.close());

  async function looks(person: Person, card: Seen): Promise<SeenView> {
    await person.chooses(card, 'task.more', 'More…');
    await (await person.modal(/More for this task/)).clicks('Look alike…');
    return person.modal(/Nothing in common with other tasks of this account/);
  }

  test('is on no card', async () => {
    for (const card of [here, there]) expect((await card.refresh()).text).not.toMatch(/text as|Also in/);
  });

  test('is shown in a private modal to somebody who may see both, from either side', async () => {
    const fromHere = await looks(ben, here);
    await fromHere.untilText(/Also in the account of @Ben Okafor: 1 task/);
    expect(fromHere.text).toContain('Translate a page');
    expect(fromHere.text).toMatch(/Same text as 1 task/);
    // What a worker of the other account wrote pings nobody here.
    expect(JSON.stringify(await ben.modals())).not.toContain('<!channel>');
    await fromHere.close();
    const fromThere = await looks(ben, there);
    await fromThere.untilText(/Also in the workspace’s account: 1 task/);
    expect(fromThere.text).toContain('Photo of a shelf');
    await fromThere.close();
  });

  test('is not shown, nor that there is another account, to somebody who may see only one', async () => {
    const modal = await looks(ann, here);
    // What was under way is done: what is not there now never comes.
    await world.settled();
    expect((await modal.refresh()).text).not.toMatch(hidden);
    expect(JSON.stringify(await ann.modals())).not.toMatch(hidden);
    await modal.close();
  });

  test('is not opened by a forged click on the other account’s task either', async () => {
    const account = accountIdOf(asId<WorkspaceId>('T0SANDBOX'), otherKey);
    const shown = JSON.stringify(await ann.reads(review));
    for (const [of, task] of [
      [account, taskThere],
      [asId<AccountId>('0123456789abcdef'), taskThere],
    ] as const)
      await ann.clicksStale(
        here,
        'evidence.open',
        task,
        encodeCardBlock({ account: of, round: 1 }, 'evidence'),
      );
    // The task of the other account under the account that she may see.
    const own = accountIdOf(asId<WorkspaceId>('T0SANDBOX'), 'employer-demo-key');
    await ann.clicksStale(
      here,
      'evidence.open',
      taskThere,
      encodeCardBlock({ account: own, round: 1 }, 'evidence'),
    );
    await world.settled();
    expect(shown).not.toMatch(hidden);
    expect(JSON.stringify([await ann.modals(), await ann.reads(review)])).not.toMatch(hidden);
  });

  test('is no more shown as soon as the right is gone: it is checked when the modal is opened', async () => {
    await ben.types(inbox, '/proofdesk disconnect');
    await ben.sees(inbox, /disconnected|no longer|deleted/i);
    const modal = await looks(ben, here);
    await world.settled();
    expect((await modal.refresh()).text).not.toMatch(hidden);
  });
});
