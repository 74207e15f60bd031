import { beforeAll, describe, expect, test } from 'vitest';
import { finishedShop as finished, members, restarts, place as review } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const named = [members.ben, members.chloe, { ...members.ann, is_admin: true }];
const others = Array.from({ length: 5_099 }, (_, index) => ({
  id: `U9${index}`,
  name: `u${index}`,
  real_name: `Person ${index}`,
}));

describe('a workspace with 5,102 members whose admins own the account', () => {
  const world = sharedWorld({
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
  const { ann, ben, chloe, slack } = world;
  beforeAll(async () => {
    await slack.settings({ rateLimits: 'on' });
  });

  test('whoever needs its admins reads that they are looked up, within Slack’s limits, and they are asked', async () => {
    await restarts(ben, `${finished.campaign_id} 4`, /is looking up who can approve it and will ask them/);
    await chloe.clicks(await chloe.asks('/proofdesk subscribe', /manager/, 'C02OTHER'), 'Ask the owners');
    await chloe.sees('C02OTHER', /asks those who can change that/);
    await slack.channelPatch(review, { shared: true });

    await ann.sees('D01ANN', /Chloé Martin asks to become a manager/);
    await ann.sees('D01ANN', /#review is shared with another company/);
    await ann.clicks(await ann.sees('D01ANN', /asks to restart/), 'Approve');
    await ben.sees('D02BEN', /now has 4 more positions/);
    const lists = await slack.requests({ method: 'users.list' });
    expect(lists.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(lists.length).toBeLessThanOrEqual(20);
  });
});
