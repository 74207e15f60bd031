import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Transport, transports } from '../harness/world.ts';
import { entryPoints } from './entry-points.ts';
import { fuzz } from './run.ts';
import { secretsIn } from './secrets.ts';
import { openSlackWorld, type SlackWorld } from './slack-world.ts';

/** The same cases at each run: `npm run fuzz` tries others. */
const seed = 20_261_122;

/** One world for each transport: a world takes longer to start than its cases. */
const worlds = new Map<Transport, Promise<SlackWorld>>();

async function sharedWorld(transport: Transport): Promise<SlackWorld> {
  const world = worlds.get(transport) ?? openSlackWorld(transport);
  worlds.set(transport, world);
  return { ...(await world), close: async () => [] };
}

// The second is there when the first has served.
beforeAll(() => {
  for (const transport of transports) worlds.set(transport, openSlackWorld(transport));
});
afterAll(async () => {
  const last = await Promise.all([...worlds.values()].map(async (world) => (await world).close()));
  expect(last.flat().flatMap(secretsIn)).toEqual([]);
});

test.each(entryPoints(sharedWorld).map((entry) => [entry.name, entry] as const))('%s', async (_, entry) => {
  const { findings } = await fuzz(entry, { cases: 200, seed });
  expect(findings).toEqual([]);
});
