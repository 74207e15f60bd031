import { afterEach } from 'vitest';
import { startWorld, type World, type WorldOptions } from './world.ts';

/** Starts a world when a test requests one, and closes it after the test. */
export function worldPerTest(defaults: WorldOptions) {
  let world: World | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  return {
    async begin(options: WorldOptions = {}): Promise<World> {
      world = await startWorld({ ...defaults, ...options });
      return world;
    },
    /** Returns this test's world. */
    current(): World {
      if (world === undefined) throw new Error('no world was started');
      return world;
    },
  };
}
