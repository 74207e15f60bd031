import { describe, expect, test } from 'vitest';
import { rates, paidShelf as shelf } from '../harness/acts.ts';
import { followed, sentNok } from '../harness/log.ts';
import { eventually, transports, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

const followedOf = async (task: string) => {
  await world.marketplace.rated(task, 'NOK');
  return eventually('the log of its end', () => {
    const found = followed(world.log.join(''), task);
    return found.said.includes('audit applied') && found;
  });
};

describe.each(transports)('over %s', (transport) => {
  test('a NOK, even delivered twice, is followed by one id through the log, from the press to the marketplace', async () => {
    const { ann, slack } = await begin({ transport });
    const { task, card } = await world.taskWithCard('a blurred shelf');
    await slack.fault({ match: { delivery: 'view_submission' }, kind: 'twice' });
    await rates(ann, card, 'NOK', 'It is blurred');
    await card.untilText(/\*NOK\* by @Ann/);
    const { delivery, said } = await followedOf(task);
    expect(delivery).toMatch(/^[0-9a-f]{8}$/);
    expect(said).toEqual(expect.arrayContaining([...sentNok, "apiCall('chat.update') end"]));
    expect(said.filter((line) => line === 'interaction received task.reason')).toHaveLength(2);
  });
});

test('decisions that leave in one call are each followed by their own id', async () => {
  const { ann, ben, marketplace } = await begin({ env: { UNDO_SECONDS: '10' } });
  const [one, two] = [await world.taskWithCard('number one'), await world.taskWithCard('number two')];
  await rates(ann, one.card, 'NOK', 'It is blurred');
  await rates(ben, two.card, 'NOK', 'It is dark');
  await two.card.untilText(/\*NOK\* by @Ben/);
  const dueBy = Date.now() + 10_000;
  await world.stopBots();
  await eventually('the end of undo', () => Date.now() > dueBy);
  await world.startBot();
  const [first, second] = [await followedOf(one.task), await followedOf(two.task)];
  expect(await marketplace.calls('/rate_tasks')).toHaveLength(1);
  expect(first.delivery).not.toBe(second.delivery);
  for (const { said } of [first, second]) {
    expect(said).toContain('marketplace request rateTasks');
    expect(said.filter((line) => line === 'audit applied')).toHaveLength(1);
  }
});

test('cards that are drawn together are each followed by the id of their own click', async () => {
  const { ann, ben, slack } = await begin({ env: { UNDO_SECONDS: '60' } });
  const [one, two] = [await world.taskWithCard('number one'), await world.taskWithCard('number two')];
  await slack.fault({ match: { method: 'chat.update' }, kind: '429', retryAfter: 2, times: 1 });
  await ann.clicks(one.card, 'OK');
  await ben.clicks(two.card, 'OK');
  await one.card.untilText(/\*OK\* by @Ann/);
  await two.card.untilText(/\*OK\* by @Ben/);
  for (const { task } of [one, two]) {
    const { said } = followed(world.log.join(''), task);
    expect(said.filter((line) => line === "apiCall('chat.update') end")).toHaveLength(1);
  }
});
