import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';

const finished = {
  campaign_id: 'f1n15hed',
  title: 'Visit a coffee shop',
  status: 'FINISHED',
  available_positions: 16,
  payment_per_task: '0.25000',
} as const;
const review = 'C01REVIEW';
const named = [
  { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
  { id: 'U03CHLOE', name: 'chloe', real_name: 'Chloé Martin' },
  { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes', is_admin: true },
];
const others = Array.from({ length: 5_099 }, (_, index) => ({
  id: `U9${index}`,
  name: `u${index}`,
  real_name: `Person ${index}`,
}));

describe('a workspace with 5,102 members whose admins own the account', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      scenario: { campaigns: [finished] },
      env: { ACCOUNT_OWNERS: undefined },
      workspace: {
        // The only admin comes last.
        users: [...others, ...named],
        channels: [
          { id: review, name: 'review', members: ['U01ANN', 'U02BEN'] },
          { id: 'C02OTHER', name: 'other', members: ['U03CHLOE'] },
        ],
      },
    });
    await world.slack.settings({ rateLimits: 'on' });
  });
  afterAll(() => world.close());

  test('whoever needs its admins reads that they are looked up, within Slack’s limits, and they are asked', async () => {
    const { ann, ben, chloe, slack } = world;
    await ben.types(review, `/campaign restart ${finished.campaign_id} 4`);
    await (await ben.modal(/Positions to add/)).submit();
    await (await ben.modal(/4 positions × 0\.25 = 1\.00/)).clicks('Add 4 for 1.00');
    await ben.modal(/is looking up who can approve it and will ask them/);
    await chloe.types('C02OTHER', '/proofdesk subscribe');
    await chloe.clicks(await chloe.sees('C02OTHER', /manager/), 'Ask the owners');
    await chloe.sees('C02OTHER', /looking up the admins of this workspace and will ask them/);
    await slack.channelPatch(review, { shared: true });

    await ann.sees('D01ANN', /Chloé Martin asks to become a manager/);
    await ann.sees('D01ANN', /#review is shared with another company/);
    await ann.clicks(await ann.sees('D01ANN', /asks to restart/), 'Approve');
    await ben.sees('D02BEN', /got 4 more positions/);
    const lists = await slack.requests({ method: 'users.list' });
    expect(lists.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(lists.length).toBeLessThanOrEqual(20);
  });
});

describe('a workspace with 130 user groups', () => {
  let world: World;
  const running = { ...finished, status: 'RUNNING' } as const;
  beforeAll(async () => {
    world = await startWorld({
      scenario: { campaigns: [running] },
      workspace: {
        usergroups: Array.from({ length: 130 }, (_, index) => ({
          id: `S${index}`,
          handle: `team-${index}`,
          name: `Team ${index}`,
          users: ['U02BEN'],
        })),
      },
    });
  });
  afterAll(() => world.close());

  test('every group can be given a role', async () => {
    const { ann } = world;
    await ann.types(review, '/proofdesk settings');
    await (await ann.modal(/Owners/)).clicks('Give a role');
    const form = await ann.modal(/Give a role/);
    expect(await form.types('A user group', '')).toHaveLength(100);
    await form.select('A user group', 'Team 129');
    await form.submit();
    await ann.modal(/Reviewers\W.*team-129/);
  });

  test('every group can be assigned a task', async () => {
    const { ann, marketplace } = world;
    await marketplace.submit({ campaign_id: running.campaign_id, proof: ['an answer'] });
    const card = await ann.sees(review, /an answer/);
    await ann.chooses(card, '…', 'More…');
    await (await ann.modal(/More/)).clicks('Assign to…');
    const form = await ann.modal(/Assign this task/);
    await form.select('Or a user group', 'Team 128');
    await form.submit();
    await ann.modal(/Assigned to @team-128/);
  });
});
