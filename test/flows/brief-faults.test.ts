import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, expect, test } from 'vitest';
import { place, refusesAsSaved } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const menus = { campaign_id: 'c0ffee02', title: 'Compare two menus', status: 'RUNNING' } as const;
const reason = 'The instructions were not followed';

let workers: string[];
const world = sharedWorld({
  scenario: { campaigns: [menus] },
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN' },
});
beforeAll(async () => {
  workers = (await world.marketplace.state()).workers.map(({ worker_id }) => worker_id);
});

/** A worker submits, and Ann refuses it with the saved reason. */
async function refuses(worker: number, proof: string): Promise<Seen> {
  const card = await world.card(proof, { worker_id: workers[worker] ?? '' });
  await refusesAsSaved(world.ann, card, reason, 'We could not accept');
  // The refusal counts once the marketplace has it: until then the card says so with another mark.
  return card.untilText(/:x: \*NOK\* by/);
}

test('several workers refused for one reason: the team is told once, with the cases side by side', async () => {
  await refuses(1, 'only the first menu');
  await refuses(1, 'the first menu again');
  await refuses(2, 'menu <!channel> two');
  const third = await refuses(3, 'a menu on its own');
  const message = await world.ann.sees(place, /instructions may be unclear/);
  expect(message.text).toMatch(new RegExp(`Compare two menus.*: 3 workers got NOK for “${reason}”`));

  const cases = await world.ann.opens(message, 'Cases…', /Cases/);
  for (const proof of ['the first menu again', 'a menu on its own']) expect(cases.text).toContain(proof);
  // One case for each worker: the latest.
  expect(cases.text).not.toContain('only the first menu');
  expect(cases.links.some((link) => link.includes(third.ts.replace('.', '')))).toBe(true);
  expect(cases.pings).not.toContain('@channel');

  await refuses(4, 'the fourth menu');
  // What the fourth refusal might bring comes with a later poll.
  await world.marketplace.polls();
  expect(await world.posts(/instructions may be unclear/)).toHaveLength(1);
  expect((await world.ann.opens(message, 'Cases…', /Cases/)).text).toContain('the fourth menu');
});
