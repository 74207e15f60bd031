import { afterAll, afterEach, beforeAll } from 'vitest';
import { createWorld, startWorld, type World, type WorldOptions } from './world.ts';

export { eventually } from './eventually.ts';
export { story } from './story.ts';
export {
  createWorld,
  type FaultPoint,
  startWorld,
  transports,
  type World,
  type WorldOptions,
} from './world.ts';

/**
 * Returns a world whose members are those of the one that runs. Its people, both sandboxes and Redis may be taken from it before
 * it runs.
 */
const following = <T extends object>(running: () => T | undefined): T =>
  new Proxy({} as T, {
    get(_, name) {
      const world = running();
      if (world !== undefined) return Reflect.get(world, name);
      return following(() => running()?.[name as keyof T] as object | undefined);
    },
  });

/**
 * Starts one world for all tests of a file or a `describe`, and closes it after them. After each, what it made fail works again,
 * and Ann has closed her modals.
 * @param start `createWorld` for a world whose bot a test starts
 */
export function sharedWorld(options: WorldOptions, start: typeof createWorld = startWorld): World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await start(options);
  });
  afterEach(async () => {
    await Promise.all([world?.marketplace.clearFaults(), world?.slack.clearFaults()]);
    await world?.ann.closesAll();
  });
  afterAll(() => world?.close());
  return following(() => world);
}

/** Starts a world when a test asks for one, with its bot (`begin`) or without (`create`), and closes it after the test. */
export function worldPerTest(defaults: WorldOptions = {}) {
  let world: World | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  const withDefaults = (options: WorldOptions): WorldOptions => ({
    ...defaults,
    ...options,
    env: { ...defaults.env, ...options.env },
  });
  return {
    world: following(() => world),
    begin: async (options: WorldOptions = {}): Promise<World> => {
      world = await startWorld(withDefaults(options));
      return world;
    },
    create: async (options: WorldOptions = {}): Promise<World> => {
      world = await createWorld(withDefaults(options));
      return world;
    },
  };
}
