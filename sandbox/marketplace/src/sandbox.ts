import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Faults } from './faults.ts';
import { createFaults } from './faults.ts';
import type { World } from './model.ts';
import { createRandom } from './random.ts';
import type { RequestLog } from './request-log.ts';
import { createRequestLog } from './request-log.ts';
import type { Scenario } from './scenario.ts';
import { buildWorld } from './scenario.ts';
import type { Settings } from './settings.ts';
import { defaultSettings } from './settings.ts';
import type { Workers } from './workers.ts';
import { createWorkers } from './workers.ts';

type ParsedScenario = z.output<typeof Scenario>;

/** The state of one running sandbox. A reset replaces `world` and `settings`: do not keep references to them. */
export interface Sandbox {
  readonly world: World;
  readonly settings: Settings;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly workers: Workers;
  /** Starts over, with the scenario given or the first one. */
  reset(scenario?: ParsedScenario): void;
  change(settings: Partial<Settings>): Settings;
  /** Counts a request of this key. Returns whether it is within the rate limit. */
  admit(key: string): boolean;
  /** Waits, or ends at once when the sandbox closes or `ended` is aborted. */
  wait(ms: number, ended?: AbortSignal): Promise<void>;
  close(): void;
}

export function createSandbox(start: {
  scenario: ParsedScenario | undefined;
  settings: Partial<Settings>;
  workers: boolean;
}): Sandbox {
  const closing = new AbortController();
  // Any number of requests may wait at the same time.
  setMaxListeners(0, closing.signal);
  const faults = createFaults(createRandom(7));
  const log = createRequestLog();
  const recent = new Map<string, number[]>();
  const settingsOf = (scenario: ParsedScenario | undefined): Settings =>
    Object.assign({ ...defaultSettings }, start.settings, scenario?.settings);
  let settings = settingsOf(start.scenario);
  let world = buildWorld(start.scenario, Date.now());
  const workers = createWorkers({ world: () => world, settings: () => settings });
  const setWorkers = (): void => (start.workers ? workers.start() : workers.stop());
  setWorkers();
  return {
    get world() {
      return world;
    },
    get settings() {
      return settings;
    },
    faults,
    log,
    workers,
    reset(scenario = start.scenario) {
      world = buildWorld(scenario, Date.now());
      settings = settingsOf(scenario);
      faults.remove();
      log.clear();
      recent.clear();
      workers.stop();
      setWorkers();
    },
    change(changes) {
      Object.assign(settings, changes);
      return settings;
    },
    admit(key) {
      if (settings.requestsPerSecond === 0) return true;
      const now = Date.now();
      const within = (recent.get(key) ?? []).filter((at) => at > now - 1000);
      recent.set(key, within);
      if (within.length >= settings.requestsPerSecond) return false;
      within.push(now);
      return true;
    },
    async wait(ms, ended) {
      const signal = ended === undefined ? closing.signal : AbortSignal.any([closing.signal, ended]);
      await delay(ms, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    close() {
      workers.stop();
      closing.abort();
    },
  };
}
