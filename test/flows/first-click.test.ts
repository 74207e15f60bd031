import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/worlds.ts';

/*
 * Ben clicks for the first time while Slack's Web API is away: who he is cannot be asked, and nothing can be answered. Ann
 * was known before.
 */

const toBen = 'D02BEN';
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { ACCOUNT_OWNERS: 'U01ANN' },
});

let task: string;
let card: Seen;
beforeEach(async () => {
  await begin();
  ({ task, card } = await world.taskWithCard('for Ben'));
});

const rating = async (id: string) => (await world.marketplace.task(id)).task_rating;

test.each(['OK', 'NOK'])(
  'a first %s while Slack is away rates nothing: who pressed it is told to press it again',
  async (verdict) => {
    const { ann, ben, slack } = world;
    const { task: other, card: cardOfOther } = await world.taskWithCard('for Ann');
    await ann.asks('/campaign list', /1 campaign\*?\./);
    await slack.fault({ kind: '500', times: 0 });
    await ben.clicks(card, verdict);
    await ann.clicks(cardOfOther, 'OK');
    // Who was known before is not waited for.
    await eventually('the OK of Ann', async () => (await rating(other)) === 'OK');
    await eventually('an answer in vain', async () =>
      JSON.stringify(await slack.requests({ method: 'conversations.open', status: 500 })).includes(ben.id),
    );
    await slack.clearFaults();
    await ben.sees(
      toBen,
      new RegExp(`you pressed \\*?${verdict}\\*? .*nothing was rated.*Press ${verdict} again`, 's'),
    );
    await world.settled();
    expect(await rating(task)).toBe('NOTRATED');
    if (verdict === 'OK') await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
    else await (await ben.opens(card, 'NOK', /Rate NOK/)).submit();
    expect(await world.marketplace.calls('/rate_task')).toHaveLength(verdict === 'OK' ? 2 : 1);
  },
);
