import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SecondLookOutcome } from '../../src/domain/second-look/outcome.ts';
import type { Verdict } from '../../src/domain/terms.ts';
import { accountKey } from '../../src/store/keys.ts';
import { secondLookOutcomeCodec } from '../../src/store/second-looks.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { sandboxAccount } from '../harness/sandbox-account.ts';
import { startWorld, type World } from '../harness/world.ts';

const menus = { campaign_id: 'c0ffee02', title: 'Compare two menus', status: 'RUNNING' } as const;
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const monthMs = 30 * 86_400_000;

describe('figures of second looks', () => {
  let world: World;
  let redis: Redis;
  let given = 0;
  beforeAll(async () => {
    world = await startWorld({ scenario: { campaigns: [menus, shelf] }, env: { ACCOUNT_OWNERS: 'U01ANN' } });
    redis = new Redis(world.redis.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await world?.close();
  });

  /** A task comes in, and what came of a second look at it is stored, as a rating does it. */
  async function looked(
    campaign: string,
    proof: string,
    [first, second]: readonly [Verdict, Verdict],
  ): Promise<void> {
    const [task = ''] = await world.marketplace.submit({ campaign_id: campaign, proof: [proof] });
    await world.ann.sees(place, new RegExp(proof));
    given += 1;
    const at = Date.now();
    const outcome: SecondLookOutcome = {
      task: asId(task),
      campaign: asId(campaign),
      at,
      why: 'share',
      first: { member: asId('U02BEN'), verdict: first },
      second: { member: asId('U01ANN'), verdict: second },
    };
    const key = accountKey(sandboxAccount, 'second-looks', String(Math.floor(at / monthMs)));
    await redis.hset(key, `${task} 1`, secondLookOutcomeCodec.encode(outcome));
    // What the step of a rating says when two looks differ.
    if (first !== second) await redis.sadd(accountKey(sandboxAccount, 'refusals-due'), `${campaign} `);
  }

  const told = async () =>
    (await world.ann.reads(place)).filter(({ text }) => text.includes('instructions may be at fault'));

  test('second looks that differ on one campaign: the team is told once, with the cases side by side', async () => {
    await looked(menus.campaign_id, 'the first menu', ['NOK', 'OK']);
    await looked(menus.campaign_id, 'the second menu', ['OK', 'NOK']);
    await looked(menus.campaign_id, 'both menus', ['OK', 'OK']);
    // Two that differ say nothing yet: that was looked at, and is looked at again with the next.
    const due = accountKey(sandboxAccount, 'refusals-due');
    await eventually('it to be looked at', async () => ((await redis.scard(due)) === 0 ? true : undefined));
    expect(await told()).toEqual([]);
    await looked(menus.campaign_id, 'a menu <!channel> alone', ['REVISE', 'OK']);
    const message = await world.ann.sees(place, /instructions may be at fault/);
    expect(message.text).toMatch(/Compare two menus.*: second looks differ on 3 of 4 tasks/);

    await world.ann.clicks(message, 'Cases…');
    const cases = await world.ann.modal(/Second looks differ on 3 of 4 tasks/);
    for (const proof of ['the first menu', 'the second menu', 'alone']) expect(cases.text).toContain(proof);
    expect(cases.text).not.toContain('both menus');
    expect(cases.text).toContain('First look: NOK · second look: OK');
    // It is about the instructions: nobody is named.
    expect(cases.text).not.toMatch(/@Ann|@Ben/);
    expect(JSON.stringify(await world.ann.modals())).not.toContain('<!channel>');
    await cases.close();

    await looked(menus.campaign_id, 'one more menu', ['NOK', 'OK']);
    await world.settled();
    expect(await told()).toHaveLength(1);
  });

  test('a reviewer sees their own figures, a manager those of everybody, from Home and from a campaign', async () => {
    await looked(shelf.campaign_id, 'a shelf', ['OK', 'OK']);
    await world.ben.opensHome();
    await (await world.ben.home(/Reviewing/)).clicks('Second looks');
    const own = await world.ben.modal(/Second looks/);
    expect(own.text).toMatch(/6 second looks: 4 differ, 67 % \(95 % interval 22–96 %\), alpha -?0\.\d\d/);
    expect(own.text).toMatch(/Photo of a shelf: 1 second look, 0 differ, 0 % \(95 % interval 0–9[78] %\)\./);
    expect(own.text).toContain('@Ben Okafor (you)');
    expect(own.text).not.toContain('@Ann');
    await own.close();

    await world.ann.types(place, '/campaign status Compare two menus');
    const status = await world.ann.sees(place, /Id: .*c0ffee02/);
    await world.ann.clicks(status, 'Second looks');
    const all = await world.ann.modal(/Second looks/);
    expect(all.text).toContain('Compare two menus*\n5 second looks: 4 differ, 80 %');
    expect(all.text).toContain('@Ben Okafor');
    expect(all.text).toMatch(/@Ann \(you\)|@Ann Reyes \(you\)/);
    expect(all.text).toContain('Gave 5 second looks to others.');
    await all.close();
    expect(given).toBe(6);
  });

  test('whoever may only see the account sees what the team says, and of no reviewer', async () => {
    await world.chloe.types(place, '/proofdesk second-looks');
    const modal = await world.chloe.modal(/6 second looks/);
    expect(modal.text).not.toMatch(/@Ann|@Ben|an hour/);
  });
});
